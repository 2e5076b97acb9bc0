"""Which replies are spoken, and what is kept of those that are not."""

from voicehermes import lexicon
from voicehermes.speaking.replies import Replies
from voicehermes.speaking.reply import Reply, Sentence
from voicehermes.speaking.script import Script

WORDS = lexicon.load("it")


def _reply(turn: int, script: Script | None = None) -> Reply:
    return Reply(turn, None, WORDS, script or Script(turn))


def _with(*turns: int) -> Replies:
    replies = Replies()
    for turn in turns:
        replies.begin(_reply(turn))
    return replies


def _turns(replies: Replies) -> list[int]:
    return [reply.turn for reply in replies]


def test_they_are_spoken_in_the_order_in_which_they_began() -> None:
    replies = _with(1, 2, 3)
    assert _turns(replies) == [1, 2, 3]
    assert len(replies) == 3
    assert [reply.turn for reply in replies.take_out(lambda reply: reply.turn == 2)] == [2]
    assert _turns(replies) == [1, 3]


def test_a_piece_goes_to_the_reply_of_its_turn() -> None:
    replies = _with(1, 2)
    assert replies.add(2, "Ciao. Co", 0.0) == [(2, [Sentence(0, 5)])]
    assert replies.add(1, "Sì. E", 0.0) == [(1, [Sentence(0, 3)])]
    assert replies.end(2, 0.0) == [(2, [Sentence(1, 2)])]
    assert replies.add(7, "Niente.", 0.0) == []
    assert replies.end(7, 0.0) == []


def test_the_last_is_the_one_that_was_written_to_last_and_says_something() -> None:
    replies = _with(1, 2)
    assert replies.last is None
    replies.add(1, " \n", 0.0)
    assert replies.last is None
    replies.add(1, "Sì.", 0.0)
    replies.add(2, "\n", 0.0)
    assert replies.last
    assert replies.last.turn == 1
    replies.add(2, "No.", 0.0)
    assert replies.last.turn == 2


def test_of_one_that_is_not_spoken_any_more_the_text_is_taken_down() -> None:
    replies = _with(1)
    replies.add(1, "Prima. ", 0.0)
    replies.take_out(lambda _: True)
    assert replies.add(1, "Seconda.", 0.0) == []
    assert replies.end(1, 0.0) == []
    assert replies.last
    assert replies.last.text == "Prima. Seconda."
    assert replies.last.is_complete


def test_when_others_have_begun_and_spoken_the_old_one_is_forgotten() -> None:
    replies = _with(1)
    replies.add(1, "Vecchia.", 0.0)
    replies.take_out(lambda _: True)
    replies.begin(_reply(2))
    replies.add(2, "Nuova.", 0.0)
    replies.add(1, "Altro.", 0.0)
    assert replies.last
    assert replies.last.text == "Nuova."


def test_one_that_is_said_again_comes_before_those_that_say_nothing_yet() -> None:
    replies = _with(1, 2, 3)
    script = Script(0)
    script.add("Vecchia.")
    replies.add(1, "Ciao.", 0.0)
    replies.begin_again(_reply(3, script))
    assert _turns(replies) == [1, 3, 2, 3]
    replies.add(3, "Nuova.", 0.0)
    assert script.text == "Vecchia."


def test_a_run_is_named_for_what_was_written_in_its_turn() -> None:
    replies = _with(1)
    old = Script(0)
    replies.begin_again(_reply(1, old))
    replies.name_run(1, "run-1")
    assert [reply.script.run_id for reply in replies] == [None, "run-1"]
