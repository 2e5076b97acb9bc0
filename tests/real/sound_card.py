"""A sound card for a machine without one: a PulseAudio server of the test's own.

Its speaker is the sink ``vspk``, its microphone the source ``vmic``; what is played into the sink
``vmic_in`` is what the microphone hears. ALSA, and so PortAudio, finds both by those names.

PortAudio reads the environment once, when it is initialised: programs under test run as
subprocesses with ``SoundCard.env``.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

MICROPHONE = "vmic"
SPEAKER = "vspk"
_FEED = "vmic_in"

IN_TIME = ("nice", "-n", "-20")
"""Begins the command line of what must not stutter when the machine has other things to do.

Who may not be so privileged is told so by ``nice``, which runs the command all the same.
"""

_START_SECONDS = 10.0

_SERVER = """\
.fail
load-module module-native-protocol-unix socket={socket} auth-anonymous=1
load-module module-null-sink sink_name=vspk rate=48000 channels=2 {vspk}
load-module module-null-sink sink_name=vmic_in rate=48000 channels=1 {vfeed}
load-module module-remap-source source_name=vmic master=vmic_in.monitor {vmic}
set-default-sink vspk
set-default-source vmic
"""

_ALSA = """\
</usr/share/alsa/alsa.conf>
pcm.!default {{ type pulse server "unix:{socket}" hint {{ show on description "default" }} }}
ctl.!default {{ type pulse server "unix:{socket}" }}
pcm.vmic {{ type pulse server "unix:{socket}" device vmic hint {{ show on description "vmic" }} }}
pcm.vspk {{ type pulse server "unix:{socket}" device vspk hint {{ show on description "vspk" }} }}
"""


def missing() -> str | None:
    """Why there can be no virtual sound card here, or None when there can."""
    programs = ("pulseaudio", "pactl", "pacat", "paplay", "parec")
    absent = [program for program in programs if shutil.which(program) is None]
    if absent:
        return f"not installed: {', '.join(absent)} (apt install pulseaudio pulseaudio-utils)"
    if not list(Path("/usr/lib").glob("*/alsa-lib/libasound_module_pcm_pulse.so")):
        return "not installed: ALSA's pulse plugin (apt install libasound2-plugins)"
    return None


@dataclass
class Recording:
    """What came out of the speaker; whole once the ``record`` block is left."""

    rate_hz: int
    pcm: bytes = b""
    """s16le mono at ``rate_hz``."""


@dataclass
class SoundCard:
    """A running virtual sound card."""

    env: Mapping[str, str]
    """Environment for programs that shall use it: the test's own and three variables."""
    server_pid: int

    def play(self, path: Path) -> None:
        """Play a sound file into the microphone; returns at its end, about its length later.

        So much is buffered that it does not stutter where the machine is busy.
        """
        subprocess.run(
            [*IN_TIME, "paplay", "--latency-msec=500", "-d", _FEED, path],
            env=self.env,
            check=True,
            timeout=60,
        )

    @contextmanager
    def playing(self, path: Path) -> Iterator[None]:
        """A sound file is played into the microphone while the block runs, and ends with it."""
        player = subprocess.Popen(
            [*IN_TIME, "paplay", "--latency-msec=500", "-d", _FEED, path], env=self.env
        )
        try:
            yield
        finally:
            player.terminate()
            player.wait(timeout=10)

    @contextmanager
    def record(self, rate_hz: int = 24_000) -> Iterator[Recording]:
        """Record what is played on the speaker while the block runs."""
        recording = Recording(rate_hz)
        with tempfile.TemporaryFile() as file:
            parec = subprocess.Popen(
                ["parec", "-d", f"{SPEAKER}.monitor", "--latency-msec=20", *_raw(rate_hz)],
                env=self.env,
                stdout=file,
            )
            try:
                _wait_until(lambda: os.fstat(file.fileno()).st_size > 0)
                yield recording
                time.sleep(0.1)  # what is still on its way through the server
            finally:
                parec.send_signal(signal.SIGINT)  # on which it writes what it holds
                parec.wait(timeout=10)
            file.seek(0)
            recording.pcm = file.read()

    @contextmanager
    def looped(self, latency_ms: int) -> Iterator[None]:
        """What the speaker plays reaches the microphone, so much later, while the block runs."""
        module = self.pactl(
            *("load-module", "module-loopback", f"source={SPEAKER}.monitor", f"sink={_FEED}"),
            f"latency_msec={latency_ms}",
        ).strip()
        try:
            yield
        finally:
            self.pactl("unload-module", module)

    def pactl(self, *arguments: str) -> str:
        """Ask or command the sound server, e.g. ``pactl("suspend-source", "vmic", "1")``."""
        return subprocess.run(
            ["pactl", *arguments],
            env=self.env,
            check=True,
            timeout=10,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout


@contextmanager
def open_sound_card() -> Iterator[SoundCard]:
    """A virtual sound card in a folder of its own, gone when the block is left."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="voicehermes-")))
        socket = folder / "native"
        (folder / "server.pa").write_text(
            _SERVER.format(
                socket=socket,
                vspk="sink_properties=device.description=vspk",
                vfeed="sink_properties=device.description=vfeed",
                vmic="source_properties=device.description=vmic",
            )
        )
        (folder / "asound.conf").write_text(_ALSA.format(socket=socket))
        env = os.environ | {
            "XDG_RUNTIME_DIR": str(folder),
            "PULSE_SERVER": f"unix:{socket}",
            "ALSA_CONFIG_PATH": str(folder / "asound.conf"),
        }
        server = _start(
            stack,
            [
                *("pulseaudio", "-n", "-F", str(folder / "server.pa"), "--daemonize=no"),
                *("--exit-idle-time=-1", "--use-pid-file=no", "--realtime=yes"),
                *("--high-priority=yes", f"--log-target=file:{folder / 'server.log'}"),
            ],
            env | {"HOME": str(folder), "PULSE_RUNTIME_PATH": str(folder / "pulse")},
        )
        card = SoundCard(env, server.pid)
        _wait_until(lambda: socket.exists() and _is_up(card))
        for sink in (_FEED, SPEAKER):
            # An idle null sink renders two seconds at a time: sound would come that late.
            _start(
                stack,
                ["pacat", "-p", "-d", sink, "--latency-msec=20", *_raw(16_000), "/dev/zero"],
                env,
            )
        with card.record():
            time.sleep(0.2)
        yield card


def _raw(rate_hz: int) -> list[str]:
    return ["--raw", f"--rate={rate_hz}", "--channels=1", "--format=s16le"]


def _is_up(card: SoundCard) -> bool:
    ask = ["pactl", "info"]
    return subprocess.run(ask, env=card.env, capture_output=True, timeout=10).returncode == 0


def _start(
    stack: ExitStack, command: list[str], env: Mapping[str, str]
) -> "subprocess.Popen[bytes]":
    """Start a program that is ended when the stack is left."""
    process = subprocess.Popen(
        [*IN_TIME, *command],
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def end() -> None:
        process.terminate()
        try:
            process.wait(timeout=3)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    stack.callback(end)
    return process


def _wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("the virtual sound card does not answer")
        time.sleep(0.02)
