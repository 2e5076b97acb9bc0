"""Recorded blocks on their way from the device's own thread to the event loop."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import suppress

from voicehermes.adapters.sound.resampling import Framer, ToMono16k
from voicehermes.errors import DeviceError

log = logging.getLogger(__name__)

BLOCK_SECONDS = 0.06
"""What a device is asked for at once. PulseAudio gives sound every 10 ms: blocks of a multiple of
20 ms come on time, those as long as a frame, 32 ms, up to 45 ms late, and of 64 ms up to 128.
The thread that takes blocks of 20 ms costs 1.0 % of a core, of 40 ms 0.5, of 60 ms 0.35, of 80 ms
0.27 (all measured); sound waits for the end of its block, half of its length on average."""

_BLOCKS_AT_ONCE = 4
"""So many are handed over at once where there is no hurry: to wake the event loop costs more than
to look at the eight frames in them. Who begins to speak does not notice so short a delay."""

_LIMIT = 64
"""Blocks that may wait, four seconds; then the oldest are dropped."""

_FIRST_SECONDS = 5.0
"""Longest wait for the first block: a Bluetooth headset changes its mode first."""

_NEXT_SECONDS = 2.0
"""Longest wait for a further block: PortAudio does not always say that a device is gone
(python-sounddevice issue 627)."""


class Haste:
    """Whether blocks are wanted one by one. Set by a microphone, open or not."""

    def __init__(self) -> None:
        self.is_wanted = True


class Blocks:
    """A bounded queue between two threads that loses the oldest block, and counts, when full."""

    def __init__(self, haste: Haste) -> None:
        self._loop = asyncio.get_running_loop()
        self._haste = haste
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
        if self._haste.is_wanted or len(self._blocks) >= _BLOCKS_AT_ONCE:
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
            pcm = await self._next(patience)
            patience = _NEXT_SECONDS
            for frame in framer.feed(convert.feed(pcm)):
                yield frame

    async def _next(self, patience: float) -> bytes:
        """The blocks that are there, joined; at least one."""
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
        return b"".join([self._blocks.popleft() for _ in range(len(self._blocks))])

    def _wake(self) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            self._loop.call_soon_threadsafe(self._changed.set)
