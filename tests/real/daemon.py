"""The daemon as a process of its own, with a home of its own, seen from outside."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.real.listening import wait_until
from tests.real.sound_card import IN_TIME, MICROPHONE, SoundCard
from tests.real.x_server import XServer
from voicehermes.adapters.triggers.control_client import request
from voicehermes.errors import TriggerError

Settings = Mapping[str, Mapping[str, object]]
"""Configuration by section and key."""


class Home:
    """A user's home with a configuration, whose programs have sound and a display."""

    def __init__(self, folder: Path, card: SoundCard, x: XServer, settings: Settings) -> None:
        self.folder = folder
        self.card = card
        self.socket = folder / "runtime" / "voicehermes.sock"
        self.state = folder / "state" / "voicehermes"
        self.hotkey = settings.get("talk", {}).get("hotkey", "ctrl_r")
        self._config = folder / "config.toml"
        self._config.write_text(_toml(settings))
        env = {name: value for name, value in x.env.items() if not name.startswith("VOICEHERMES_")}
        for name in ("PULSE_SERVER", "ALSA_CONFIG_PATH"):
            env[name] = card.env[name]
        for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
            part = folder / name.removeprefix("XDG_").split("_")[0].lower()
            part.mkdir(exist_ok=True)
            env[name] = str(part)
        self.env = env | {"PYTHONFAULTHANDLER": "1"}

    def command(self, *arguments: str) -> list[str]:
        """The command line of a command of ours."""
        return [sys.executable, "-m", "voicehermes", "--config", str(self._config), *arguments]

    def do(self, *arguments: str, seconds: float = 20.0) -> "subprocess.CompletedProcess[str]":
        """Run a command of ours to its end."""
        return subprocess.run(
            self.command(*arguments),
            env=self.env,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )

    def ctl(self, command: str) -> dict[str, Any]:
        """What the daemon answers to a command by its socket."""
        return request(self.socket, command)

    def status(self) -> dict[str, Any]:
        """What it says that it does."""
        status: dict[str, Any] = self.ctl("status")["status"]
        return status

    @property
    def unsent(self) -> list[Path]:
        """What was said and is kept on disk."""
        folder = self.state / "unsent"
        return sorted(folder.iterdir()) if folder.is_dir() else []

    def events(self, name: str, **fields: object) -> list[dict[str, Any]]:
        """What the timeline tells of one name and with these fields.

        Each has its time by time.monotonic() as "at".
        """
        path = self.state / "timeline.jsonl"
        text = path.read_text("utf-8") if path.exists() else ""
        unix_zero = time.time() - time.monotonic()
        records = map(json.loads, text[: text.rfind("\n") + 1].splitlines())
        return [
            {**record, "at": record["since"] + record["t"] - unix_zero}
            for record in records
            if record["event"] == name and fields.items() <= record.items()
        ]

    def wait_for(
        self, name: str, *, count: int = 1, seconds: float = 15.0, **fields: object
    ) -> dict[str, Any]:
        """Return the so-many-eth event of that name as soon as it is there."""
        wait_until(lambda: len(self.events(name, **fields)) >= count, name, seconds)
        return self.events(name, **fields)[count - 1]

    def wait_for_state(self, state: str, seconds: float = 15.0) -> None:
        """Return when the daemon is in that state."""
        wait_until(lambda: self.status()["state"] == state, f"state {state}", seconds)


class Daemon:
    """``voicehermes run``, running."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._log = home.folder / f"daemon-{time.monotonic_ns()}.log"
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [*IN_TIME, *home.command("run")],
                env=home.env,
                cwd=home.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def wait_until_ready(self) -> None:
        """Return when it hears the microphone, the keys and the socket."""
        wait_until(self._is_ready, "daemon that listens", 20.0)

    @property
    def log(self) -> str:
        """All that it printed."""
        return self._log.read_text("utf-8", "replace")

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send it a signal and return its exit code."""
        self.process.send_signal(number)
        return self.process.wait(timeout=10)

    def kill(self) -> None:
        """End it at once, as when the power fails."""
        self.process.kill()
        self.process.wait()

    def _is_ready(self) -> bool:
        assert self.process.poll() is None, self.log
        try:
            state = self._home.status()["state"]
        except TriggerError:
            return False
        has_keys = not self._home.hotkey or "hotkeys are listened to" in self.log
        return state != "starting" and has_keys and _hears(self._home.card)


def _hears(card: SoundCard) -> bool:
    """Whether anyone records from the virtual microphone."""
    sources = (line.split("\t") for line in card.pactl("list", "short", "sources").splitlines())
    number = next(index for index, name, *_ in sources if name == MICROPHONE)
    outputs = card.pactl("list", "short", "source-outputs").splitlines()
    return any(line.split("\t")[1] == number for line in outputs)


@contextmanager
def running(home: Home) -> Iterator[Daemon]:
    """The daemon while the block runs; then it must end well, unless it was ended before."""
    daemon = Daemon(home)
    try:
        daemon.wait_until_ready()
        yield daemon
        if daemon.process.poll() is None:
            assert daemon.end() == 0, daemon.log
        assert "Traceback" not in daemon.log, daemon.log
    except BaseException as error:
        if isinstance(error, TimeoutError) and daemon.process.poll() is None:
            daemon.end(signal.SIGABRT)  # has it tell where each thread is
        sys.stderr.write(daemon.log)
        raise
    finally:
        if daemon.process.poll() is None:
            daemon.kill()


def _toml(settings: Settings) -> str:
    lines = []
    for section, keys in settings.items():
        lines.append(f"[{section}]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    return "\n".join(lines) + "\n"
