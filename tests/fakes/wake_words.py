"""Wake words that a test can see through; asserts that they are asked frame by frame."""

from voicehermes.audio import FRAME_BYTES


class FakeWakeWords:
    """Hears its word where a frame is given that the test named."""

    def __init__(self, **words: bytes) -> None:
        self._words = {frame: word for word, frame in words.items()}
        self.asked: list[bytes] = []
        """Since the last reset."""
        self.resets = 0

    def heard(self, frame: bytes) -> str | None:
        assert self.resets, "not reset before it was asked"
        assert len(frame) == FRAME_BYTES
        self.asked.append(frame)
        return self._words.get(frame)

    def reset(self) -> None:
        self.asked = []
        self.resets += 1
