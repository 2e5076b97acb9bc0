"""Listing devices and showing a level."""

import json
import os
import signal
import struct
import subprocess
import sys
import wave
from pathlib import Path

import pytest

from voicehermes.adapters.sound.names import DeviceInfo
from voicehermes.cli.devices import describe
from voicehermes.cli.main import main


def device(**fields: object) -> DeviceInfo:
    known: dict[str, object] = {
        "name": "Scheda", "inputs": 0, "outputs": 0, "default_rate_hz": 48_000,
        "is_default_input": False, "is_default_output": False, "system": "ALSA",
    }  # fmt: skip
    return DeviceInfo(**(known | fields))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"inputs": 2}, "Scheda  [ALSA]  microphone"),
        ({"outputs": 2, "is_default_output": True}, "Scheda  [ALSA]  speaker (default)"),
        (
            {"inputs": 1, "outputs": 2, "is_default_input": True, "name": "a\x1b[2J\nb"},
            "a[2J b  [ALSA]  microphone (default), speaker",
        ),
    ],
)
def test_a_device_is_a_line(fields: dict[str, object], line: str) -> None:
    assert describe(device(**fields)) == line


def test_devices_are_listed_or_one_line_says_that_there_are_none(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code = main(["devices", "--json"])
    out, err = capfd.readouterr()
    if code == 0:
        assert {"name", "inputs", "outputs"} <= json.loads(out)[0].keys()
    else:
        assert code == 1
        assert err.splitlines()[-1].startswith("voicehermes: There is no ")


def test_the_meter_shows_the_loudest_level_until_interrupted(home: Path) -> None:
    with wave.open(str(home / "tone.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(struct.pack("<2h", 16_384, -16_384) * 16_000)
    process = subprocess.Popen(
        [sys.executable, "-m", "voicehermes", "devices", "--meter"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"VOICEHERMES_AUDIO__INPUT": f"file:{home / 'tone.wav'}"},
    )
    assert process.stdout
    line = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert line == "██████████████████░░   -6.0 dBFS\n"
    assert (process.returncode, errors) == (130, "")
