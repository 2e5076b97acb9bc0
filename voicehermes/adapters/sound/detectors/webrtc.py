"""webrtcvad by itself: for machines on which Silero cannot be installed."""

from voicehermes.adapters.sound.detectors.gate import Gate


class WebrtcDetector:
    """The gate, believed where it stays open for 96 ms.

    As it begins late it ends late too, so that the length is right. In a room that is not known it
    hears nothing: a hum would be a word.
    """

    _RUN_FRAMES = 3
    """A key's click is shorter, and webrtcvad takes four of five for speech."""

    def __init__(self) -> None:
        self._gate = Gate()
        self.reset()

    def reset(self) -> None:
        """See VoiceDetector.reset."""
        self._gate.reset()
        self._run = 0
        self._lasts_for = 0

    def is_speech(self, frame: bytes) -> bool:
        """See VoiceDetector.is_speech."""
        is_open = self._gate.is_open(frame) and self._gate.room.is_known
        self._run = self._run + 1 if is_open else 0
        if self._run >= self._RUN_FRAMES:
            self._lasts_for = self._RUN_FRAMES
        else:
            self._lasts_for = max(0, self._lasts_for - 1)
        return self._lasts_for > 0

    @property
    def is_sure(self) -> None:
        """See VoiceDetector.is_sure. It knows no degrees."""
        return None
