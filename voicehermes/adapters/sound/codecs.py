"""From encoded audio to Sound. All calls block: use ``asyncio.to_thread``.

miniaudio decodes where it is installed, since it reads on where one MP3 follows another in the
same file; soundfile stops after the first.
"""

import io
from typing import Any

from voicehermes.adapters.sound import libsndfile
from voicehermes.audio import PLAY_RATE_HZ, Sound
from voicehermes.errors import FormatError

_SECONDS_MAX = 3600
"""A few kilobytes of crafted Opus could become gigabytes."""


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


def to_play_rate(pcm: bytes, rate_hz: int) -> bytes:
    """s16le mono at any rate, at PLAY_RATE_HZ."""
    if rate_hz == PLAY_RATE_HZ:
        return pcm
    import numpy as np

    return _resampled(np.frombuffer(pcm, "<i2"), rate_hz)


def _decode_by_soundfile(data: bytes) -> Sound:
    import numpy as np

    soundfile = libsndfile.load()
    try:
        with soundfile.SoundFile(io.BytesIO(data)) as file:
            samples = file.read(_SECONDS_MAX * file.samplerate, dtype="int16", always_2d=True)
            rate_hz = file.samplerate
    except (soundfile.LibsndfileError, ValueError) as error:
        raise FormatError(f"The audio cannot be decoded: {_reason(error)}.") from error
    mono = samples[:, 0] if samples.shape[1] == 1 else samples.mean(axis=1).astype(np.int16)
    return _checked(_resampled(mono, rate_hz), data)


def _resampled(samples: Any, rate_hz: int) -> bytes:
    if rate_hz != PLAY_RATE_HZ:
        import soxr

        samples = soxr.resample(samples, rate_hz, PLAY_RATE_HZ)
    pcm: bytes = samples.astype("<i2").tobytes()
    return pcm


def _checked(pcm: bytes, data: bytes) -> Sound:
    if not pcm:
        raise FormatError("There is no sound in the audio that came.")
    return Sound(pcm, encoded_bytes=len(data))


def _reason(error: Exception) -> str:
    return str(error).rstrip(".") or type(error).__name__
