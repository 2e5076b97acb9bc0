"""Encoders that work while the user speaks, so that at the release only the tail is left."""

import io
from collections.abc import Callable
from typing import Any, Literal

from voicehermes.adapters.sound import libsndfile
from voicehermes.audio import RATE_HZ
from voicehermes.errors import FormatError
from voicehermes.ports import UtteranceEncoder

UploadFormat = Literal["ogg", "wav", "flac"]

_CONTAINERS: dict[UploadFormat, tuple[str, str]] = {
    # About 29 kbit/s. Named .ogg, since hermes-webui refuses .opus.
    "ogg": ("OGG", "OPUS"),
    "wav": ("WAV", "PCM_16"),
    "flac": ("FLAC", "PCM_16"),
}


def open_encoders(upload_format: UploadFormat) -> Callable[[], UtteranceEncoder]:
    """What makes an encoder, one for each utterance. Blocks while libsndfile is loaded.

    Raises AudioError where that format cannot be written.
    """
    soundfile = libsndfile.load()
    container, subtype = _CONTAINERS[upload_format]
    if subtype not in soundfile.available_subtypes(container):
        raise FormatError(
            f"The libsndfile of this system does not write {upload_format}.",
            hint='Set [listen] upload_format = "flac".',
        )
    return lambda: _Encoder(soundfile, upload_format)


class _Encoder:
    """libsndfile writing into memory."""

    def __init__(self, soundfile: Any, upload_format: UploadFormat) -> None:
        container, subtype = _CONTAINERS[upload_format]
        self.suffix = f".{upload_format}"
        self._data = io.BytesIO()
        self._file = soundfile.SoundFile(
            self._data, "w", RATE_HZ, channels=1, format=container, subtype=subtype
        )

    def write(self, pcm: bytes) -> None:
        """See UtteranceEncoder.write."""
        self._file.buffer_write(pcm, "int16")

    def finish(self) -> bytes:
        """See UtteranceEncoder.finish."""
        self._file.close()
        return self._data.getvalue()
