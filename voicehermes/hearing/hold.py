"""Hold-to-talk and toggle: when a recording starts and stops. Pure.

``step`` sees what keys and sockets ask for, auto-repeat and all, and the time; it decides. It
knows neither keys nor microphones, and nobody else decides.

Two things are kept apart. The *key* is what an auto-repeating key is believed to do: X11 tells a
plain client of a held key as endless release and press pairs, pynput as endless presses, and
a key-up can get lost. What remains after that is real, and starts and stops the *recording*.
"""

from dataclasses import dataclass, replace
from typing import Literal, assert_never

from voicehermes.events import Trigger, TriggerKind

REPEAT_SECONDS = 2.0
"""A press so soon after the last, with no release between them, is auto-repeat; a later one is a
new press after a lost key-up. Longer than the first delay that desktops offer (GNOME: 2 s)."""


@dataclass(frozen=True, slots=True)
class Start:
    """Begin to record."""

    recording: int
    """Its id: one more than the one before."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The recording is at its end."""

    recording: int
    is_tap: bool
    """It was let go, or toggled off, within ``tap_seconds``."""
    too_long: bool
    """Nobody let go: ``max_seconds`` were reached."""


Order = Start | Stop
"""What is to be done with the recording."""


@dataclass(frozen=True, slots=True)
class Tick:
    """The time that ``Hold.deadline`` asked for has come."""

    at: float


@dataclass(frozen=True, slots=True)
class Ended:
    """The recording ended for another reason: cancelled, muted, the device lost."""

    recording: int
    at: float


@dataclass(frozen=True, slots=True)
class HoldRules:
    """What the configuration says about it."""

    mode: Literal["hold", "toggle"]
    tap_seconds: float
    """A shorter recording is a tap; 0 = there are no taps."""
    max_seconds: float
    """Longest recording."""
    release_grace_seconds: float = 0.05
    """How soon the press follows in a false release and press pair (Handy's fix of its issue
    1539 waits as long). Every release of an auto-repeating key waits for it, but not one of a
    bare modifier or a socket, nor of a key that has just shown that its repeats are presses
    alone."""


@dataclass(frozen=True, slots=True)
class Recording:
    """The recording that is going on."""

    id: int
    began_at: float
    ends_at: float
    """When it is too long."""
    is_latched: bool
    """Toggled on: letting go does not end it."""


@dataclass(frozen=True, slots=True)
class HeldKey:
    """An auto-repeating key that is down, as far as is known."""

    seen_at: float
    """Its newest press, false or real."""
    is_exact: bool = False
    """It repeated without a release: its next release is real."""
    released_at: float | None = None
    """Its release, until it is known whether that was real."""
    settles_at: float | None = None
    """When that is known."""


@dataclass(frozen=True, slots=True)
class Hold:
    """The state. At most one recording goes on."""

    last_id: int = 0
    recording: Recording | None = None
    key: HeldKey | None = None

    @property
    def deadline(self) -> float | None:
        """When ``step`` wants a Tick; None while nothing can happen by itself."""
        settles_at = self.key.settles_at if self.key else None
        ends_at = self.recording.ends_at if self.recording else None
        return ends_at if settles_at is None else settles_at


def step(
    hold: Hold, event: Trigger | Tick | Ended, rules: HoldRules
) -> tuple[Hold, tuple[Order, ...]]:
    """The state after ``event``, and what to do now, in this order.

    Events come in the order of their times; a late Tick does no harm, an early one neither.
    Triggers that are no business of ours (cancel, mute, unmute) only let time pass.
    """
    hold, settled = _let_time_pass(hold, event.at, rules)
    match event:
        case Trigger():
            hold, decided = _obey(hold, event, rules)
        case Ended():
            is_ours = hold.recording is not None and hold.recording.id == event.recording
            hold, decided = replace(hold, recording=None) if is_ours else hold, ()
        case Tick():
            decided = ()
        case _:
            assert_never(event)
    return hold, settled + decided


def _let_time_pass(hold: Hold, now: float, rules: HoldRules) -> tuple[Hold, tuple[Order, ...]]:
    decided: tuple[Order, ...] = ()
    key = hold.key
    if key and key.released_at is not None and key.settles_at is not None:
        if now < key.settles_at:
            return hold, ()
        hold, decided = _release(replace(hold, key=None), key.released_at, rules)
    if hold.recording and now >= hold.recording.ends_at:
        stop = Stop(hold.recording.id, is_tap=False, too_long=True)
        return replace(hold, recording=None), (*decided, stop)
    return hold, decided


def _obey(hold: Hold, trigger: Trigger, rules: HoldRules) -> tuple[Hold, tuple[Order, ...]]:
    match trigger.kind:
        case TriggerKind.PRESS if trigger.can_repeat:
            return _press_of_key(hold, trigger.at, rules)
        case TriggerKind.RELEASE if trigger.can_repeat:
            return _release_of_key(hold, trigger.at, rules)
        case TriggerKind.PRESS:
            return _press(hold, trigger.at, rules)
        case TriggerKind.RELEASE:
            return _release(hold, trigger.at, rules)
        case TriggerKind.TOGGLE:
            return _toggle(hold, trigger.at, rules)
        case TriggerKind.CANCEL | TriggerKind.MUTE | TriggerKind.UNMUTE:
            return hold, ()
        case _:
            assert_never(trigger.kind)


def _press_of_key(hold: Hold, at: float, rules: HoldRules) -> tuple[Hold, tuple[Order, ...]]:
    key = hold.key
    if key and key.released_at is not None:  # a false release and press: it is held on
        return replace(hold, key=HeldKey(seen_at=at)), ()
    if key and at - key.seen_at < REPEAT_SECONDS:
        return replace(hold, key=HeldKey(seen_at=at, is_exact=True)), ()
    return _press(replace(hold, key=HeldKey(seen_at=at)), at, rules)


def _release_of_key(hold: Hold, at: float, rules: HoldRules) -> tuple[Hold, tuple[Order, ...]]:
    key = hold.key
    if key is None or key.is_exact:
        return _release(replace(hold, key=None), at, rules)
    if key.released_at is not None:
        return hold, ()
    settles_at = at + rules.release_grace_seconds
    return replace(hold, key=replace(key, released_at=at, settles_at=settles_at)), ()


def _press(hold: Hold, at: float, rules: HoldRules) -> tuple[Hold, tuple[Order, ...]]:
    if rules.mode == "toggle":
        return _toggle(hold, at, rules)
    if hold.recording is None:
        return _start(hold, at, rules, is_latched=False)
    # A second source, or a press after a lost key-up: the recording goes on and has all of it,
    # and now letting go ends it.
    return replace(hold, recording=replace(hold.recording, is_latched=False)), ()


def _release(hold: Hold, at: float, rules: HoldRules) -> tuple[Hold, tuple[Order, ...]]:
    recording = hold.recording
    if recording is None or recording.is_latched or at < recording.began_at:
        return hold, ()
    return _stop(hold, recording, at, rules)


def _toggle(hold: Hold, at: float, rules: HoldRules) -> tuple[Hold, tuple[Order, ...]]:
    if hold.recording is None:
        return _start(hold, at, rules, is_latched=True)
    return _stop(hold, hold.recording, at, rules)


def _start(
    hold: Hold, at: float, rules: HoldRules, *, is_latched: bool
) -> tuple[Hold, tuple[Order, ...]]:
    recording = Recording(hold.last_id + 1, at, at + rules.max_seconds, is_latched)
    return replace(hold, last_id=recording.id, recording=recording), (Start(recording.id),)


def _stop(
    hold: Hold, recording: Recording, at: float, rules: HoldRules
) -> tuple[Hold, tuple[Order, ...]]:
    is_tap = at - recording.began_at < rules.tap_seconds
    return replace(hold, recording=None), (Stop(recording.id, is_tap=is_tap, too_long=False),)
