"""A speaker through miniaudio, for machines where PortAudio is missing or fails."""

from collections.abc import AsyncIterator, Generator
from contextlib import asynccontextmanager
from typing import Any

from voicehermes.adapters.sound import miniaudio
from voicehermes.adapters.sound.blocking import opened_in_thread
from voicehermes.adapters.sound.noise import without_noise
from voicehermes.audio import PLAY_RATE_HZ
from voicehermes.errors import DeviceError
from voicehermes.ports import SoundSource

_BLOCK_MILLISECONDS = 20
_BLOCKS = 3


class MiniaudioSpeaker:
    """The speaker with that name, or part of one; "default" is the system's."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._is_open = False

    @property
    def delay_seconds(self) -> float:
        """See Speaker.delay_seconds; as much as the device was asked to buffer."""
        return _BLOCK_MILLISECONDS * _BLOCKS / 1000 if self._is_open else 0.0

    @asynccontextmanager
    async def open(self, source: SoundSource) -> AsyncIterator[None]:
        """See Speaker.open. miniaudio itself converts rate and channels."""
        async with opened_in_thread(lambda: self._start(source), _close):
            self._is_open = True
            try:
                yield
            finally:
                self._is_open = False

    def _start(self, source: SoundSource) -> Any:
        library = miniaudio.load()
        identity = miniaudio.find_speaker(self._name)
        with without_noise():
            try:
                device = library.PlaybackDevice(
                    output_format=library.SampleFormat.SIGNED16,
                    nchannels=1,
                    sample_rate=PLAY_RATE_HZ,
                    buffersize_msec=_BLOCK_MILLISECONDS,
                    callback_periods=_BLOCKS,
                    device_id=identity,
                    app_name="voicehermes",
                )
                miniaudio.refuse_null(device.backend)
                filler = _fill(source)
                next(filler)
                device.start(filler)
            except library.MiniaudioError as error:
                raise DeviceError(f"The speaker cannot be opened: {error}.") from error
        return device


def _close(device: Any) -> None:
    device.close()


def _fill(source: SoundSource) -> Generator[bytes, int, None]:
    samples = yield b""
    while True:
        samples = yield source.read(samples)
