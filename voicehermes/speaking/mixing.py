"""What the speaker pulls: clips one after another, cues over them. Thread-safe, no waiting.

Knows samples and no clock: what of it is heard when, playback.py works out.
"""

import threading
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass

from voicehermes.audio import (
    PLAY_RATE_HZ,
    SAMPLE_BYTES,
    Sound,
    samples_in,
    to_pcm,
    to_samples,
)
from voicehermes.speaking.joining import FADE_SECONDS, faded

_FADE_BYTES = samples_in(FADE_SECONDS, PLAY_RATE_HZ) * SAMPLE_BYTES


@dataclass(frozen=True, slots=True)
class Mark:
    """The first sample of a clip, or the end of its last."""

    tag: int
    is_end: bool
    sample: int
    """Its place in the block."""


@dataclass(frozen=True, slots=True)
class Block:
    """What one read gave to the device."""

    marks: tuple[Mark, ...]
    """In the order of playing."""
    sounding: int
    """Samples from the block's begin to the end of its last sound; 0 = silence."""


class _Clip:
    """A clip of the queue; ``taken`` bytes of it went to the device."""

    __slots__ = ("pcm", "tag", "taken")

    def __init__(self, tag: int, pcm: bytes) -> None:
        self.tag = tag
        self.pcm = pcm
        self.taken = 0


class Mixer:
    """A queue of clips that can be paused, and a layer above it for cues and fade-outs.

    No sample of a clip is left out or given twice to the device, however often it is paused; only
    the 5 ms that fade out at a pause are heard again, fading in. ``given`` is called after each
    read, on the device's thread.
    """

    def __init__(self, given: Callable[[Block], None], *, volume: float = 1.0) -> None:
        self._given = given
        self._volume = volume
        self._lock = threading.Lock()
        self._clips: deque[_Clip] = deque()
        self._above = b""
        self._paused = False

    def enqueue(self, tag: int, sound: Sound, *, after: int | None = None) -> None:
        """Play a clip after all others.

        With ``after``, right after that clip; if that is over, before all that did not begin.
        """
        clip = _Clip(tag, sound.pcm)
        with self._lock:
            if after is None:
                self._clips.append(clip)
                return
            tags = [waiting.tag for waiting in self._clips]
            begun = bool(self._clips) and self._clips[0].taken > 0
            self._clips.insert(tags.index(after) + 1 if after in tags else int(begun), clip)

    def overlay(self, sound: Sound) -> None:
        """Play a sound at once, above everything, even while paused."""
        with self._lock:
            self._above = _mixed(self._above, sound.pcm)

    def pause(self) -> None:
        """Be silent within 5 ms, and stay where the queue is. Pausing twice is pausing once."""
        with self._lock:
            if not self._paused:
                self._paused = True
                self._fade_out()

    def resume(self) -> None:
        """Go on where ``pause`` stopped."""
        with self._lock:
            if self._paused:
                self._paused = False
                self._fade_in()

    def drop(self, tags: Collection[int]) -> None:
        """Forget these clips; the one being played ends within 5 ms."""
        with self._lock:
            if self._clips and self._clips[0].tag in tags and not self._paused:
                self._fade_out()
            self._clips = deque(clip for clip in self._clips if clip.tag not in tags)

    @property
    def is_silent(self) -> bool:
        """Whether the next read gives nothing but silence."""
        with self._lock:
            return not self._above and (self._paused or not self._clips)

    @property
    def queued_seconds(self) -> float:
        """Length of what is queued and not yet given to the device."""
        with self._lock:
            left = sum(len(clip.pcm) - clip.taken for clip in self._clips)
        return left / SAMPLE_BYTES / PLAY_RATE_HZ

    def read(self, samples: int) -> bytes:
        """The next so many samples; silence where there is none."""
        size = samples * SAMPLE_BYTES
        marks: list[Mark] = []
        with self._lock:
            queued = b"" if self._paused else self._take(size, marks)
            above, self._above = self._above[:size], self._above[size:]
        pcm = _scaled(_mixed(queued, above), self._volume)
        self._given(Block(tuple(marks), len(pcm) // SAMPLE_BYTES))
        return pcm.ljust(size, b"\0")

    def _take(self, size: int, marks: list[Mark]) -> bytes:
        pieces, filled = [], 0
        while filled < size and self._clips:
            clip = self._clips[0]
            if clip.taken == 0:
                marks.append(Mark(clip.tag, False, filled // SAMPLE_BYTES))
            piece = clip.pcm[clip.taken : clip.taken + size - filled]
            pieces.append(piece)
            filled += len(piece)
            clip.taken += len(piece)
            if clip.taken >= len(clip.pcm):
                self._clips.popleft()
                marks.append(Mark(clip.tag, True, filled // SAMPLE_BYTES))
        return b"".join(pieces)

    def _fade_out(self) -> None:
        """Lay what comes next above, falling to silence; the queue itself stays as it is."""
        if self._clips and self._clips[0].taken:
            clip = self._clips[0]
            tail = clip.pcm[clip.taken : clip.taken + _FADE_BYTES]
            self._above = _mixed(self._above, faded(tail, falling=True))

    def _fade_in(self) -> None:
        """Let the clip that was stopped rise where it goes on."""
        if self._clips and self._clips[0].taken:
            clip = self._clips[0]
            end = clip.taken + _FADE_BYTES
            rise = faded(clip.pcm[clip.taken : end], rising=True)
            clip.pcm = clip.pcm[: clip.taken] + rise + clip.pcm[end:]


def _mixed(one: bytes, other: bytes) -> bytes:
    """Both at once, as long as the longer; what would be too loud is clipped."""
    if not one or not other:
        return one or other
    short, long = sorted((to_samples(one), to_samples(other)), key=len)
    for i, sample in enumerate(short):
        long[i] = max(-32768, min(32767, long[i] + sample))
    return to_pcm(long)


def _scaled(pcm: bytes, volume: float) -> bytes:
    """The PCM at another volume, 0 to 1."""
    if volume == 1.0 or not pcm:
        return pcm
    samples = to_samples(pcm)
    for i, sample in enumerate(samples):
        samples[i] = int(sample * volume)
    return to_pcm(samples)
