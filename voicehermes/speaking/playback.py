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

_PROOF_SECONDS = 0.01
"""How often it is looked whether the speaker went on after what must be heard."""


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


@dataclass(frozen=True, slots=True)
class ClipLost:
    """A clip that must be heard was not, or not surely. It is not forgotten by that."""

    tag: int
    error: DeviceError


PlaybackEvent = ClipBegan | ClipEnded | SpeakerFailed | ClipLost


class Playback:
    """One continuous output stream for clips and cues.

    All methods but ``run`` are for the event loop's thread and return at once. The events of a
    clip come in order, each once; a dropped clip has no further ones from the drop on.

    Clips of a question must be heard: of one that the stand-in took, or that a speaker held when it
    failed, ClipLost is told before any ClipEnded is.
    """

    def __init__(
        self,
        speaker: Speaker,
        stand_in: Speaker,
        *,
        volume: float = 1.0,
        played: Callable[[bytes, float], None] | None = None,
    ) -> None:
        """``played`` is told all that the speaker takes, see EchoCanceller.played."""
        self._speaker = speaker
        self._stand_in = stand_in
        self._played = played
        self._mixer = Mixer(self._given, volume=volume)
        self._wanted = asyncio.Event()
        self._wanted_at = 0.0
        self._playing = speaker
        self._taken_at = 0.0
        self._heard_until: float | None = None
        self._tags: set[int] = set()
        self._must_be_heard: set[int] = set()
        self._failure: DeviceError | None = None
        """Why there is no speaker at the moment."""
        self._due: deque[tuple[float, ClipBegan | ClipEnded]] = deque()

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
                self._failure = error
                self._tell_of_lost(error)
                await self._do_without(failures)
                self._failure = None

    def enqueue(self, tag: int, sound: Sound, *, ends_sentence: bool = True) -> None:
        """Play a clip after all others of the queue."""
        self._tags.add(tag)
        self._mixer.enqueue(tag, sound, ends_sentence=ends_sentence)
        self.warm()

    def interject(self, tag: int, sound: Sound) -> None:
        """Play a clip at the next end of a sentence, in front of what is queued."""
        self._tags.add(tag)
        self._mixer.interject(tag, sound)
        self._mixer.give_way()
        self.warm()

    def interject_question(self, tag: int, sound: Sound) -> None:
        """Play a clip that must be heard, once the queue gives way; it shuts the gate behind it."""
        self._tags.add(tag)
        self._must_be_heard.add(tag)
        self._mixer.interject(tag, sound, shuts=True)
        self.warm()
        if self._failure:
            asyncio.get_running_loop().call_soon(self._tell_of_lost, self._failure)

    def give_way(self, within_seconds: float) -> None:
        """Let the queue stop for what is in front: at the next end of a sentence.

        It is silent after so many seconds at the latest, unless the sound is paused.
        """
        self._mixer.give_way(within_seconds - self._playing.delay_seconds)

    def give_way_behind(self) -> None:
        """Let the queue stop for what is in front, but after all that is in it now."""
        self._mixer.give_way_behind()

    def cue(self, sound: Sound) -> None:
        """Play a sound at once, over everything, even while paused."""
        self._mixer.overlay(sound)
        self.warm()

    def pause(self) -> None:
        """Be silent at once. What is queued waits."""
        self._mixer.pause()

    def resume(self) -> None:
        """Go on with the sample at which ``pause`` stopped. A gate that is shut stays shut."""
        self._mixer.resume()
        self._warm_for_sound()

    def hold(self) -> None:
        """Make of a pause a shut gate: what is in front may sound, and the queue stands still."""
        self._mixer.hold()
        self._warm_for_sound()

    def release(self) -> None:
        """Open the gate: the queue goes on after what is in front."""
        self._mixer.release()
        self._warm_for_sound()

    def duck(self) -> None:
        """Be much softer at once, until ``unduck`` or ``pause``."""
        self._mixer.duck()

    def unduck(self) -> None:
        """Be as loud as before again."""
        self._mixer.unduck()

    @property
    def is_shut(self) -> bool:
        """Whether the queue stands still until ``release``."""
        return self._mixer.is_shut

    @property
    def volume(self) -> float:
        """What all sound is multiplied by, cues too."""
        return self._mixer.volume

    @volume.setter
    def volume(self, volume: float) -> None:
        self._mixer.volume = volume

    def drop(self, tags: Collection[int]) -> None:
        """Forget these clips; the one being played ends at once."""
        self._mixer.drop(tags)
        self._tags.difference_update(tags)
        self._must_be_heard.difference_update(tags)

    def heard_seconds(self, tag: int) -> float:
        """How much was heard of a clip that was not heard to its end; an estimate."""
        return max(0.0, self._mixer.taken_seconds(tag) - self._playing.delay_seconds)

    def warm(self) -> None:
        """Open the speaker ahead of need."""
        self._wanted_at = asyncio.get_running_loop().time()
        self._wanted.set()

    @property
    def queued_seconds(self) -> float:
        """Length of what the device has not yet taken."""
        return self._mixer.queued_seconds

    @property
    def overlaid_seconds(self) -> float:
        """Length of the cue that is being heard."""
        return self._mixer.overlaid_seconds

    @property
    def heard_until(self) -> float | None:
        """Loop time at which the newest sound of ours is or was heard; None: there was none yet.

        Moves on as long as something plays that can be heard.
        """
        return self._heard_until

    def _warm_for_sound(self) -> None:
        if not self._mixer.is_silent:
            self.warm()

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
        if self._played and self._playing is self._speaker:
            self._played(block.pcm, now + delay)
        if block.marks:
            self._loop.call_soon_threadsafe(self._schedule, block.marks, now, delay)

    def _schedule(self, marks: tuple[Mark, ...], now: float, delay: float) -> None:
        """Tell of each mark when it is heard, in their order."""
        for mark in marks:
            at = now + mark.sample / PLAY_RATE_HZ
            event = ClipEnded(mark.tag, at) if mark.is_end else ClipBegan(mark.tag, at)
            self._due.append((at + delay, event))
            self._loop.call_at(at + delay, self._tell_due)

    def _tell_due(self) -> None:
        """Called once for each event that is due, at its time or a little later."""
        due, event = self._due[0]
        if event.tag in self._must_be_heard and self._taken_at < due:
            # A speaker that goes away takes with it what it has not played yet.
            self._loop.call_later(_PROOF_SECONDS, self._tell_due)
            return
        self._due.popleft()
        if event.tag not in self._tags:
            return
        if isinstance(event, ClipEnded):
            self._tags.discard(event.tag)
            self._must_be_heard.discard(event.tag)
        self._sink(event)

    def _tell_of_lost(self, error: DeviceError) -> None:
        for tag in sorted(self._must_be_heard):
            if tag in self._must_be_heard:  # else dropped by who was told before
                self._sink(ClipLost(tag, error))
