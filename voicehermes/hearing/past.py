"""The last seconds that were heard: the pre-roll of every recording comes from here. Pure."""

import math
from collections import deque
from typing import NamedTuple

from voicehermes.audio import FRAME_SECONDS

_TOLERANCE_SECONDS = 1e-6
"""For sums of floating-point numbers."""


class Heard(NamedTuple):
    """A frame that was heard."""

    frame: bytes
    ended_at: float
    """When its sound ended."""
    is_speech: bool | None
    """What the detector took it for; None = it was not asked."""


class Past:
    """The newest frames with what the detector took them for; the oldest fall out."""

    def __init__(self, seconds: float) -> None:
        limit = math.ceil(seconds / FRAME_SECONDS)
        self._frames: deque[bytes] = deque(maxlen=limit)
        self._verdicts: deque[bool | None] = deque(maxlen=limit)
        self.newest_ended_at = -math.inf
        """When the sound of the newest frame ended. Stays when all is forgotten."""
        self.silent_frames = math.inf
        """How many came since the newest that was part of somebody's words; inf = none was."""

    def push(self, frame: bytes, ended_at: float) -> None:
        """Take in the newest frame."""
        self._frames.append(frame)
        self._verdicts.append(None)
        self.newest_ended_at = ended_at
        self.silent_frames += 1

    def judge(self, *, is_speech: bool) -> None:
        """What the detector takes the newest frame for."""
        self._verdicts[-1] = is_speech

    @property
    def follows_a_judged_frame(self) -> bool:
        """Whether the detector was asked about the frame before the newest."""
        return len(self._verdicts) > 1 and self._verdicts[-2] is not None

    def since(self, time: float, most_frames: int) -> list[Heard]:
        """At most so many of the newest frames, oldest first, none that began before ``time``."""
        count = min(most_frames, len(self._frames))
        heard: list[Heard] = []
        for age, frame, is_speech in zip(
            range(count), reversed(self._frames), reversed(self._verdicts), strict=False
        ):
            ended_at = self.newest_ended_at - age * FRAME_SECONDS
            if begins_before(time, ended_at):
                break
            heard.append(Heard(frame, ended_at, is_speech))
        return heard[::-1]

    def clear(self) -> None:
        """Forget everything that was heard."""
        self._frames.clear()
        self._verdicts.clear()
        self.silent_frames = math.inf


def begins_before(time: float, ended_at: float) -> bool:
    """Whether the frame that ended at ``ended_at`` began before ``time``."""
    return ended_at - FRAME_SECONDS < time - _TOLERANCE_SECONDS
