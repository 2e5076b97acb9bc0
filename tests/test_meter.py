"""The meter: a second of sound is a line, and what is wrong is a sentence."""

import asyncio
import io
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.fakes.microphone import FakeMicrophone
from tests.virtual_clock import run
from voicehermes import lexicon
from voicehermes.adapters.sound.detectors import SileroDetector, WebrtcDetector
from voicehermes.adapters.sound.files import read_pcm
from voicehermes.audio import FRAME_BYTES, RATE_HZ
from voicehermes.cli import meter
from voicehermes.cli.meter import Meter
from voicehermes.errors import DeviceError
from voicehermes.ports import VoiceDetector

RADIO = Path(__file__).parent / "data" / "audio" / "radio.wav"
WORDS = lexicon.load("en")


def frames_of(pcm: bytes) -> list[bytes]:
    return [pcm[at : at + FRAME_BYTES] for at in range(0, len(pcm) - FRAME_BYTES + 1, FRAME_BYTES)]


def noise(seconds: float, dbfs: float) -> list[bytes]:
    samples = np.random.default_rng(1).normal(0, 10 ** (dbfs / 20), round(seconds * RATE_HZ))
    return frames_of(bytes(np.rint(samples * 32767).astype("<i2").tobytes()))


def line_of(made: Meter, frames: list[bytes]) -> str:
    for frame in frames:
        made.take(frame)
    return made.line()


@pytest.mark.parametrize("detector", [SileroDetector(), WebrtcDetector()])
def test_the_room_is_followed_and_speech_is_called_so(detector: VoiceDetector) -> None:
    made = Meter(detector, WORDS)
    quiet = line_of(made, noise(3, -60))
    assert re.fullmatch(r"[┊█░]{20}  -5\d dBFS  room -6\d dBFS  \w+", quiet)
    assert line_of(made, noise(1, -60)).endswith("silence")
    assert line_of(made, frames_of(read_pcm(RADIO))).endswith("speech")
    fan = noise(3, -30)
    line_of(made, fan)
    assert re.search(r"room -3\d dBFS  silence$", line_of(made, fan))


def test_what_is_loud_and_no_speech_is_a_sound() -> None:
    class NothingIsSpeech(WebrtcDetector):
        def is_speech(self, frame: bytes) -> bool:
            return False

    made = Meter(NothingIsSpeech(), WORDS)
    line_of(made, noise(3, -60))
    assert line_of(made, frames_of(read_pcm(RADIO))).endswith("sound")


def test_the_mark_stands_where_the_room_is_and_the_bar_where_the_loudest_was() -> None:
    made = Meter(WebrtcDetector(), WORDS)
    line_of(made, noise(3, -45))
    made.take(np.full(FRAME_BYTES // 2, 32_767, "<i2").tobytes())
    assert made.line().startswith("████┊███████████████    0 dBFS  room -47 dBFS  ")


def shown(microphone: FakeMicrophone, seconds: float | None) -> None:
    run(meter.show(microphone, WebrtcDetector(), WORDS, seconds))


@pytest.mark.parametrize(("seconds", "lines"), [(0.2, 1), (1.0, 1), (3.0, 3)])
def test_where_nobody_watches_a_second_is_a_line(
    capsys: pytest.CaptureFixture[str], seconds: float, lines: int
) -> None:
    microphone = FakeMicrophone()
    microphone.hear(*noise(5, -60))
    shown(microphone, seconds)
    assert len(capsys.readouterr().out.splitlines()) == lines


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def become_terminal(patch: pytest.MonkeyPatch) -> Terminal:
    written = Terminal()
    patch.setattr(sys, "stdout", written)
    patch.setenv("COLUMNS", "30")
    return written


def test_on_a_terminal_ten_lines_a_second_stand_in_one_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = become_terminal(monkeypatch)
    microphone = FakeMicrophone()
    microphone.hear(*noise(5, -60))
    shown(microphone, 1.0)
    before, *lines = terminal.getvalue().removesuffix("\n").split("\r")
    assert before == ""
    assert len(lines) == 10
    assert all(re.fullmatch(r"[^\n]{29}\x1b\[K", line) for line in lines), "one is wrapped"


def test_a_microphone_that_is_lost_is_told_below_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = become_terminal(monkeypatch)

    async def main() -> None:
        microphone = FakeMicrophone()
        microphone.hear(*noise(1, -60))
        asyncio.get_running_loop().call_later(2, microphone.lose)
        await meter.show(microphone, WebrtcDetector(), WORDS, None)

    with pytest.raises(DeviceError):
        run(main())
    assert terminal.getvalue().endswith("\x1b[K\n")


def test_a_muted_microphone_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    microphone = FakeMicrophone()
    microphone.hear(*[bytes(FRAME_BYTES)] * 400)
    shown(microphone, 12.0)
    assert capsys.readouterr().out.count(WORDS.say("input-zeros")) == 1
