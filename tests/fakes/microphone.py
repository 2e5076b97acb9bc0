"""A microphone of the test's own, and a detector and encoder that a test can see through."""

import array
import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager

from voicehermes.audio import FRAME_BYTES, FRAME_SAMPLES, FRAME_SECONDS, to_pcm
from voicehermes.errors import DeviceError


def loud(mark: int) -> bytes:
    """A frame that LoudDetector takes for speech; ``mark`` (1 to 100) tells it from others."""
    return to_pcm(array.array("h", [10_000 + mark] * FRAME_SAMPLES))


def quiet(mark: int = 0) -> bytes:
    """A frame that LoudDetector takes for silence."""
    return to_pcm(array.array("h", [mark] * FRAME_SAMPLES))


class FakeMicrophone:
    """Gives a frame every FRAME_SECONDS of the loop's clock: what is to be heard, then silence.

    Asserts that it is opened once at a time.
    """

    def __init__(self) -> None:
        self.to_hear: deque[bytes] = deque()
        self.is_open = False
        self.openings = 0
        self.refusals = 0
        """How many further openings fail."""
        self._flows = asyncio.Event()
        self._flows.set()
        self._is_lost = False
        self.together = 1
        """So many frames come at once, when the last is due, where there is no hurry."""
        self.is_hurried = True

    def hurry(self, *, is_wanted: bool) -> None:
        self.is_hurried = is_wanted

    def hear(self, *frames: bytes) -> None:
        """Frames to give next, after those not given yet."""
        assert all(len(frame) == FRAME_BYTES for frame in frames)
        self.to_hear.extend(frames)

    def hang(self) -> None:
        """Give nothing until ``flow``, which then gives all that was held up at once."""
        self._flows.clear()

    def flow(self) -> None:
        """End a ``hang``."""
        self._flows.set()

    def lose(self) -> None:
        """The device goes away."""
        self._is_lost = True

    @asynccontextmanager
    async def open(self) -> AsyncIterator[AsyncIterator[bytes]]:
        assert not self.is_open, "opened twice"
        self.openings += 1
        if self.refusals:
            self.refusals -= 1
            raise DeviceError("The microphone is missing.")
        self._is_lost = False
        self.is_open = True
        try:
            async with aclosing(self._frames()) as frames:
                yield frames
        finally:
            self.is_open = False

    async def _frames(self) -> AsyncGenerator[bytes, None]:
        due = asyncio.get_running_loop().time()
        waiting: deque[bytes] = deque()
        while True:
            due += FRAME_SECONDS
            await asyncio.sleep(due - asyncio.get_running_loop().time())
            await self._flows.wait()
            if self._is_lost:
                raise DeviceError("The microphone is gone.")
            waiting.append(self.to_hear.popleft() if self.to_hear else quiet())
            if self.is_hurried or len(waiting) >= self.together:
                while waiting:
                    yield waiting.popleft()


class LoudDetector:
    """What is loud is speech, without a doubt."""

    is_sure: bool | None = False

    def is_speech(self, frame: bytes) -> bool:
        assert len(frame) == FRAME_BYTES
        is_speech = max(array.array("h", frame)) > 1_000
        self.is_sure = is_speech
        return is_speech

    def reset(self) -> None:
        """It remembers nothing."""


class CountingDetector(LoudDetector):
    """Counts what it was asked, and its resets."""

    def __init__(self) -> None:
        self.asked = 0
        self.resets = 0

    def is_speech(self, frame: bytes) -> bool:
        self.asked += 1
        return super().is_speech(frame)

    def reset(self) -> None:
        self.resets += 1


class PlainEncoder:
    """Gives back what was written. Asserts that it is finished once."""

    suffix = ".wav"

    def __init__(self) -> None:
        self.written = b""
        self.is_finished = False

    def write(self, pcm: bytes) -> None:
        assert not self.is_finished, "written after the end"
        self.written += pcm

    def finish(self) -> bytes:
        assert not self.is_finished, "finished twice"
        self.is_finished = True
        return self.written
