"""Sound out: opens the speaker when there is something to play, and knows what was heard when.

A speaker that fails is reported once and tried again. Meanwhile a stand-in takes the sound at its
pace, so that whoever waits for the end of a reply does not wait for ever.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Collection
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import NoReturn

from voicehermes.audio import PLAY_RATE_HZ, Sound
from voicehermes.errors import DeviceError
from voicehermes.ports import Speaker
from voicehermes.speaking.mixing import Block, Mark, Mixer

IDLE_SECONDS = 10.0
"""An open speaker without sound is closed after this: a reply's next clip must not wait for it."""

OPEN_SECONDS = 10.0
"""Longest wait for a speaker to open: a Bluetooth headset takes a few."""

STALL_SECONDS = 2.0
"""A speaker that takes nothing for so long is lost: an unplugged one just falls silent."""

RETRY_SECONDS = (0.2, 1.0, 2.0, 5.0, 10.0)
"""Waits between tries to open the speaker. During the first, sound waits for it."""

_WATCH_SECONDS = 0.25
"""How often an open speaker is looked at."""


@dataclass(frozen=True, slots=True)
class ClipBegan:
    """The first sample of a clip is heard now."""

    tag: int
    at: float
    """Loop time at which the device took the sample."""


@dataclass(frozen=True, slots=True)
class ClipEnded:
    """The last sample of a clip was heard."""

    tag: int
    at: float
    """Loop time at which the device took the sample."""


@dataclass(frozen=True, slots=True)
class SpeakerFailed:
    """There is no sound. Told once, until a speaker works again."""

    error: DeviceError


PlaybackEvent = ClipBegan | ClipEnded | SpeakerFailed


class Playback:
    """One continuous output stream for clips and cues.

    All methods but ``run`` are for the event loop's thread and return at once. The events of a
    clip come in order, each once; a dropped clip has no further ones from the drop on.
    """

    def __init__(self, speaker: Speaker, stand_in: Speaker, *, volume: float = 1.0) -> None:
        self._speaker = speaker
        self._stand_in = stand_in
        self._mixer = Mixer(self._given, volume=volume)
        self._wanted = asyncio.Event()
        self._wanted_at = 0.0
        self._playing = speaker
        self._taken_at = 0.0
        self._heard_until: float | None = None
        self._tags: set[int] = set()
        self._due: deque[ClipBegan | ClipEnded] = deque()

    async def run(self, sink: Callable[[PlaybackEvent], None]) -> NoReturn:
        """Play until cancelled. ``sink`` is called on the event loop."""
        self._loop = asyncio.get_running_loop()
        self._sink = sink
        failures = 0
        while True:
            await self._wanted.wait()
            try:
                self._playing = self._speaker
                async with AsyncExitStack() as stack:
                    await self._open(stack)
                    self._taken_at = self._loop.time()
                    failures = 0
                    await self._wait_idle()
            except DeviceError as error:
                if failures == 0:
                    sink(SpeakerFailed(error))
                failures += 1
                await self._do_without(failures)

    def enqueue(self, tag: int, sound: Sound, *, after: int | None = None) -> None:
        """Play a clip after all others; with ``after`` right after that one, see Mixer."""
        self._tags.add(tag)
        self._mixer.enqueue(tag, sound, after=after)
        self.warm()

    def cue(self, sound: Sound) -> None:
        """Play a sound at once, over everything, even while paused."""
        self._mixer.overlay(sound)
        self.warm()

    def pause(self) -> None:
        """Be silent at once. What is queued waits."""
        self._mixer.pause()

    def resume(self) -> None:
        """Go on with the sample at which ``pause`` stopped."""
        self._mixer.resume()
        if not self._mixer.is_silent:
            self.warm()

    def drop(self, tags: Collection[int]) -> None:
        """Forget these clips; the one being played ends at once."""
        self._mixer.drop(tags)
        self._tags.difference_update(tags)

    def warm(self) -> None:
        """Open the speaker ahead of need."""
        self._wanted_at = asyncio.get_running_loop().time()
        self._wanted.set()

    @property
    def queued_seconds(self) -> float:
        """Length of what the device has not yet taken."""
        return self._mixer.queued_seconds

    @property
    def heard_until(self) -> float | None:
        """Loop time at which the newest sound of ours is or was heard; None: there was none yet.

        Moves on as long as something plays.
        """
        return self._heard_until

    async def _open(self, stack: AsyncExitStack) -> None:
        try:
            async with asyncio.timeout(OPEN_SECONDS):
                await stack.enter_async_context(self._speaker.open(self._mixer))
        except TimeoutError:
            raise DeviceError(
                "The speaker does not open.", hint="Is the sound service running?"
            ) from None

    async def _wait_idle(self) -> None:
        """Returns when there was no sound for IDLE_SECONDS. Raises DeviceError on a stall."""
        while True:
            await asyncio.sleep(_WATCH_SECONDS)
            now = self._loop.time()
            if not self._mixer.is_silent:
                self._wanted_at = now
            if now - self._taken_at > STALL_SECONDS:
                raise DeviceError(
                    "The speaker stopped taking sound.", hint="Check that it is plugged in."
                )
            if now - self._wanted_at > IDLE_SECONDS:
                self._wanted.clear()
                return

    async def _do_without(self, failures: int) -> None:
        """Until the next try is due: wait for the speaker, or play to the stand-in."""
        seconds = RETRY_SECONDS[min(failures, len(RETRY_SECONDS)) - 1]
        if failures == 1:
            await asyncio.sleep(seconds)
            return
        self._playing = self._stand_in
        async with self._stand_in.open(self._mixer):
            await asyncio.sleep(seconds)
        if self._mixer.is_silent:
            self._wanted.clear()

    def _given(self, block: Block) -> None:
        """Called by the mixer on the device's thread: copies, hands over, returns."""
        now = self._loop.time()
        delay = self._playing.delay_seconds
        self._taken_at = now
        if block.sounding:
            self._heard_until = now + block.sounding / PLAY_RATE_HZ + delay
        if block.marks:
            self._loop.call_soon_threadsafe(self._schedule, block.marks, now, delay)

    def _schedule(self, marks: tuple[Mark, ...], now: float, delay: float) -> None:
        """Tell of each mark when it is heard, in their order."""
        for mark in marks:
            at = now + mark.sample / PLAY_RATE_HZ
            event = ClipEnded(mark.tag, at) if mark.is_end else ClipBegan(mark.tag, at)
            self._due.append(event)
            self._loop.call_at(at + delay, self._tell_due)

    def _tell_due(self) -> None:
        """Called once for each event that is due, at its time or a little later."""
        event = self._due.popleft()
        if event.tag not in self._tags:
            return
        if isinstance(event, ClipEnded):
            self._tags.discard(event.tag)
        self._sink(event)
