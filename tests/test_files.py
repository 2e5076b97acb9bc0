"""Sound files: read right, paced right, and refused in one sentence when they are no such thing."""

import asyncio
import io
import struct
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from tests.virtual_clock import run
from voicehermes.adapters.sound.files import FileMicrophone, SoundFile, read_pcm
from voicehermes.audio import FRAME_BYTES, FRAME_SECONDS, SAMPLE_BYTES
from voicehermes.errors import FormatError

SPEECH = Path(__file__).parent / "data" / "audio" / "radio.wav"


def wav(
    data: bytes = bytes(range(256)) * 125,
    *,
    rate_hz: int = 16_000,
    channels: int = 1,
    bits: int = 16,
    size: int | None = None,
    block: int | None = None,
    tag: int = 1,
) -> bytes:
    """A WAV whose header says what it is told to."""
    block = channels * bits // 8 if block is None else block
    size = len(data) if size is None else size
    form = struct.pack("<HHIIHH", tag, channels, rate_hz, rate_hz * 2 & 0xFFFFFFFF, block, bits)
    head = b"WAVEfmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", size)
    return b"RIFF" + struct.pack("<I", len(head) + len(data)) + head + data


def refusal(path: Path) -> str:
    with pytest.raises(FormatError) as caught:
        read_pcm(path)
    return str(caught.value)


LIES = {
    "more data than there is": wav(size=10_000_000),
    "no channels": wav(channels=0, block=2),
    "a thousand channels": wav(channels=1_000),
    "a hundred channels": wav(channels=100),
    "no rate": wav(rate_hz=0),
    "a rate of one": wav(rate_hz=1),
    "an absurd rate": wav(rate_hz=0xFFFFFFFF),
    "a block of another size": wav(channels=2, block=2),
    "another format": wav(tag=0x1234),
    "no data": wav(b""),
    "a size of zero": wav(size=0),
    "only half a header": wav()[:30],
}

NOT_AUDIO = {
    "an empty file": b"",
    "a text": b"Ciao, come stai?\n" * 50,
    "an HTML page": b"<!doctype html><html><body>Login</body></html>",
    "zeros": bytes(10_000),
    "a cut FLAC": b"fLaC\x00\x00",
}


@pytest.mark.parametrize("data", LIES.values(), ids=LIES.keys())
def test_a_wav_whose_header_lies_is_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bugiardo.wav"
    path.write_bytes(data)
    assert str(path) in refusal(path)


@pytest.mark.parametrize("data", NOT_AUDIO.values(), ids=NOT_AUDIO.keys())
def test_what_is_no_sound_is_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file.wav"
    path.write_bytes(data)
    message = refusal(path)
    assert "is not a sound file" in message
    assert "WAV, FLAC, OGG and MP3" in message


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "manca.wav") == f"There is no file {tmp_path}/manca.wav."
    assert "is not a file" in refusal(tmp_path)


def test_what_may_not_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "chiuso.wav"
    path.write_bytes(wav())

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # root may read what has mode 0
    assert refusal(path) == f"{path} cannot be read: Permission denied."


@pytest.mark.parametrize("size", [0x7FFFF000, 0x7FFFFFFF, 0xFFFFFFFF])
def test_a_wav_written_to_a_pipe_knows_no_size_and_is_read_to_its_end(
    size: int, tmp_path: Path
) -> None:
    path = tmp_path / "pipe.wav"
    path.write_bytes(wav(size=size))
    assert len(read_pcm(path)) == 32_000


def test_chunks_before_and_after_the_sound_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "chunks.wav"
    note = b"LIST" + struct.pack("<I", 5) + b"INFOx\0"
    plain = wav()
    path.write_bytes(plain[:12] + note + plain[12:] + note)
    assert len(read_pcm(path)) == 32_000


@pytest.mark.parametrize("container", ["WAV", "FLAC", "OGG", "MP3"])
def test_every_common_format_is_read(container: str, tmp_path: Path) -> None:
    samples, rate_hz = soundfile.read(SPEECH)
    path = tmp_path / f"speech.{container.lower()}"
    soundfile.write(path, samples, rate_hz, format=container)
    got = np.frombuffer(read_pcm(path), "<i2")
    assert len(got) == pytest.approx(len(samples), rel=0.05)


def test_another_rate_and_two_channels_become_16_khz_mono(tmp_path: Path) -> None:
    times = np.arange(48_000 * 2) / 48_000
    path = tmp_path / "stereo.wav"
    soundfile.write(path, np.stack([0.5 * np.sin(2 * np.pi * 300 * times)] * 2, axis=1), 48_000)
    got = np.frombuffer(read_pcm(path), "<i2")
    assert len(got) == pytest.approx(32_000, abs=2)
    assert np.abs(got).max() == pytest.approx(16_384, rel=0.01)


def hear(path: Path, seconds: float) -> tuple[bytes, list[float]]:
    """What the microphone gives in so many seconds, and when."""

    async def main() -> tuple[bytes, list[float]]:
        loop = asyncio.get_running_loop()
        heard, times = [], []
        async with FileMicrophone(path).open() as frames:
            async for frame in frames:
                assert len(frame) == FRAME_BYTES
                heard.append(frame)
                times.append(loop.time())
                if loop.time() >= seconds:
                    return b"".join(heard), times
        raise AssertionError("a microphone never ends")

    return run(main())


def test_a_file_is_heard_at_the_pace_of_real_time_then_silence_for_ever() -> None:
    heard, times = hear(SPEECH, 20.0)
    assert times == pytest.approx([FRAME_SECONDS * n for n in range(1, len(times) + 1)])
    pcm = read_pcm(SPEECH)
    assert heard.startswith(pcm)
    assert not any(heard[len(pcm) :])
    assert len(heard) / SAMPLE_BYTES / 16_000 == pytest.approx(20.0, abs=0.04)


def test_a_file_that_is_no_sound_is_refused_when_the_microphone_is_opened(tmp_path: Path) -> None:
    async def main() -> None:
        async with FileMicrophone(tmp_path / "manca.wav").open():
            pass

    with pytest.raises(FormatError, match="There is no file"):
        run(main())


def test_a_file_can_be_heard_twice() -> None:
    assert hear(SPEECH, 1.0) == hear(SPEECH, 1.0)


@pytest.mark.parametrize("container", ["FLAC", "MP3"])
def test_a_file_that_is_damaged_inside_is_refused(container: str, tmp_path: Path) -> None:
    damaged = bytearray(compress(container))
    damaged[len(damaged) // 2 : len(damaged) // 2 + 4_000] = bytes(4_000)
    path = tmp_path / "rotto"
    path.write_bytes(damaged)
    assert "is damaged" in refusal(path)


@pytest.mark.parametrize("container", ["OGG", "MP3"])
def test_a_file_that_is_cut_short_is_read_as_far_as_it_goes(container: str, tmp_path: Path) -> None:
    data = compress(container)
    path = tmp_path / "corto"
    path.write_bytes(data[: len(data) // 2])
    assert 1.0 < len(read_pcm(path)) / SAMPLE_BYTES / 16_000 < 4.0


def test_a_file_is_not_closed_while_another_thread_reads_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    is_reading, may_go_on = threading.Event(), threading.Event()
    read = soundfile.SoundFile.read

    def read_slowly(self: soundfile.SoundFile, *args: Any, **options: Any) -> Any:
        is_reading.set()
        may_go_on.wait(10)
        return read(self, *args, **options)

    monkeypatch.setattr(soundfile.SoundFile, "read", read_slowly)
    file = SoundFile(SPEECH)
    file.open()
    pieces: list[bytes] = []
    reading = threading.Thread(target=lambda: pieces.append(file.read()))
    reading.start()
    is_reading.wait(10)
    closing = threading.Thread(target=file.close)
    closing.start()
    closing.join(0.1)
    was_waiting = closing.is_alive()
    may_go_on.set()
    reading.join(10)
    closing.join(10)
    assert was_waiting
    assert pieces[0]


def compress(container: str) -> bytes:
    samples, rate_hz = soundfile.read(SPEECH)
    buffer = io.BytesIO()
    soundfile.write(buffer, samples, rate_hz, format=container)
    return buffer.getvalue()
