"""What the speaker pulls: clips one after another, cues over them. Thread-safe, no waiting.

There are two lanes. The queue holds replies; it gives way to what is in front: sentences of ours
and questions. A question shuts a gate behind itself: the queue stands still until it is released,
from the question's first sample on, whether or not more of the question is still to come.

Knows samples and no clock: what of it is heard when, playback.py works out.
"""

import math
import threading
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from voicehermes.audio import (
    PLAY_RATE_HZ,
    SAMPLE_BYTES,
    Sound,
    samples_in,
    to_pcm,
    to_samples,
)
from voicehermes.speaking.breaks import next_pause, quietest
from voicehermes.speaking.joining import FADE_SECONDS, faded
from voicehermes.speaking.loudness import Loudness

_NEAR_BYTES = samples_in(0.5, PLAY_RATE_HZ) * SAMPLE_BYTES
"""A stop that may not wait for a pause is moved by so much at most, to where it is heard least."""

_FADE_BYTES = samples_in(FADE_SECONDS, PLAY_RATE_HZ) * SAMPLE_BYTES

_INAUDIBLE = 33
"""Amplitude (-60 dBFS) of the softest sound that a room gives back to a microphone so that it could
be taken for speech: the pauses behind clips lie below, and so do the ends of most fades."""


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
    """Samples from the block's begin to the last that can be heard; 0 = silence."""
    pcm: bytes
    """All of it, at the volume at which it was given."""


class _Clip:
    """A clip of a lane; ``taken`` bytes of it went to the device."""

    __slots__ = ("ends_sentence", "pcm", "shuts", "tag", "taken")

    def __init__(self, tag: int, pcm: bytes, *, ends_sentence: bool, shuts: bool) -> None:
        self.tag = tag
        self.pcm = pcm
        self.taken = 0
        self.ends_sentence = ends_sentence
        self.shuts = shuts
        """Whether the gate is shut when it begins."""


_Place = tuple[_Clip, int]
"""A clip of the queue, and a byte of it."""


class Mixer:
    """Two lanes of clips that can be paused, and a layer above them for cues and fade-outs.

    No sample of a clip is left out or given twice to the device, however often it is paused or
    gives way; only the 5 ms that fade out there are heard again, fading in. ``given`` is called
    after each read, on the device's thread.
    """

    def __init__(self, given: Callable[[Block], None], *, volume: float = 1.0) -> None:
        self._given = given
        self._loudness = Loudness(volume)
        self._lock = threading.Lock()
        self._queue: deque[_Clip] = deque()
        self._front: deque[_Clip] = deque()
        self._above = b""
        self._is_paused = False
        self._is_held = False
        """Whether the queue has given way."""
        self._is_shut = False
        """Whether it stays so when nothing is in front any more. Shut is always held."""
        self._stop: _Place | None = None
        """Where the queue gives way; None: at its end. Only while something waits in front."""
        self._is_between = True
        """Whether a clip of the queue that did not begin yet begins a sentence."""

    def enqueue(self, tag: int, sound: Sound, *, ends_sentence: bool = True) -> None:
        """Play a clip after all others of the queue."""
        with self._lock:
            clip = _Clip(tag, sound.pcm, ends_sentence=ends_sentence, shuts=False)
            self._queue.append(clip)

    def interject(self, tag: int, sound: Sound, *, shuts: bool = False) -> None:
        """Play a clip in front of the queue, behind others there, once the queue gives way.

        That is where ``give_way`` said, or else at its end.
        """
        with self._lock:
            self._front.append(_Clip(tag, sound.pcm, ends_sentence=True, shuts=shuts))

    def give_way(self, within_seconds: float = math.inf) -> None:
        """Let the queue stop at the next end of a sentence, for what is in front.

        After so much more sound at the latest, wherever that is.
        """
        with self._lock:
            ahead = [(clip, clip.taken) for clip in self._queue]
            is_between = self._is_between
        # The device does not wait while a place is looked for.
        at_beginning = is_between and ahead and not ahead[0][1]
        place = None if at_beginning else _next_break(ahead, within_seconds)
        with self._lock:
            if not self._may_give_way:
                return
            if place is None:
                place = self._queue[0], self._queue[0].taken
            if self._stop is None or self._order(place) < self._order(self._stop):
                self._stop = place

    def give_way_behind(self) -> None:
        """Let the queue stop after all that is in it now."""
        with self._lock:
            if self._may_give_way:
                self._stop = self._queue[-1], len(self._queue[-1].pcm)

    @property
    def volume(self) -> float:
        """What all samples are multiplied by; what is too loud then is clipped."""
        return self._loudness.volume

    @volume.setter
    def volume(self, volume: float) -> None:
        with self._lock:
            self._loudness.set_volume(volume)

    def overlay(self, sound: Sound) -> None:
        """Play a sound at once, above everything, even while paused."""
        with self._lock:
            self._above = _mixed(self._above, sound.pcm)

    def pause(self) -> None:
        """Be silent within 5 ms, and stay where the lanes are. Pausing twice is pausing once.

        What is heard then is as loud as ever.
        """
        with self._lock:
            if not self._is_paused:
                self._fade_out(self._lane)
                self._is_paused = True
                self._loudness.unduck()

    def resume(self) -> None:
        """Go on where ``pause`` stopped. A gate that is shut stays shut."""
        with self._lock:
            if self._is_paused:
                self._is_paused = False
                self._fade_in(self._lane)

    def hold(self) -> None:
        """Make of a pause a shut gate: what is in front may sound, and the queue stands still."""
        with self._lock:
            if self._is_paused:
                self._is_paused = False
                self._is_held = self._is_shut = True
                self._stop = None
                self._fade_in(self._front)

    def release(self) -> None:
        """Open the gate: the queue goes on after what is in front."""
        with self._lock:
            self._is_shut = False

    def drop(self, tags: Collection[int]) -> None:
        """Forget these clips; the one being played ends within 5 ms. The gate stays as it is."""
        with self._lock:
            lane = self._lane
            if lane and lane[0].tag in tags and not self._is_paused:
                self._fade_out(lane)
            if self._queue and self._queue[0].tag in tags:
                self._is_between = True
            self._queue = deque(clip for clip in self._queue if clip.tag not in tags)
            self._front = deque(clip for clip in self._front if clip.tag not in tags)
            if not self._front:
                self._stop = None

    def duck(self) -> None:
        """Be much softer within 20 ms, until ``unduck`` or ``pause``."""
        with self._lock:
            self._loudness.duck()

    def unduck(self) -> None:
        """Be as loud as before again."""
        with self._lock:
            self._loudness.unduck()

    @property
    def is_shut(self) -> bool:
        """Whether the queue stands still until ``release``."""
        with self._lock:
            return self._is_shut

    @property
    def is_silent(self) -> bool:
        """Whether the next read gives nothing but silence."""
        with self._lock:
            has_sound = self._front or (self._queue and not self._is_shut)
            return not self._above and (self._is_paused or not has_sound)

    @property
    def queued_seconds(self) -> float:
        """Length of what is in both lanes and not yet given to the device."""
        with self._lock:
            left = sum(len(clip.pcm) - clip.taken for clip in (*self._front, *self._queue))
        return left / SAMPLE_BYTES / PLAY_RATE_HZ

    @property
    def overlaid_seconds(self) -> float:
        """Length of what is still to be heard above the queue: a cue, a fade."""
        with self._lock:
            return len(self._above) / SAMPLE_BYTES / PLAY_RATE_HZ

    def taken_seconds(self, tag: int) -> float:
        """How much of a clip was given to the device; 0.0 for one that is not there any more."""
        with self._lock:
            clips = (*self._front, *self._queue)
            taken = next((clip.taken for clip in clips if clip.tag == tag), 0)
        return taken / SAMPLE_BYTES / PLAY_RATE_HZ

    def read(self, samples: int) -> bytes:
        """The next so many samples; silence where there is none."""
        size = samples * SAMPLE_BYTES
        marks: list[Mark] = []
        with self._lock:
            taken = b"" if self._is_paused else self._take(size, marks)
            above, self._above = self._above[:size], self._above[size:]
            pcm = self._loudness.scaled(_mixed(taken, above), samples)
        sounding = _sounding(pcm)
        pcm = pcm.ljust(size, b"\0")
        self._given(Block(tuple(marks), sounding, pcm))
        return pcm

    @property
    def _lane(self) -> deque[_Clip]:
        """What is being played, unless the sound is paused."""
        return self._front if self._is_held else self._queue

    @property
    def _may_give_way(self) -> bool:
        return bool(self._front and self._queue) and not self._is_held

    def _take(self, size: int, marks: list[Mark]) -> bytes:
        pieces, filled = [], 0
        while filled < size:
            self._change_over(filled)
            if not self._lane:
                break
            clip = self._lane[0]
            if clip.shuts:
                self._is_shut = True
            if clip.taken == 0:
                marks.append(Mark(clip.tag, False, filled // SAMPLE_BYTES))
            end = self._stop[1] if self._stop and self._stop[0] is clip else len(clip.pcm)
            piece = clip.pcm[clip.taken : min(end, clip.taken + size - filled)]
            pieces.append(piece)
            filled += len(piece)
            clip.taken += len(piece)
            if clip.taken >= len(clip.pcm):
                self._lane.popleft()
                if not self._is_held:
                    self._is_between = clip.ends_sentence
                marks.append(Mark(clip.tag, True, filled // SAMPLE_BYTES))
        return b"".join(pieces)

    def _change_over(self, filled: int) -> None:
        """From one lane to the other, where it is time; so much of the block is filled."""
        if not self._is_held:
            if self._front and self._is_at_stop():
                self._fade_out(self._queue, filled)
                self._is_held = True
                self._stop = None
        elif not self._front and not self._is_shut:
            self._is_held = False
            self._fade_in(self._queue)

    def _is_at_stop(self) -> bool:
        if self._stop is None:
            return not self._queue
        clip, byte = self._stop
        return clip not in self._queue or (clip is self._queue[0] and clip.taken >= byte)

    def _order(self, place: _Place) -> tuple[int, int]:
        clip, byte = place
        return (self._queue.index(clip) if clip in self._queue else -1), byte

    def _fade_out(self, lane: deque[_Clip], after: int = 0) -> None:
        """Lay what comes next above, falling to silence; the lane itself stays as it is.

        ``after`` so many bytes of what is read next.
        """
        if lane and lane[0].taken:
            clip = lane[0]
            tail = faded(clip.pcm[clip.taken : clip.taken + _FADE_BYTES], falling=True)
            self._above = _mixed(self._above, bytes(after) + tail)

    def _fade_in(self, lane: deque[_Clip]) -> None:
        """Let the clip that was stopped rise where it goes on."""
        if lane and lane[0].taken:
            clip = lane[0]
            end = clip.taken + _FADE_BYTES
            rise = faded(clip.pcm[clip.taken : end], rising=True)
            clip.pcm = clip.pcm[: clip.taken] + rise + clip.pcm[end:]


def _next_break(ahead: Sequence[tuple[_Clip, int]], within_seconds: float) -> _Place | None:
    """Where the clips, of which so many bytes are taken, had best stop; None: there are none."""
    left = within_seconds * PLAY_RATE_HZ * SAMPLE_BYTES
    for clip, taken in ahead:
        size = len(clip.pcm)
        end = size if left >= size - taken else taken + int(left) // SAMPLE_BYTES * SAMPLE_BYTES
        place = next_pause(clip.pcm, taken, end)
        if place is not None:
            return clip, place
        if end < size:
            return clip, quietest(clip.pcm, max(taken, end - _NEAR_BYTES), end)
        if clip.ends_sentence or clip is ahead[-1][0]:
            return clip, size
        left -= size - taken
    return None


def _sounding(pcm: bytes) -> int:
    """How many samples there are up to the last that can be heard."""
    samples = to_samples(pcm)
    for count in range(len(samples), 0, -1):
        if abs(samples[count - 1]) > _INAUDIBLE:
            return count
    return 0


def _mixed(one: bytes, other: bytes) -> bytes:
    """Both at once, as long as the longer; what would be too loud is clipped."""
    if not one or not other:
        return one or other
    short, long = sorted((to_samples(one), to_samples(other)), key=len)
    for i, sample in enumerate(short):
        long[i] = max(-32768, min(32767, long[i] + sample))
    return to_pcm(long)
