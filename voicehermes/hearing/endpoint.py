"""When what is said without a key is over. Pure: it counts frames and knows no clock."""

from dataclasses import dataclass

from voicehermes.audio import FRAME_SECONDS, UtteranceEnd


@dataclass(frozen=True, slots=True)
class EndpointRules:
    """After how long a recording that nobody stops ends. All in seconds of sound."""

    end_silence_seconds: float
    """Silence after speech that ends it."""
    min_speech_seconds: float
    """Less speech than that between two such silences is noise, and ends nothing."""
    patience_seconds: float
    """How long it waits for the first word."""
    max_seconds: float
    """Longest recording."""


class Endpoint:
    """Takes each frame's verdict; what it answers is why the recording is over, or None.

    The pre-roll is fed as well, but patience and length begin behind it.
    """

    def __init__(self, rules: EndpointRules, pre_roll_frames: int = 0) -> None:
        self._rules = rules
        self._frames = -pre_roll_frames
        self._speech_frames = 0
        self._silent_frames = 0

    def feed(self, is_speech: bool) -> UtteranceEnd | None:
        """Take the next frame. Once over it stays over, unless speech goes on."""
        rules = self._rules
        self._frames += 1
        if is_speech:
            self._speech_frames += 1
            self._silent_frames = 0
        else:
            self._silent_frames += 1
        seconds = self._frames * FRAME_SECONDS
        if seconds >= rules.max_seconds:
            return UtteranceEnd.TOO_LONG
        if self._speech_frames and self._silent_frames * FRAME_SECONDS < rules.end_silence_seconds:
            return None
        if self._speech_frames and self._speech_frames * FRAME_SECONDS >= rules.min_speech_seconds:
            return UtteranceEnd.SILENCE
        self._speech_frames = 0  # a click; the next one does not add to it
        return UtteranceEnd.NOTHING_SAID if seconds >= rules.patience_seconds else None
