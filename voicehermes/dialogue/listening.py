"""Transitions of listening: from the key to the words of a message. Pure."""

import math
from dataclasses import replace
from typing import Literal

from voicehermes.audio import EndsBy, UtteranceEnd
from voicehermes.deciding.local_commands import is_backchannel, local_command
from voicehermes.deciding.silence import is_nothing_said
from voicehermes.dialogue.answering import take_answer
from voicehermes.dialogue.asking import (
    answer_to,
    ask_again,
    give_up,
    question_of,
    shelve,
    shelved_question,
)
from voicehermes.dialogue.change import Change, fragments_of, opened, settle
from voicehermes.dialogue.commands import (
    Command,
    Cue,
    Forget,
    Keep,
    KeepOpen,
    PauseSound,
    RaiseGuard,
    Say,
    SetMuted,
    ShowTranscript,
    StartRecording,
    StopRecording,
    Transcribe,
)
from voicehermes.dialogue.events import Heard, NotTranscribed, Pressed, Released, Transcribed
from voicehermes.dialogue.obeying import has_object, obey
from voicehermes.dialogue.running import be_quiet, deliver, go_on_with
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
    Thinking,
    Transcribing,
)
from voicehermes.lexicon import answers, requests

JOIN_SECONDS = 3.0
"""Who goes on speaking so soon, before an answer is heard, had only paused."""

MOST_OWN_WORDS = 2
"""After so many utterances in a row that were our own words, we must hear ourselves."""

DroppedFor = Literal["no speech", "not understood", "not speech", "own words", "not transcribed"]
"""Why an utterance gives no words: the outcome of its turn."""

_CUT = (UtteranceEnd.DEVICE_LOST, UtteranceEnd.TOO_LONG)
"""How an utterance ends that the user had not ended."""


def press(dialogue: Dialogue, event: Pressed, rules: Rules) -> Change:
    """Listen, over what thinks or sounds, or go on with the message that is being transcribed.

    While a decision is asked for, it is the answer; where nobody answered, the question is read.
    """
    if dialogue.muted:
        return Change(dialogue, (Say("muted"),))
    match dialogue.state:
        case Listening() as listening if rules.mode == "handsfree":
            stop = StopRecording(listening.recording, UtteranceEnd.RELEASED)
            return Change(_complete(dialogue, listening), (stop,))
        case Listening() as listening if listening.recording < 0:
            held = replace(listening, key=event.recording)
            return Change(replace(dialogue, state=held), (KeepOpen(listening.recording),))
    ends_by = EndsBy.SILENCE if rules.mode == "handsfree" else EndsBy.STOP
    return _begin(opened(dialogue, rules), event.recording, ends_by)


def begin_without_key(
    dialogue: Dialogue, rules: Rules, *, silence_seconds: float = math.inf
) -> Change:
    """Listen to somebody who just speaks, ``silence_seconds`` after the speech before."""
    continues = None
    run = dialogue.run
    if run and run.message and isinstance(dialogue.state, Thinking) and not run.quiet:
        continues = run.turn if silence_seconds <= JOIN_SECONDS else None
    return _begin(dialogue, -(dialogue.turn + 1), EndsBy.SILENCE, continues=continues)


def _begin(
    dialogue: Dialogue, recording: int, ends_by: EndsBy, *, continues: int | None = None
) -> Change:
    """A recording of what the state says that it is: a message, more of it, or an answer."""
    over_sound = False
    answer: Answering | None = None
    match dialogue.state:
        case Listening() | Asking(phase="sending"):
            return Change(dialogue)
        case Transcribing(over_sound=over_sound, answering=answer):
            pass
        case Asking(id=id_, phase=phase):
            question = question_of(dialogue, id_)
            answer = answer_to(question) if question else None
            if answer and (phase == "reading" or recording < 0):
                # The microphone may still hear our "di': approva" from the room, and who has asked
                # to wait may speak to somebody else: that is no yes.
                answer = replace(answer, may_grant=False)
        case _ if question := shelved_question(dialogue):
            return ask_again(dialogue, question)
        case _:
            over_sound = isinstance(dialogue.state, Speaking)
    if answer and answer.may_grant and ends_by is EndsBy.SILENCE:
        ends_by = EndsBy.LONG_SILENCE
    turn = dialogue.turn + 1
    listening = Listening(
        turn, recording, over_sound, fragments_of(dialogue), answer, continues=continues
    )
    return Change(
        replace(dialogue, state=listening, turn=turn),
        (PauseSound(), StartRecording(turn, recording, ends_by)),
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
    fragment = Fragment(state.turn, state.recording, continues=state.continues)
    fragments = (*state.fragments, fragment)
    return replace(dialogue, state=Transcribing(state.over_sound, fragments, state.answering))


def hear(dialogue: Dialogue, event: Heard, rules: Rules) -> Change:
    """Have the utterance transcribed, or go back to what went on where there was no speech."""
    is_too_long = False
    if isinstance(dialogue.state, Listening) and dialogue.state.recording == event.recording:
        dialogue = _complete(dialogue, dialogue.state)  # it ended by itself
        is_too_long = bool(event.utterance and event.utterance.end is UtteranceEnd.TOO_LONG)
    fragment = next((f for f in fragments_of(dialogue) if f.recording == event.recording), None)
    if fragment is None or fragment.text is not None:
        return Change(dialogue)
    if event.utterance is None:
        return _drop_fragment(dialogue, fragment, "no speech", rules)
    answer = _answering_in(dialogue)
    if event.utterance.end in _CUT:
        dialogue = _with_a_cut_answer(dialogue)
    is_kept = answer is None
    # Who just speaks may go on after a pause, and hears that it was sent when it is.
    told = () if fragment.began_by_itself and is_kept else (Cue("sent"),)
    if is_too_long:
        told = (Cue("too-long"),)
    return Change(dialogue, (Transcribe(fragment.turn, event.utterance, is_kept), *told))


def _with_a_cut_answer(dialogue: Dialogue) -> Dialogue:
    """The same, but for an answer of which a piece is missing: that may have been a no."""
    state = dialogue.state
    if not isinstance(state, Listening | Transcribing) or state.answering is None:
        return dialogue
    answering = replace(state.answering, is_cut=True)
    return replace(dialogue, state=replace(state, answering=answering))


def take_text(dialogue: Dialogue, event: Transcribed | NotTranscribed, rules: Rules) -> Change:
    """Take in an utterance's words; those of the whole message, once known, are delivered."""
    fragment = next((f for f in fragments_of(dialogue) if f.turn == event.turn), None)
    if fragment is None:
        return Change(dialogue)
    if isinstance(event, NotTranscribed):
        cut = _with_a_cut_answer(dialogue)
        change = _drop_fragment(cut, fragment, "not transcribed", rules)
        kept = () if _answering_in(dialogue) else (Say("kept"),)
        return change.and_also(Say(event.error.phrase, str(event.error)), *kept)
    if why := _rubbish(dialogue, event, fragment, rules):
        return _drop_fragment(dialogue, fragment, why, rules)
    dialogue = replace(dialogue, own_words=0)
    known = replace(fragment, text=event.text)
    return _go_on(
        dialogue, tuple(known if f is fragment else f for f in fragments_of(dialogue)), rules
    )


def _rubbish(
    dialogue: Dialogue, event: Transcribed, fragment: Fragment, rules: Rules
) -> DroppedFor | None:
    """Why these words are not what somebody said to us; None: they are."""
    if not event.text:
        return "not understood"
    answer = _answering_in(dialogue)
    # Who answers may name a choice just as it was read, and nothing of ours is in that recording.
    if event.is_own and fragment.began_by_itself and not (answer and answer.may_grant):
        return "own words"
    if answer:
        return None  # what silence is among answers is known better there
    words = answers.load(rules.decisions.language)
    if is_nothing_said(event.text, words, is_certain=not fragment.began_by_itself):
        return "not speech"
    return None


def _drop_fragment(dialogue: Dialogue, fragment: Fragment, why: DroppedFor, rules: Rules) -> Change:
    """That utterance gave no words that count."""
    left = tuple(f for f in fragments_of(dialogue) if f is not fragment)
    is_over_sound = isinstance(dialogue.state, Listening | Transcribing) and (
        dialogue.state.over_sound
    )
    if why == "own words":
        dialogue = replace(dialogue, own_words=dialogue.own_words + 1)
    told: tuple[Command, ...] = ()
    if why in ("own words", "not speech"):
        told = (Forget(fragment.turn),)  # the words were kept
    if dialogue.own_words >= MOST_OWN_WORDS:
        dialogue = replace(dialogue, own_words=0)
        told = (*told, RaiseGuard())
    if why != "not transcribed" and not (fragment.began_by_itself and is_over_sound):
        told = (*told, Cue("nothing-heard"))
    change = _go_on(dialogue, left, rules)
    return change.and_also(*told, outcomes={fragment.turn: why})


def _go_on(dialogue: Dialogue, fragments: tuple[Fragment, ...], rules: Rules) -> Change:
    """With the fragments as they are now: go on listening, wait, deliver, or go back."""
    state = dialogue.state
    if isinstance(state, Listening):
        return Change(replace(dialogue, state=replace(state, fragments=fragments)))
    over_sound = isinstance(state, Transcribing) and state.over_sound
    if any(fragment.text is None for fragment in fragments):
        answer = _answering_in(dialogue)
        return Change(replace(dialogue, state=Transcribing(over_sound, fragments, answer)))
    calm = replace(dialogue, state=Idle())
    if answer := _answering_in(dialogue):
        return _deliver_answer(dialogue, answer, fragments, rules)
    if fragments:
        return _deliver_fragments(calm, fragments, rules)
    is_by_key = not any(f.began_by_itself for f in fragments_of(dialogue))
    if rules.mode != "hold" and is_by_key and over_sound:
        return be_quiet(calm)  # a press, or two, without words
    return Change(settle(calm))


def _deliver_fragments(dialogue: Dialogue, fragments: tuple[Fragment, ...], rules: Rules) -> Change:
    """Obey what concerns the assistant itself; hand all else to the agent."""
    text = " ".join(fragment.text or "" for fragment in fragments)
    turns = tuple(fragment.turn for fragment in fragments)
    began_by_itself = all(fragment.began_by_itself for fragment in fragments)
    words = requests.load(rules.decisions.language)
    command = local_command(text, words, rules.local_commands)
    if command and has_object(dialogue, command):
        obeyed = obey(opened(dialogue, rules), command, turns[-1], rules)
        obeyed = obeyed.after(ShowTranscript(text), *map(Forget, turns))
        return obeyed.and_also(outcomes=dict.fromkeys(turns, "local command"))
    if began_by_itself and dialogue.run and is_backchannel(text, words):
        ignored = Change(settle(dialogue), tuple(map(Forget, turns)))
        return ignored.and_also(outcomes=dict.fromkeys(turns, "backchannel"))
    message, parts = Message(turns[-1], text), turns[:-1]
    dialogue, run = opened(dialogue, rules), dialogue.run
    if run and not run.sounding and fragments[0].continues == run.turn:
        change = go_on_with(dialogue, run, message)
        text, parts = f"{run.message} {text}", (run.turn, *parts)
    else:
        change = deliver(dialogue, message, rules)
    change = change.and_also(outcomes=dict.fromkeys(parts, "joined"))
    told = (Cue("sent"),) if began_by_itself else ()
    keep = (Keep(turns[-1], text, parts),) if parts else ()
    return change.after(ShowTranscript(text), *told, *keep)


def _deliver_answer(
    dialogue: Dialogue, answer: Answering, fragments: tuple[Fragment, ...], rules: Rules
) -> Change:
    text = " ".join(fragment.text or "" for fragment in fragments)
    change = take_answer(opened(dialogue, rules), answer, text, rules)
    outcomes = {fragment.turn: "answer" for fragment in fragments}
    return change.after(*((ShowTranscript(text),) if text else ())).and_also(outcomes=outcomes)


def _answering_in(dialogue: Dialogue) -> Answering | None:
    """Which question what is being said answers; None: it is a message, or nothing is said."""
    if isinstance(dialogue.state, Listening | Transcribing):
        return dialogue.state.answering
    return None


def mute(dialogue: Dialogue, rules: Rules) -> Change:
    """Shut the microphone: what is being recorded is dropped, what was said before still counts."""
    muted = replace(dialogue, muted=True, is_hinted=False)
    told = (SetMuted(True), Cue("muted"))
    if not isinstance(muted.state, Listening):
        return Change(muted, told)
    turn, fragments, answer = muted.state.turn, muted.state.fragments, muted.state.answering
    if answer and (question := question_of(muted, answer.id)):
        change = shelve(muted, question, Say("decision-muted"))
        return change.after(*told).and_also(outcomes={turn: "muted"})
    change = _go_on(replace(muted, state=Idle()), fragments, rules)
    return change.and_also(*told, outcomes={turn: "muted"})
