"""Transcribing files through the embedded server."""

import json
import struct
import wave
from collections.abc import Iterator
from pathlib import Path

import pytest

from voicehermes.adapters.sound.codecs import decode
from voicehermes.audio import UtteranceEnd
from voicehermes.cli.main import main
from voicehermes.cli.transcribe import upload_of
from voicehermes.config import Config
from voicehermes.simulator.scenario import Scenario, Transcribe
from voicehermes.simulator.server import Simulator


@pytest.fixture
def server(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Simulator]:
    heard = Transcribe(texts=("uno", "due"), default="", delay_seconds=0.0, delay_factor=0.0)
    with Simulator(Scenario(transcribe=heard)) as simulator:
        monkeypatch.setenv("VOICEHERMES_SERVER__URL", simulator.url)
        yield simulator


def sound(path: Path, seconds: float = 0.5) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(struct.pack("<4h", 0, 900, 0, -900) * round(4_000 * seconds))
    return path


def au(path: Path) -> Path:
    """A kind of sound file that hermes-webui does not take."""
    header = struct.pack(">4sIIIII", b".snd", 24, 16_000, 3, 16_000, 1)
    path.write_bytes(header + struct.pack(">4h", 0, 900, 0, -900) * 2_000)
    return path


def test_a_file_gives_its_transcript(
    server: Simulator, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["transcribe", str(sound(home / "a.wav"))]) == 0
    assert capsys.readouterr() == ("uno\n", "")


def test_several_files_are_told_apart_by_name(
    server: Simulator, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = sound(home / "a.wav"), sound(home / "b.wav")
    assert main(["transcribe", str(one), str(two)]) == 0
    assert capsys.readouterr().out == f"{one}: uno\n{two}: due\n"


def test_a_file_that_cannot_be_used_does_not_stop_the_others(
    server: Simulator, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "text.wav").write_text("Ciao")
    (home / "empty.m4a").touch()
    names = [str(home / name) for name in ("none.wav", "none.m4a", "text.wav", "empty.m4a", ".")]
    assert main(["transcribe", *names, str(sound(home / "b.wav"))]) == 1
    out, err = capsys.readouterr()
    assert out == f"{home / 'b.wav'}: uno\n"
    lines = err.splitlines()
    assert len(lines) == 5
    for name, line in zip(names, lines, strict=True):
        assert line.startswith("voicehermes: ")
        assert str(Path(name)) in line


def test_json_has_a_line_for_each_file(
    server: Simulator, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = sound(home / "a.wav"), home / "none.wav"
    assert main(["transcribe", "--json", str(good), str(bad)]) == 1
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first == {"file": str(good), "transcript": "uno"}
    assert second == {"file": str(bad), "error": f"There is no file {bad}."}


def test_a_server_without_recogniser_is_told(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Simulator(Scenario(transcribe=Transcribe(available=False))) as simulator:
        monkeypatch.setenv("VOICEHERMES_SERVER__URL", simulator.url)
        assert main(["transcribe", str(sound(home / "a.wav"))]) == 1
    assert "no speech recognition" in capsys.readouterr().err


def test_what_the_server_takes_is_uploaded_as_it_is(home: Path) -> None:
    path = sound(home / "A.WAV")
    upload = upload_of(path, Config())
    assert (upload.data, upload.suffix) == (path.read_bytes(), ".wav")
    assert upload.end is UtteranceEnd.FILE_ENDED


def test_what_the_server_does_not_take_is_converted(home: Path) -> None:
    upload = upload_of(au(home / "a.au"), Config())
    assert upload.suffix == ".ogg"
    assert upload.seconds == pytest.approx(0.5)
    assert decode(upload.data).seconds == pytest.approx(0.5, abs=0.05)
