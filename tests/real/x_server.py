"""An X server for a machine without a display, and a keyboard to press its keys.

Programs under test get ``XServer.env``. The keys are real to them: they are injected into the
server (XTEST), which repeats a held one as it does for a person.
"""

import importlib.util
import os
import select
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from Xlib.display import Display

_START_SECONDS = 10.0


def missing() -> str | None:
    """Why there can be no X server with keys here, or None when there can."""
    if shutil.which("Xvfb") is None:
        return "not installed: Xvfb (apt install xvfb)"
    for module in ("Xlib", "pynput"):
        if importlib.util.find_spec(module) is None:
            return f'not installed: {module} (pip install "voicehermes[desktop]")'
    return None


@dataclass
class XServer:
    """A running X server."""

    display: str
    """Its name, such as ":7"."""
    process: "subprocess.Popen[bytes]"
    keyboard: "Display"

    @property
    def env(self) -> dict[str, str]:
        """The environment of a program that uses it."""
        kept = {k: v for k, v in os.environ.items() if k != "WAYLAND_DISPLAY"}
        return {**kept, "DISPLAY": self.display, "XDG_SESSION_TYPE": "x11"}

    def key_down(self, keysym: str) -> None:
        """Press a key, by its X name: "Control_R", "F9", "space", "a"."""
        self._key(keysym, is_down=True)

    def key_up(self, keysym: str) -> None:
        """Let a key go."""
        self._key(keysym, is_down=False)

    def stop(self) -> None:
        """End the server, as when the user logs out. Ends once, at the latest with the test."""
        if self.process.poll() is not None:
            return
        self.keyboard.close()
        self.process.terminate()
        self.process.wait()

    def _key(self, keysym: str, *, is_down: bool) -> None:
        from Xlib import XK, X
        from Xlib.ext import xtest

        XK.load_keysym_group("xf86")
        XK.load_keysym_group("xkb")
        keycode = self.keyboard.keysym_to_keycode(XK.string_to_keysym(keysym))
        assert keycode, f"no key {keysym} on this keyboard"
        xtest.fake_input(self.keyboard, X.KeyPress if is_down else X.KeyRelease, keycode)
        self.keyboard.sync()


@contextmanager
def open_x_server(*options: str) -> Iterator[XServer]:
    """Run an X server on a display that is free; ``options`` are Xvfb's."""
    from Xlib.display import Display

    read_end, write_end = os.pipe()
    command = ["Xvfb", "-displayfd", str(write_end), "-screen", "0", "320x240x24", *options]
    process = subprocess.Popen(
        [*command, "-nolisten", "tcp", "-noreset"],
        pass_fds=[write_end],
        stderr=subprocess.DEVNULL,
    )
    os.close(write_end)
    try:
        with os.fdopen(read_end) as pipe:
            ready, _, _ = select.select([pipe], [], [], _START_SECONDS)
            number = pipe.readline().strip() if ready else ""
        assert number, "Xvfb did not start"
        server = XServer(f":{number}", process, Display(f":{number}"))
        try:
            yield server
        finally:
            server.stop()
    finally:
        process.terminate()
        process.wait()
