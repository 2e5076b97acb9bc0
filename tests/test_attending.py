"""Conversations without a key: when the ear listens, and what follows when somebody speaks."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.talk import SPEECH, Talk, outcomes
from voicehermes.attention import Attention
from voicehermes.audio import EndsBy, Utterance, UtteranceEnd
from voicehermes.dialogue import commands as do
from voicehermes.dialogue import events as on
from voicehermes.dialogue import state as at
from voicehermes.dialogue.attending import attention
from voicehermes.events import Approval, Clarification, Completed, TextDelta

NOTHING, WAKE_WORD, SPEAKING = Attention.NOTHING, Attention.WAKE_WORD, Attention.SPEECH
STARTS = ("always", "wake", "key")
APPROVAL = Approval("a1", "ls src", "list files", allow_permanent=True)


class FreeTalk(Talk):
    """A dialogue without a key."""

    def __init__(self, start: str = "always", **rules: str) -> None:
        super().__init__(mode="handsfree", handsfree_start=start, **rules)

    @property
    def attention(self) -> Attention:
        return attention(self.dialogue, self.rules)

    def begin(self, *, silence: float = math.inf) -> tuple[do.Command, ...]:
        """Somebody begins to speak."""
        return self.on(on.VoiceBegan(0.0, silence))

    def speak(self, text: str, *, silence: float = math.inf) -> tuple[do.Command, ...]:
        """A whole utterance, from its first word to the transcript."""
        begun = self.begin(silence=silence)
        turn = self.dialogue.turn
        return begun + self.on(on.Heard(-turn, SPEECH), on.Transcribed(turn, text))

    def finish(self) -> tuple[do.Command, ...]:
        """The reply is complete and heard."""
        assert self.dialogue.run
        turn = self.dialogue.run.turn
        return self.on(on.RunHappened(turn, Completed(None)), on.SpokenAll(turn))


def speaking(**rules: str) -> FreeTalk:
    talk = FreeTalk(**rules)
    talk.speak("che tempo fa")
    talk.answer_begins()
    assert isinstance(talk.state, at.Speaking)
    return talk


def test_a_conversation_of_two_turns_needs_no_key() -> None:
    talk = FreeTalk()
    assert talk.attention is SPEAKING
    said = talk.begin()
    assert said == (do.PauseSound(), do.StartRecording(1, -1, EndsBy.SILENCE))
    assert talk.attention is NOTHING
    assert do.Transcribe(1, SPEECH) in talk.on(on.Heard(-1, SPEECH))
    assert talk.attention is SPEAKING
    sent = talk.on(on.Transcribed(1, "che ore sono"))
    assert do.Submit(1, "che ore sono") in sent
    assert do.Cue("sent") in sent
    talk.answer_begins()
    assert do.Cue("listening") in talk.finish()
    assert isinstance(talk.state, at.Idle)
    assert do.Submit(2, "e domani") in talk.speak("e domani")


@pytest.mark.parametrize(
    ("start", "expected"), [("always", SPEAKING), ("wake", WAKE_WORD), ("key", NOTHING)]
)
def test_at_rest_it_attends_to_what_begins_a_conversation(start: str, expected: Attention) -> None:
    assert FreeTalk(start).attention is expected


def test_with_a_key_it_attends_to_nothing() -> None:
    assert attention(Talk().dialogue, Talk().rules) is NOTHING


def test_a_wake_word_opens_a_conversation_and_listens_at_once() -> None:
    talk = FreeTalk("wake")
    assert talk.begin() == ()
    woken = talk.on(on.WakeWordHeard("hey_jarvis"))
    assert do.StartRecording(1, -1, EndsBy.SILENCE) in woken
    assert do.Cue("listening") not in woken
    talk.on(on.Heard(-1, SPEECH), on.Transcribed(1, "che ore sono"))
    talk.answer_begins()
    assert talk.attention is SPEAKING


def test_who_says_nothing_behind_a_wake_word_hears_that_it_listens() -> None:
    talk = FreeTalk("wake")
    talk.on(on.WakeWordHeard("hey_jarvis"))
    assert talk.on(on.StillSilent(-7)) == ()
    assert talk.on(on.StillSilent(-1)) == (do.Cue("listening"),)
    talk.on(on.Heard(-1, None))
    assert talk.on(on.StillSilent(-1)) == ()


@pytest.mark.parametrize("start", ["wake", "key"])
def test_after_an_answer_the_user_may_go_on_for_a_while(start: str) -> None:
    talk = FreeTalk(start)
    if start == "wake":
        talk.on(on.WakeWordHeard("hey_jarvis"))
        talk.on(on.Heard(-1, SPEECH), on.Transcribed(1, "che ore sono"))
    else:
        talk.say("che ore sono")
    talk.answer_begins()
    done = talk.finish()
    window = talk.dialogue.window
    assert done[-3:] == (do.Cue("listening"), do.CloseLater(window), do.EndTurn(1, "answered"))
    assert talk.attention is SPEAKING
    assert talk.on(on.TimeToClose(window)) == (do.Cue("closed"),)
    assert talk.attention is (WAKE_WORD if start == "wake" else NOTHING)


@pytest.mark.parametrize("start", ["wake", "key"])
def test_a_conversation_that_nobody_begins_closes_too(start: str) -> None:
    talk = FreeTalk(start)
    if start == "wake":
        talk.on(on.WakeWordHeard("okay_nabu"))
    else:
        talk.press()
    assert isinstance(talk.state, at.Listening)
    left = talk.on(on.Heard(talk.state.recording, None))
    window = talk.dialogue.window
    assert do.CloseLater(window) in left
    assert do.Cue("listening") not in left
    talk.on(on.TimeToClose(window))
    assert not talk.dialogue.is_open


def test_a_conversation_closes_after_what_the_assistant_did_itself_and_while_it_is_muted() -> None:
    talk = FreeTalk("key")
    said = talk.say("più forte")
    assert do.CloseLater(talk.dialogue.window) in said
    talk.on(on.MuteAsked(), on.TimeToClose(talk.dialogue.window))
    assert not talk.dialogue.is_open


def test_the_time_to_close_of_an_earlier_answer_closes_nothing() -> None:
    talk = FreeTalk("key")
    talk.say("che ore sono")
    talk.answer_begins()
    talk.finish()
    earlier = talk.dialogue.window
    talk.speak("e domani")
    assert talk.on(on.TimeToClose(earlier)) == ()
    talk.answer_begins()
    talk.finish()
    assert talk.on(on.TimeToClose(earlier)) == ()
    assert talk.attention is SPEAKING


def test_a_key_begins_a_recording_that_ends_by_itself_and_ends_it_at_once() -> None:
    talk = FreeTalk("key")
    assert do.StartRecording(1, 1, EndsBy.SILENCE) in talk.press()
    assert talk.press() == (do.StopRecording(1, UtteranceEnd.RELEASED),)
    assert isinstance(talk.state, at.Transcribing)


@given(st.sampled_from(STARTS), st.data())
def test_muted_it_attends_to_nothing_whatever_goes_on(start: str, data: st.DataObject) -> None:
    talk = FreeTalk(start)
    story: list[on.Event] = [
        on.Pressed(1),
        on.Heard(1, SPEECH),
        on.Transcribed(1, "che ore sono"),
        on.Submitted(1, "r1"),
        on.SoundBegan(1),
        on.DecisionFound(APPROVAL),
    ]
    talk.on(*story[: data.draw(st.integers(0, len(story)))])
    talk.on(on.MuteAsked())
    assert talk.attention is NOTHING
    assert not [c for c in talk.begin() if isinstance(c, do.StartRecording)]
    assert not isinstance(talk.state, at.Listening)
    talk.on(on.UnmuteAsked())
    if start == "always":
        assert talk.attention is SPEAKING


def test_what_goes_on_while_it_is_transcribed_is_the_same_message() -> None:
    talk = FreeTalk()
    talk.begin()
    talk.on(on.Heard(-1, SPEECH))
    talk.begin(silence=0.9)
    talk.on(on.Transcribed(1, "che tempo fa"))
    said = talk.on(on.Heard(-2, SPEECH), on.Transcribed(2, "a Roma"))
    assert do.Submit(2, "che tempo fa a Roma") in said
    assert outcomes(said) == {1: "joined"}


def test_what_goes_on_before_an_answer_is_heard_replaces_the_run_by_the_whole_message() -> None:
    talk = FreeTalk(when_busy="queue")
    talk.speak("che tempo fa")
    talk.on(on.Submitted(1, "r1"), on.RunHappened(1, TextDelta("A ")))
    said = talk.speak("domani a Roma", silence=1.4)
    assert do.CancelRun("r1") in said
    assert do.Submit(2, "che tempo fa domani a Roma") in said
    assert do.Keep(2, "che tempo fa domani a Roma", (1,)) in said
    assert outcomes(said) == {1: "joined"}


@pytest.mark.parametrize("silence", [10.0, math.inf])
def test_what_comes_later_is_a_message_of_its_own(silence: float) -> None:
    talk = FreeTalk(when_busy="queue")
    talk.speak("che tempo fa")
    talk.on(on.Submitted(1, "r1"))
    said = talk.speak("chiudi la porta", silence=silence)
    assert do.CancelRun("r1") not in said
    assert [m.text for m in talk.dialogue.waiting] == ["chiudi la porta"]


def test_a_first_half_without_words_leaves_the_run_alone() -> None:
    talk = FreeTalk()
    talk.speak("che tempo fa")
    talk.on(on.Submitted(1, "r1"))
    talk.begin(silence=1.0)
    back = talk.on(on.Heard(-2, None))
    assert isinstance(talk.state, at.Thinking)
    assert not [c for c in back if isinstance(c, do.CancelRun)]


def test_a_hint_lowers_the_sound_and_raises_it_when_it_was_nothing() -> None:
    talk = speaking()
    assert talk.on(on.SpeechHinted()) == (do.DuckSound(),)
    assert talk.on(on.HintGone()) == (do.UnduckSound(),)


def test_a_hint_where_nothing_sounds_lowers_nothing() -> None:
    assert FreeTalk().on(on.SpeechHinted(), on.HintGone()) == ()


def test_a_sound_that_was_lowered_is_raised_when_the_reply_ends_before_the_hint_does() -> None:
    talk = speaking()
    talk.on(on.SpeechHinted())
    assert do.UnduckSound() in talk.finish()


def test_who_speaks_over_it_pauses_the_sound_and_has_it_replaced_by_words() -> None:
    talk = speaking()
    talk.on(on.SpeechHinted())
    begun = talk.begin()
    assert do.PauseSound() in begun
    assert do.UnduckSound() in begun
    turn = talk.dialogue.turn
    said = talk.on(on.Heard(-turn, SPEECH), on.Transcribed(turn, "anzi no, domani"))
    assert do.CancelRun("run-1") in said
    assert do.Submit(2, "anzi no, domani") in said


@pytest.mark.parametrize("text", ["", "Mhm.", "sì", "ok", "Sottotitoli e revisione a cura di QTSS"])
def test_a_cough_or_a_nod_lets_the_sound_go_on_where_it_was(text: str) -> None:
    talk = speaking()
    back = talk.speak(text)
    assert do.ResumeSound() in back
    assert isinstance(talk.state, at.Speaking)
    assert not [c for c in back if isinstance(c, do.Cue | do.Submit | do.CancelRun)]


def test_noise_over_the_reply_lets_it_go_on() -> None:
    talk = speaking()
    talk.begin()
    back = talk.on(on.Heard(-2, None))
    assert do.ResumeSound() in back
    assert isinstance(talk.state, at.Speaking)


def test_a_nod_where_nothing_goes_on_is_a_message() -> None:
    assert do.Submit(1, "sì") in FreeTalk().speak("sì")


def test_our_own_words_are_dropped_and_two_in_a_row_raise_the_guard() -> None:
    talk = speaking()
    for turn in (2, 3):
        talk.begin()
        talk.on(on.Heard(-turn, SPEECH))
        said = talk.on(on.Transcribed(turn, "domani a Roma c'è il sole", is_own=True))
        assert outcomes(said) == {turn: "own words"}
        assert do.Forget(turn) in said
        assert (do.RaiseGuard() in said) == (turn == 3)
        assert isinstance(talk.state, at.Speaking)


def test_words_of_the_user_between_them_begin_the_count_anew() -> None:
    talk = speaking(when_busy="queue")
    for turn, is_own in ((2, True), (3, False), (4, True)):
        talk.begin()
        talk.on(on.Heard(-turn, SPEECH))
        said = talk.on(on.Transcribed(turn, "domani a Roma c'è il sole", is_own=is_own))
        assert do.RaiseGuard() not in said


def test_what_recognisers_invent_is_dropped_and_forgotten() -> None:
    talk = FreeTalk()
    said = talk.speak("Sottotitoli creati dalla comunità Amara.org")
    assert outcomes(said) == {1: "not speech"}
    assert do.Forget(1) in said
    assert do.Cue("nothing-heard") in said
    assert isinstance(talk.state, at.Idle)


def test_with_a_key_thanks_are_believed_and_credits_are_not() -> None:
    talk = Talk()
    assert do.Submit(1, "Grazie.") in talk.say("Grazie.")
    talk = Talk()
    assert outcomes(talk.say("Sottotitoli e revisione a cura di QTSS")) == {1: "not speech"}


def test_an_answer_is_heard_in_full_and_only_then() -> None:
    talk = FreeTalk()
    talk.on(on.DecisionFound(APPROVAL))
    asked = talk.dialogue.asked
    opened = talk.on(on.QuestionHeard(asked))
    turn = talk.dialogue.turn
    assert do.StartRecording(turn, -turn, EndsBy.LONG_SILENCE) in opened
    assert talk.attention is NOTHING


def test_a_yes_over_the_question_grants_nothing() -> None:
    talk = FreeTalk()
    talk.on(on.DecisionFound(APPROVAL))
    assert talk.attention is SPEAKING
    said = talk.speak("approva")
    assert not [c for c in said if isinstance(c, do.AnswerDecision)]
    assert isinstance(talk.state, at.Asking)


def test_our_own_words_over_the_question_answer_nothing() -> None:
    talk = FreeTalk()
    talk.on(on.DecisionFound(APPROVAL))
    talk.begin()
    turn = talk.dialogue.turn
    prompt = "approva, oppure: no"
    said = talk.on(on.Heard(-turn, SPEECH), on.Transcribed(turn, prompt, is_own=True))
    assert not [c for c in said if isinstance(c, do.AnswerDecision)]
    assert outcomes(said) == {turn: "own words"}


def waiting() -> FreeTalk:
    """The user has asked to wait with an approval."""
    talk = FreeTalk()
    talk.on(on.DecisionFound(APPROVAL), on.QuestionHeard(talk.dialogue.asked))
    talk.on(on.QuestionHeard(talk.dialogue.asked))
    turn = talk.dialogue.turn
    talk.on(on.Heard(-turn, SPEECH), on.Transcribed(turn, "aspetta"))
    assert isinstance(talk.state, at.Asking)
    return talk


def test_a_yes_to_somebody_else_while_a_decision_waits_grants_nothing_and_has_it_asked_again() -> (
    None
):
    talk = waiting()
    said = talk.speak("sì")
    assert not [c for c in said if isinstance(c, do.AnswerDecision)]
    assert [c for c in said if isinstance(c, do.CheckDecision)]


def test_a_no_while_a_decision_waits_refuses() -> None:
    assert do.AnswerDecision(APPROVAL, "deny") in waiting().speak("no, non farlo")


def test_more_of_an_answer_is_heard_to_the_end_as_its_beginning_was() -> None:
    talk = FreeTalk()
    talk.on(on.DecisionFound(APPROVAL))
    talk.on(on.QuestionHeard(talk.dialogue.asked))
    talk.on(on.Heard(-talk.dialogue.turn, SPEECH))
    begun = talk.begin(silence=1.3)
    turn = talk.dialogue.turn
    assert do.StartRecording(turn, -turn, EndsBy.LONG_SILENCE) in begun


def test_a_no_over_the_question_refuses() -> None:
    talk = FreeTalk()
    talk.on(on.DecisionFound(APPROVAL))
    assert do.AnswerDecision(APPROVAL, "deny") in talk.speak("no, non farlo")


def test_who_names_a_choice_as_it_was_read_is_no_echo() -> None:
    talk = FreeTalk()
    choices = ("usa il database di produzione", "usa il database di prova")
    asked = Clarification("c1", "Quale uso?", choices, None)
    talk.on(on.DecisionFound(asked))
    talk.on(on.QuestionHeard(talk.dialogue.asked))
    turn = talk.dialogue.turn
    said = talk.on(on.Heard(-turn, SPEECH), on.Transcribed(turn, choices[0], is_own=True))
    assert do.AnswerDecision(asked, choices[0]) in said


def test_what_a_key_was_held_for_is_no_echo() -> None:
    talk = Talk()
    talk.press()
    talk.release()
    talk.on(on.Heard(1, SPEECH))
    assert do.Submit(1, "domani c'è il sole") in talk.on(
        on.Transcribed(1, "domani c'è il sole", is_own=True)
    )


def test_who_speaks_for_too_long_hears_so_and_is_sent() -> None:
    talk = FreeTalk()
    talk.begin()
    long = Utterance(b"ogg", ".ogg", 120.0, UtteranceEnd.TOO_LONG)
    assert talk.on(on.Heard(-1, long)) == (do.Transcribe(1, long), do.Cue("too-long"))


def test_a_no_that_follows_a_yes_before_that_is_understood_refuses() -> None:
    talk = FreeTalk()
    talk.on(on.DecisionFound(APPROVAL))
    talk.on(on.QuestionHeard(talk.dialogue.asked))
    first = talk.dialogue.turn
    talk.on(on.Heard(-first, SPEECH))
    talk.begin(silence=1.3)
    talk.on(on.Transcribed(first, "approva"))
    second = talk.dialogue.turn
    said = talk.on(on.Heard(-second, SPEECH), on.Transcribed(second, "no, aspetta, non farlo"))
    answers = [c.answer for c in said if isinstance(c, do.AnswerDecision)]
    assert "once" not in answers
