"""libsndfile, shared by all that reads and writes sound files. Loaded late: it takes a while."""

from typing import Any

from voicehermes.errors import AudioError


def load() -> Any:
    """The module soundfile. Raises AudioError where the library under it is missing."""
    try:
        import soundfile
    except OSError as error:
        raise AudioError(
            "libsndfile is not installed.", hint="Install it: sudo apt install libsndfile1"
        ) from error
    return soundfile
