"""Our own sound, laid beside what the microphone heard at the same time. Pure.

An echo canceller wants for each piece of the microphone's sound the piece of ours whose echo may be
in it. Here that is found by the clock; what the clock does not tell (the way through the air, a
Bluetooth link, the microphone's own delay) the canceller finds out by itself, as long as our sound
never comes after its echo.
"""

from collections import deque

from voicehermes.audio import FRAME_BYTES, FRAME_SAMPLES, RATE_HZ, SAMPLE_BYTES, samples_in

LEAD_SECONDS = 0.01
"""Our sound is given so long before it is heard: WebRTC's canceller finds echoes that come 10 to
500 ms after the sound (measured), and the microphone gives them some 10 ms late."""

_STEP = samples_in(0.01)
"""What comes too late is given so much later than it must, so that it does not soon happen again:
after every step the canceller learns anew."""

_STREAM_GAP_SECONDS = 0.2
"""A longer hole than any device's hiccup: the speaker was closed in between."""

_EARLY_SECONDS = 0.2
"""Our sound may be so much before its time: a canceller must learn anew after each jump."""

_LATE_SECONDS = 0.03
"""And so much after it; more while a device is late to take it."""

_REMEMBERED_BLOCKS = 100
"""Two seconds of a device's blocks."""

_MOST_BYTES = samples_in(2.0) * SAMPLE_BYTES
"""Of what nobody asked for: the microphone is closed."""


class FarEnd:
    """What was played, as one stream of s16le mono at RATE_HZ; pieces are taken in order of time.

    Samples follow each other as long as the speaker is open, so their count is a clock; it is set
    by the block that the device took soonest.
    """

    def __init__(self) -> None:
        self._pcm = bytearray()
        self._first = 0
        """The number of the first sample that is kept."""
        self._offsets: deque[float] = deque(maxlen=_REMEMBERED_BLOCKS)
        """When sample 0 is heard, as each block has it."""
        self._heard_at = 0.0
        """When it is heard."""
        self._next: int | None = None
        """The number of the sample that the next piece begins with; None: the clock tells."""

    def played(self, pcm: bytes, at: float) -> bool:
        """The next block, whose first sample is heard at that time; silence too.

        Returns whether it is the first since the speaker was opened.
        """
        end = self._first + len(self._pcm) // SAMPLE_BYTES
        is_first = not self._offsets
        if self._offsets and at - end / RATE_HZ > self._heard_at + _STREAM_GAP_SECONDS:
            self._begin_anew()
            is_first, end = True, 0
        self._offsets.append(at - end / RATE_HZ)
        self._heard_at = min(self._offsets)
        self._pcm += pcm
        self._forget(len(self._pcm) - _MOST_BYTES)
        return is_first

    def piece(self, ended_at: float) -> bytes:
        """FRAME_BYTES of it for the frame whose sound ended then; silence where there is none."""
        if not self._offsets:
            return bytes(FRAME_BYTES)
        place = samples_in(ended_at + LEAD_SECONDS - self._heard_at) - FRAME_SAMPLES
        if self._next is None or self._is_off(place - self._next, place + FRAME_SAMPLES):
            self._next = place
        before = max(0, min(FRAME_SAMPLES, self._first - self._next)) * SAMPLE_BYTES
        self._forget((self._next - self._first) * SAMPLE_BYTES)
        taken = bytes(self._pcm[: FRAME_BYTES - before])
        self._next += FRAME_SAMPLES
        missing = FRAME_BYTES - before - len(taken)
        if missing:
            # It is not left out: it comes later, as it does at the device.
            self._next -= missing // SAMPLE_BYTES + (_STEP if taken else 0)
        return (bytes(before) + taken).ljust(FRAME_BYTES, b"\0")

    def _is_off(self, late: int, end: int) -> bool:
        """Whether a piece that is so late is better taken where the clock says, up to ``end``."""
        is_there = end <= self._first + len(self._pcm) // SAMPLE_BYTES
        latest = _LATE_SECONDS if is_there else _STREAM_GAP_SECONDS
        return not -_EARLY_SECONDS <= late / RATE_HZ <= latest

    def _begin_anew(self) -> None:
        self._pcm.clear()
        self._offsets.clear()
        self._first = 0
        self._next = None

    def _forget(self, size: int) -> None:
        """Forget so many bytes, if there are so many."""
        size = max(0, min(size, len(self._pcm)))
        del self._pcm[:size]
        self._first += size // SAMPLE_BYTES
