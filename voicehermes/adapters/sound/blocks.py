"""Recorded blocks on their way from the device's own thread to the event loop."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import suppress

from voicehermes.adapters.sound.resampling import Framer, ToMono16k
from voicehermes.errors import DeviceError

log = logging.getLogger(__name__)

_LIMIT = 64
"""Blocks that may wait, a second or two; then the oldest are dropped."""

_FIRST_SECONDS = 5.0
"""Longest wait for the first block: a Bluetooth headset changes its mode first."""

_NEXT_SECONDS = 2.0
"""Longest wait for a further block: PortAudio does not always say that a device is gone
(python-sounddevice issue 627)."""


class Blocks:
    """A bounded queue between two threads that loses the oldest block, and counts, when full."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._blocks: deque[bytes] = deque(maxlen=_LIMIT)
        self._changed = asyncio.Event()
        self._is_lost = False
        self.dropped = 0
        """Blocks that were dropped because the loop was late."""
        self._told = 0

    def put(self, block: bytes) -> None:
        """Hand over a block. Called on the device's thread, alone; returns at once."""
        if len(self._blocks) == _LIMIT:
            self.dropped += 1
        self._blocks.append(block)
        self._wake()

    def lose(self) -> None:
        """Say that the device is gone and no block will follow. Called on any thread."""
        self._is_lost = True
        self._wake()

    async def frames(self, convert: ToMono16k) -> AsyncGenerator[bytes, None]:
        """What is put, as frames. Raises DeviceError when the device is gone or silent."""
        framer = Framer()
        patience = _FIRST_SECONDS
        while True:
            block = await self._next(patience)
            patience = _NEXT_SECONDS
            for frame in framer.feed(convert.feed(block)):
                yield frame

    async def _next(self, patience: float) -> bytes:
        try:
            async with asyncio.timeout(patience):
                while not self._blocks:
                    if self._is_lost:
                        raise DeviceError("The microphone is gone.", hint="Is it still plugged in?")
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise DeviceError(
                "The microphone gives no sound any more.", hint="Is it still plugged in?"
            ) from None
        if self.dropped > self._told:
            log.warning("%d blocks from the microphone were dropped", self.dropped - self._told)
            self._told = self.dropped
        return self._blocks.popleft()

    def _wake(self) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            self._loop.call_soon_threadsafe(self._changed.set)
