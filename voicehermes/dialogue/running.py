"""Transitions of a message and its run: from submitting it to the last word heard. Pure."""

from dataclasses import replace
from typing import assert_never

from voicehermes.dialogue.asking import without_questions
from voicehermes.dialogue.change import Change, settle
from voicehermes.dialogue.commands import (
    AddSpeech,
    BeginSpeech,
    CancelRun,
    Command,
    Cue,
    EndSpeech,
    Follow,
    Forget,
    LookForDecisions,
    NoteReconnect,
    Say,
    ShowDetail,
    ShowReply,
    ShowReplyEnd,
    Steer,
    Submit,
)
from voicehermes.dialogue.events import (
    Attached,
    NotSubmitted,
    RunHappened,
    RunLost,
    SoundBegan,
    SpokenAll,
    Steered,
    Submitted,
)
from voicehermes.dialogue.state import Dialogue, Idle, Message, Rules, Run
from voicehermes.events import (
    Cancelled,
    Completed,
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


def go_on_with(dialogue: Dialogue, run: Run, message: Message) -> Change:
    """The user was not done: what ``run`` works on and the message are one."""
    cancel = (CancelRun(run.id),) if run.live and run.id else ()
    dialogue = without_questions(dialogue)
    whole = replace(message, text=f"{run.message} {message.text}")
    return _submit(dialogue, whole).after(*cancel).and_also(outcomes={run.turn: "joined"})


def deliver(dialogue: Dialogue, message: Message, rules: Rules) -> Change:
    """Hand the message to the agent, or do as ``[talk] when_busy`` says while it works."""
    run = dialogue.run
    if run is None:
        return _submit(dialogue, message)
    if rules.when_busy == "replace" or (rules.when_busy == "steer" and not run.live):
        cancel = (CancelRun(run.id),) if run.live and run.id else ()
        outcome = "replaced" if run.live else "interrupted"
        dialogue = without_questions(dialogue)
        return _submit(dialogue, message).after(*cancel).and_also(outcomes={run.turn: outcome})
    steering = rules.when_busy == "steer" and run.id is not None
    waiting = (*dialogue.waiting, replace(message, steering=steering))
    offer = Steer(message.turn, message.text) if steering else Cue("queued")
    return Change(settle(replace(dialogue, waiting=waiting)), (offer,))


def _submit(dialogue: Dialogue, message: Message) -> Change:
    waiting = tuple(m for m in dialogue.waiting if m.turn != message.turn)
    return Change(
        settle(
            replace(
                dialogue,
                run=Run(message.turn, message=message.text),
                waiting=waiting,
                is_unheard=False,
            )
        ),
        (BeginSpeech(message.turn), Submit(message.turn, message.text)),
    )


def hear_of_message(
    dialogue: Dialogue, event: Submitted | NotSubmitted | Steered | Attached
) -> Change:
    """What became of a message: a run that is followed from now on, a hint, or nothing yet."""
    run = dialogue.run
    match event:
        case Submitted(turn, run_id) if run is None or run.turn != turn:
            return Change(dialogue, (CancelRun(run_id),))
        case Submitted(turn, run_id) if run and run.id is None:
            followed = replace(dialogue, run=replace(run, id=run_id))
            return Change(followed, (Follow(turn, run_id),))
        case NotSubmitted(turn, error) if run and run.turn == turn:
            # What waits would fail the same way. It is on disk as well.
            outcomes = {turn: "not submitted"} | {m.turn: "kept" for m in dialogue.waiting}
            rest = settle(replace(dialogue, run=None, waiting=()))
            return Change(rest, (Say(error.phrase, str(error)), Say("kept")), outcomes)
        case Steered(turn, accepted):
            is_taken = accepted and run is not None and run.live
            others = tuple(m for m in dialogue.waiting if m.turn != turn)
            answered = tuple(
                replace(m, steering=is_taken, accepted=is_taken)
                for m in dialogue.waiting
                if m.turn == turn
            )
            change = _next_message(replace(dialogue, waiting=(*others, *answered)))
            return change.and_also(Cue("queued")) if is_taken else change
        case Attached(run_id) if run is None:
            turn = dialogue.turn + 1
            attached = settle(replace(dialogue, run=Run(turn, run_id), turn=turn))
            return Change(attached, (BeginSpeech(turn, run_id), Follow(turn, run_id)))
        case _:
            return Change(dialogue)


def hear_of_run(
    dialogue: Dialogue, run: Run, event: RunHappened | RunLost | SoundBegan | SpokenAll
) -> Change:
    """What the server, or the speaker, tells of ``run``, the dialogue's own."""
    match event:
        case RunHappened(_, happened):
            return _take_run_event(dialogue, run, happened)
        case RunLost(_, error):
            return _end_run(dialogue, run, "lost", Say(error.phrase, str(error)))
        case SoundBegan():
            sounding = replace(run, sounding=not run.quiet)
            return Change(settle(replace(dialogue, run=sounding)))
        case SpokenAll():
            return Change(dialogue) if run.live else _finish(dialogue, run)
        case _:
            assert_never(event)


def _take_run_event(dialogue: Dialogue, run: Run, event: RunEvent) -> Change:
    match event:
        case TextDelta(text):
            text = text if run.streamed else text.lstrip()  # after a tool it begins with lines
            if not text:
                return Change(dialogue)
            streamed = replace(dialogue, run=replace(run, streamed=True))
            return Change(streamed, (ShowReply(text), AddSpeech(run.turn, text)))
        case Completed(text):
            if run.streamed:
                return _end_run(dialogue, run, "answered")
            if not text:
                return _end_run(dialogue, run, "answered", Say("run-silent"))
            reply = (ShowReply(text), AddSpeech(run.turn, text), ShowReplyEnd())
            return _end_run(dialogue, run, "answered", *reply)
        case Failed(_, message):
            return _end_run(dialogue, run, "failed", Say("run-failed", message))
        case Cancelled():
            return _end_run(dialogue, run, "cancelled", Say("run-cancelled"))
        case DecisionWanted():
            return Change(dialogue, (LookForDecisions(),))  # it may be a replayed one
        case Reconnected(attempts):
            return Change(dialogue, (NoteReconnect(run.turn, attempts),))
        case Notice(text):
            return Change(dialogue, (ShowDetail(text),))
        case ToolStarted(name, preview):
            # What was written before it is whole: it need not wait for what comes after a tool.
            whole = (AddSpeech(run.turn, "\n\n"),) if run.streamed else ()
            detail = ShowDetail(f"{name}: {preview}" if preview else name)
            return Change(dialogue, (*whole, detail))
        case ToolEnded():
            # How hermes-webui tells of an approval that expired.
            look = (LookForDecisions(),) if dialogue.questions else ()
            return _take_hints(dialogue).and_also(*look)
        case ReasoningDelta() | SessionMoved():
            return Change(dialogue)
        case _:
            assert_never(event)


def _take_hints(dialogue: Dialogue) -> Change:
    """A tool's result goes to the model, and the hints that the run accepted with it."""
    taken = [message.turn for message in dialogue.waiting if message.accepted]
    left = tuple(message for message in dialogue.waiting if not message.accepted)
    steered = replace(dialogue, waiting=left)
    return Change(steered, tuple(map(Forget, taken)), dict.fromkeys(taken, "steered"))


def _end_run(dialogue: Dialogue, run: Run, outcome: str, *commands: Command) -> Change:
    """The server is done with the run; what it wrote may still have to be spoken.

    A hint that no tool's result could go with is a message after all: hermes-webui drops it.
    """
    over = replace(run, live=False, outcome=outcome)
    waiting = tuple(
        replace(m, steering=False, accepted=False) if m.accepted else m for m in dialogue.waiting
    )
    dialogue = replace(dialogue, waiting=waiting)
    if outcome != "lost":
        dialogue = without_questions(dialogue)
    if run.quiet:
        return _finish(dialogue, over).after(*commands, EndSpeech(run.turn))
    ended = settle(replace(dialogue, run=over))
    return Change(ended, (*commands, EndSpeech(run.turn)))


def _finish(dialogue: Dialogue, run: Run) -> Change:
    """The run is over and heard: rest, or go on with what waits."""
    change = _next_message(settle(replace(dialogue, run=None)))
    return change.and_also(outcomes={run.turn: run.outcome})


def _next_message(dialogue: Dialogue) -> Change:
    """Submit the first message that waits for the run's end, if the run is over."""
    ready = next((m for m in dialogue.waiting if not m.steering), None)
    if dialogue.run is not None or ready is None:
        return Change(dialogue)
    return _submit(dialogue, ready)


def be_quiet(dialogue: Dialogue) -> Change:
    """Nobody is listened to any more; the reply falls silent for good, its run goes on."""
    calm, run = replace(dialogue, state=Idle()), dialogue.run
    if run is None:
        return Change(settle(calm))
    calm = replace(calm, is_unheard=True)
    quiet = replace(run, quiet=True, sounding=False)
    if run.live:
        return Change(settle(replace(calm, run=quiet)))
    return _finish(calm, quiet)
