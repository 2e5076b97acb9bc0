"""Microphones on a real sound server: what is played into it is what is recorded."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.real.sound_card import MICROPHONE, SPEAKER, SoundCard, open_sound_card
from voicehermes.adapters.sound.files import read_pcm

Samples = np.ndarray[Any, np.dtype[np.float64]]

pytestmark = pytest.mark.real_parts

SPEECH = Path(__file__).parents[1] / "data" / "audio" / "radio.wav"

RECORD = """
import asyncio, sys, time
from voicehermes.errors import AudioError
from voicehermes.adapters.sound.{module} import {maker}

async def main(path, seconds):
    with open(path, "wb") as file:
        try:
            async with {maker}({name!r}).open() as frames:
                print("open", flush=True)
                async with asyncio.timeout(seconds):
                    async for frame in frames:
                        assert len(frame) == 1024
                        file.write(frame)
        except TimeoutError:
            pass
        except AudioError as error:
            print(type(error).__name__, error, flush=True)

asyncio.run(main(sys.argv[1], float(sys.argv[2])))
"""

MAKERS = {
    "PortAudio": ("portaudio_mic", "PortAudioMicrophone"),
    "miniaudio": ("miniaudio_mic", "MiniaudioMicrophone"),
    "chosen": ("devices", "open_microphone"),
}


class Program:
    """A program that records into a file, in the sound card's environment. Call ``end``."""

    def __init__(
        self, env: Mapping[str, str], path: Path, kind: str, name: str, seconds: float
    ) -> None:
        module, maker = MAKERS[kind]
        code = RECORD.format(module=module, maker=maker, name=name)
        self.path = path
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, path, str(seconds)],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.first_line = self.next_line()

    def next_line(self) -> str:
        """What it says next."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def end(self) -> tuple[str, str]:
        """What it says further, and what it prints on stderr; it ends by itself."""
        try:
            out, err = self.process.communicate(timeout=30)
        finally:
            self.process.kill()
        assert self.process.returncode == 0, err
        return out.strip(), err.strip()

    def heard(self) -> Samples:
        return np.frombuffer(self.path.read_bytes(), "<i2").astype(float)


def likeness(heard: Samples, played: Samples) -> float:
    """The correlation of what was played with the piece of what was heard that fits best."""
    size = 1 << (len(heard) + len(played)).bit_length()
    product = np.fft.rfft(heard, size) * np.conj(np.fft.rfft(played, size))
    at = int(np.argmax(np.fft.irfft(product, size)[: len(heard)]))
    piece = heard[at : at + len(played)]
    return float(np.corrcoef(piece, played[: len(piece)])[0, 1])


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("PortAudio", "VMI"),
        ("miniaudio", MICROPHONE),
        ("chosen", "default"),
    ],
)
def test_what_is_said_into_the_microphone_is_recorded(
    sound_card: SoundCard, tmp_path: Path, kind: str, name: str
) -> None:
    program = Program(sound_card.env, tmp_path / "heard.raw", kind, name, 7.0)
    assert program.first_line == "open"
    sound_card.play(SPEECH)
    assert program.end() == ("", ""), "nothing litters the terminal"
    played = np.frombuffer(read_pcm(SPEECH), "<i2").astype(float)
    seconds = [played[at : at + 16_000] for at in range(12_000, 76_001, 16_000)]
    alike = [likeness(program.heard(), second) > 0.98 for second in seconds]
    assert alike.count(False) <= 1, "a busy machine may drop a block, and spoil a second"
    assert 6.5 < len(program.heard()) / 16_000 < 7.2


def test_an_unknown_microphone_is_refused_with_the_names_of_those_there_are(
    sound_card: SoundCard, tmp_path: Path
) -> None:
    program = Program(sound_card.env, tmp_path / "heard.raw", "chosen", "Blue Yeti", 5.0)
    assert program.first_line.startswith('DeviceError There is no microphone called "Blue Yeti".')
    assert f'"{MICROPHONE}"' in program.first_line
    assert program.end() == ("", "")


def test_without_portaudio_miniaudio_records(sound_card: SoundCard, tmp_path: Path) -> None:
    program = Program(
        without_portaudio(sound_card.env, tmp_path),
        tmp_path / "heard.raw",
        "chosen",
        "default",
        3.0,
    )
    assert program.first_line == "open"
    program.end()
    assert len(program.heard()) > 2.5 * 16_000


def test_with_no_sound_system_at_all_one_line_says_what_to_install(tmp_path: Path) -> None:
    env = without_portaudio(without_sound(tmp_path), tmp_path)
    program = Program(env, tmp_path / "heard.raw", "chosen", "default", 3.0)
    assert program.first_line == (
        "DeviceError PortAudio is not installed. Install it: sudo apt install libportaudio2"
    )
    assert program.end() == ("", "")


def test_with_no_sound_card_one_line_says_so(tmp_path: Path) -> None:
    program = Program(without_sound(tmp_path), tmp_path / "heard.raw", "chosen", "default", 3.0)
    assert program.first_line.startswith("DeviceError There is no microphone.")
    assert program.end() == ("", "")


def test_a_microphone_that_goes_away_is_noticed(tmp_path: Path) -> None:
    with open_sound_card() as card:
        program = Program(card.env, tmp_path / "heard.raw", "PortAudio", MICROPHONE, 20.0)
        time.sleep(1)
        os.kill(card.server_pid, signal.SIGKILL)
        began = time.monotonic()
        assert program.next_line().startswith("DeviceError The microphone")
        assert time.monotonic() - began < 8
        program.end()


def test_a_sound_server_that_hangs_is_noticed_and_the_program_goes_on(tmp_path: Path) -> None:
    with open_sound_card() as card:
        program = Program(card.env, tmp_path / "heard.raw", "PortAudio", MICROPHONE, 20.0)
        time.sleep(1)
        os.kill(card.server_pid, signal.SIGSTOP)
        try:
            began = time.monotonic()
            assert program.next_line().startswith("DeviceError The microphone gives no sound")
            assert time.monotonic() - began < 8
        finally:
            os.kill(card.server_pid, signal.SIGCONT)
        program.end()


DEVICES = """
import dataclasses, json
from voicehermes.errors import DeviceError
from voicehermes.adapters.sound.devices import list_devices
try:
    print(json.dumps([dataclasses.asdict(device) for device in list_devices()]))
except DeviceError as error:
    print(json.dumps(str(error)))
"""


def devices(env: Mapping[str, str]) -> Any:
    done = subprocess.run(
        [sys.executable, "-c", DEVICES],
        env=env,
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    assert done.stderr == ""
    return json.loads(done.stdout)


@pytest.mark.parametrize("through", ["PortAudio", "miniaudio"])
def test_the_devices_are_listed(sound_card: SoundCard, tmp_path: Path, through: str) -> None:
    env = sound_card.env
    if through == "miniaudio":
        env = without_portaudio(env, tmp_path)
    listed = devices(env)
    names = " ".join(device["name"].casefold() for device in listed)
    assert MICROPHONE in names
    assert SPEAKER in names
    assert sum(device["is_default_input"] for device in listed) == 1
    assert sum(device["is_default_output"] for device in listed) == 1
    assert {device["system"] for device in listed} <= {"ALSA", "PulseAudio"}


def test_no_devices_is_said_in_one_sentence(tmp_path: Path) -> None:
    assert devices(without_sound(tmp_path)).startswith("There is no sound device.")


def without_portaudio(env: Mapping[str, str], folder: Path) -> Mapping[str, str]:
    """An environment in which sounddevice does not find its library."""
    (folder / "sounddevice.py").write_text('raise OSError("PortAudio library not found")\n')
    return {**env, "PYTHONPATH": str(folder)}


def without_sound(folder: Path) -> Mapping[str, str]:
    """An environment with neither a sound server nor a card."""
    env = os.environ | {"PULSE_SERVER": f"unix:{folder}/none", "XDG_RUNTIME_DIR": str(folder)}
    env.pop("ALSA_CONFIG_PATH", None)
    return env
