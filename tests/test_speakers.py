"""Speakers that need no sound card, and how the right one is found."""

import asyncio
import subprocess
import sys
import threading
import time
import wave
from array import array
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.fakes.speaker import FakeSpeaker
from tests.virtual_clock import run
from voicehermes.adapters.sound import blocking, patience, speakers
from voicehermes.adapters.sound.blocking import opened_in_thread
from voicehermes.adapters.sound.names import DeviceInfo
from voicehermes.adapters.sound.null_speaker import NullSpeaker
from voicehermes.adapters.sound.portaudio_speaker import (
    Resampled,
    make_stream,
    on_every_channel,
)
from voicehermes.adapters.sound.speakers import open_speaker
from voicehermes.audio import PLAY_RATE_HZ
from voicehermes.errors import DeviceError
from voicehermes.ports import SoundSource


class Counting:
    """A source whose samples count up."""

    def __init__(self) -> None:
        self.taken = 0

    def read(self, samples: int) -> bytes:
        pcm = array("h", ((self.taken + n) % 30_000 for n in range(samples))).tobytes()
        self.taken += samples
        return pcm


class Tone:
    """A source of 440 Hz."""

    def __init__(self) -> None:
        self._at = 0

    def read(self, samples: int) -> bytes:
        at = np.arange(self._at, self._at + samples) / PLAY_RATE_HZ
        self._at += samples
        return (10_000 * np.sin(2 * np.pi * 440 * at)).astype("<i2").tobytes()


def test_the_null_speaker_takes_sound_at_the_pace_of_the_clock() -> None:
    async def main() -> None:
        source = Counting()
        async with NullSpeaker().open(source):
            await asyncio.sleep(10)
        taken = source.taken
        assert taken == pytest.approx(10 * PLAY_RATE_HZ, abs=480)
        await asyncio.sleep(1)
        assert source.taken == taken

    run(main())


async def test_a_file_gets_the_sound_in_real_time_and_goes_on_at_the_next_opening(
    tmp_path: Path,
) -> None:
    path = tmp_path / "out.wav"
    path.write_bytes(b"something old")
    speaker, source = open_speaker(f"file:{path}"), Counting()
    for _ in range(2):
        began = time.monotonic()
        async with speaker.open(source):
            await asyncio.sleep(0.3)
        assert time.monotonic() - began < 1.0
    with wave.open(str(path)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (24_000, 1, 2)
        samples = array("h", file.readframes(file.getnframes()))
    assert len(samples) == source.taken
    assert 0.3 < len(samples) / PLAY_RATE_HZ < 1.0
    assert samples.tolist() == [n % 30_000 for n in range(len(samples))]


async def test_a_file_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match=r"Cannot write the sound to .*nowhere.*[^.]\. Check"):
        async with open_speaker(f"file:{tmp_path}/nowhere/out.wav").open(Counting()):
            pass


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
async def test_a_disk_that_fills_up_is_told_when_the_file_is_closed() -> None:
    with pytest.raises(DeviceError, match="Cannot write the sound to /dev/full"):
        async with open_speaker("file:/dev/full").open(Counting()):
            await asyncio.sleep(0.5)


async def test_null_is_the_speaker_that_plays_nothing() -> None:
    assert isinstance(open_speaker("null"), NullSpeaker)


def _either(first: FakeSpeaker, second: FakeSpeaker) -> Any:
    return speakers._EitherSpeaker(first, second)


def test_the_second_speaker_plays_where_the_first_cannot() -> None:
    async def main() -> None:
        first, second = FakeSpeaker(), FakeSpeaker(delay_seconds=0.2)
        first.refusals = 1
        speaker = _either(first, second)
        async with speaker.open(Counting()):
            assert second.is_open
            assert speaker.delay_seconds == 0.2
        async with speaker.open(Counting()):
            assert first.is_open
            assert not second.is_open

    run(main())


def test_where_neither_plays_the_first_ones_error_is_told() -> None:
    async def main() -> None:
        first, second = FakeSpeaker(), FakeSpeaker()
        first.refusals = second.refusals = 1

        @asynccontextmanager
        async def refuse(source: SoundSource) -> AsyncIterator[None]:
            raise DeviceError("No backend.")
            yield

        second.open = refuse  # type: ignore[method-assign]
        with pytest.raises(DeviceError, match="fake speaker is not there"):
            async with _either(first, second).open(Counting()):
                pass

    run(main())


def test_a_machine_without_portaudio_and_sound_says_what_to_install() -> None:
    # As on a fresh Debian: the library is not found, and miniaudio finds no sound system.
    code = """
import asyncio, ctypes.util
ctypes.util.find_library = lambda name: None
import miniaudio
def no_sound(*args, **kwargs):
    raise miniaudio.MiniaudioError("failed to init device", -1)
miniaudio.PlaybackDevice = no_sound
from voicehermes.adapters.sound.speakers import open_speaker
from voicehermes.errors import DeviceError
class Silence:
    def read(self, samples): return bytes(2 * samples)
async def main():
    try:
        async with open_speaker("default").open(Silence()):
            print("open")
    except DeviceError as error:
        print(error)
asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert "Traceback" not in done.stderr
    assert "PortAudio" in done.stdout


async def test_what_still_opens_when_it_is_cancelled_is_closed() -> None:
    opened: list[int] = []
    closed: list[int] = []

    def opening() -> int:
        time.sleep(0.2)
        opened.append(1)
        return 1

    async def use() -> None:
        async with opened_in_thread(opening, closed.append):
            await asyncio.sleep(10)

    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(use(), name="use")
        await asyncio.sleep(0.05)
        assert not opened
        task.cancel()
    assert opened == closed == [1]


async def test_what_hangs_while_it_opens_is_closed_should_it_open_after_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(blocking, "_GIVE_UP_SECONDS", 0.05)
    closed: list[str] = []
    may_open, is_closed = threading.Event(), threading.Event()

    def opening() -> str:
        may_open.wait(10)
        return "late"

    def closing(thing: str) -> None:
        closed.append(thing)
        is_closed.set()

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05), opened_in_thread(opening, closing):
            pass
    may_open.set()
    assert await asyncio.to_thread(is_closed.wait, 10)
    assert closed == ["late"]


async def test_a_speaker_that_hangs_while_it_closes_does_not_hold_up_what_comes_after(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(patience, "_CLOSE_SECONDS", 0.05)
    may_close = threading.Event()

    def closing(_: str) -> None:
        may_close.wait(5)

    try:
        async with asyncio.timeout(3), opened_in_thread(lambda: "speaker", closing):
            pass
    finally:
        may_close.set()
    assert "left open" in caplog.text


def test_every_channel_gets_the_same_sound() -> None:
    assert array("h", on_every_channel(array("h", [1, 2]).tobytes(), 3)).tolist() == [
        *(1, 1, 1),
        *(2, 2, 2),
    ]


@pytest.mark.parametrize("rate_hz", [44_100, 48_000, 16_000])
def test_a_device_with_a_rate_of_its_own_gets_the_same_pitch(rate_hz: int) -> None:
    resampled = Resampled(Tone(), rate_hz)
    pcm = b"".join(resampled.read(round(rate_hz * 0.02)) for _ in range(50))
    samples = np.frombuffer(pcm, "<i2").astype(float)
    assert len(samples) == rate_hz
    assert np.argmax(np.abs(np.fft.rfft(samples))) == pytest.approx(440, abs=1)


class RefusedError(Exception):
    """PortAudio's error."""


def _library(takes: set[tuple[int, int]]) -> Any:
    """A sounddevice whose device takes only these rates and channel counts."""

    def open_stream(**options: Any) -> Any:
        if (options["samplerate"], options["channels"]) not in takes:
            raise RefusedError("Invalid sample rate [PaErrorCode -9997]")
        return SimpleNamespace(**options)

    return SimpleNamespace(PortAudioError=RefusedError, RawOutputStream=open_stream)


def _device(outputs: int = 2, rate_hz: int = 44_100) -> DeviceInfo:
    return DeviceInfo("card", 0, outputs, rate_hz, False, True, "ALSA")


def _time(*, now: float, heard: float) -> Any:
    """What PortAudio tells with each block."""
    return SimpleNamespace(currentTime=now, outputBufferDacTime=heard)


def test_a_device_that_takes_24_khz_mono_gets_it_as_it_is() -> None:
    delays: list[float] = []
    stream = make_stream(_library({(24_000, 1)}), 3, _device(), Counting(), delays.append)
    buffer = bytearray(960)
    stream.callback(buffer, 480, _time(now=7.0, heard=7.125), None)
    assert array("h", buffer).tolist() == list(range(480))
    assert stream.device == 3
    assert delays == [0.125]


def test_a_device_with_one_rate_and_two_channels_gets_those() -> None:
    stream = make_stream(_library({(44_100, 2)}), 0, _device(), Tone(), lambda _: None)
    buffer = bytearray(882 * 4)
    stream.callback(buffer, 882, _time(now=7.0, heard=7.1), None)
    samples = array("h", buffer)
    assert samples[0::2] == samples[1::2]


def test_a_device_that_takes_nothing_is_refused() -> None:
    with pytest.raises(RefusedError):
        make_stream(_library(set()), 0, _device(), Counting(), lambda _: None)
