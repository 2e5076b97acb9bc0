"""What the server "hears" in an upload: the file is looked at as the real one would, the words
are the scenario's."""

import io
import threading
from email.parser import BytesHeaderParser, BytesParser
from email.policy import HTTP
from pathlib import PurePath

import soundfile

from voicehermes.simulator.scenario import Transcribe

SUFFIXES = (
    ".aac",
    ".flac",
    ".m4a",
    ".mp3",
    ".mp4",
    ".mpeg",
    ".mpga",
    ".ogg",
    ".wav",
    ".webm",
)

CLIP_TOLERANCE_SECONDS = 0.3


class UploadError(Exception):
    """An upload that the server refuses with 400 and this sentence."""


class Transcripts:
    """The words to hear, in order. Safe between threads."""

    def __init__(self, script: Transcribe) -> None:
        self._script = script
        self._texts = list(script.texts)
        self._lock = threading.Lock()

    def hear(self, content_type: str, body: bytes) -> tuple[str, float]:
        """The transcript of a multipart body and how long it takes to make it.

        Raises UploadError.
        """
        name, data = read_upload(content_type, body)
        suffix = PurePath(name).suffix.lower() or ".webm"
        if suffix not in SUFFIXES:
            supported = ", ".join(SUFFIXES)
            raise UploadError(f"Unsupported format: {suffix}. Supported: {supported}")
        seconds = _length(data, suffix)
        return self._pick(seconds), (
            self._script.delay_seconds + self._script.delay_factor * seconds
        )

    def _pick(self, seconds: float) -> str:
        clips = [
            (abs(clip.seconds - seconds), clip.text)
            for clip in self._script.clips
            if abs(clip.seconds - seconds) <= CLIP_TOLERANCE_SECONDS
        ]
        if clips:
            return min(clips)[1]
        with self._lock:
            return self._texts.pop(0) if self._texts else self._script.default


def read_upload(content_type: str, body: bytes) -> tuple[str, bytes]:
    """Name and content of the part "file" of a multipart body. Raises UploadError."""
    header = f"Content-Type: {content_type}\r\n\r\n".encode("latin-1", "replace")
    if not BytesHeaderParser(policy=HTTP).parsebytes(header).get_boundary():
        raise UploadError("No boundary in Content-Type")
    message = BytesParser(policy=HTTP).parsebytes(header + body)
    for part in message.iter_parts() if message.is_multipart() else ():
        is_file = part.get_param("name", header="content-disposition") == "file"
        if is_file and (name := part.get_filename()):
            payload = part.get_payload(decode=True)
            return name, payload if isinstance(payload, bytes) else b""
    raise UploadError("No file field in request")


def _length(data: bytes, suffix: str) -> float:
    """Seconds of audio; 0.0 for the containers that libsndfile does not read."""
    is_webm, is_mp4 = data.startswith(b"\x1a\x45\xdf\xa3"), data[4:8] == b"ftyp"
    is_adts = data[:1] == b"\xff" and data[1:2] in (b"\xf1", b"\xf9")
    if is_webm or is_mp4 or is_adts:
        return 0.0
    try:
        info = soundfile.info(io.BytesIO(data))
    except soundfile.LibsndfileError:
        frames = 0
    else:
        frames = info.frames
    if not frames:
        raise UploadError(
            "Local transcription failed: [Errno 1094995529] Invalid data found when processing "
            f"input: '/tmp/webui-stt-upload{suffix}'"
        )
    return float(info.frames / info.samplerate)
