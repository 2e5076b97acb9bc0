"""When the sound of each frame ended, on the loop's clock. Pure."""

from collections import deque

from voicehermes.audio import FRAME_SECONDS

_REMEMBERED_FRAMES = 64
"""Two seconds: long against a busy loop, short against the drift between two clocks."""


class FrameClock:
    """Tells frames that arrive late, or in a burst, from frames that are new.

    Frames are as long as they are, so their count is a clock; it is set by the frame that came
    soonest of the last two seconds.
    """

    def __init__(self) -> None:
        self._counted = 0.0
        self._offsets: deque[float] = deque(maxlen=_REMEMBERED_FRAMES)

    def arrived(self, now: float) -> float:
        """The next frame arrived; returns when its sound ended, which is ``now`` or before."""
        self._counted += FRAME_SECONDS
        self._offsets.append(now - self._counted)
        return self._counted + min(self._offsets)
