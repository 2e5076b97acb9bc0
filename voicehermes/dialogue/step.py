"""From one dialogue to the next.

``step`` takes the dialogue, an event and the rules, and returns the next dialogue and the
commands that carry it out. What has to be let go when a state is left (the recording, the
transcription, the paused sound, the run) is derived from what the two dialogues own, and so are
the turns that ended. No transition can forget either.

An event of a turn that nobody owns any more changes nothing, with one exception: a message whose
sending was under way when it was cancelled has become a run by then, and that run is cancelled.

    Idle ── press ──> Listening ── release ──> Transcribing ── words ──> Thinking ──> Speaking
      ^                   │ nothing said            │ no words              │ cancel     │ spoken
      └───────────────────┴─────────────────────────┴───────────────────────┴────────────┘

A press while it thinks or speaks listens *over* the run: the run stays, its sound is held, and
the words decide what becomes of both. A press while it transcribes goes on with the same message.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from voicehermes.audio import UtteranceEnd
from voicehermes.dialogue.commands import (
    AddSpeech,
    BeginSpeech,
    CancelRun,
    Command,
    Cue,
    DropRecording,
    DropTranscription,
    EndSpeech,
    EndTurn,
    Follow,
    Forget,
    Hush,
    Keep,
    LeaveRun,
    NoteDecision,
    NoteReconnect,
    PauseSound,
    ResumeSound,
    Say,
    SetMuted,
    ShowDetail,
    ShowReply,
    ShowReplyEnd,
    ShowTranscript,
    StartRecording,
    Steer,
    StopRecording,
    Submit,
    Transcribe,
)
from voicehermes.dialogue.events import (
    Asked,
    Attached,
    CancelAsked,
    Event,
    Heard,
    MuteAsked,
    NotSubmitted,
    NotTranscribed,
    Pressed,
    Recovered,
    Released,
    RunHappened,
    RunLost,
    ShutdownAsked,
    SoundBegan,
    SpokenAll,
    Steered,
    Submitted,
    Transcribed,
    Trouble,
    UnmuteAsked,
)
from voicehermes.dialogue.state import (
    Dialogue,
    Fragment,
    Idle,
    Listening,
    Message,
    Rules,
    Run,
    Speaking,
    Stopped,
    Thinking,
    Transcribing,
)
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


@dataclass(frozen=True, slots=True)
class _Change:
    """The next dialogue, what to do, and how the turns end that end with it."""

    dialogue: Dialogue
    commands: tuple[Command, ...] = ()
    outcomes: Mapping[int, str] = field(default_factory=dict)

    def and_also(self, *commands: Command, outcomes: Mapping[int, str] | None = None) -> "_Change":
        return _Change(
            self.dialogue, self.commands + commands, {**self.outcomes, **(outcomes or {})}
        )

    def after(self, *commands: Command) -> "_Change":
        return _Change(self.dialogue, commands + self.commands, self.outcomes)


def step(before: Dialogue, event: Event, rules: Rules) -> tuple[Dialogue, tuple[Command, ...]]:
    """The next dialogue, and the commands to carry out in this order."""
    if isinstance(before.state, Stopped):
        return before, ()
    change = _react(before, event, rules)
    after = change.dialogue
    kept, open_after = frozenset(_held(after)), frozenset(open_turns(after))
    released = tuple(command for command in _held(before) if command not in kept)
    ended = tuple(
        EndTurn(turn, change.outcomes.get(turn, "cancelled"))
        for turn in (*open_turns(before), *range(before.turn + 1, after.turn + 1))
        if turn not in open_after
    )
    return after, released + change.commands + ended


def open_turns(dialogue: Dialogue) -> tuple[int, ...]:
    """The turns that have begun and not ended, oldest first."""
    turns = {message.turn for message in dialogue.waiting}
    turns |= {fragment.turn for fragment in _fragments(dialogue)}
    if dialogue.run:
        turns.add(dialogue.run.turn)
    if isinstance(dialogue.state, Listening):
        turns.add(dialogue.state.turn)
    return tuple(sorted(turns))


def _fragments(dialogue: Dialogue) -> tuple[Fragment, ...]:
    if isinstance(dialogue.state, Listening | Transcribing):
        return dialogue.state.fragments
    return ()


def _held(dialogue: Dialogue) -> tuple[Command, ...]:
    """What the dialogue owns, each as the command that lets it go."""
    held: list[Command] = []
    if isinstance(dialogue.state, Listening):
        held.append(DropRecording(dialogue.state.recording))
    for part in _fragments(dialogue):
        if part.text is None:
            held.append(DropTranscription(part.turn))
            if part.recording is not None:
                held.append(DropRecording(part.recording))
    if dialogue.run:
        if dialogue.run.live:
            held.append(LeaveRun(dialogue.run.turn))
        if not dialogue.run.quiet:
            held.append(Hush(dialogue.run.turn))
    if isinstance(dialogue.state, Listening | Transcribing):
        held.append(ResumeSound())  # last: what was hushed must not sound again
    return tuple(held)


def _react(dialogue: Dialogue, event: Event, rules: Rules) -> _Change:
    match event:
        case Pressed():
            return _press(dialogue, event)
        case Released():
            return _release(dialogue, event, rules)
        case Heard():
            return _hear(dialogue, event, rules)
        case Transcribed() | NotTranscribed():
            return _take_text(dialogue, event, rules)
        case Asked(text):
            begun = replace(dialogue, turn=dialogue.turn + 1)
            return _deliver(begun, Message(begun.turn, text), rules)
        case Recovered(utterance):
            turn = dialogue.turn + 1
            part = Fragment(turn, recording=None)
            waiting = replace(dialogue, turn=turn, state=Transcribing(False, (part,)))
            return _Change(waiting, (PauseSound(), Transcribe(turn, utterance)))
        case Submitted() | NotSubmitted() | Steered() | Attached():
            return _hear_of_message(dialogue, event)
        case RunHappened() | RunLost() | SoundBegan() | SpokenAll():
            if dialogue.run is None or dialogue.run.turn != event.turn:
                return _Change(dialogue)
            return _hear_of_run(dialogue, dialogue.run, event)
        case Trouble(error):
            return _Change(dialogue, (Say(error.phrase, str(error)),))
        case CancelAsked():
            return _cancel(dialogue)
        case MuteAsked():
            return _mute(dialogue, rules)
        case UnmuteAsked():
            return _Change(replace(dialogue, muted=False), (SetMuted(False), Cue("unmuted")))
        case ShutdownAsked():
            outcomes = dict.fromkeys(open_turns(dialogue), "shutdown")
            stopped = Dialogue(Stopped(), turn=dialogue.turn, muted=dialogue.muted)
            return _Change(stopped, outcomes=outcomes)
        case _:
            assert_never(event)


# --- listening ------------------------------------------------------------------------------


def _press(dialogue: Dialogue, event: Pressed) -> _Change:
    if dialogue.muted:
        return _Change(dialogue, (Say("muted"),))
    match dialogue.state:
        case Listening():
            return _Change(dialogue)
        case Transcribing(over_sound=over_sound):
            pass
        case _:
            over_sound = isinstance(dialogue.state, Speaking)
    turn = dialogue.turn + 1
    listening = Listening(turn, event.recording, over_sound, _fragments(dialogue))
    return _Change(
        replace(dialogue, state=listening, turn=turn),
        (PauseSound(), StartRecording(turn, event.recording)),
    )


def _release(dialogue: Dialogue, event: Released, rules: Rules) -> _Change:
    state = dialogue.state
    if not isinstance(state, Listening) or state.recording != event.recording:
        return _Change(dialogue)
    if event.is_tap and rules.mode == "hold" and state.over_sound and not state.fragments:
        return _be_quiet(dialogue).and_also(outcomes={state.turn: "tap"})
    end = UtteranceEnd.TOO_LONG if event.too_long else UtteranceEnd.RELEASED
    told = (Cue("too-long"),) if event.too_long else ()
    return _Change(_complete(dialogue, state), (StopRecording(event.recording, end), *told))


def _complete(dialogue: Dialogue, state: Listening) -> Dialogue:
    """Nothing is recorded any more; the utterance is being completed."""
    fragments = (*state.fragments, Fragment(state.turn, state.recording))
    return replace(dialogue, state=Transcribing(state.over_sound, fragments))


def _hear(dialogue: Dialogue, event: Heard, rules: Rules) -> _Change:
    if isinstance(dialogue.state, Listening) and dialogue.state.recording == event.recording:
        dialogue = _complete(dialogue, dialogue.state)  # it ended by itself
    part = next((p for p in _fragments(dialogue) if p.recording == event.recording), None)
    if part is None:
        return _Change(dialogue)
    if event.utterance is None:
        return _drop_fragment(dialogue, part, "no speech", rules)
    return _Change(dialogue, (Transcribe(part.turn, event.utterance), Cue("sent")))


def _take_text(dialogue: Dialogue, event: Transcribed | NotTranscribed, rules: Rules) -> _Change:
    part = next((p for p in _fragments(dialogue) if p.turn == event.turn), None)
    if part is None:
        return _Change(dialogue)
    if isinstance(event, NotTranscribed):
        change = _drop_fragment(dialogue, part, "not transcribed", rules)
        return change.and_also(Say(event.error.phrase, str(event.error)), Say("kept"))
    if not event.text:
        return _drop_fragment(dialogue, part, "not understood", rules)
    known = replace(part, text=event.text)
    return _go_on(dialogue, tuple(known if p is part else p for p in _fragments(dialogue)), rules)


def _drop_fragment(dialogue: Dialogue, part: Fragment, why: str, rules: Rules) -> _Change:
    """That utterance gave no words."""
    left = tuple(p for p in _fragments(dialogue) if p is not part)
    change = _go_on(dialogue, left, rules).and_also(outcomes={part.turn: why})
    return change if why == "not transcribed" else change.and_also(Cue("nothing-heard"))


def _go_on(dialogue: Dialogue, fragments: tuple[Fragment, ...], rules: Rules) -> _Change:
    """With the fragments as they are now: go on listening, wait, deliver, or go back."""
    state = dialogue.state
    if isinstance(state, Listening):
        return _Change(replace(dialogue, state=replace(state, fragments=fragments)))
    if any(part.text is None for part in fragments):
        over_sound = isinstance(state, Transcribing) and state.over_sound
        return _Change(replace(dialogue, state=Transcribing(over_sound, fragments)))
    calm = replace(dialogue, state=Idle())
    if fragments:
        return _deliver_fragments(calm, fragments, rules)
    if rules.mode == "toggle" and isinstance(state, Transcribing) and state.over_sound:
        return _be_quiet(calm)  # two presses without words between them
    return _Change(_settle(calm))


def _deliver_fragments(
    dialogue: Dialogue, fragments: tuple[Fragment, ...], rules: Rules
) -> _Change:
    text = " ".join(part.text or "" for part in fragments)
    turn, parts = fragments[-1].turn, tuple(part.turn for part in fragments[:-1])
    change = _deliver(dialogue, Message(turn, text), rules)
    change = change.and_also(outcomes=dict.fromkeys(parts, "joined"))
    return change.after(ShowTranscript(text), *((Keep(turn, text, parts),) if parts else ()))


def _mute(dialogue: Dialogue, rules: Rules) -> _Change:
    muted = replace(dialogue, muted=True)
    told = (SetMuted(True), Cue("muted"))
    if not isinstance(muted.state, Listening):
        return _Change(muted, told)
    turn, fragments = muted.state.turn, muted.state.fragments
    change = _go_on(replace(muted, state=Idle()), fragments, rules)
    return change.and_also(*told, outcomes={turn: "muted"})


# --- the message and its run ----------------------------------------------------------------


def _deliver(dialogue: Dialogue, message: Message, rules: Rules) -> _Change:
    """Hand the message to the agent, or do as ``[talk] when_busy`` says while it works."""
    run = dialogue.run
    if run is None:
        return _submit(dialogue, message)
    if rules.when_busy == "replace" or (rules.when_busy == "steer" and not run.live):
        cancel = (CancelRun(run.id),) if run.live and run.id else ()
        outcome = "replaced" if run.live else "interrupted"
        return _submit(dialogue, message).after(*cancel).and_also(outcomes={run.turn: outcome})
    steering = rules.when_busy == "steer" and run.id is not None
    waiting = (*dialogue.waiting, replace(message, steering=steering))
    offer = Steer(message.turn, message.text) if steering else Cue("queued")
    return _Change(_settle(replace(dialogue, waiting=waiting)), (offer,))


def _submit(dialogue: Dialogue, message: Message) -> _Change:
    waiting = tuple(m for m in dialogue.waiting if m.turn != message.turn)
    return _Change(
        _settle(replace(dialogue, run=Run(message.turn), waiting=waiting)),
        (BeginSpeech(message.turn), Submit(message.turn, message.text)),
    )


def _hear_of_message(
    dialogue: Dialogue, event: Submitted | NotSubmitted | Steered | Attached
) -> _Change:
    run = dialogue.run
    match event:
        case Submitted(turn, run_id) if run is None or run.turn != turn:
            return _Change(dialogue, (CancelRun(run_id),))
        case Submitted(turn, run_id) if run:
            followed = replace(dialogue, run=replace(run, id=run_id))
            return _Change(followed, (Follow(turn, run_id),))
        case NotSubmitted(turn, error) if run and run.turn == turn:
            # What waits would fail the same way. It is on disk as well.
            outcomes = {turn: "not submitted"} | {m.turn: "kept" for m in dialogue.waiting}
            rest = _settle(replace(dialogue, run=None, waiting=()))
            return _Change(rest, (Say(error.phrase, str(error)), Say("kept")), outcomes)
        case Steered(turn, accepted):
            others = tuple(m for m in dialogue.waiting if m.turn != turn)
            refused = [replace(m, steering=False) for m in dialogue.waiting if m.turn == turn]
            if accepted:
                steered = replace(dialogue, waiting=others)
                return _Change(steered, (Forget(turn), Cue("queued")), {turn: "steered"})
            return _next_message(replace(dialogue, waiting=(*others, *refused)))
        case Attached(run_id) if run is None:
            turn = dialogue.turn + 1
            attached = _settle(replace(dialogue, run=Run(turn, run_id), turn=turn))
            return _Change(attached, (BeginSpeech(turn, run_id), Follow(turn, run_id)))
        case _:
            return _Change(dialogue)


def _hear_of_run(
    dialogue: Dialogue, run: Run, event: RunHappened | RunLost | SoundBegan | SpokenAll
) -> _Change:
    match event:
        case RunHappened(_, happened):
            return _take_run_event(dialogue, run, happened)
        case RunLost(_, error):
            return _end_run(dialogue, run, "lost", Say(error.phrase, str(error)))
        case SoundBegan():
            sounding = replace(run, sounding=not run.quiet)
            return _Change(_settle(replace(dialogue, run=sounding)))
        case SpokenAll():
            return _Change(dialogue) if run.live else _finish(dialogue, run)
        case _:
            assert_never(event)


def _take_run_event(dialogue: Dialogue, run: Run, event: RunEvent) -> _Change:
    match event:
        case TextDelta(text):
            text = text if run.streamed else text.lstrip()  # after a tool it begins with lines
            if not text:
                return _Change(dialogue)
            streamed = replace(dialogue, run=replace(run, streamed=True))
            return _Change(streamed, (ShowReply(text), *_speech(run, text)))
        case Completed(text):
            rest = (ShowReply(text), *_speech(run, text)) if text and not run.streamed else ()
            return _end_run(dialogue, run, "answered", *rest)
        case Failed(_, message):
            return _end_run(dialogue, run, "failed", Say("run-failed", message))
        case Cancelled():
            return _end_run(dialogue, run, "cancelled", Say("run-cancelled"))
        case DecisionWanted(decision):
            told = (Cue("attention"), Say("decision-elsewhere", _detail(decision)))
            return _Change(dialogue, (NoteDecision(run.turn, decision), *told))
        case Reconnected(attempts):
            return _Change(dialogue, (NoteReconnect(run.turn, attempts),))
        case Notice(text):
            return _Change(dialogue, (ShowDetail(text),))
        case ToolStarted(name, preview):
            return _Change(dialogue, (ShowDetail(f"{name}: {preview}" if preview else name),))
        case ReasoningDelta() | ToolEnded() | SessionMoved():
            return _Change(dialogue)
        case _:
            assert_never(event)


def _speech(run: Run, text: str) -> tuple[Command, ...]:
    return () if run.quiet else (AddSpeech(run.turn, text),)


def _end_run(dialogue: Dialogue, run: Run, outcome: str, *commands: Command) -> _Change:
    """The server is done with the run; what it wrote may still have to be spoken."""
    over = replace(run, live=False, outcome=outcome)
    if run.quiet:
        return _finish(dialogue, over).after(*commands, ShowReplyEnd())
    ended = _settle(replace(dialogue, run=over))
    return _Change(ended, (*commands, ShowReplyEnd(), EndSpeech(run.turn)))


def _finish(dialogue: Dialogue, run: Run) -> _Change:
    """The run is over and heard: rest, or go on with what waits."""
    change = _next_message(_settle(replace(dialogue, run=None)))
    return change.and_also(outcomes={run.turn: run.outcome})


def _next_message(dialogue: Dialogue) -> _Change:
    """Submit the first message that waits for the run's end, if the run is over."""
    ready = next((m for m in dialogue.waiting if not m.steering), None)
    if dialogue.run is not None or ready is None:
        return _Change(dialogue)
    return _submit(dialogue, ready)


def _cancel(dialogue: Dialogue) -> _Change:
    run, turns = dialogue.run, open_turns(dialogue)
    stop = (CancelRun(run.id),) if run and run.live and run.id else ()
    told = (Cue("cancelled"),) if turns else ()
    calm = Dialogue(turn=dialogue.turn, muted=dialogue.muted)
    commands = (*stop, *map(Forget, turns), *told)
    return _Change(calm, commands, dict.fromkeys(turns, "cancelled"))


def _be_quiet(dialogue: Dialogue) -> _Change:
    """Nobody is listened to any more; the reply falls silent for good, its run goes on."""
    calm, run = replace(dialogue, state=Idle()), dialogue.run
    if run is None:
        return _Change(_settle(calm))
    quiet = replace(run, quiet=True, sounding=False)
    if run.live:
        return _Change(_settle(replace(calm, run=quiet)))
    return _finish(calm, quiet)


def _settle(dialogue: Dialogue) -> Dialogue:
    """The same with the state that fits its run, unless the user is being listened to."""
    if isinstance(dialogue.state, Listening | Transcribing):
        return dialogue
    if dialogue.run is None:
        return replace(dialogue, state=Idle())
    return replace(dialogue, state=Speaking() if dialogue.run.sounding else Thinking())


def _detail(decision: Decision) -> str:
    """What is shown of a decision that has to be taken elsewhere."""
    match decision:
        case Approval(command=command):
            return command
        case Clarification(question=question, choices=choices):
            return " / ".join((question, *choices))
        case _:
            assert_never(decision)
