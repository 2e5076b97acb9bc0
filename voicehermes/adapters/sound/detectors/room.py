"""How loud the room is, and what rises above it. Needs no set-up: it follows what is heard."""

import math

from voicehermes.audio import FRAME_BYTES, FRAME_SECONDS, SILENCE_DBFS, to_samples

_BLOCK_FRAMES = math.ceil(0.5 / FRAME_SECONDS)
_BLOCKS = 4
"""The floor is the quietest frame of 2 s: speech has pauses that long, a fan has none."""

_UNKNOWN_FRAMES = 8
"""A room of which less was heard is not known: somebody may have spoken from the first frame on."""

_USUAL_FRAMES = math.ceil(3.0 / FRAME_SECONDS)
_MOST_ABOVE_FLOOR_DB = 20.0
"""Between the notes of music it is so much more quiet; speech that was not known for what it is
does not make the room as loud as itself."""

_HALF = FRAME_BYTES // 2

_EVERY = 4
"""Of so many samples one is looked at, which tells a level as well and costs a quarter."""


class Room:
    """Follows two levels: the floor, and the usual one of all that is no speech.

    The floor falls at once and rises within two seconds; it keeps steady noise out. The usual
    level takes seconds; it keeps out music and other people, who are farther off than the user.
    A room is no utterance: it stays while detectors are reset.
    """

    ABOVE_FLOOR_DB = 6.0
    LEAST_DBFS = -65.0
    """What is quieter is never loud, however quiet the room. A quiet laptop's microphone gives
    -46 dBFS for speech (hermes-agent issue 84046)."""

    def __init__(self) -> None:
        self.level_dbfs = SILENCE_DBFS
        """Of the newest frame."""
        self._usual = 0.0
        self._usual_of_frames = 0
        self._heard_frames = 0
        """As far as they are of interest."""
        self._minima = [0.0] * _BLOCKS
        """Of the blocks before this one, in a ring."""
        self._block = 0
        self._minimum = 0.0
        """Of this block so far."""
        self._left = _BLOCK_FRAMES
        """Frames that this block still takes."""

    @property
    def is_known(self) -> bool:
        """Whether enough of it was heard to tell what is loud in it; before that all is."""
        return self._heard_frames >= _UNKNOWN_FRAMES

    @property
    def floor_dbfs(self) -> float:
        """The quietest that it was of late; SILENCE_DBFS while the room is not known."""
        return min(self._minimum, *self._minima) if self.is_known else SILENCE_DBFS

    @property
    def usual_dbfs(self) -> float:
        """The mean level of what was no speech: the floor or somewhat above it."""
        floor = self.floor_dbfs
        if self._usual_of_frames < _UNKNOWN_FRAMES:
            return floor
        return min(max(floor, self._usual), floor + _MOST_ABOVE_FLOOR_DB)

    def is_loud(self, frame: bytes) -> bool:
        """Take the newest frame (FRAME_BYTES); returns whether all of it rises above the floor.

        Its quieter half is looked at, since a click is shorter.
        """
        halves = _power(frame[:_HALF]), _power(frame[_HALF:])
        self.level_dbfs = _dbfs(sum(halves) / 2)
        quieter = _dbfs(min(halves))
        self._heard_frames = min(self._heard_frames + 1, _UNKNOWN_FRAMES)
        self._minimum = min(self._minimum, quieter)
        self._left -= 1
        if not self._left:
            self._minima[self._block] = self._minimum
            self._block = (self._block + 1) % _BLOCKS
            self._minimum = quieter
            self._left = _BLOCK_FRAMES
        return quieter >= max(self.floor_dbfs + self.ABOVE_FLOOR_DB, self.LEAST_DBFS)

    def note_no_speech(self) -> None:
        """The newest frame was no speech: the room sounds like it."""
        self._usual_of_frames = min(self._usual_of_frames + 1, _USUAL_FRAMES)
        self._usual += (self.level_dbfs - self._usual) / self._usual_of_frames


def _power(pcm: bytes) -> float:
    samples = to_samples(pcm)[::_EVERY]
    return (math.hypot(*samples) / 32768) ** 2 / len(samples)


def _dbfs(power: float) -> float:
    return max(SILENCE_DBFS, 10 * math.log10(power)) if power else SILENCE_DBFS
