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


@pytest.mark.parametrize("arguments", [["--input", "default"], ["--seconds", "3"]])
def test_what_is_for_the_meter_is_refused_without_it(
    home: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert main(["devices", *arguments]) == 2
    assert capsys.readouterr().err == "voicehermes: --input and --seconds are for --meter.\n"


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["--seconds", "1", "--input", ""], 2, "--input: `[audio] input` must not be empty."),
        (["--input", "file:~nobody-here/a.wav"], 2, "--input: `[audio] input` must be a path;"),
        (["--input", "file:there-is-none.wav"], 1, "There is no file there-is-none.wav."),
    ],
)
def test_a_microphone_that_cannot_be_is_refused_in_a_line(
    home: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    reason: str,
) -> None:
    assert main(["devices", "--meter", *arguments]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"voicehermes: {reason}")
    assert err.count("\n") == 1


@pytest.mark.parametrize("seconds", ["0", "-1", "inf", "nan", "x"])
def test_a_time_that_does_not_pass_is_refused(
    home: Path, capsys: pytest.CaptureFixture[str], seconds: str
) -> None:
    with pytest.raises(SystemExit) as refused:
        main(["devices", "--meter", f"--seconds={seconds}"])
    assert refused.value.code == 2
    assert "--seconds" in capsys.readouterr().err


def test_the_meter_runs_until_interrupted(home: Path) -> None:
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
    assert line == "██████████████████┊░   -6 dBFS  ambiente -6 dBFS  suono\n"
    assert (process.returncode, errors) == (130, "")
