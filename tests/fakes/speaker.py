"""A speaker that keeps what it played, at the pace of the loop's clock."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from voicehermes.audio import PLAY_RATE_HZ, SAMPLE_BYTES
from voicehermes.errors import DeviceError
from voicehermes.ports import SoundSource

BLOCK_SAMPLES = 480


class FakeSpeaker:
    """Takes 20 ms every 20 ms. Asserts that it is opened by one at a time."""

    def __init__(self, *, delay_seconds: float = 0.0) -> None:
        self._open_delay_seconds = delay_seconds
        self.is_open = False
        self.is_stuck = False
        """A device that was unplugged: it takes nothing, and says nothing."""
        self.refusals = 0
        """How many further openings fail."""
        self.openings = 0
        self.played = bytearray()
        """All that was taken, in one piece."""
        self.began_at: list[float] = []
        """Loop time of each opening."""

    @property
    def delay_seconds(self) -> float:
        return self._open_delay_seconds if self.is_open else 0.0

    @asynccontextmanager
    async def open(self, source: SoundSource) -> AsyncIterator[None]:
        assert not self.is_open, "opened twice"
        self.openings += 1
        if self.refusals > 0:
            self.refusals -= 1
            raise DeviceError("The fake speaker is not there.", hint="Plug it in.")
        self._source = source
        self._due = asyncio.get_running_loop().time()
        self.began_at.append(self._due)
        self.is_open = True
        self._take()
        try:
            yield
        finally:
            self._timer.cancel()
            self.is_open = False

    def sounds(self) -> bytes:
        """What was played without the silence before and after."""
        return bytes(self.played).strip(b"\0")

    def _take(self) -> None:
        if not self.is_stuck:
            pcm = self._source.read(BLOCK_SAMPLES)
            assert len(pcm) == BLOCK_SAMPLES * SAMPLE_BYTES, "a source gives what is asked for"
            self.played += pcm
        self._due += BLOCK_SAMPLES / PLAY_RATE_HZ
        self._timer = asyncio.get_running_loop().call_at(self._due, self._take)
