"""Decisions in the dialogue: asked for, heard, answered, and refused in every doubt."""

import pytest

from tests.talk import SPEECH, Talk, outcomes
from voicehermes.audio import EndsBy, Utterance, UtteranceEnd
from voicehermes.deciding.rules import DecisionRules
from voicehermes.dialogue import Rules
from voicehermes.dialogue import commands as do
from voicehermes.dialogue import events as on
from voicehermes.dialogue import state as at
from voicehermes.errors import GoneError, LoginError, UnreachableError, VoiceError
from voicehermes.events import (
    Approval,
    Cancelled,
    Clarification,
    Completed,
    Decision,
    DecisionWanted,
    TextDelta,
    ToolEnded,
)

LIST = Approval("a1", "ls src", "list files", allow_permanent=True)
REMOVE = Approval("a1", "rm -rf build", "recursive delete", allow_permanent=True)
WHERE = Clarification("c1", "Dove lo metto?", ("staging", "production"), None)
NAME = Clarification("c1", "Come lo chiamo?", (), None)
LIST_TOO = Approval("a2", "ls tests", "list files", allow_permanent=True)
LOST = UnreachableError("Connection refused.")


class Asked(Talk):
    """A run that asks for a decision, and its user."""

    def __init__(self, decision: Decision = LIST, **decisions: object) -> None:
        super().__init__()
        self.rules = Rules(decisions=DecisionRules(**decisions))  # type: ignore[arg-type]
        self.say("fallo")
        self.answer_begins()
        self.decision = decision
        self.found = self.on(on.DecisionFound(decision))

    def hear(self) -> tuple[do.Command, ...]:
        """What is being read is heard to its end."""
        return self.on(on.QuestionHeard(self.dialogue.asked))

    def answer(self, text: str | None) -> tuple[do.Command, ...]:
        """The recording that began by itself ends with these words; None: nothing was said."""
        state = self.state
        assert isinstance(state, at.Listening)
        turn = state.turn
        heard = self.on(on.Heard(state.recording, SPEECH if text is not None else None))
        return heard if text is None else self.on(on.Transcribed(turn, text))

    def confirm_pending(self) -> tuple[do.Command, ...]:
        return self.on(on.DecisionConfirmed(self.decision.id))

    def hear_and_answer(self, text: str | None) -> tuple[do.Command, ...]:
        self.hear()
        return self.answer(text)

    def hear_again_and_answer(self, text: str | None) -> tuple[do.Command, ...]:
        """After an answer that led to a further prompt."""
        self.confirm_pending()
        return self.hear_and_answer(text)

    @property
    def sent(self) -> list[str]:
        return [c.answer for c in self.commands if isinstance(c, do.AnswerDecision)]

    @property
    def prompts(self) -> list[str]:
        """All that was read, each reading as one text."""
        return [
            " ".join(part.text for part in c.parts)
            for c in self.commands
            if isinstance(c, do.AskQuestion)
        ]


def said(commands: tuple[do.Command, ...]) -> list[str]:
    return [c.phrase for c in commands if isinstance(c, do.Say)]


def checks(id_: str, commands: tuple[do.Command, ...]) -> bool:
    return [c.id for c in commands if isinstance(c, do.CheckDecision)] == [id_]


def test_a_decision_is_announced_shown_and_read_and_the_reply_is_held() -> None:
    talk = Asked()
    asked = next(c for c in talk.found if isinstance(c, do.AskQuestion))
    assert do.Cue("attention") in talk.found
    assert any(isinstance(c, do.ShowDecision) and "ls src" in c.text for c in talk.found)
    assert "Hermes" in asked.parts[0].text
    assert asked.within_seconds + asked.after_waiting_seconds < 5
    assert talk.state == at.Asking("a1", "reading")


def test_a_clarification_lets_the_sentences_that_wait_be_heard_first() -> None:
    talk = Asked(WHERE)
    asked = next(c for c in talk.found if isinstance(c, do.AskQuestion))
    assert asked.after_waiting_seconds == 10


def test_the_microphone_opens_by_itself_when_the_question_was_heard() -> None:
    talk = Asked()
    opened = talk.hear()
    assert do.PauseSound() in opened
    assert do.StartRecording(2, -2, ends_by=EndsBy.LONG_SILENCE) in opened
    assert talk.state == at.Listening(2, -2, False, answering=at.Answering("a1", True))


def test_a_yes_after_the_question_is_sent_for_that_id_and_told_when_the_server_has_it() -> None:
    talk = Asked()
    sent = talk.hear_and_answer("sì")
    assert do.AnswerDecision(LIST, "once") in sent
    assert said(sent) == []
    assert do.ResumeSound() not in sent
    taken = talk.on(on.DecisionAnswered("a1", "once"))
    assert taken.index(do.Say("approved-once")) < taken.index(do.ResumeSound())
    assert isinstance(talk.state, at.Speaking)
    assert talk.dialogue.questions == ()
    assert talk.sent == ["once"]


def test_the_answers_recording_is_a_turn_that_ends_once_and_is_not_kept_on_disk() -> None:
    talk = Asked()
    assert outcomes(talk.hear_and_answer("sì")) == {2: "answer"}
    kept = [c.is_kept for c in talk.commands if isinstance(c, do.Transcribe)]
    assert kept == [True, False]


@pytest.mark.parametrize(
    ("words", "answer"), [("no", "deny"), ("sì", "once"), ("sessione", "session")]
)
def test_each_answer_is_what_it_means(words: str, answer: str) -> None:
    talk = Asked()
    talk.hear_and_answer(words)
    assert talk.sent == [answer]


def test_a_refusal_counts_while_the_question_is_read() -> None:
    talk = Asked()
    assert do.PauseSound() in talk.press()
    turn = talk.dialogue.turn
    talk.release()
    talk.on(on.Heard(talk.recording, SPEECH), on.Transcribed(turn, "no"))
    assert talk.sent == ["deny"]


def test_a_yes_before_the_command_was_read_is_not_one() -> None:
    talk = Asked()
    talk.press()
    turn = talk.dialogue.turn
    talk.release()
    talk.on(on.Heard(talk.recording, SPEECH), on.Transcribed(turn, "sì"))
    assert talk.sent == []
    assert talk.state == at.Asking("a1", "checking", "question", "decision-too-early")


def test_a_yes_before_the_command_is_read_again_is_not_one_if_it_was_never_heard() -> None:
    talk = Asked()
    for words in ("boh", "sì"):  # over the reading, and before it begins anew
        talk.press()
        turn = talk.dialogue.turn
        talk.release()
        talk.on(on.Heard(talk.recording, SPEECH), on.Transcribed(turn, words))
    assert talk.sent == []
    assert talk.state == at.Asking("a1", "checking", "question", "decision-too-early")


def test_a_yes_begun_before_the_end_of_the_reading_and_continued_after_is_not_one() -> None:
    talk = Asked()
    talk.press()
    first = talk.dialogue.turn
    talk.release()
    talk.on(on.Heard(talk.recording, SPEECH))
    talk.press()
    second = talk.dialogue.turn
    talk.release()
    talk.on(on.Heard(talk.recording, SPEECH))
    talk.on(on.Transcribed(first, "sì"), on.Transcribed(second, "sì"))
    assert talk.sent == []
    assert talk.state == at.Asking("a1", "checking", "question", "decision-too-early")


@pytest.mark.parametrize(
    ("decision", "answers", "echo"),
    [(LIST, ["boh"], "approva"), (REMOVE, ["sì", "boh"], "confermo")],
)
def test_a_yes_pressed_over_a_prompt_may_be_our_own_voice_and_is_not_one(
    decision: Decision, answers: list[str], echo: str
) -> None:
    talk = Asked(decision)
    talk.hear_and_answer(answers[0])
    for words in answers[1:]:
        talk.hear_again_and_answer(words)
    talk.confirm_pending()
    talk.press()  # while the prompt names the word, which was heard to its end before
    turn = talk.dialogue.turn
    talk.release()
    talk.on(on.Heard(talk.recording, SPEECH), on.Transcribed(turn, echo))
    assert talk.sent == []
    assert isinstance(talk.state, at.Asking)


def test_pressing_the_key_lets_the_question_fall_silent() -> None:
    talk = Asked()
    assert do.DropQuestion(talk.dialogue.asked) in talk.press()


def test_a_tap_over_the_question_shelves_it_and_nothing_is_sent() -> None:
    talk = Asked()
    talk.press()
    told = talk.release(is_tap=True)
    assert said(told) == ["decision-later-approval"]
    assert talk.dialogue.questions[0].is_shelved
    assert talk.sent == []


def test_the_key_takes_over_the_recording_that_began_by_itself() -> None:
    talk = Asked()
    talk.hear()
    assert talk.press() == (do.KeepOpen(-2),)
    released = talk.release()
    assert [c.recording for c in released if isinstance(c, do.StopRecording)] == [-2]
    talk.on(on.Heard(-2, SPEECH), on.Transcribed(2, "no"))
    assert talk.sent == ["deny"]


def test_an_unclear_answer_is_asked_for_twice_more_and_then_left_to_the_server() -> None:
    talk = Asked()
    talk.hear_and_answer("boh")
    assert talk.state == at.Asking("a1", "checking", "again", "decision-unclear")
    talk.hear_again_and_answer(None)
    assert talk.state == at.Asking("a1", "checking", "again", "decision-silence")
    talk.confirm_pending()
    talk.hear()
    told = talk.answer("boh")
    assert said(told) == ["decision-later-approval"]
    assert do.ResumeSound() in told
    assert talk.sent == []
    assert talk.dialogue.questions[0].is_shelved
    assert isinstance(talk.state, at.Waiting)


def test_it_is_made_sure_that_it_is_still_wanted_before_each_repetition() -> None:
    talk = Asked()
    asked_again = talk.hear_and_answer("ripeti")
    assert do.CheckDecision("a1", talk.dialogue.asked) in asked_again
    assert not any(isinstance(c, do.AskQuestion) for c in asked_again)
    assert any(isinstance(c, do.AskQuestion) for c in talk.confirm_pending())


def test_a_server_that_cannot_be_asked_does_not_keep_the_reply_waiting() -> None:
    talk = Asked()
    talk.hear_and_answer("boh")
    told = talk.on(on.CheckFailed(talk.dialogue.asked))
    assert said(told) == ["error-unreachable"]
    assert do.ResumeSound() in told
    assert talk.dialogue.questions[0].is_shelved
    assert talk.confirm_pending() == ()


def test_why_a_question_cannot_be_asked_again_is_said() -> None:
    talk = Asked()
    talk.hear_and_answer("boh")
    told = talk.on(on.CheckFailed(talk.dialogue.asked, LoginError("no")))
    assert said(told) == ["error-login"]


def test_a_press_asks_again_what_nobody_answered() -> None:
    talk = Asked()
    talk.hear_and_answer(None)
    talk.hear_again_and_answer(None)
    talk.hear_again_and_answer(None)
    again = talk.press()
    assert checks("a1", again)
    assert do.PauseSound() in again
    assert not any(isinstance(c, do.StartRecording) for c in again)
    talk.confirm_pending()
    talk.hear_and_answer("sì")
    assert talk.sent == ["once"]


def test_a_press_does_not_ask_what_was_answered_by_another_way_meanwhile() -> None:
    talk = Asked()
    for _ in range(3):
        talk.hear_again_and_answer(None)
    talk.on(on.AnswerGiven("a1", "once"))
    assert talk.sent == ["once"]
    assert isinstance(talk.state, at.Speaking)
    talk.press()
    assert isinstance(talk.state, at.Listening)


def test_a_press_does_not_ask_what_a_cancel_has_refused() -> None:
    talk = Talk()
    talk.on(on.DecisionFound(LIST), on.QuestionUnheard(1, VoiceError("no")), on.CancelAsked())
    assert isinstance(talk.state, at.Idle)
    talk.press()
    assert isinstance(talk.state, at.Listening)


def test_the_user_may_have_it_wait() -> None:
    talk = Asked()
    waiting = talk.hear_and_answer("aspetta")
    assert do.AskAgainLater("a1", talk.dialogue.asked) in waiting
    assert do.ResumeSound() not in waiting
    talk.on(on.TimeToAsk(talk.dialogue.asked))
    assert talk.state == at.Asking("a1", "checking", "again", "decision-reminder")


def test_a_press_while_it_waits_answers() -> None:
    talk = Asked()
    talk.hear_and_answer("aspetta")
    talk.press()
    turn = talk.dialogue.turn
    talk.release()
    talk.on(on.Heard(talk.recording, SPEECH), on.Transcribed(turn, "sì"))
    assert talk.sent == ["once"]


def test_an_old_reminder_does_not_ask() -> None:
    talk = Asked()
    talk.hear_and_answer("aspetta")
    old = talk.dialogue.asked
    talk.on(on.TimeToAsk(old))
    talk.confirm_pending()
    assert talk.on(on.TimeToAsk(old)) == ()


def test_a_risky_command_needs_a_second_and_different_word() -> None:
    talk = Asked(REMOVE)
    talk.hear_and_answer("sì")
    assert talk.sent == []
    talk.confirm_pending()
    assert "confermo" in talk.prompts[-1]
    talk.hear_and_answer("confermo")
    assert talk.sent == ["once"]


@pytest.mark.parametrize("words", ["sì", "sessione", "boh", "sempre"])
def test_only_that_word_confirms(words: str) -> None:
    talk = Asked(REMOVE)
    talk.hear_and_answer("sì")
    talk.hear_again_and_answer(words)
    assert talk.sent == []


def test_a_no_to_the_second_prompt_refuses() -> None:
    talk = Asked(REMOVE)
    talk.hear_and_answer("sì")
    talk.hear_again_and_answer("no")
    assert talk.sent == ["deny"]


@pytest.mark.parametrize("is_begun", [False, True])
def test_the_confirming_word_does_not_count_before_its_prompt_was_heard(is_begun: bool) -> None:
    talk = Asked(REMOVE)
    talk.hear_and_answer("sì")
    if is_begun:
        talk.confirm_pending()
    talk.press()
    turn = talk.dialogue.turn
    talk.release()
    talk.on(on.Heard(talk.recording, SPEECH), on.Transcribed(turn, "confermo"))
    assert talk.sent == []


def test_the_confirming_word_given_first_does_not_skip_the_second_prompt() -> None:
    talk = Asked(REMOVE)
    talk.hear_and_answer("confermo")
    assert talk.sent == []


def test_a_confirmation_that_is_not_given_grants_nothing_later() -> None:
    talk = Asked(REMOVE)
    talk.hear_and_answer("sì")
    for _ in range(3):
        talk.hear_again_and_answer(None)
    assert talk.sent == []
    talk.press()
    talk.hear_again_and_answer("confermo")
    assert talk.sent == []  # it is a first yes, and the command is risky


def test_always_is_not_granted_by_voice_unless_configured() -> None:
    talk = Asked()
    talk.hear_and_answer("sempre")
    assert talk.sent == []
    assert talk.state == at.Asking("a1", "checking", "again", "grant-not-by-voice")


def test_always_needs_the_second_word_whatever_confirm_says() -> None:
    talk = Asked(voice_grants=("once", "always"), confirm="never")
    talk.hear_and_answer("sempre")
    assert talk.sent == []
    talk.hear_again_and_answer("confermo")
    assert talk.sent == ["always"]


def test_always_is_not_offered_where_the_server_would_not_take_it() -> None:
    once_only = Approval("a1", "ls", "", allow_permanent=False)
    talk = Asked(once_only, voice_grants=("once", "always"))
    talk.hear_and_answer("sempre")
    talk.hear_again_and_answer("confermo")
    assert "sempre" not in talk.prompts[0]
    assert talk.sent == ["once"]  # "confermo" alone is a plain yes


def test_confirm_never_grants_a_risky_command_at_once_and_confirm_always_no_command() -> None:
    never, always = Asked(REMOVE, confirm="never"), Asked(LIST, confirm="always")
    never.hear_and_answer("sì")
    always.hear_and_answer("sì")
    assert (never.sent, always.sent) == (["once"], [])


LONG = Approval("a1", "echo " + " ".join(f"parola{n}" for n in range(60)), "long", True)


def test_a_summarised_command_needs_the_second_word_or_a_full_reading() -> None:
    first, second = Asked(LONG, confirm="never"), Asked(LONG, confirm="never")
    first.hear_and_answer("sì")
    assert first.sent == []
    first.hear_again_and_answer("confermo")
    assert first.sent == ["once"]
    second.hear_and_answer("dettagli")
    second.hear_again_and_answer("sì")
    assert second.sent == ["once"]
    assert "parola59" in second.prompts[1]


def test_a_command_with_a_blob_is_never_heard_in_full() -> None:
    blob = Approval("a1", "echo " + "aGVsbG8gd29ybGQ" * 8, "long", allow_permanent=True)
    talk = Asked(blob, confirm="never")
    talk.hear_and_answer("dettagli")
    talk.hear_again_and_answer("sì")
    assert talk.sent == []
    talk.hear_again_and_answer("confermo")
    assert talk.sent == ["once"]


def test_nothing_may_be_granted_by_voice_where_the_configuration_says_so() -> None:
    talk = Asked(LIST, voice_grants=())
    talk.hear_and_answer("sì")
    talk.hear_again_and_answer("no")
    assert talk.sent == ["deny"]


@pytest.mark.parametrize("is_expired", [True, False])
@pytest.mark.parametrize("moment", ["reading", "listening", "transcribing", "checking", "resting"])
def test_a_decision_that_is_gone_falls_silent_and_nothing_is_sent(
    moment: str, is_expired: bool
) -> None:
    talk = Asked()
    if moment != "reading":
        talk.hear()
    if moment == "transcribing":
        talk.on(on.Heard(-2, SPEECH))
    if moment == "checking":
        talk.answer("boh")
    if moment == "resting":
        talk.answer("aspetta")
    gone = talk.on(on.DecisionGone("a1", is_expired))
    assert said(gone) == ["decision-expired-approval" if is_expired else "decision-closed"]
    assert do.ResumeSound() in gone
    talk.on(on.QuestionHeard(talk.dialogue.asked), on.Transcribed(2, "sì"))
    assert talk.sent == []
    assert isinstance(talk.state, at.Speaking)


def test_the_stream_telling_of_our_own_answer_first_is_not_somebody_elses() -> None:
    talk = Asked()
    talk.hear_and_answer("sì")
    assert talk.on(on.DecisionGone("a1", False)) == ()
    assert said(talk.on(on.DecisionAnswered("a1", "once"))) == ["approved-once"]


def test_an_answer_that_came_too_late_is_not_told_as_one() -> None:
    talk = Asked()
    talk.hear_and_answer("sì")
    told = talk.on(on.DecisionNotAnswered("a1", GoneError("stale")))
    assert said(told) == ["decision-closed"]
    assert talk.dialogue.questions == ()
    assert talk.sent == ["once"]


def test_an_answer_that_does_not_get_through_leaves_the_question_open() -> None:
    talk = Asked()
    talk.hear_and_answer("sì")
    told = talk.on(on.DecisionNotAnswered("a1", LOST))
    assert said(told) == ["error-unreachable"]
    assert talk.dialogue.questions[0].is_shelved
    assert not talk.dialogue.questions[0].is_sent


def test_a_question_that_cannot_be_heard_is_not_granted_by_voice() -> None:
    talk = Asked()
    told = talk.on(on.QuestionUnheard(talk.dialogue.asked, VoiceError("mute")))
    assert said(told) == ["decision-unheard"]
    assert talk.dialogue.questions[0].is_shelved
    assert not any(isinstance(c, do.StartRecording) and c.recording < 0 for c in talk.commands)


def test_with_the_microphone_off_the_question_is_read_and_shelved() -> None:
    talk = Asked()
    talk.on(on.MuteAsked())
    told = talk.hear()
    assert said(told) == ["decision-muted"]
    assert isinstance(talk.state, at.Waiting)


def test_switching_the_microphone_off_takes_no_half_answer() -> None:
    talk = Asked()
    talk.hear()
    told = talk.on(on.MuteAsked())
    assert do.DropRecording(-2) in told
    assert said(told) == ["decision-muted"]


def test_an_answer_that_could_not_be_transcribed_is_asked_for_again_and_not_kept() -> None:
    talk = Asked()
    talk.hear()
    talk.on(on.Heard(-2, SPEECH))
    told = talk.on(on.NotTranscribed(2, LOST))
    assert "kept" not in said(told)
    assert talk.state == at.Asking("a1", "checking", "again", "decision-silence")


def test_decisions_are_asked_for_one_after_another() -> None:
    talk = Asked()
    talk.on(on.DecisionFound(WHERE))
    assert len(talk.prompts) == 1
    talk.hear_and_answer("sì")
    assert len(talk.prompts) == 1
    talk.on(on.DecisionAnswered("a1", "once"))
    assert len(talk.prompts) == 2
    assert "staging" in talk.prompts[1]


def test_an_answer_is_for_the_decision_that_was_read_and_not_for_an_older_one() -> None:
    talk = Asked(REMOVE)
    for _ in range(3):
        talk.confirm_pending()
        talk.hear_and_answer(None)
    talk.decision = LIST_TOO
    talk.on(on.DecisionFound(LIST_TOO))
    talk.hear_and_answer("sì")
    assert [c for c in talk.commands if isinstance(c, do.AnswerDecision)] == [
        do.AnswerDecision(LIST_TOO, "once")
    ]


@pytest.mark.parametrize("end", [UtteranceEnd.TOO_LONG, UtteranceEnd.DEVICE_LOST])
@pytest.mark.parametrize("decision", [LIST, NAME])
def test_an_answer_that_was_cut_off_grants_nothing(end: UtteranceEnd, decision: Decision) -> None:
    talk = Asked(decision)
    talk.hear()
    talk.on(on.Heard(-2, Utterance(b"ogg", ".ogg", 1.0, end)), on.Transcribed(2, "sì"))
    assert talk.sent == []
    refused = Asked()
    refused.hear()
    refused.on(on.Heard(-2, Utterance(b"ogg", ".ogg", 1.0, end)), on.Transcribed(2, "no"))
    assert refused.sent == ["deny"]


@pytest.mark.parametrize("decision", [LIST, NAME])
@pytest.mark.parametrize("is_lost_last", [True, False])
def test_an_answer_of_which_a_piece_gave_no_words_grants_nothing(
    decision: Decision, is_lost_last: bool
) -> None:
    def answered(words: str) -> list[str]:
        talk = Asked(decision)
        talk.hear()
        talk.on(on.Heard(-2, SPEECH))
        talk.press()
        talk.release()
        talk.on(on.Heard(talk.recording, SPEECH))
        events = [on.NotTranscribed(2, LOST), on.Transcribed(3, words)]
        talk.on(*(reversed(events) if is_lost_last else events))
        return talk.sent

    assert answered("sì") == []
    assert answered("annulla")


@pytest.mark.parametrize("words", ["sì", "aspetta", None])
def test_a_confirmation_that_nobody_waits_for_reads_nothing(words: str | None) -> None:
    talk = Asked()
    if words:
        talk.hear_and_answer(words)
    assert talk.confirm_pending() == ()


def test_the_same_decision_twice_is_one() -> None:
    talk = Asked()
    assert talk.on(on.DecisionFound(LIST)) == ()
    assert len(talk.dialogue.questions) == 1


def test_a_decision_found_while_the_user_speaks_waits_for_the_words() -> None:
    talk = Talk(when_busy="queue")
    talk.say("fallo")
    talk.answer_begins()
    talk.press()
    turn = talk.dialogue.turn
    assert not any(isinstance(c, do.AskQuestion) for c in talk.on(on.DecisionFound(LIST)))
    talk.release()
    talk.on(on.Heard(talk.recording, SPEECH))
    asked = talk.on(on.Transcribed(turn, "sì"))
    assert not any(isinstance(c, do.AnswerDecision) for c in asked)
    assert any(isinstance(c, do.AskQuestion) for c in asked)


def test_a_message_that_replaces_the_run_ends_its_questions() -> None:
    talk = Talk()
    talk.say("fallo")
    talk.answer_begins()
    talk.press()
    turn = talk.dialogue.turn
    talk.on(on.DecisionFound(LIST))
    talk.release()
    talk.on(on.Heard(talk.recording, SPEECH), on.Transcribed(turn, "anzi fai altro"))
    assert talk.dialogue.questions == ()


def test_cancelling_ends_the_run_and_grants_nothing() -> None:
    talk = Asked()
    talk.hear()
    cancelled = talk.on(on.CancelAsked())
    assert do.CancelRun("run-1") in cancelled
    assert talk.dialogue.questions == ()
    assert talk.sent == []


def test_cancelling_a_decision_of_somebody_elses_run_refuses_it() -> None:
    talk = Talk()
    talk.on(on.DecisionFound(LIST), on.DecisionFound(WHERE))
    cancelled = talk.on(on.CancelAsked())
    answers = [c.answer for c in cancelled if isinstance(c, do.AnswerDecision)]
    assert answers == ["deny", "Preferisco non rispondere a questa domanda."]
    assert said(talk.on(on.DecisionAnswered("a1", "deny"))) == ["denied"]


@pytest.mark.parametrize("end", [Completed(None), Cancelled()])
def test_the_runs_end_is_the_questions_end(end: Completed | Cancelled) -> None:
    talk = Asked()
    talk.hear()
    talk.on(on.RunHappened(1, end))
    assert talk.dialogue.questions == ()
    assert isinstance(talk.state, at.Speaking)
    assert talk.sent == []


def test_a_stream_that_is_lost_leaves_the_question_open() -> None:
    talk = Asked()
    talk.hear()
    talk.on(on.RunLost(1, LOST))
    talk.answer("sì")
    assert talk.sent == ["once"]


def test_a_tools_end_makes_sure_of_the_decision() -> None:
    talk = Asked()
    assert do.LookForDecisions() in talk.on(on.RunHappened(1, ToolEnded("terminal", "BLOCKED")))


def test_what_the_run_tells_is_looked_for_and_not_believed() -> None:
    talk = Talk()
    talk.say("fallo")
    talk.answer_begins()
    told = talk.on(on.RunHappened(1, DecisionWanted(LIST)))
    assert do.LookForDecisions() in told
    assert talk.dialogue.questions == ()


def test_text_that_comes_while_asking_is_kept_for_after() -> None:
    talk = Asked()
    talk.hear()
    assert do.AddSpeech(1, "Poi. ") in talk.on(on.RunHappened(1, TextDelta("Poi. ")))
    assert do.ResumeSound() not in talk.commands[-1:]


def test_a_decision_without_a_run_of_ours_is_asked_for_and_leads_back_to_rest() -> None:
    talk = Talk()
    talk.on(on.DecisionFound(LIST), on.QuestionHeard(1))
    turn = talk.dialogue.turn
    talk.on(on.Heard(-turn, SPEECH), on.Transcribed(turn, "no"))
    talk.on(on.DecisionAnswered("a1", "deny"))
    assert isinstance(talk.state, at.Idle)


def test_where_there_is_no_microphone_a_decision_is_told_and_shown() -> None:
    talk = Talk()
    talk.rules = Rules(can_hear=False)
    talk.say("fallo")
    talk.answer_begins()
    told = talk.on(on.DecisionFound(LIST))
    assert said(told) == ["decision-elsewhere"]
    assert not any(isinstance(c, do.AskQuestion) for c in told)


# Clarifications.


@pytest.mark.parametrize(
    ("decision", "words", "answer"),
    [
        (WHERE, "staging", "staging"),
        (NAME, "relazione", "relazione"),
        (NAME, "annulla", "Preferisco non rispondere a questa domanda."),
    ],
)
def test_an_answer_to_a_question_is_sent(decision: Decision, words: str, answer: str) -> None:
    talk = Asked(decision)
    talk.hear_and_answer(words)
    assert talk.sent == [answer]


def test_declining_is_told_as_that() -> None:
    talk = Asked(NAME)
    talk.hear_and_answer("annulla")
    assert said(talk.on(on.DecisionAnswered("c1", talk.sent[0]))) == ["declined"]


def test_the_users_own_words_are_read_back_where_that_is_wanted() -> None:
    talk = Asked(NAME, confirm_free_text=True)
    talk.hear_and_answer("relazione")
    assert talk.sent == []
    talk.confirm_pending()
    assert "relazione" in talk.prompts[-1]
    talk.hear_and_answer("sì")
    assert talk.sent == ["relazione"]


def test_words_read_back_and_refused_are_not_sent() -> None:
    talk = Asked(NAME, confirm_free_text=True)
    talk.hear_and_answer("relazione")
    talk.hear_again_and_answer("no")
    assert talk.sent == []
    talk.hear_again_and_answer("bilancio")
    talk.hear_again_and_answer("sì")
    assert talk.sent == ["bilancio"]


def test_many_choices_are_read_in_groups() -> None:
    many = Clarification("c1", "Quale?", tuple(f"scelta {n}" for n in range(1, 8)), None)
    talk = Asked(many)
    assert "scelta 5" in talk.prompts[0]
    assert "scelta 6" not in talk.prompts[0]
    talk.hear_and_answer("altre")
    talk.confirm_pending()
    assert "Sei: scelta 6. Sette: scelta 7." in talk.prompts[1]
    talk.hear_and_answer("scelta 7")
    assert talk.sent == ["scelta 7"]


def test_a_question_nobody_answers_stays_pending_and_is_offered_at_each_press() -> None:
    talk = Asked(WHERE)
    talk.hear_and_answer(None)
    talk.hear_again_and_answer(None)
    talk.confirm_pending()
    talk.hear()
    assert said(talk.answer("boh")) == ["decision-later-clarification"]
    assert talk.sent == []
    assert checks("c1", talk.press())


# Answers by other ways than speech.


def test_a_typed_answer_is_sent_at_any_time_for_the_id_that_was_shown() -> None:
    talk = Asked()
    assert do.AnswerDecision(LIST, "session") in talk.on(on.AnswerGiven("a1", "session"))
    assert talk.on(on.AnswerGiven("a1", "session")) == ()
    assert talk.on(on.AnswerGiven("a9", "once")) == ()


def test_a_typed_answer_takes_the_microphone_away() -> None:
    talk = Asked()
    talk.hear()
    assert do.DropRecording(-2) in talk.on(on.AnswerGiven("a1", "deny"))
    talk.on(on.Heard(-2, SPEECH), on.Transcribed(2, "sì"))
    assert talk.sent == ["deny"]


def test_a_typed_answer_to_the_second_decision_leaves_the_first_being_asked() -> None:
    talk = Asked()
    talk.on(on.DecisionFound(WHERE), on.AnswerGiven("c1", "staging"))
    assert talk.state == at.Asking("a1", "reading")
    talk.on(on.DecisionAnswered("c1", "staging"))
    assert [q.decision.id for q in talk.dialogue.questions] == ["a1"]


@pytest.mark.parametrize("moment", ["reading", "listening", "waiting"])
def test_the_question_is_read_again_on_request(moment: str) -> None:
    talk = Asked()
    if moment != "reading":
        talk.hear()
    if moment == "waiting":
        talk.answer(None)
        talk.hear_again_and_answer(None)
        talk.hear_again_and_answer(None)
    assert checks("a1", talk.on(on.RepeatAsked()))
    talk.confirm_pending()
    assert isinstance(talk.state, at.Asking)
