"""A speaker that is none: takes sound at the pace of real time and lets it go.

For ``[audio] output = "null"``, and in place of a speaker that is not there.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from voicehermes.audio import PLAY_RATE_HZ, samples_in
from voicehermes.ports import SoundSource

_BLOCK_SECONDS = 0.02


class NullSpeaker:
    """Reads on the event loop, by its clock."""

    delay_seconds = 0.0

    @asynccontextmanager
    async def open(self, source: SoundSource) -> AsyncIterator[None]:
        """See Speaker.open. Never fails."""
        pull = _Pull(source)
        try:
            yield
        finally:
            pull.stop()


class _Pull:
    """Takes a block each time that one would have been played."""

    def __init__(self, source: SoundSource) -> None:
        self._source = source
        self._loop = asyncio.get_running_loop()
        self._due = self._loop.time()
        self._timer = self._loop.call_at(self._due, self._take)

    def stop(self) -> None:
        """Take no more."""
        self._timer.cancel()

    def _take(self) -> None:
        self._source.read(samples_in(_BLOCK_SECONDS, PLAY_RATE_HZ))
        self._due += _BLOCK_SECONDS
        self._timer = self._loop.call_at(self._due, self._take)
