"""Every key of the desktop, by pynput. Knows nothing of hotkeys.

Importing pynput connects to the X server: import this module in a thread, once it is known that
there may be one.
"""

import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from types import SimpleNamespace
from typing import Protocol

from pynput import keyboard

from voicehermes.errors import TriggerError

if sys.platform == "linux":
    from Xlib.display import Display
    from Xlib.error import ConnectionClosedError, DisplayError, XError

    _LOST: tuple[type[Exception], ...] = (ConnectionClosedError, DisplayError, XError, OSError)
else:
    _LOST = (OSError,)

_START_SECONDS = 5.0
_END_SECONDS = 2.0
_NUM_LOCK = 0x10  # X11's Mod2Mask, which every usual keymap gives to Num Lock
_OLDEST_EVENT_SECONDS = 60.0


class _XEvent(Protocol):
    """What of an X key event is used here."""

    detail: int
    """The number of the physical key."""
    state: int
    """Bits of the modifiers held."""
    time: int
    """Milliseconds on the server's clock."""


class KeyListener(keyboard.Listener):
    """Reports each key-down and key-up, false ones too, until it is ended or the display is lost.

    ``on_key`` and ``on_end`` are called on its own thread, ``on_end`` once, last.
    """

    _context: int  # pynput's, on X11 alone: what it records

    def __init__(
        self, on_key: Callable[[str, bool, float], None], on_end: Callable[[], None]
    ) -> None:
        super().__init__(
            on_press=lambda key: self._report(key, is_down=True),
            on_release=lambda key: self._report(key, is_down=False),
        )
        self._on_key = on_key
        self._on_end = on_end
        self._happened_at: float | None = None
        self._hears = threading.Event()

    def begin(self) -> None:
        """Start, and return when keys are heard. Raises TriggerError."""
        if sys.platform == "linux":
            _check_record_extension()
        self.start()
        # ``wait`` has no time-out, and does not return for a listener that died.
        waiter = threading.Thread(target=self.wait, name="hotkey-ready", daemon=True)
        waiter.start()
        give_up_at = time.monotonic() + _START_SECONDS
        while waiter.is_alive() and self.is_alive() and time.monotonic() < give_up_at:
            waiter.join(0.02)
        if waiter.is_alive():
            raise TriggerError("The desktop does not let us listen to its keys.")
        if sys.platform == "linux":
            self._hears.wait(1.0)

    def end(self) -> None:
        """Stop; no key is reported any more when this returns."""
        if self.is_alive():
            try:
                self.stop()
            except _LOST:
                return  # the display went at this very moment, and the listener with it
            threading.Thread.join(self, _END_SECONDS)

    def run(self) -> None:
        """The thread. A lost display ends it without noise."""
        try:
            super().run()
        except _LOST:
            pass
        finally:
            self._on_end()

    def _stop_platform(self) -> None:
        """pynput's hook for stopping, here on X11 by a connection of our own.

        On the one that records, which pynput takes, the request would wait for the next key; its
        other one is closed by the listener's thread at this very moment.
        """
        if sys.platform != "linux":
            super()._stop_platform()
        elif hasattr(self, "_context"):
            with closing(Display()) as display:
                display.record_disable_context(self._context)
                display.sync()

    def _handler(self, *data: object) -> None:
        """pynput's hook for what the display sends; X11's first is that it begins to record.

        pynput says that it is ready a moment before, when a key can still be missed.
        """
        self._hears.set()
        super()._handler(*data)  # type: ignore[misc]

    def _event_to_key(self, display: object, event: _XEvent) -> keyboard.KeyCode:
        """pynput's hook on X11: the key of an event, here whatever modifiers are held.

        Otherwise "1" goes down as "!" with shift and comes up as "1" without, and alt is another
        key with shift. And the event's own time is kept, since an idle X server hands events
        over late, in one go: an F9 held for seconds, with all its repeats, only at its release.
        """
        now = time.monotonic()
        # X servers count milliseconds of the same clock, in 32 bits; one on another machine does
        # not, which shows.
        age = (int(now * 1000) - event.time) % 2**32 / 1000
        self._happened_at = now - age if age < _OLDEST_EVENT_SECONDS else now
        bare = SimpleNamespace(detail=event.detail, state=event.state & _NUM_LOCK)
        key: keyboard.KeyCode = super()._event_to_key(display, bare)  # type: ignore[misc]
        return key

    def _report(self, key: keyboard.KeyCode | None, *, is_down: bool) -> None:
        at, self._happened_at = self._happened_at, None
        name = name_of(key)
        if name is not None:
            self._on_key(name, is_down, time.monotonic() if at is None else at)


def name_of(key: keyboard.Key | keyboard.KeyCode | None) -> str | None:
    """Our name of a key of pynput's, which keys.py explains; None for a key without identity."""
    if isinstance(key, keyboard.Key):
        name = str(key.name)
        # pynput's "ctrl" is the left one; "ctrl_l" is only another name of it.
        return f"{name}_l" if name in ("alt", "cmd", "ctrl", "shift") else name
    if key is None:
        return None
    if key.char is not None:
        return str(key.char).lower()
    return f"<{key.vk}>" if key.vk is not None else None


def _check_record_extension() -> None:
    try:
        display = Display()
        try:
            has_it = display.has_extension("RECORD")
        finally:
            display.close()
    except _LOST as error:
        raise TriggerError(f"The X server does not answer: {error}.") from error
    if not has_it:
        raise TriggerError("The X server does not let programs listen to keys (no RECORD).")
