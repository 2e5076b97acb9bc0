"""The global hotkeys: talk and cancel, wherever the keyboard's focus is.

pynput listens, where it can; where it cannot, opening says why and what to do instead.
"""

import asyncio
import importlib.util
import logging
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from types import ModuleType

from voicehermes.adapters.extras import how_to_install
from voicehermes.adapters.triggers.keys import Change, Chord, parse
from voicehermes.errors import ConfigError, TriggerError
from voicehermes.events import Trigger, TriggerKind

log = logging.getLogger(__name__)

_INSTEAD = "Bind `voicehermes ctl toggle` to a shortcut of your desktop instead."
_CONTROL = "Drive it with `voicehermes ctl toggle`, from a script, a button or another shell."
_INSTALL = (
    "To have it: `sudo apt install gcc python3-dev linux-libc-dev` and "
    f"{how_to_install('desktop')}. Or bind `voicehermes ctl toggle` to a shortcut of your desktop."
)
_TALK: Mapping[Change, TriggerKind] = {
    "press": TriggerKind.PRESS,
    "release": TriggerKind.RELEASE,
}
_CANCEL: Mapping[Change, TriggerKind] = {"press": TriggerKind.CANCEL}


class Hotkeys:
    """A TriggerSource: one listener for the talk key and the cancel key."""

    def __init__(self, talk: str, cancel: str, on_lost: Callable[[TriggerError], None]) -> None:
        """``talk`` and ``cancel`` as in ``[talk]``; one of them may be empty: no such key.

        ``on_lost`` is called on the event loop when the display goes away while listening.
        Raises ConfigError for keys that there are not.
        """
        self._talk = parse(talk, "[talk] hotkey") if talk else None
        self._cancel = parse(cancel, "[talk] cancel_hotkey") if cancel else None
        if self._talk and self._cancel and self._talk.members == self._cancel.members:
            raise ConfigError("[talk] cancel_hotkey must be another key than hotkey.")
        self._on_lost = on_lost

    @asynccontextmanager
    async def open(self, sink: Callable[[Trigger], None]) -> AsyncIterator[None]:
        """Listen until closed. Raises TriggerError where that is not possible."""
        loop = asyncio.get_running_loop()
        chords = self._chords()
        is_open = True

        def take_key(name: str, is_down: bool, at: float) -> None:  # on the listener's thread
            for chord, kinds in chords:
                change = chord.change(name, is_down=is_down)
                if change and change in kinds:
                    trigger = Trigger(kinds[change], at, can_repeat=chord.keys.can_repeat)
                    loop.call_soon_threadsafe(hand_over, trigger)

        def hand_over(trigger: Trigger) -> None:
            if is_open:
                sink(trigger)

        def report_end() -> None:
            if is_open:
                error = TriggerError("The hotkey is gone: the display was closed.", hint=_INSTEAD)
                self._on_lost(error)

        module = await asyncio.to_thread(_import_listener)
        listener = module.KeyListener(take_key, lambda: loop.call_soon_threadsafe(report_end))
        try:
            try:
                await asyncio.to_thread(listener.begin)
            except TriggerError as error:
                raise TriggerError(f"No global hotkey: {error}", hint=_INSTEAD) from error
            if not getattr(listener, "IS_TRUSTED", True):
                raise TriggerError(
                    "No global hotkey: macOS does not trust this program with the keyboard.",
                    hint="Allow it in System Settings, Privacy & Security, Accessibility and "
                    "Input Monitoring, and start it again.",
                )
            log.info("hotkeys are listened to")
            yield
        finally:
            is_open = False
            await asyncio.to_thread(listener.end)

    def _chords(self) -> list[tuple[Chord, Mapping[Change, TriggerKind]]]:
        """What to follow, and what its changes mean; each time from the beginning."""
        chords: list[tuple[Chord, Mapping[Change, TriggerKind]]] = []
        if self._talk:
            chords.append((Chord(self._talk), _TALK))
        if self._cancel:
            # It is pressed while one talks, too: then the talk key is held.
            beside = frozenset().union(*self._talk.members) if self._talk else frozenset[str]()
            chords.append((Chord(self._cancel, beside), _CANCEL))
        return chords


def why_not(environ: Mapping[str, str], platform: str) -> TriggerError | None:
    """Why there can be no global hotkey here, as far as that is known without trying."""
    if platform == "linux":
        session = environ.get("XDG_SESSION_TYPE", "").lower()
        # pynput would hear the keys of XWayland windows alone, which looks like a loose contact.
        if session == "wayland" or (session != "x11" and environ.get("WAYLAND_DISPLAY")):
            return TriggerError(
                "No global hotkey: Wayland does not let programs listen to keys.", hint=_INSTEAD
            )
        if not environ.get("DISPLAY"):
            return TriggerError("No global hotkey: there is no display here.", hint=_CONTROL)
    if importlib.util.find_spec("pynput") is None:
        return TriggerError("No global hotkey: pynput is not installed.", hint=_INSTALL)
    return None


def _import_listener() -> ModuleType:
    """The module that needs pynput. Blocks: it connects to the display. Raises TriggerError."""
    if (reason := why_not(os.environ, sys.platform)) is not None:
        raise reason
    try:
        from voicehermes.adapters.triggers import listener
    except ImportError as error:  # pynput's own, for a display that is not there or refuses
        display = os.environ.get("DISPLAY", "")
        raise TriggerError(
            f"No global hotkey: the display {display} cannot be opened.", hint=_INSTEAD
        ) from error
    return listener
