"""An utterance in parts, each ending in a pause: a recogniser works while the user speaks on. Pure.

At most two parts are out, one being recognised and one that waits for its turn: until the words of
one are known the next part grows. So parts never pile up, and a slow recogniser gets few and long
ones.
"""

import math
from collections.abc import Callable

from voicehermes.audio import FRAME_SECONDS, Utterance, UtteranceEnd
from voicehermes.hearing.encoding import Encoding
from voicehermes.ports import UtteranceEncoder

PAUSE_SECONDS = 0.3
"""Least silence to part at. The closure of a plosive, or a breath taken in a hurry, is shorter."""

SHORT_PAUSE_SECONDS = 0.2
"""Enough in a part with twice the speech that it must have: who hardly pauses is parted too, or at
the end all of it would still have to be recognised."""

_MOST_OUT = 2
"""With one alone, a recogniser at half the speed of speech would often have nothing to do."""

_PAUSE_FRAMES = math.ceil(PAUSE_SECONDS / FRAME_SECONDS)
_SHORT_PAUSE_FRAMES = math.ceil(SHORT_PAUSE_SECONDS / FRAME_SECONDS)


class Splitter:
    """Takes the frames of an utterance, and gives out those of the part that is being said.

    All frames of all parts together are those of the utterance, in order and each once. What it
    holds back is the pause since the last speech, whose middle may become the end of the part.
    """

    def __init__(self, part_seconds: float) -> None:
        self._least_frames = math.ceil(part_seconds / FRAME_SECONDS)
        self._speech_frames = 0
        self._silent_frames = 0
        self._pause: list[bytes] = []

    @property
    def speech_seconds(self) -> float:
        """How much speech the part has so far."""
        return self._speech_frames * FRAME_SECONDS

    @property
    def can_cut(self) -> bool:
        """Whether the part has speech enough and the user pauses."""
        is_long = self._speech_frames >= 2 * self._least_frames
        wanted = _SHORT_PAUSE_FRAMES if is_long else _PAUSE_FRAMES
        return self._speech_frames >= self._least_frames and self._silent_frames >= wanted

    def feed(self, kept: list[bytes], is_speech: bool) -> list[bytes]:
        """Take what the newest frame adds to the utterance; returns what is the part's for sure."""
        self._pause += kept
        if not is_speech:
            self._silent_frames += 1
            return []
        self._speech_frames += 1
        self._silent_frames = 0
        return self.rest()

    def cut(self) -> list[bytes]:
        """End the part in the middle of the pause; returns its last frames."""
        middle = len(self._pause) // 2
        ended, self._pause = self._pause[:middle], self._pause[middle:]
        self._speech_frames = 0
        return ended

    def rest(self) -> list[bytes]:
        """What was held back."""
        rest, self._pause = self._pause, []
        return rest


class Parts:
    """Encodes the parts of one utterance while it is spoken."""

    def __init__(self, part_seconds: float, new_encoder: Callable[[], UtteranceEncoder]) -> None:
        """``part_seconds``: least speech in a part."""
        self._splitter = Splitter(part_seconds)
        self._new_encoder = new_encoder
        self._encoding = Encoding(new_encoder())
        self._complete: list[Utterance] = []
        self._is_whole = True
        self._out = 0

    @property
    def are_known(self) -> bool:
        """Whether the words of all that was said so far are."""
        return not self._out and not self._is_being_said

    def feed(self, kept: list[bytes], is_speech: bool) -> None:
        """Take what the newest frame adds to the utterance."""
        self._encoding.add(self._splitter.feed(kept, is_speech))
        if self._splitter.can_cut and self._out < _MOST_OUT:
            self._encoding.add(self._splitter.cut())
            self._complete.append(self._encoding.finish(UtteranceEnd.SILENCE))
            self._encoding = Encoding(self._new_encoder())
            self._is_whole = False
            self._out += 1

    def take(self) -> list[Utterance]:
        """What is complete since the last call."""
        complete, self._complete = self._complete, []
        return complete

    def note_words(self) -> None:
        """The words of one more part are known: the next one may follow."""
        self._out -= 1

    def finish(self, end: UtteranceEnd, min_speech_seconds: float) -> Utterance | None:
        """What was said since the last part; None = nothing, or there is none. Called once, last.

        Less speech than ``min_speech_seconds`` is noise.
        """
        if self._is_whole or not self._is_being_said:
            return None
        if self._splitter.speech_seconds < min_speech_seconds:
            return None
        self._encoding.add(self._splitter.rest())
        return self._encoding.finish(end)

    @property
    def _is_being_said(self) -> bool:
        """Whether there was speech since the last part."""
        return self._splitter.speech_seconds > 0
