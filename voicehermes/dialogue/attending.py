"""Conversations without a key: what the ear attends to, and what follows when it hears it. Pure.

What it attends to is derived from the state, in one place: no transition can leave it deaf, or
listening. While a conversation is open the user just speaks; else it begins as
``[talk] handsfree_start`` says.
"""

from dataclasses import replace
from typing import assert_never

from voicehermes.attention import Attention
from voicehermes.dialogue.change import Change, opened
from voicehermes.dialogue.commands import CloseLater, Command, Cue, DuckSound, UnduckSound
from voicehermes.dialogue.events import (
    AttentionEvent,
    HintGone,
    SpeechHinted,
    StillSilent,
    TimeToClose,
    VoiceBegan,
    WakeWordHeard,
)
from voicehermes.dialogue.listening import begin_without_key
from voicehermes.dialogue.state import (
    Asking,
    Dialogue,
    Idle,
    Listening,
    Rules,
    Speaking,
    Stopped,
    Waiting,
)


def attention(dialogue: Dialogue, rules: Rules) -> Attention:
    """What the ear attends to now."""
    if rules.mode != "handsfree" or dialogue.muted or not rules.can_hear:
        return Attention.NOTHING
    match dialogue.state:
        case Listening() | Stopped() | Asking(phase="checking" | "sending"):
            return Attention.NOTHING
        case _ if dialogue.is_open or rules.handsfree_start == "always":
            return Attention.SPEECH
        case _ if rules.handsfree_start == "wake":
            return Attention.WAKE_WORD
        case _:
            return Attention.NOTHING


def hear_unrecorded(dialogue: Dialogue, event: AttentionEvent, rules: Rules) -> Change:
    """Take what the ear tells while nothing is recorded, if it still attends to that."""
    attends_to = attention(dialogue, rules)
    match event:
        case SpeechHinted():
            return Change(replace(dialogue, is_hinted=attends_to is Attention.SPEECH))
        case HintGone():
            return Change(replace(dialogue, is_hinted=False))
        case VoiceBegan(_, silence_seconds) if attends_to is Attention.SPEECH:
            calm = replace(dialogue, is_hinted=False)
            return begin_without_key(calm, rules, silence_seconds=silence_seconds)
        case WakeWordHeard() if attends_to is Attention.WAKE_WORD:
            return begin_without_key(opened(dialogue, rules), rules)
        case VoiceBegan() | WakeWordHeard():
            return Change(dialogue)
        case TimeToClose(window) if window == dialogue.window and dialogue.is_open:
            told = (Cue("closed"),) if isinstance(dialogue.state, Idle | Waiting) else ()
            return Change(replace(dialogue, is_open=False), told)
        case TimeToClose():
            return Change(dialogue)
        case _:
            assert_never(event)


def invite(dialogue: Dialogue, event: StillSilent) -> Change:
    """Who called and says nothing waits to hear that we listen.

    To who goes on in one breath nothing is said, since its echo would hide a short word.
    """
    match dialogue.state:
        case Listening(recording=recording) if recording == event.recording:
            return Change(dialogue, (Cue("listening"),))
        case _:
            return Change(dialogue)


def follow_up(before: Dialogue, change: Change, rules: Rules) -> Change:
    """Once nothing goes on the user may speak on for a while, and after an answer hears that."""
    after = change.dialogue
    if rules.mode != "handsfree" or not _is_at_rest(after):
        return change
    is_answered = before.run is not None and not after.muted
    if after.is_open and (not _is_at_rest(before) or after.window != before.window):
        told: tuple[Command, ...] = (Cue("listening"),) if is_answered else ()
        window = after.window + 1
        timed = Change(replace(after, window=window), change.commands, change.outcomes)
        return timed.and_also(*told, CloseLater(window))
    if is_answered and rules.handsfree_start == "always" and isinstance(before.state, Speaking):
        return change.and_also(Cue("listening"))
    return change


def _is_at_rest(dialogue: Dialogue) -> bool:
    return isinstance(dialogue.state, Idle | Waiting) and dialogue.run is None


def ducking(before: Dialogue, after: Dialogue) -> tuple[Command, ...]:
    """Lower what sounds while somebody perhaps begins to speak over it."""
    was, is_ = _is_ducked(before), _is_ducked(after)
    if was == is_:
        return ()
    return (DuckSound(),) if is_ else (UnduckSound(),)


def _is_ducked(dialogue: Dialogue) -> bool:
    return dialogue.is_hinted and isinstance(dialogue.state, Speaking | Asking)
