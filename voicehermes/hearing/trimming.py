"""Silence at both ends of an utterance is left out; inside it everything is kept. Pure.

The margins are wider than any detector is late: Silero and webrtcvad begin up to 230 ms after the
first sound and a soft last vowel ends up to 250 ms after their last frame (both measured, in
noise).
"""

import math
from collections import deque

from voicehermes.audio import FRAME_SECONDS

LEAD_SECONDS = 0.5
TAIL_SECONDS = 0.4


class Trimmer:
    """Decides, frame by frame, what belongs to the utterance.

    What it has given out always ends at most TAIL_SECONDS after the last speech, so that at the
    end of the recording nothing is left to do: what it still holds back is silence.
    """

    def __init__(
        self, lead_seconds: float = LEAD_SECONDS, tail_seconds: float = TAIL_SECONDS
    ) -> None:
        self._held: deque[bytes] = deque(maxlen=math.ceil(lead_seconds / FRAME_SECONDS))
        self._tail_frames = math.ceil(tail_seconds / FRAME_SECONDS)
        self._silent_frames = 0
        self._speech_frames = 0

    @property
    def speech_seconds(self) -> float:
        """How much of what was fed was speech."""
        return self._speech_frames * FRAME_SECONDS

    def feed(self, frame: bytes, is_speech: bool) -> list[bytes]:
        """Take the next frame; returns the frames that belong to the utterance by now, in order."""
        if is_speech:
            kept = [*self._held, frame]
            self._held = deque()  # without limit: from here on nothing is dropped but the end
            self._speech_frames += 1
            self._silent_frames = 0
            return kept
        self._silent_frames += 1
        if self._speech_frames and self._silent_frames <= self._tail_frames:
            return [frame]
        self._held.append(frame)
        return []
