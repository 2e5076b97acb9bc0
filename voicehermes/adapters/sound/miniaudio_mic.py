"""A microphone through miniaudio, for machines where PortAudio is missing or fails."""

import threading
from collections.abc import AsyncIterator, Generator
from contextlib import aclosing, asynccontextmanager
from functools import partial
from typing import Any

from voicehermes.adapters.sound import miniaudio
from voicehermes.adapters.sound.blocks import BLOCK_SECONDS, Blocks, Haste
from voicehermes.adapters.sound.noise import without_noise
from voicehermes.adapters.sound.patience import opened
from voicehermes.adapters.sound.resampling import ToMono16k
from voicehermes.audio import RATE_HZ
from voicehermes.errors import DeviceError


class MiniaudioMicrophone:
    """The microphone with that name, or part of one; "default" is the system's."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._haste = Haste()

    def hurry(self, *, is_wanted: bool) -> None:
        """See Microphone.hurry."""
        self._haste.is_wanted = is_wanted

    @asynccontextmanager
    async def open(self) -> AsyncIterator[AsyncIterator[bytes]]:
        """See Microphone.open. miniaudio itself converts rate and channels."""
        blocks = Blocks(self._haste)
        device = _Device()
        start = partial(device.start, self._name, blocks)
        frames_of = blocks.frames(ToMono16k(RATE_HZ, channels=1))
        async with opened(start, device.close), aclosing(frames_of) as frames:
            yield frames


class _Device:
    """A recording device. Closing waits for a start under way, so that none is left open."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._device: Any = None

    def start(self, name: str, blocks: Blocks) -> None:
        """Find the device, open it and start. Raises DeviceError."""
        library = miniaudio.load()
        with self._lock, without_noise():
            identity = miniaudio.find_microphone(name)
            try:
                self._device = library.CaptureDevice(
                    input_format=library.SampleFormat.SIGNED16,
                    nchannels=1,
                    sample_rate=RATE_HZ,
                    buffersize_msec=round(BLOCK_SECONDS * 1000),
                    device_id=identity,
                )
                miniaudio.refuse_null(self._device.backend)
                receiver = _receive(blocks)
                next(receiver)
                self._device.stop_callback = blocks.lose
                self._device.start(receiver)
            except library.MiniaudioError as error:
                raise DeviceError(f"The microphone cannot be opened: {error}.") from error

    def close(self) -> None:
        """Stop and close."""
        with self._lock:
            if self._device is not None:
                self._device.close()


def _receive(blocks: Blocks) -> Generator[None, bytearray, None]:
    while True:
        blocks.put(bytes((yield)))
