"""A voice detector that hears one frame after another: each once, and none out of order."""

from collections.abc import Sequence

from voicehermes.hearing.past import Heard, Past
from voicehermes.ports import VoiceDetector


class Detection:
    """Judges frames of the past. What the detector remembers is what came just before."""

    def __init__(self, detector: VoiceDetector, past: Past) -> None:
        self._detector = detector
        self._past = past

    def judge(self, frame: bytes) -> bool:
        """Whether the newest frame is speech."""
        if not self._past.follows_a_judged_frame:
            self._detector.reset()
        is_speech = self._detector.is_speech(frame)
        self._past.judge(is_speech=is_speech)
        return is_speech

    @property
    def is_sure(self) -> bool | None:
        """See VoiceDetector.is_sure, of the frame that was judged last."""
        return self._detector.is_sure

    def judge_all(self, newest: Sequence[Heard]) -> list[bool]:
        """Which of the newest frames are speech: as they were judged, if all were.

        After that the detector knows of nothing before them.
        """
        known = [heard.is_speech for heard in newest if heard.is_speech is not None]
        if newest and len(known) == len(newest):
            return known
        self._detector.reset()
        verdicts = [self._detector.is_speech(heard.frame) for heard in newest]
        if verdicts:
            self._past.judge(is_speech=verdicts[-1])
        return verdicts
