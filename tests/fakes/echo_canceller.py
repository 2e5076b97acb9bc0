"""An echo canceller that takes one kind of frame for an echo; asserts that time goes on."""

import math

from voicehermes.audio import FRAME_BYTES


class FakeEchoCanceller:
    """Makes silence of the frame that the test named."""

    def __init__(self, echo: bytes) -> None:
        self._echo = echo
        self._newest_ended_at = -math.inf
        self.is_learning = False

    def cancel(self, frame: bytes, ended_at: float) -> bytes:
        assert len(frame) == FRAME_BYTES
        assert ended_at > self._newest_ended_at, "frames out of order"
        self._newest_ended_at = ended_at
        return bytes(FRAME_BYTES) if frame == self._echo else frame

    def played(self, pcm: bytes, at: float) -> None:
        """It knows what the echo is."""
