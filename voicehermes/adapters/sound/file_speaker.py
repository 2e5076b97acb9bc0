"""A WAV file in place of a speaker, written at the pace of real time."""

import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from voicehermes.adapters.sound import libsndfile
from voicehermes.adapters.sound.blocking import opened_in_thread
from voicehermes.audio import PLAY_RATE_HZ, samples_in
from voicehermes.errors import DeviceError
from voicehermes.ports import SoundSource

_BLOCK_SECONDS = 0.02


class FileSpeaker:
    """The file is begun anew by the first opening and continued by further ones."""

    delay_seconds = 0.0

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_begun = False

    @asynccontextmanager
    async def open(self, source: SoundSource) -> AsyncIterator[None]:
        """See Speaker.open. Raises DeviceError when the file cannot be written."""
        async with opened_in_thread(lambda: self._start(source), _Writing.stop):
            yield

    def _start(self, source: SoundSource) -> "_Writing":
        soundfile = libsndfile.load()
        try:
            if self._is_begun:
                file = soundfile.SoundFile(self._path, "r+")
                file.seek(0, soundfile.SEEK_END)
            else:
                file = soundfile.SoundFile(
                    self._path, "w", PLAY_RATE_HZ, 1, format="WAV", subtype="PCM_16"
                )
        except (OSError, soundfile.LibsndfileError) as error:
            raise _cannot_write(self._path, error) from error
        self._is_begun = True
        return _Writing(file, self._path, source)


class _Writing:
    """A thread that reads and writes block after block, as a sound card's would."""

    def __init__(self, file: Any, path: Path, source: SoundSource) -> None:
        self._file, self._path, self._source = file, path, source
        self._stopping = threading.Event()
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._write, name=f"speaker {path}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Write no more and complete the file. Raises DeviceError when it could not be written."""
        self._stopping.set()
        self._thread.join()
        self._file.close()
        if self._error:
            raise _cannot_write(self._path, self._error) from self._error

    def _write(self) -> None:
        soundfile = libsndfile.load()
        due = time.monotonic()
        while not self._stopping.wait(max(0.0, due - time.monotonic())):
            pcm = self._source.read(samples_in(_BLOCK_SECONDS, PLAY_RATE_HZ))
            try:
                self._file.buffer_write(pcm, dtype="int16")
            except soundfile.LibsndfileError as error:
                self._error = error
                return
            due += _BLOCK_SECONDS


def _cannot_write(path: Path, error: Exception) -> DeviceError:
    return DeviceError(
        f"Cannot write the sound to {path}: {str(error).rstrip('.')}.",
        hint="Check that its folder is there and can be written to, or name another file.",
    )
