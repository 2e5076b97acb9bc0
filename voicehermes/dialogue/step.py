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

from dataclasses import replace
from typing import assert_never

from voicehermes.dialogue.asking import ask_next
from voicehermes.dialogue.attending import (
    ducking,
    follow_up,
    hear_unrecorded,
    invite,
)
from voicehermes.dialogue.cancelling import cancel
from voicehermes.dialogue.change import Change, fragments_of, open_turns
from voicehermes.dialogue.commands import (
    Command,
    Cue,
    DropQuestion,
    DropRecording,
    DropTranscription,
    EndTurn,
    Hush,
    LeaveRun,
    PauseSound,
    ResumeSound,
    Say,
    SetMuted,
    ShowReplyEnd,
    Transcribe,
)
from voicehermes.dialogue.decisions import hear_of_decision
from voicehermes.dialogue.events import (
    Asked,
    Attached,
    AttentionEvent,
    BegunAnew,
    CancelAsked,
    DecisionEvent,
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
    StillSilent,
    Submitted,
    Transcribed,
    Trouble,
    UnmuteAsked,
)
from voicehermes.dialogue.listening import hear, mute, press, release, take_text
from voicehermes.dialogue.running import deliver, hear_of_message, hear_of_run
from voicehermes.dialogue.state import (
    Asking,
    Dialogue,
    Fragment,
    Listening,
    Message,
    Rules,
    Stopped,
    Transcribing,
)


def step(before: Dialogue, event: Event, rules: Rules) -> tuple[Dialogue, tuple[Command, ...]]:
    """The next dialogue, and the commands to carry out in this order."""
    if isinstance(before.state, Stopped):
        return before, ()
    change = follow_up(before, ask_next(_react(before, event, rules), rules), rules)
    after = change.dialogue
    kept, open_after = frozenset(_held(after)), frozenset(open_turns(after))
    released = tuple(command for command in _held(before) if command not in kept)
    # What is said about it comes before the reply, and what was hushed must not sound again.
    resumed = (ResumeSound(),) if _holds_sound(before) and not _holds_sound(after) else ()
    ended = tuple(
        EndTurn(turn, change.outcomes.get(turn, "cancelled"))
        for turn in (*open_turns(before), *range(before.turn + 1, after.turn + 1))
        if turn not in open_after
    )
    return after, released + ducking(before, after) + change.commands + resumed + ended


def _held(dialogue: Dialogue) -> tuple[Command, ...]:
    """What the dialogue owns, each as the command that lets it go."""
    held: list[Command] = []
    if isinstance(dialogue.state, Listening):
        held.append(DropRecording(dialogue.state.recording))
    for fragment in fragments_of(dialogue):
        if fragment.text is None:
            held.append(DropTranscription(fragment.turn))
            if fragment.recording is not None:
                held.append(DropRecording(fragment.recording))
    if dialogue.run:
        if dialogue.run.live:
            held.append(LeaveRun(dialogue.run.turn))
            if dialogue.run.streamed:
                held.append(ShowReplyEnd())
        if not dialogue.run.quiet:
            held.append(Hush(dialogue.run.turn))
    if isinstance(dialogue.state, Asking) and dialogue.state.phase == "reading":
        held.append(DropQuestion(dialogue.asked))
    return tuple(held)


def _holds_sound(dialogue: Dialogue) -> bool:
    """Whether the reply waits for the user."""
    return isinstance(dialogue.state, Listening | Transcribing | Asking)


def _react(dialogue: Dialogue, event: Event, rules: Rules) -> Change:
    if isinstance(event, DecisionEvent):
        return hear_of_decision(dialogue, event, rules)
    if isinstance(event, AttentionEvent):
        return hear_unrecorded(dialogue, event, rules)
    match event:
        case Pressed():
            return press(dialogue, event, rules)
        case Released():
            return release(dialogue, event, rules)
        case StillSilent():
            return invite(dialogue, event)
        case Heard():
            return hear(dialogue, event, rules)
        case Transcribed() | NotTranscribed():
            return take_text(dialogue, event, rules)
        case Asked(text):
            begun = replace(dialogue, turn=dialogue.turn + 1)
            return deliver(begun, Message(begun.turn, text), rules)
        case Recovered(utterance):
            turn = dialogue.turn + 1
            fragment = Fragment(turn, recording=None)
            waiting = replace(dialogue, turn=turn, state=Transcribing(False, (fragment,)))
            return Change(waiting, (PauseSound(), Transcribe(turn, utterance)))
        case Submitted() | NotSubmitted() | Steered() | Attached():
            return hear_of_message(dialogue, event)
        case RunHappened() | RunLost() | SoundBegan() | SpokenAll():
            if dialogue.run is None or dialogue.run.turn != event.turn:
                return Change(dialogue)
            if dialogue.run.id is None and isinstance(event, RunHappened | RunLost):
                return Change(dialogue)  # nobody follows it yet
            return hear_of_run(dialogue, dialogue.run, event)
        case BegunAnew():
            return Change(dialogue, (Say("new-conversation"),))
        case Trouble(error):
            return Change(dialogue, (Say(error.phrase, str(error)),))
        case CancelAsked():
            return cancel(dialogue, rules)
        case MuteAsked():
            return mute(dialogue, rules)
        case UnmuteAsked():
            return Change(replace(dialogue, muted=False), (SetMuted(False), Cue("unmuted")))
        case ShutdownAsked():
            outcomes = dict.fromkeys(open_turns(dialogue), "shutdown")
            stopped = Dialogue(
                Stopped(), turn=dialogue.turn, muted=dialogue.muted, asked=dialogue.asked
            )
            return Change(stopped, outcomes=outcomes)
        case _:
            assert_never(event)
