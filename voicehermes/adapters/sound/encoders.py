"""Encoders that work while the user speaks, so that at the release only the tail is left."""

import io
from typing import Literal

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


def new_encoder(upload_format: UploadFormat) -> UtteranceEncoder:
    """An encoder for one utterance. Raises AudioError where that format cannot be written."""
    return _SoundFileEncoder(upload_format)


class _SoundFileEncoder:
    """libsndfile writing into memory."""

    def __init__(self, upload_format: UploadFormat) -> None:
        soundfile = libsndfile.load()
        container, subtype = _CONTAINERS[upload_format]
        if subtype not in soundfile.available_subtypes(container):
            raise FormatError(
                f"The libsndfile of this system does not write {upload_format}.",
                hint='Set [listen] upload_format = "flac".',
            )
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
