"""What may be speech, cheaply: webrtcvad, believed where it is louder than the room.

webrtcvad takes clicks, music and steady noise for speech; the room takes the last away.
"""

from voicehermes.adapters.sound.detectors.room import Room
from voicehermes.audio import RATE_HZ
from voicehermes.errors import AudioError

_MODE = 2
"""webrtcvad's aggressiveness, 0 to 3."""

_WINDOW_SAMPLES = RATE_HZ * 30 // 1000
"""webrtcvad takes 10, 20 or 30 ms: of each frame of 32 ms it hears all but the last two."""


class Gate:
    """Some 15 µs a frame."""

    def __init__(self) -> None:
        try:
            import webrtcvad
        except ImportError as error:
            raise AudioError(
                "No voice detector is installed.", hint="pip install webrtcvad-wheels"
            ) from error
        self._library = webrtcvad
        self.room = Room()
        self.reset()

    def reset(self) -> None:
        """Forget what came before, except the room."""
        self._vad = self._library.Vad(_MODE)

    def is_open(self, frame: bytes) -> bool:
        """Take the newest frame; returns whether it may be speech."""
        is_voiced: bool = self._vad.is_speech(frame, RATE_HZ, _WINDOW_SAMPLES)
        return self.room.is_loud(frame) and is_voiced
