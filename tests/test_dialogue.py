"""The state machine: what each situation leads to, and what holds in all of them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.talk import SPEECH, Talk, outcomes, speaking
from voicehermes.audio import UtteranceEnd
from voicehermes.dialogue import Dialogue, Rules, step
from voicehermes.dialogue import commands as do
from voicehermes.dialogue import events as on
from voicehermes.dialogue import state as at
from voicehermes.dialogue.change import open_turns
from voicehermes.errors import GoneError, LoginError, UnreachableError
from voicehermes.events import (
    Approval,
    Cancelled,
    Clarification,
    Completed,
    Decision,
    DecisionWanted,
    Failed,
    Notice,
    ReasoningDelta,
    Reconnected,
    RunEvent,
    SessionMoved,
    TextDelta,
    ToolEnded,
    ToolStarted,
)

LOST = UnreachableError("Connection refused.")


def test_a_whole_turn_goes_from_press_to_the_last_sound() -> None:
    talk = Talk()
    assert talk.press() == (do.PauseSound(), do.StartRecording(1, 1))
    assert talk.release() == (do.StopRecording(1, UtteranceEnd.RELEASED),)
    assert isinstance(talk.state, at.Transcribing)
    assert talk.on(on.Heard(1, SPEECH)) == (do.Transcribe(1, SPEECH), do.Cue("sent"))
    said = talk.on(on.Transcribed(1, "che ore sono"))
    assert do.Submit(1, "che ore sono") in said
    assert do.ShowTranscript("che ore sono") in said
    assert isinstance(talk.state, at.Thinking)
    assert talk.on(on.Submitted(1, "r1")) == (do.Follow(1, "r1"),)
    assert do.AddSpeech(1, "Le tre.") in talk.on(on.RunHappened(1, TextDelta("Le tre.")))
    talk.on(on.SoundBegan(1))
    assert isinstance(talk.state, at.Speaking)
    assert do.EndSpeech(1) in talk.on(on.RunHappened(1, Completed("Le tre.")))
    assert isinstance(talk.state, at.Speaking)
    assert outcomes(talk.on(on.SpokenAll(1))) == {1: "answered"}
    assert talk.dialogue == Dialogue(turn=1)


def test_a_final_text_that_was_not_streamed_is_spoken() -> None:
    talk = Talk()
    talk.say("ciao")
    talk.on(on.Submitted(1, "r1"))
    assert do.AddSpeech(1, "Ciao!") in talk.on(on.RunHappened(1, Completed("Ciao!")))


def test_a_press_without_words_leaves_the_reply_where_it_stopped() -> None:
    talk = speaking()
    assert do.PauseSound() in talk.press()
    talk.release()
    back = talk.on(on.Heard(2, None))
    assert do.ResumeSound() in back
    assert do.Cue("nothing-heard") in back
    assert outcomes(back) == {2: "no speech"}
    assert isinstance(talk.state, at.Speaking)
    assert not [c for c in talk.commands if isinstance(c, do.CancelRun | do.Hush)]


def test_an_empty_transcript_is_a_false_alarm_too() -> None:
    talk = speaking()
    back = talk.say("")
    assert outcomes(back) == {2: "not understood"}
    assert do.ResumeSound() in back
    assert isinstance(talk.state, at.Speaking)


def test_words_while_it_speaks_replace_the_run() -> None:
    talk = speaking()
    said = talk.say("anzi no, domani")
    assert said.index(do.CancelRun("run-1")) < said.index(do.Submit(2, "anzi no, domani"))
    assert said.index(do.Hush(1)) < said.index(do.BeginSpeech(2)) < said.index(do.ResumeSound())
    assert outcomes(said) == {1: "replaced"}


def test_a_finished_reply_is_interrupted_without_cancelling_its_run() -> None:
    talk = speaking()
    talk.on(on.RunHappened(1, Completed(None)))
    said = talk.say("un'altra cosa")
    assert do.Hush(1) in said
    assert not [c for c in said if isinstance(c, do.CancelRun)]
    assert outcomes(said) == {1: "interrupted"}


def test_words_can_wait_for_the_run_to_end() -> None:
    talk = speaking(when_busy="queue")
    said = talk.say("e poi?")
    assert do.Cue("queued") in said
    assert not [c for c in said if isinstance(c, do.Submit | do.CancelRun | do.Hush)]
    talk.on(on.RunHappened(1, Completed(None)))
    assert isinstance(talk.state, at.Speaking)
    assert do.Submit(2, "e poi?") in talk.on(on.SpokenAll(1))
    assert isinstance(talk.state, at.Thinking)


def test_words_can_steer_the_run_and_have_arrived_with_its_next_tools_result() -> None:
    talk = speaking(when_busy="steer")
    assert do.Steer(2, "più corto") in talk.say("più corto")
    accepted = talk.on(on.Steered(2, True))
    assert do.Cue("queued") in accepted
    assert do.Forget(2) not in accepted
    done = talk.on(on.RunHappened(1, ToolEnded("terminal", "")))
    assert outcomes(done) == {2: "steered"}
    assert do.Forget(2) in done


@pytest.mark.parametrize("is_early", [True, False])
def test_a_hint_that_no_tools_result_could_go_with_is_sent_as_a_message(is_early: bool) -> None:
    """hermes-webui accepts it, and drops it when the run ends without another tool."""
    talk = speaking(when_busy="steer")
    talk.say("più corto")
    accepted, ended = on.Steered(2, True), on.RunHappened(1, Completed(None))
    events = (accepted, ended) if is_early else (ended, accepted)
    assert not outcomes(talk.on(*events))
    assert do.Submit(2, "più corto") in talk.on(on.SpokenAll(1))


def test_words_that_the_run_does_not_take_as_a_hint_wait_for_its_end() -> None:
    talk = speaking(when_busy="steer")
    talk.say("più corto")
    talk.on(on.RunHappened(1, Completed(None)), on.SpokenAll(1))
    assert isinstance(talk.state, at.Idle)
    assert do.Submit(2, "più corto") in talk.on(on.Steered(2, False))


def test_a_tap_while_it_speaks_means_be_quiet_and_the_run_goes_on() -> None:
    talk = speaking()
    talk.press()
    hushed = talk.release(is_tap=True)
    assert do.Hush(1) in hushed
    assert do.DropRecording(2) in hushed
    assert outcomes(hushed) == {2: "tap"}
    assert isinstance(talk.state, at.Thinking)
    assert do.ShowReply("altro") in talk.on(on.RunHappened(1, TextDelta("altro")))
    assert not [c for c in talk.commands if isinstance(c, do.SpeakAgain)]
    assert outcomes(talk.on(on.RunHappened(1, Completed(None)))) == {1: "answered"}
    assert isinstance(talk.state, at.Idle)


def test_a_tap_while_it_thinks_is_a_false_alarm() -> None:
    talk = Talk()
    talk.say("ciao")
    talk.on(on.Submitted(1, "r1"))
    talk.press()
    talk.release(is_tap=True)
    talk.on(on.Heard(2, None))
    talk.on(on.RunHappened(1, TextDelta("Sì.")))
    assert do.AddSpeech(1, "Sì.") in talk.commands


def test_in_toggle_mode_two_presses_without_words_mean_be_quiet() -> None:
    talk = speaking(mode="toggle")
    talk.press()
    talk.release(is_tap=True)
    assert do.Hush(1) in talk.on(on.Heard(2, None))
    assert isinstance(talk.state, at.Thinking)


def test_a_press_while_transcribing_goes_on_with_the_same_message() -> None:
    talk = Talk()
    talk.press()
    talk.release()
    talk.on(on.Heard(1, SPEECH))
    talk.press()
    assert do.Submit not in map(type, talk.on(on.Transcribed(1, "che tempo fa")))
    talk.release()
    talk.on(on.Heard(2, SPEECH))
    said = talk.on(on.Transcribed(2, "a Roma"))
    assert do.Submit(2, "che tempo fa a Roma") in said
    assert said.index(do.Keep(2, "che tempo fa a Roma", (1,))) < said.index(
        do.Submit(2, "che tempo fa a Roma")
    )
    assert outcomes(said) == {1: "joined"}


def test_a_press_before_the_last_recording_is_complete_loses_neither() -> None:
    talk = Talk()
    talk.press()
    talk.release()
    talk.press()
    assert do.Transcribe(1, SPEECH) in talk.on(on.Heard(1, SPEECH))
    talk.release()
    talk.on(on.Heard(2, None))
    assert do.Submit(1, "ciao") in talk.on(on.Transcribed(1, "ciao"))


def test_a_microphone_that_goes_away_ends_the_utterance_and_keeps_it() -> None:
    talk = Talk()
    talk.press()
    heard = talk.on(on.Heard(1, SPEECH))
    assert do.Transcribe(1, SPEECH) in heard
    assert not talk.release()


def test_an_utterance_that_could_not_be_transcribed_is_told_and_the_run_goes_on() -> None:
    talk = speaking()
    talk.press()
    talk.release()
    talk.on(on.Heard(2, SPEECH))
    told = talk.on(on.NotTranscribed(2, LOST))
    assert do.Say("error-unreachable", "Connection refused.") in told
    assert do.Say("kept") in told
    assert isinstance(talk.state, at.Speaking)


def test_a_message_that_did_not_arrive_is_told_and_listening_goes_on() -> None:
    talk = Talk()
    talk.say("ciao")
    told = talk.on(on.NotSubmitted(1, LoginError("Log in.")))
    assert do.Say("error-login", "Log in.") in told
    assert not [c for c in told if isinstance(c, do.Forget)]
    assert isinstance(talk.state, at.Idle)
    assert do.StartRecording(2, 2) in talk.press()


def test_a_message_cancelled_while_it_is_sent_is_cancelled_once_it_is_a_run() -> None:
    talk = Talk()
    talk.say("ciao")
    talk.on(on.CancelAsked())
    assert talk.on(on.Submitted(1, "r1")) == (do.CancelRun("r1"),)


def test_cancel_stops_the_run_and_its_sound_and_forgets_what_waits() -> None:
    talk = speaking(when_busy="queue")
    talk.say("e poi?")
    stopped = talk.on(on.CancelAsked())
    assert {do.CancelRun("run-1"), do.Hush(1), do.LeaveRun(1), do.Forget(2)} <= set(stopped)
    assert outcomes(stopped) == {1: "cancelled", 2: "cancelled"}
    assert isinstance(talk.state, at.Idle)


def test_shutdown_leaves_the_run_running() -> None:
    talk = speaking()
    talk.press()
    stopped = talk.on(on.ShutdownAsked())
    assert {do.LeaveRun(1), do.DropRecording(2)} <= set(stopped)
    assert not [c for c in stopped if isinstance(c, do.CancelRun | do.Forget)]


def test_muting_drops_the_recording_and_refuses_the_next_press() -> None:
    talk = Talk()
    talk.press()
    muted = talk.on(on.MuteAsked())
    assert {do.DropRecording(1), do.SetMuted(True)} <= set(muted)
    assert outcomes(muted) == {1: "muted"}
    assert talk.press() == (do.Say("muted"),)
    talk.on(on.UnmuteAsked())
    assert do.StartRecording(2, 3) in talk.press()


def test_muting_does_not_hold_back_what_was_said_before() -> None:
    talk = Talk()
    talk.press()
    talk.release()
    talk.on(on.Heard(1, SPEECH))
    talk.press()
    talk.on(on.Transcribed(1, "ciao"))
    assert do.Submit(1, "ciao") in talk.on(on.MuteAsked())


def test_a_run_found_at_work_is_followed_and_spoken() -> None:
    talk = Talk()
    assert talk.on(on.Attached("r0")) == (do.BeginSpeech(1, "r0"), do.Follow(1, "r0"))
    assert isinstance(talk.state, at.Thinking)


def test_a_typed_message_is_a_turn_of_its_own() -> None:
    talk = Talk()
    assert do.Submit(1, "ciao") in talk.on(on.Asked("ciao"))


def test_a_run_that_is_not_followed_yet_cannot_be_lost() -> None:
    talk = Talk()
    talk.say("ciao")
    assert talk.on(on.RunLost(1, LOST), on.RunHappened(1, Completed(None))) == ()
    assert talk.on(on.Submitted(1, "r1")) == (do.Follow(1, "r1"),)


# --- what holds for every state and event -----------------------------------------------------

turns = st.integers(0, 6)
decisions: st.SearchStrategy[Decision] = st.sampled_from(
    [
        Approval("a1", "rm -rf build", "recursive delete", True),
        Approval("a2", "ls", "", False),
        Clarification("c1", "Dove?", ("staging", "production"), None),
    ]
)
ids = st.sampled_from(["a1", "a2", "c1"])
run_events: st.SearchStrategy[RunEvent] = st.sampled_from(
    [
        TextDelta("Ciao. "),
        ReasoningDelta("…"),
        ToolStarted("bash", ""),
        ToolEnded("bash", ""),
        DecisionWanted(Approval("a", "ls", "", False)),
        SessionMoved("s2"),
        Notice("…"),
        Reconnected(1),
        Completed(None),
        Completed("Ciao."),
        Failed("error", "500"),
        Cancelled(),
    ]
)
EVENTS: dict[type[on.Event], st.SearchStrategy[on.Event]] = {
    on.Pressed: st.builds(on.Pressed, turns),
    on.Released: st.builds(on.Released, turns, is_tap=st.booleans(), too_long=st.booleans()),
    on.Heard: st.builds(on.Heard, turns, st.sampled_from([SPEECH, None])),
    on.Transcribed: st.builds(on.Transcribed, turns, st.sampled_from(["", "ciao"])),
    on.NotTranscribed: st.builds(on.NotTranscribed, turns, st.just(LOST)),
    on.Asked: st.builds(on.Asked, st.just("ciao")),
    on.Recovered: st.just(on.Recovered(SPEECH)),
    on.Submitted: st.builds(on.Submitted, turns, st.sampled_from(["r1", "r2"])),
    on.NotSubmitted: st.builds(on.NotSubmitted, turns, st.just(LOST)),
    on.Steered: st.builds(on.Steered, turns, st.booleans()),
    on.Attached: st.builds(on.Attached, st.just("r0")),
    on.RunHappened: st.builds(on.RunHappened, turns, run_events),
    on.RunLost: st.builds(on.RunLost, turns, st.just(LOST)),
    on.SoundBegan: st.builds(on.SoundBegan, turns),
    on.SpokenAll: st.builds(on.SpokenAll, turns),
    on.DecisionFound: st.builds(on.DecisionFound, decisions),
    on.DecisionConfirmed: st.builds(on.DecisionConfirmed, ids),
    on.DecisionGone: st.builds(on.DecisionGone, ids, st.booleans()),
    on.QuestionHeard: st.builds(on.QuestionHeard, turns),
    on.QuestionUnheard: st.builds(on.QuestionUnheard, turns, st.just(LOST)),
    on.CheckFailed: st.builds(on.CheckFailed, turns),
    on.TimeToAsk: st.builds(on.TimeToAsk, turns),
    on.AnswerGiven: st.builds(on.AnswerGiven, ids, st.just("deny")),
    on.RepeatAsked: st.just(on.RepeatAsked()),
    on.DecisionAnswered: st.builds(on.DecisionAnswered, ids, st.just("deny")),
    on.DecisionNotAnswered: st.builds(
        on.DecisionNotAnswered, ids, st.sampled_from([LOST, GoneError("Gone.")])
    ),
    on.SpeechHinted: st.just(on.SpeechHinted()),
    on.HintGone: st.just(on.HintGone()),
    on.VoiceBegan: st.builds(on.VoiceBegan, st.just(0.0), st.sampled_from([0.5, 60.0])),
    on.WakeWordHeard: st.just(on.WakeWordHeard("hey_jarvis")),
    on.TimeToClose: st.builds(on.TimeToClose, turns),
    on.BegunAnew: st.just(on.BegunAnew()),
    on.Trouble: st.builds(on.Trouble, st.just(LOST)),
    on.CancelAsked: st.just(on.CancelAsked()),
    on.MuteAsked: st.just(on.MuteAsked()),
    on.UnmuteAsked: st.just(on.UnmuteAsked()),
    on.ShutdownAsked: st.just(on.ShutdownAsked()),
}
every_event = st.one_of(*EVENTS.values())
every_rule = st.builds(
    Rules,
    mode=st.sampled_from(["hold", "toggle", "handsfree"]),
    handsfree_start=st.sampled_from(["always", "wake", "key"]),
    when_busy=st.sampled_from(["replace", "queue", "steer"]),
)


@st.composite
def lively_events(draw: st.DrawFn) -> list[on.Event]:
    """Mostly events that fit a conversation under way, so that deep states are reached."""
    events: list[on.Event] = []
    for turn in range(1, draw(st.integers(1, 5)) + 1):
        story: list[on.Event] = [
            on.Pressed(turn),
            on.Released(turn),
            on.Heard(turn, SPEECH),
            on.Transcribed(turn, "ciao"),
            on.Submitted(turn, f"r{turn}"),
            on.RunHappened(turn, TextDelta("Ciao. ")),
            on.SoundBegan(turn),
            on.DecisionFound(draw(decisions)),
            on.RunHappened(turn, Completed(None)),
            on.SpokenAll(turn),
        ]
        events += story[: draw(st.integers(1, len(story)))]
        events += draw(st.lists(every_event, max_size=2))
    return events


def check(dialogue: Dialogue) -> None:
    """The invariants that the values promise."""
    match dialogue.state:
        case at.Idle() | at.Stopped():
            assert dialogue.run is None
        case at.Thinking() | at.Speaking():
            assert dialogue.run is not None
        case at.Transcribing(fragments=fragments):
            assert any(part.text is None for part in fragments)
        case at.Waiting():
            assert any(question.is_shelved for question in dialogue.questions)
        case at.Asking(id=id_, phase=phase):
            asked = [q for q in dialogue.questions if q.decision.id == id_]
            assert [q.is_sent for q in asked] == [phase == "sending"]
        case at.Listening():
            pass


@settings(max_examples=400)
@given(lively_events(), every_rule)
def test_every_turn_ends_once_and_nothing_owned_is_lost(
    events: list[on.Event], rules: Rules
) -> None:
    dialogue = Dialogue()
    ended: list[int] = []
    recording: set[int] = set()
    transcribing: set[int] = set()
    sounding: set[int] = set()
    following: set[int] = set()
    paused = ducked = False
    closing: int | None = None
    for event in [*events, on.CancelAsked()]:
        dialogue, commands = step(dialogue, event, rules)
        check(dialogue)
        for command in commands:
            match command:
                case do.StartRecording(_, number):
                    recording.add(number)
                case do.StopRecording(number) | do.DropRecording(number):
                    recording.discard(number)
                case do.Transcribe(turn):
                    transcribing.add(turn)
                case do.DropTranscription(turn):
                    transcribing.discard(turn)
                case do.BeginSpeech(turn):
                    sounding.add(turn)
                case do.Hush(turn):
                    sounding.discard(turn)
                case do.Follow(turn):
                    following.add(turn)
                case do.LeaveRun(turn):
                    following.discard(turn)
                case do.PauseSound() | do.AskQuestion():
                    paused = True
                case do.AnswerDecision(_, answer):
                    assert answer in ("deny", "Preferisco non rispondere a questa domanda.")
                case do.ResumeSound():
                    paused = False
                case do.CloseLater(window):
                    closing = window
                case do.DuckSound() | do.UnduckSound():
                    ducked = isinstance(command, do.DuckSound)
                case do.EndTurn(turn):
                    ended.append(turn)
                case _:
                    pass
        assert not set(ended) & set(open_turns(dialogue))
        if event == on.TimeToClose(closing or 0):
            closing = None
        if dialogue.is_open and isinstance(dialogue.state, at.Idle):
            assert dialogue.window == closing, "open, and nothing will ever close it"
        assert not ducked or isinstance(dialogue.state, at.Speaking | at.Asking)
        assert paused == isinstance(dialogue.state, at.Listening | at.Transcribing | at.Asking)
    assert sorted(ended) == list(range(1, dialogue.turn + 1))
    assert not (recording | transcribing | sounding | following)
    assert not paused


@settings(max_examples=200)
@given(lively_events(), every_rule)
def test_cancel_reaches_idle_and_shutdown_the_end_from_everywhere(
    events: list[on.Event], rules: Rules
) -> None:
    dialogue = Dialogue()
    for event in events:
        dialogue, _ = step(dialogue, event, rules)
    if isinstance(dialogue.state, at.Stopped):
        return
    assert isinstance(step(dialogue, on.CancelAsked(), rules)[0].state, at.Idle)
    stopped, commands = step(dialogue, on.ShutdownAsked(), rules)
    assert isinstance(stopped.state, at.Stopped)
    assert sorted(outcomes(commands)) == list(open_turns(dialogue))


STRAYS: dict[type, on.Event] = {
    on.Released: on.Released(99),
    on.Heard: on.Heard(99, SPEECH),
    on.Transcribed: on.Transcribed(99, "sì"),
    on.NotTranscribed: on.NotTranscribed(99, LOST),
    on.NotSubmitted: on.NotSubmitted(99, LOST),
    on.Steered: on.Steered(99, False),
    on.RunHappened: on.RunHappened(99, TextDelta("sì")),
    on.RunLost: on.RunLost(99, LOST),
    on.SoundBegan: on.SoundBegan(99),
    on.SpokenAll: on.SpokenAll(99),
    on.DecisionConfirmed: on.DecisionConfirmed("a9"),
    on.DecisionGone: on.DecisionGone("a9", True),
    on.QuestionHeard: on.QuestionHeard(99),
    on.QuestionUnheard: on.QuestionUnheard(99, LOST),
    on.CheckFailed: on.CheckFailed(99),
    on.TimeToAsk: on.TimeToAsk(99),
    on.AnswerGiven: on.AnswerGiven("a9", "once"),
    on.DecisionAnswered: on.DecisionAnswered("a9", "once"),
    on.DecisionNotAnswered: on.DecisionNotAnswered("a9", LOST),
}


@pytest.mark.parametrize("kind", STRAYS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(
    "make",
    [
        Talk,
        speaking,
        lambda: _after(speaking(), lambda talk: talk.press()),
        lambda: _after(Talk(), lambda talk: talk.press()),
        lambda: _after(Talk(), lambda talk: (talk.press(), talk.release())),
        lambda: _after(Talk(), lambda talk: talk.say("ciao")),
        lambda: _after(Talk(), lambda talk: talk.on(on.ShutdownAsked())),
    ],
    ids=["idle", "speaking", "over", "listening", "transcribing", "thinking", "stopped"],
)
def test_an_event_of_a_turn_that_nobody_owns_changes_nothing(make: object, kind: type) -> None:
    talk = make()  # type: ignore[operator]
    before = talk.dialogue
    assert step(before, STRAYS[kind], talk.rules) == (before, ())


def _after(talk: Talk, action: object) -> Talk:
    action(talk)  # type: ignore[operator]
    return talk


def test_a_reply_that_is_cancelled_or_replaced_is_not_shown_as_the_beginning_of_the_next() -> None:
    cancelled, replaced = Talk(), Talk()
    for talk in (cancelled, replaced):
        talk.say("Raccontami una storia.")
        talk.answer_begins()
    assert do.ShowReplyEnd() in cancelled.on(on.CancelAsked())
    commands = replaced.say("Anzi, che ore sono?")
    assert commands.index(do.ShowReplyEnd()) < commands.index(
        do.ShowTranscript("Anzi, che ore sono?")
    )


def test_a_reply_is_shown_to_end_once_and_no_reply_is_said_to_be_none() -> None:
    talk = Talk()
    talk.say("Ciao.")
    talk.answer_begins()
    ends = talk.on(on.RunHappened(1, Completed("Ciao. ")), on.SpokenAll(1))
    assert ends.count(do.ShowReplyEnd()) == 1
    talk.say("Spegni la luce.")
    empty = talk.on(on.Submitted(2, "run-2"), on.RunHappened(2, Completed("")))
    assert do.Say("run-silent") in empty
    assert do.ShowReplyEnd() not in empty


def test_what_was_written_before_a_tool_is_spoken_while_the_tool_works() -> None:
    talk = Talk()
    talk.say("Riavvia il backup.")
    begun = talk.on(on.Submitted(1, "run-1"), on.RunHappened(1, ToolStarted("terminal", "ls")))
    assert not any(isinstance(command, do.AddSpeech) for command in begun)
    talk.on(on.RunHappened(1, TextDelta("Controllo subito.")))
    told = talk.on(on.RunHappened(1, ToolStarted("terminal", "ls")))
    assert told == (do.AddSpeech(1, "\n\n"), do.ShowDetail("terminal: ls"))
