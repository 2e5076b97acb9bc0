"""Frames on their way into a file, a few at a time. Pure but for the encoder it is given."""

from collections import deque
from collections.abc import Iterable

from voicehermes.audio import FRAME_SECONDS, Utterance, UtteranceEnd
from voicehermes.ports import UtteranceEncoder

_AT_ONCE = 4
"""Frames encoded per frame that comes in: after a long pause, which is encoded only when speech
goes on, the event loop is not held up."""


class Encoding:
    """Takes frames as they are known to belong to it; at the end only the last are left to do."""

    def __init__(self, encoder: UtteranceEncoder) -> None:
        self._encoder = encoder
        self._to_encode: deque[bytes] = deque()
        self._frames = 0

    def add(self, frames: Iterable[bytes]) -> None:
        """Take further frames and encode a few."""
        self._to_encode.extend(frames)
        self._work(_AT_ONCE)

    def finish(self, end: UtteranceEnd) -> Utterance:
        """Encode what is left. Called once, last."""
        self._work(len(self._to_encode))
        return Utterance(
            data=self._encoder.finish(),
            suffix=self._encoder.suffix,
            seconds=self._frames * FRAME_SECONDS,
            end=end,
        )

    def _work(self, most: int) -> None:
        for _ in range(min(most, len(self._to_encode))):
            self._encoder.write(self._to_encode.popleft())
            self._frames += 1
