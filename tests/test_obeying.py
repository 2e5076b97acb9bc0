"""What the assistant itself does at the user's word, and what goes to the agent instead."""

from dataclasses import replace

import pytest

from tests.talk import Talk, outcomes, speaking
from voicehermes.dialogue import commands as do
from voicehermes.dialogue import events as on
from voicehermes.dialogue import state as at
from voicehermes.events import Completed, TextDelta


def finished() -> Talk:
    """A reply was heard to its end."""
    talk = speaking()
    talk.on(on.RunHappened(1, Completed(None)), on.SpokenAll(1))
    return talk


def submitted(commands: tuple[do.Command, ...]) -> list[str]:
    return [command.text for command in commands if isinstance(command, do.Submit)]


def test_zitto_silences_the_reply_and_leaves_its_run() -> None:
    talk = speaking()
    said = talk.say("Zitto!")
    assert do.Hush(1) in said
    assert not submitted(said)
    assert not [c for c in said if isinstance(c, do.CancelRun)]
    assert outcomes(said) == {2: "local command"}
    assert isinstance(talk.state, at.Thinking)


def test_annulla_stops_the_run() -> None:
    talk = speaking()
    said = talk.say("annulla")
    assert do.CancelRun("run-1") in said
    assert outcomes(said) == {1: "cancelled", 2: "local command"}
    assert isinstance(talk.state, at.Idle)


def test_what_was_obeyed_is_not_kept_to_be_sent() -> None:
    assert do.Forget(2) in speaking().say("annulla")


def test_ripeti_speaks_the_last_reply_again_as_a_turn_of_its_own() -> None:
    talk = finished()
    said = talk.say("ripeti")
    assert said.index(do.SpeakAgain(2, from_start=True)) < said.index(do.EndSpeech(2))
    assert isinstance(talk.state, at.Thinking)
    talk.on(on.SoundBegan(2))
    assert isinstance(talk.state, at.Speaking)
    assert outcomes(talk.on(on.SpokenAll(2))) == {2: "local command"}
    assert isinstance(talk.state, at.Idle)


def test_ripeti_begins_a_reply_that_is_still_being_written_again() -> None:
    talk = speaking()
    said = talk.say("ripeti")
    assert do.SpeakAgain(1, from_start=True) in said
    assert not [c for c in said if isinstance(c, do.Hush | do.EndSpeech)]
    assert do.AddSpeech(1, "Poi.") in talk.on(on.RunHappened(1, TextDelta("Poi.")))


def test_continua_lets_a_paused_reply_go_on() -> None:
    talk = speaking()
    said = talk.say("continua")
    assert do.ResumeSound() in said
    assert not [c for c in said if isinstance(c, do.SpeakAgain | do.Hush)]
    assert isinstance(talk.state, at.Speaking)


def test_continua_after_zitto_speaks_what_was_not_heard_and_what_comes() -> None:
    talk = speaking()
    talk.say("zitto")
    assert do.AddSpeech(1, "E ") in talk.on(on.RunHappened(1, TextDelta("E ")))
    assert do.SpeakAgain(1, from_start=False) in talk.say("continua")
    assert do.AddSpeech(1, "Poi.") in talk.on(on.RunHappened(1, TextDelta("Poi.")))


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("più piano", do.ChangeVolume(-1)),
        ("più forte", do.ChangeVolume(1)),
        ("più lento", do.ChangeRate(-1)),
        ("più veloce", do.ChangeRate(1)),
    ],
)
def test_it_speaks_otherwise_and_lets_that_be_heard(text: str, change: do.Command) -> None:
    over = speaking().say(text)
    assert over.index(change) < over.index(do.ResumeSound())
    assert do.Say("voice-sample") not in over
    quiet = Talk().say(text)
    assert quiet.index(change) < quiet.index(do.Say("voice-sample"))


def test_continua_after_zitto_speaks_the_rest_of_a_reply_that_is_complete() -> None:
    talk = speaking()
    talk.say("zitto")
    assert do.EndSpeech(1) in talk.on(on.RunHappened(1, Completed(None)))
    said = talk.say("continua")
    assert said.index(do.SpeakAgain(3, from_start=False)) < said.index(do.EndSpeech(3))


@pytest.mark.parametrize("text", ["annulla", "continua", "vai avanti"])
def test_what_has_nothing_of_ours_to_act_on_is_for_the_agent(text: str) -> None:
    assert submitted(finished().say(text)) == [text]


def test_a_new_conversation_ends_the_run_of_the_old_one_and_is_told_when_it_is_there() -> None:
    talk = speaking()
    said = talk.say("nuova conversazione")
    assert said.index(do.CancelRun("run-1")) < said.index(do.BeginAnew())
    assert talk.on(on.BegunAnew()) == (do.Say("new-conversation"),)


def test_going_to_sleep_ends_the_time_to_go_on() -> None:
    talk = Talk(mode="handsfree", handsfree_start="key")
    talk.say("che ore sono")
    talk.answer_begins()
    assert talk.dialogue.is_open
    said = talk.say("vai a dormire")
    assert do.Cue("closed") in said
    assert not talk.dialogue.is_open


def test_what_is_switched_off_goes_to_the_agent() -> None:
    talk = speaking()
    talk.rules = replace(talk.rules, local_commands=frozenset({"quiet"}))
    assert submitted(talk.say("annulla")) == ["annulla"]


@pytest.mark.parametrize("text", ["annulla la riunione di domani", "ripeti la domanda a Marco"])
def test_whole_utterances_only_are_obeyed(text: str) -> None:
    assert submitted(speaking().say(text)) == [text]
