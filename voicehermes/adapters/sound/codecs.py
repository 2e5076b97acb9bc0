"""From encoded audio to Sound. All calls block: use ``asyncio.to_thread``.

miniaudio decodes where it is installed, since it reads on where one MP3 follows another in the
same file; soundfile stops after the first.
"""

import io
from contextlib import suppress

from voicehermes.adapters.sound import libsndfile
from voicehermes.audio import PLAY_RATE_HZ, Sound
from voicehermes.errors import FormatError
from voicehermes.speaking.joining import trimmed

_SECONDS_MAX = 3600
"""A few kilobytes of crafted Opus could become gigabytes."""


def load() -> None:
    """Load the decoder ahead of need: it takes a quarter of a second, once."""
    with suppress(ImportError):
        import miniaudio  # noqa: F401


def decode(data: bytes) -> Sound:
    """The sound of an MP3, OGG, WAV or FLAC file. Raises FormatError when it is none of them."""
    if data.lstrip()[:1] == b"<":
        raise FormatError("The audio that came is a web page.")
    try:
        import miniaudio
    except ImportError:
        return _decode_by_soundfile(data)
    try:
        decoded = miniaudio.decode(data, nchannels=1, sample_rate=PLAY_RATE_HZ)
    except miniaudio.MiniaudioError:  # it knows no Opus
        return _decode_by_soundfile(data)
    return _checked(decoded.samples.tobytes(), data)


def decode_speech(data: bytes) -> Sound:
    """As ``decode``, without the quiet at both ends: what Synthesizer.synthesize promises."""
    return trimmed(decode(data))


def to_play_rate(pcm: bytes, rate_hz: int) -> bytes:
    """s16le mono at any rate, at PLAY_RATE_HZ."""
    if rate_hz == PLAY_RATE_HZ:
        return pcm
    import numpy as np
    import soxr

    resampled: bytes = soxr.resample(np.frombuffer(pcm, "<i2"), rate_hz, PLAY_RATE_HZ).tobytes()
    return resampled


def _decode_by_soundfile(data: bytes) -> Sound:
    import numpy as np

    soundfile = libsndfile.load()
    try:
        with soundfile.SoundFile(io.BytesIO(data)) as file:
            rate_hz = file.samplerate
            # As int16 it would not scale a float WAV.
            samples = file.read(_SECONDS_MAX * rate_hz, dtype="float32", always_2d=True)
    except (soundfile.LibsndfileError, ValueError) as error:
        raise FormatError(f"The audio cannot be decoded: {_reason(error)}.") from error
    mono = np.clip(np.rint(samples.mean(axis=1) * 32768), -32768, 32767).astype("<i2")
    return _checked(to_play_rate(mono.tobytes(), rate_hz), data)


def _checked(pcm: bytes, data: bytes) -> Sound:
    if not pcm:
        raise FormatError("There is no sound in the audio that came.")
    return Sound(pcm, encoded_bytes=len(data))


def _reason(error: Exception) -> str:
    return str(error).rstrip(".") or type(error).__name__
