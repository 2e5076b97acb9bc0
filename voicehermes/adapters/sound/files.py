"""Sound files: read whole, or as a microphone that gives them at the pace of real time."""

import asyncio
import os
import struct
import threading
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import BinaryIO

from voicehermes.adapters.sound import libsndfile
from voicehermes.adapters.sound.resampling import Framer, ToMono16k
from voicehermes.audio import FRAME_BYTES, FRAME_SECONDS
from voicehermes.errors import FormatError

_PIECE_SECONDS = 1.0

_RATES_HZ = range(1_000, 768_001)
_MOST_CHANNELS = 64

_UNKNOWN_SIZE = 0x7FFFF000
"""A WAV that was written to a pipe gives this size of its data, or more: arecord, sox, ffmpeg."""

_PCM = 1
"""The format tag of plain samples in a WAV."""

_UNDERSTOOD = "WAV, FLAC, OGG and MP3 are understood."
_RENEW = "Record or convert it again."


class FileMicrophone:
    """A sound file as microphone: its sound in real time, then silence for ever."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def hurry(self, *, is_wanted: bool) -> None:
        """See Microphone.hurry. It costs nothing to be on time."""

    @asynccontextmanager
    async def open(self) -> AsyncIterator[AsyncIterator[bytes]]:
        """See Microphone.open. Raises FormatError, here or later, when that is no sound file."""
        file = SoundFile(self._path)
        try:
            await asyncio.to_thread(file.open)
            async with aclosing(_in_real_time(file)) as frames:
                yield frames
        finally:
            await asyncio.to_thread(file.close)


async def _in_real_time(file: "SoundFile") -> AsyncGenerator[bytes, None]:
    loop = asyncio.get_running_loop()
    framer = Framer()
    due = loop.time()
    while True:
        piece = await asyncio.to_thread(file.read)
        for frame in framer.feed(piece or bytes(FRAME_BYTES)):
            due += FRAME_SECONDS
            await asyncio.sleep(due - loop.time())
            yield frame


def read_pcm(path: Path) -> bytes:
    """A whole sound file as s16le mono at RATE_HZ. Blocks. Raises FormatError."""
    file = SoundFile(path)
    try:
        file.open()
        return b"".join(iter(file.read, b""))
    finally:
        file.close()


class SoundFile:
    """A sound file of any kind that libsndfile reads, piece by piece. All calls block.

    ``close`` may come from another thread; it waits for a piece that is being read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._alone = threading.RLock()  # libsndfile crashes when it closes what it reads
        self._file = None
        self._convert: ToMono16k | None = None

    def open(self) -> None:
        """Open it and check what its header says. Raises FormatError."""
        if not self._path.exists():
            raise FormatError(f"There is no file {self._path}.")
        if not self._path.is_file():
            raise FormatError(f"{self._path} is not a file.", hint="Name a sound file.")
        try:
            with self._path.open("rb") as file:
                lie = _find_lie(file)
        except OSError as error:
            raise FormatError(f"{self._path} cannot be read: {error.strerror}.") from error
        if lie is not None:
            raise FormatError(f"The header of {self._path} is wrong: {lie}.", hint=_RENEW)
        soundfile = libsndfile.load()
        try:
            self._file = file = soundfile.SoundFile(self._path)
        except soundfile.LibsndfileError as error:
            raise FormatError(
                f"{self._path} is not a sound file that can be read.", hint=_UNDERSTOOD
            ) from error
        if file.samplerate not in _RATES_HZ or file.channels > _MOST_CHANNELS:
            lie = f"it says {file.samplerate} samples a second in {file.channels} channels"
            raise FormatError(f"The header of {self._path} is wrong: {lie}.", hint=_RENEW)
        if not file.frames:
            raise FormatError(f"There is no sound in {self._path}.", hint=_RENEW)
        self._convert = ToMono16k(file.samplerate, file.channels)

    def read(self) -> bytes:
        """The next second or so as s16le mono at RATE_HZ; b"" at the end. Raises FormatError."""
        with self._alone:
            return self._read()

    def close(self) -> None:
        """Close it; it may be closed already."""
        with self._alone:
            file, self._file = self._file, None
            if file is not None:
                file.close()

    def _read(self) -> bytes:
        if self._file is None or self._convert is None:
            return b""
        soundfile = libsndfile.load()
        try:
            samples = round(_PIECE_SECONDS * self._file.samplerate)
            # Not buffer_read: it fails when an MP3 is shorter than its header says.
            block = self._file.read(samples, dtype="int16").astype("<i2").tobytes()
        except soundfile.LibsndfileError as error:
            raise FormatError(f"The sound in {self._path} is damaged.", hint=_RENEW) from error
        if block:
            return self._convert.feed(block)
        rest = self._convert.finish()
        self.close()
        return rest


def _find_lie(file: BinaryIO) -> str | None:
    """What the header of a WAV says that cannot be; None for any other file, or a true one.

    libsndfile believes some of it and plays noise, or a part, without a word.
    """
    if file.read(4) != b"RIFF" or file.read(8)[4:] != b"WAVE":
        return None
    end = file.seek(0, os.SEEK_END)
    at = 12
    while at + 8 <= end:
        file.seek(at)
        kind, size = struct.unpack("<4sI", file.read(8))
        at += 8
        if kind == b"data":
            if end - at < size < _UNKNOWN_SIZE:
                return f"it says {size} bytes of sound, and there are {end - at}"
            return None
        if kind == b"fmt " and size >= 16 and at + 16 <= end:
            tag, channels, _, _, block, bits = struct.unpack("<HHIIHH", file.read(16))
            if tag == _PCM and block != channels * ((bits + 7) // 8):
                return f"it says {channels} channels of {bits} bits in {block} bytes"
        at += size + size % 2
    return None
