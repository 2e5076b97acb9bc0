"""The level of the room, and what rises above it. Needs no set-up: it follows what is heard."""

import math
from operator import mul

from voicehermes.audio import FRAME_BYTES, FRAME_SECONDS, SILENCE_DBFS, to_samples

_BLOCK_FRAMES = math.ceil(0.5 / FRAME_SECONDS)
_BLOCKS = 4
"""The floor is the quietest frame of 2 s: speech has pauses that long, a fan has none."""

_HALF = FRAME_BYTES // 2

_EVERY = 4
"""Of so many samples one is looked at, which tells a level as well and costs a quarter."""


class Room:
    """Follows the floor of energy: at once when it falls, within two seconds when it rises.

    A room is no utterance: it stays while detectors are reset.
    """

    ABOVE_FLOOR_DB = 6.0
    LEAST_DBFS = -65.0
    """What is quieter is never loud, however quiet the room. A quiet laptop's microphone gives
    -46 dBFS for speech (hermes-agent issue 84046)."""

    def __init__(self) -> None:
        self.level_dbfs = SILENCE_DBFS
        """Of the newest frame."""
        self._minima = [0.0] * _BLOCKS
        """Of the blocks before this one, in a ring."""
        self._block = 0
        self._minimum = 0.0
        """Of this block so far."""
        self._left = _BLOCK_FRAMES
        """Frames that this block still takes."""

    @property
    def floor_dbfs(self) -> float:
        """The room while nobody speaks; 0.0 before the first frame."""
        return min(self._minimum, *self._minima)

    def is_loud(self, frame: bytes) -> bool:
        """Take the newest frame (FRAME_BYTES); returns whether all of it rises above the room.

        Its quieter half is looked at, since a click is shorter.
        """
        self.level_dbfs = level = min(_level_dbfs(frame[:_HALF]), _level_dbfs(frame[_HALF:]))
        self._minimum = min(self._minimum, level)
        self._left -= 1
        if not self._left:
            self._minima[self._block] = self._minimum
            self._block = (self._block + 1) % _BLOCKS
            self._minimum = level
            self._left = _BLOCK_FRAMES
        return level >= max(self.floor_dbfs + self.ABOVE_FLOOR_DB, self.LEAST_DBFS)


def _level_dbfs(pcm: bytes) -> float:
    samples = to_samples(pcm)[::_EVERY]
    mean_square = sum(map(mul, samples, samples)) / len(samples)
    return 10 * math.log10(mean_square / 32768**2) if mean_square else SILENCE_DBFS
