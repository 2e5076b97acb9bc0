"""The short sounds of ours, read from assets/cues."""

import wave

from voicehermes.assets import asset
from voicehermes.audio import PLAY_RATE_HZ, SAMPLE_BYTES, Sound


def load_cues() -> dict[str, Sound]:
    """All cues by name. Blocks on the disk; needs no library of sound."""
    return {path.stem: _read(str(path)) for path in sorted(asset("cues").glob("*.wav"))}


def _read(path: str) -> Sound:
    with wave.open(path) as file:
        if (file.getnchannels(), file.getsampwidth(), file.getframerate()) != (
            1,
            SAMPLE_BYTES,
            PLAY_RATE_HZ,
        ):
            raise ValueError(f"{path} must be 16-bit mono at {PLAY_RATE_HZ} Hz")
        return Sound(file.readframes(file.getnframes()))
