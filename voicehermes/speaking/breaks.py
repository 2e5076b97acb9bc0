"""Where in a clip it is best to stop for a while. Pure.

Places are bytes of s16le mono at PLAY_RATE_HZ, always at the beginning of a sample.
"""

from collections.abc import Sequence

from voicehermes.audio import PLAY_RATE_HZ, SAMPLE_BYTES, samples_in, to_samples
from voicehermes.speaking.joining import SENTENCE_PAUSE_SECONDS

_PAUSE_SECONDS = 0.25
"""Between two sentences a voice is quiet for longer (espeak-ng 0.26 to 0.35 s), at a comma it is
not (espeak-ng 0.2 s, edge-tts 0.24 s)."""

_QUIET_BELOW_PEAK = 10 ** (-40 / 20)
"""Between sentences, voices are 50 dB below their peak; some breathe."""

_QUIET_FLOOR = 8
"""What is never louder than this (-72 dBFS) is quiet beside anything."""

_BLOCK = samples_in(0.005, PLAY_RATE_HZ)


def next_pause(pcm: bytes, begin: int, end: int) -> int | None:
    """The first place from ``begin`` to ``end`` that lies between two sentences, if one does.

    It is as far behind the last word as the end of a clip would be.
    """
    needed = samples_in(_PAUSE_SECONDS, PLAY_RATE_HZ) // _BLOCK
    inside = samples_in(SENTENCE_PAUSE_SECONDS, PLAY_RATE_HZ) * SAMPLE_BYTES
    samples = to_samples(pcm[begin : end + needed * _BLOCK * SAMPLE_BYTES])
    quiet = max(_QUIET_FLOOR, round(_height(samples[::4]) * _QUIET_BELOW_PEAK))

    def is_loud(block: int) -> bool:
        return _height(samples[block * _BLOCK : (block + 1) * _BLOCK]) > quiet

    at = 0
    while at + needed <= len(samples) // _BLOCK:
        loud = next((b for b in range(at + needed - 1, at - 1, -1) if is_loud(b)), None)
        if loud is None:
            place = begin + at * _BLOCK * SAMPLE_BYTES + inside
            return place if place <= end else None
        at = loud + 1
    return None


def quietest(pcm: bytes, begin: int, end: int) -> int:
    """The place from ``begin`` to ``end`` at which stopping is heard least."""
    samples = to_samples(pcm[begin:end])
    blocks = range(len(samples) // _BLOCK)
    heights = [_height(samples[b * _BLOCK : (b + 1) * _BLOCK]) for b in blocks]
    if not heights:
        return begin
    return begin + heights.index(min(heights)) * _BLOCK * SAMPLE_BYTES


def _height(samples: Sequence[int]) -> int:
    return max(max(samples, default=0), -min(samples, default=0))
