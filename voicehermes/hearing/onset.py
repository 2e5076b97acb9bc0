"""When somebody surely begins to speak. Pure: it counts frames and knows no clock."""

from collections import deque
from typing import Literal

Evidence = Literal["nothing", "hint", "speech"]
"""What there is to believe it: none, a little, or enough."""

_WINDOW_FRAMES = 10
"""What is weighed: 320 ms. A word of one syllable has its evidence in so many."""

_ENOUGH_FRAMES = 5
"""So many of them with speech are a word: 160 ms. A click, a cough or a door has fewer."""


class Onset:
    """Takes each frame's verdict and says what there is to believe that a word begins.

    A frame with speech is a hint. The hint is gone when the window has none left. It is speech
    when there are enough of them, and the detector is sure of one, or cannot tell.
    """

    def __init__(self) -> None:
        self._window: deque[bool] = deque(maxlen=_WINDOW_FRAMES)
        self._sure: deque[bool] = deque(maxlen=_WINDOW_FRAMES)
        self._frames = 0

    @property
    def frames(self) -> int:
        """How many frames ago the first evidence came, with its own; 0 = there is none."""
        return self._frames

    def feed(self, *, is_speech: bool, is_sure: bool | None) -> Evidence:
        """Take the next frame. Right after "hint", "nothing" says that the hint is gone.

        ``is_sure`` as in VoiceDetector.
        """
        self._window.append(is_speech)
        self._sure.append(is_sure is not False)
        evidence = sum(self._window)
        if not evidence:
            self._frames = 0
            return "nothing"
        self._frames += 1
        return "speech" if evidence >= _ENOUGH_FRAMES and any(self._sure) else "hint"

    def reset(self) -> None:
        """Forget what came before."""
        self._window.clear()
        self._sure.clear()
        self._frames = 0
