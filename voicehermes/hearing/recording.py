"""One utterance in the making: detection, trimming and encoding while the user speaks."""

from collections import deque

from voicehermes.audio import FRAME_SECONDS, Utterance, UtteranceEnd
from voicehermes.hearing.endpoint import Endpoint
from voicehermes.hearing.trimming import Trimmer
from voicehermes.ports import UtteranceEncoder, VoiceDetector

_ENCODED_AT_ONCE = 4
"""Frames encoded per frame that comes in: after a long pause, which is encoded only when speech
goes on, the event loop is not held up."""


class Recording:
    """Takes frames as they come; at the end only the last ones are left to be encoded."""

    def __init__(
        self,
        id_: int,
        detector: VoiceDetector,
        encoder: UtteranceEncoder,
        endpoint: Endpoint | None,
        *,
        not_before: float,
    ) -> None:
        self.id = id_
        self.not_before = not_before
        """A frame that comes after the start and began before this does not belong to it."""
        self.endpoint = endpoint
        """What ends it when nobody stops it; None = nothing does."""
        self.speech_began_at: float | None = None
        """When the first frame with speech began; None = no speech yet."""
        self.speech_ended_at: float | None = None
        """When the last frame with speech ended."""
        self.stopped_at: float | None = None
        """When it was stopped: it lasts until the sound of that instant is there."""
        self.end: UtteranceEnd | None = None
        """Why it was stopped."""
        self._detector = detector
        self._encoder = encoder
        self._trimmer = Trimmer()
        self._to_encode: deque[bytes] = deque()
        self._frames = 0
        detector.reset()

    def feed(self, frame: bytes, ended_at: float) -> UtteranceEnd | None:
        """Take the next frame, whose sound ended at that time; returns why it is over, or None."""
        is_speech = self._detector.is_speech(frame)
        if is_speech:
            if self.speech_began_at is None:
                self.speech_began_at = ended_at - FRAME_SECONDS
            self.speech_ended_at = ended_at
        self._to_encode.extend(self._trimmer.feed(frame, is_speech))
        self._encode(_ENCODED_AT_ONCE)
        return self.endpoint.feed(is_speech) if self.endpoint else None

    def finish(self, end: UtteranceEnd, min_speech_seconds: float) -> Utterance | None:
        """The utterance, or None when there was no more speech than that. Called once, last."""
        speech_seconds = self._trimmer.speech_seconds
        if not speech_seconds or speech_seconds < min_speech_seconds:
            return None
        if end is UtteranceEnd.NOTHING_SAID:  # each click was too short, all of them are not
            return None
        self._encode(len(self._to_encode))
        return Utterance(
            data=self._encoder.finish(),
            suffix=self._encoder.suffix,
            seconds=self._frames * FRAME_SECONDS,
            end=end,
        )

    def _encode(self, most: int) -> None:
        for _ in range(min(most, len(self._to_encode))):
            self._encoder.write(self._to_encode.popleft())
            self._frames += 1
