"""Transitions of listening: from the key to the words of a message. Pure."""

from dataclasses import replace

from voicehermes.audio import UtteranceEnd
from voicehermes.dialogue.answering import take_answer
from voicehermes.dialogue.asking import (
    answer_to,
    ask_again,
    give_up,
    question_of,
    shelve,
    shelved_question,
)
from voicehermes.dialogue.change import Change, fragments_of, settle
from voicehermes.dialogue.commands import (
    Cue,
    Keep,
    KeepOpen,
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
    Answering,
    Asking,
    Dialogue,
    Fragment,
    Idle,
    Listening,
    Message,
    Rules,
    Speaking,
    Transcribing,
)

_CUT = (UtteranceEnd.DEVICE_LOST, UtteranceEnd.TOO_LONG)
"""How an utterance ends that the user had not ended."""


def press(dialogue: Dialogue, event: Pressed) -> Change:
    """Listen, over what thinks or sounds, or go on with the message that is being transcribed.

    While a decision is asked for, it is the answer; where nobody answered, the question is read.
    """
    if dialogue.muted:
        return Change(dialogue, (Say("muted"),))
    over_sound = False
    answer: Answering | None = None
    match dialogue.state:
        case Listening() as listening if listening.recording < 0:
            held = replace(listening, key=event.recording)
            return Change(replace(dialogue, state=held), (KeepOpen(listening.recording),))
        case Listening() | Asking(phase="sending"):
            return Change(dialogue)
        case Transcribing(over_sound=over_sound, answering=answer):
            pass
        case Asking(id=id_, phase=phase):
            question = question_of(dialogue, id_)
            answer = answer_to(question) if question else None
            if answer and phase == "reading":
                # The microphone may still hear our "di': approva" from the room: that is no yes.
                answer = replace(answer, may_grant=False)
        case _ if question := shelved_question(dialogue):
            return ask_again(dialogue, question)
        case _:
            over_sound = isinstance(dialogue.state, Speaking)
    turn = dialogue.turn + 1
    listening = Listening(turn, event.recording, over_sound, fragments_of(dialogue), answer)
    return Change(
        replace(dialogue, state=listening, turn=turn),
        (PauseSound(), StartRecording(turn, event.recording)),
    )


def release(dialogue: Dialogue, event: Released, rules: Rules) -> Change:
    """Complete the utterance. In hold mode a tap over sound silences the reply instead."""
    state = dialogue.state
    if not isinstance(state, Listening) or event.recording not in (state.recording, state.key):
        return Change(dialogue)
    if event.is_tap and rules.mode == "hold" and not state.fragments and state.recording >= 0:
        if state.over_sound:
            return be_quiet(dialogue).and_also(outcomes={state.turn: "tap"})
        if state.answering and (question := question_of(dialogue, state.answering.id)):
            return give_up(dialogue, question).and_also(outcomes={state.turn: "tap"})
    end = UtteranceEnd.TOO_LONG if event.too_long else UtteranceEnd.RELEASED
    told = (Cue("too-long"),) if event.too_long else ()
    return Change(_complete(dialogue, state), (StopRecording(state.recording, end), *told))


def _complete(dialogue: Dialogue, state: Listening) -> Dialogue:
    """Nothing is recorded any more; the utterance is being completed."""
    fragments = (*state.fragments, Fragment(state.turn, state.recording))
    return replace(dialogue, state=Transcribing(state.over_sound, fragments, state.answering))


def hear(dialogue: Dialogue, event: Heard, rules: Rules) -> Change:
    """Have the utterance transcribed, or go back to what went on where there was no speech."""
    if isinstance(dialogue.state, Listening) and dialogue.state.recording == event.recording:
        dialogue = _complete(dialogue, dialogue.state)  # it ended by itself
    fragment = next((f for f in fragments_of(dialogue) if f.recording == event.recording), None)
    if fragment is None or fragment.text is not None:
        return Change(dialogue)
    if event.utterance is None:
        return _drop_fragment(dialogue, fragment, "no speech", rules)
    answer = _answering_in(dialogue)
    if answer and event.utterance.end in _CUT:
        assert isinstance(dialogue.state, Listening | Transcribing)
        cut = replace(dialogue.state, answering=replace(answer, is_cut=True))
        dialogue = replace(dialogue, state=cut)
    is_kept = answer is None
    return Change(dialogue, (Transcribe(fragment.turn, event.utterance, is_kept), Cue("sent")))


def take_text(dialogue: Dialogue, event: Transcribed | NotTranscribed, rules: Rules) -> Change:
    """Take in an utterance's words; those of the whole message, once known, are delivered."""
    fragment = next((f for f in fragments_of(dialogue) if f.turn == event.turn), None)
    if fragment is None:
        return Change(dialogue)
    if isinstance(event, NotTranscribed):
        change = _drop_fragment(dialogue, fragment, "not transcribed", rules)
        kept = () if _answering_in(dialogue) else (Say("kept"),)
        return change.and_also(Say(event.error.phrase, str(event.error)), *kept)
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
        answer = _answering_in(dialogue)
        return Change(replace(dialogue, state=Transcribing(over_sound, fragments, answer)))
    calm = replace(dialogue, state=Idle())
    if answer := _answering_in(dialogue):
        return _deliver_answer(dialogue, answer, fragments, rules)
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


def _deliver_answer(
    dialogue: Dialogue, answer: Answering, fragments: tuple[Fragment, ...], rules: Rules
) -> Change:
    text = " ".join(fragment.text or "" for fragment in fragments)
    change = take_answer(dialogue, answer, text, rules)
    outcomes = {fragment.turn: "answer" for fragment in fragments}
    return change.after(*((ShowTranscript(text),) if text else ())).and_also(outcomes=outcomes)


def _answering_in(dialogue: Dialogue) -> Answering | None:
    """Which question what is being said answers; None: it is a message, or nothing is said."""
    if isinstance(dialogue.state, Listening | Transcribing):
        return dialogue.state.answering
    return None


def mute(dialogue: Dialogue, rules: Rules) -> Change:
    """Shut the microphone: what is being recorded is dropped, what was said before still counts."""
    muted = replace(dialogue, muted=True)
    told = (SetMuted(True), Cue("muted"))
    if not isinstance(muted.state, Listening):
        return Change(muted, told)
    turn, fragments, answer = muted.state.turn, muted.state.fragments, muted.state.answering
    if answer and (question := question_of(muted, answer.id)):
        change = shelve(muted, question, Say("decision-muted"))
        return change.after(*told).and_also(outcomes={turn: "muted"})
    change = _go_on(replace(muted, state=Idle()), fragments, rules)
    return change.and_also(*told, outcomes={turn: "muted"})
