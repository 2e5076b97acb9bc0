"""Transitions of listening: from the key to the words of a message. Pure."""

from dataclasses import replace

from voicehermes.audio import UtteranceEnd
from voicehermes.dialogue.change import Change, fragments_of, settle
from voicehermes.dialogue.commands import (
    Cue,
    Keep,
    PauseSound,
    Say,
    SetMuted,
    ShowTranscript,
    StartRecording,
    StopRecording,
    Transcribe,
)
from voicehermes.dialogue.events import Heard, NotTranscribed, Pressed, Released, Transcribed
from voicehermes.dialogue.running import be_quiet, deliver
from voicehermes.dialogue.state import (
    Dialogue,
    Fragment,
    Idle,
    Listening,
    Message,
    Rules,
    Speaking,
    Transcribing,
)


def press(dialogue: Dialogue, event: Pressed) -> Change:
    """Listen, over what thinks or sounds, or go on with the message that is being transcribed."""
    if dialogue.muted:
        return Change(dialogue, (Say("muted"),))
    match dialogue.state:
        case Listening():
            return Change(dialogue)
        case Transcribing(over_sound=over_sound):
            pass
        case _:
            over_sound = isinstance(dialogue.state, Speaking)
    turn = dialogue.turn + 1
    listening = Listening(turn, event.recording, over_sound, fragments_of(dialogue))
    return Change(
        replace(dialogue, state=listening, turn=turn),
        (PauseSound(), StartRecording(turn, event.recording)),
    )


def release(dialogue: Dialogue, event: Released, rules: Rules) -> Change:
    """Complete the utterance. In hold mode a tap over sound silences the reply instead."""
    state = dialogue.state
    if not isinstance(state, Listening) or state.recording != event.recording:
        return Change(dialogue)
    if event.is_tap and rules.mode == "hold" and state.over_sound and not state.fragments:
        return be_quiet(dialogue).and_also(outcomes={state.turn: "tap"})
    end = UtteranceEnd.TOO_LONG if event.too_long else UtteranceEnd.RELEASED
    told = (Cue("too-long"),) if event.too_long else ()
    return Change(_complete(dialogue, state), (StopRecording(event.recording, end), *told))


def _complete(dialogue: Dialogue, state: Listening) -> Dialogue:
    """Nothing is recorded any more; the utterance is being completed."""
    fragments = (*state.fragments, Fragment(state.turn, state.recording))
    return replace(dialogue, state=Transcribing(state.over_sound, fragments))


def hear(dialogue: Dialogue, event: Heard, rules: Rules) -> Change:
    """Have the utterance transcribed, or go back to what went on where there was no speech."""
    if isinstance(dialogue.state, Listening) and dialogue.state.recording == event.recording:
        dialogue = _complete(dialogue, dialogue.state)  # it ended by itself
    fragment = next((f for f in fragments_of(dialogue) if f.recording == event.recording), None)
    if fragment is None or fragment.text is not None:
        return Change(dialogue)
    if event.utterance is None:
        return _drop_fragment(dialogue, fragment, "no speech", rules)
    return Change(dialogue, (Transcribe(fragment.turn, event.utterance), Cue("sent")))


def take_text(dialogue: Dialogue, event: Transcribed | NotTranscribed, rules: Rules) -> Change:
    """Take in an utterance's words; those of the whole message, once known, are delivered."""
    fragment = next((f for f in fragments_of(dialogue) if f.turn == event.turn), None)
    if fragment is None:
        return Change(dialogue)
    if isinstance(event, NotTranscribed):
        change = _drop_fragment(dialogue, fragment, "not transcribed", rules)
        return change.and_also(Say(event.error.phrase, str(event.error)), Say("kept"))
    if not event.text:
        return _drop_fragment(dialogue, fragment, "not understood", rules)
    known = replace(fragment, text=event.text)
    return _go_on(
        dialogue, tuple(known if f is fragment else f for f in fragments_of(dialogue)), rules
    )


def _drop_fragment(dialogue: Dialogue, fragment: Fragment, why: str, rules: Rules) -> Change:
    """That utterance gave no words."""
    left = tuple(f for f in fragments_of(dialogue) if f is not fragment)
    change = _go_on(dialogue, left, rules).and_also(outcomes={fragment.turn: why})
    return change if why == "not transcribed" else change.and_also(Cue("nothing-heard"))


def _go_on(dialogue: Dialogue, fragments: tuple[Fragment, ...], rules: Rules) -> Change:
    """With the fragments as they are now: go on listening, wait, deliver, or go back."""
    state = dialogue.state
    if isinstance(state, Listening):
        return Change(replace(dialogue, state=replace(state, fragments=fragments)))
    if any(fragment.text is None for fragment in fragments):
        over_sound = isinstance(state, Transcribing) and state.over_sound
        return Change(replace(dialogue, state=Transcribing(over_sound, fragments)))
    calm = replace(dialogue, state=Idle())
    if fragments:
        return _deliver_fragments(calm, fragments, rules)
    if rules.mode == "toggle" and isinstance(state, Transcribing) and state.over_sound:
        return be_quiet(calm)  # two presses without words between them
    return Change(settle(calm))


def _deliver_fragments(dialogue: Dialogue, fragments: tuple[Fragment, ...], rules: Rules) -> Change:
    text = " ".join(fragment.text or "" for fragment in fragments)
    turn, parts = fragments[-1].turn, tuple(fragment.turn for fragment in fragments[:-1])
    change = deliver(dialogue, Message(turn, text), rules)
    change = change.and_also(outcomes=dict.fromkeys(parts, "joined"))
    return change.after(ShowTranscript(text), *((Keep(turn, text, parts),) if parts else ()))


def mute(dialogue: Dialogue, rules: Rules) -> Change:
    """Shut the microphone: what is being recorded is dropped, what was said before still counts."""
    muted = replace(dialogue, muted=True)
    told = (SetMuted(True), Cue("muted"))
    if not isinstance(muted.state, Listening):
        return Change(muted, told)
    turn, fragments = muted.state.turn, muted.state.fragments
    change = _go_on(replace(muted, state=Idle()), fragments, rules)
    return change.and_also(*told, outcomes={turn: "muted"})
