"""hermes-webui's ears and voice: the ports Recognizer and Synthesizer."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from voicehermes.adapters.hermes import answers, shapes
from voicehermes.adapters.hermes.answers import Answer
from voicehermes.adapters.hermes.faults import BrokenOffError
from voicehermes.adapters.hermes.http import WebuiHttp
from voicehermes.audio import Sound, Utterance
from voicehermes.errors import (
    FormatError,
    RateLimitedError,
    RefusedError,
    ServerError,
    UnknownVoiceError,
    UnreachableError,
    VoiceError,
)

MOST_UPLOAD_BYTES = 20 * 1024 * 1024
"""hermes-webui's limit (HERMES_WEBUI_MAX_UPLOAD_MB), which it breaks the connection over."""


class WebuiRecognizer:
    """Speech to text on the server, by whatever it is set up with."""

    def __init__(self, http: WebuiHttp, *, seconds: float) -> None:
        """``seconds`` bounds the wait for one transcript."""
        self._http = http
        self._seconds = seconds

    async def transcribe(self, utterance: Utterance) -> str:
        """The transcript, stripped; "" when nothing was understood.

        Raises RefusedError for audio that is too large or that the server cannot read, or when
        it has no speech recognition; other ServerErrors.
        """
        if len(utterance.data) > MOST_UPLOAD_BYTES:
            raise RefusedError(
                "The recording is larger than the 20 MB that the server takes.",
                hint='Say it in shorter pieces, or set [listen] upload_format = "ogg".',
                status=413,
            )
        try:
            answer = await self._upload(utterance)
        except BrokenOffError:
            # A server that refuses a login which ran out does not read the upload, and breaks the
            # connection, often before its 401 is read. A question renews the login, or says so.
            await self._http.get("/api/transcribe/capability")
            answer = await self._upload(utterance)
        if answer.status == 503 and answer.body:
            raise _without_ears(answers.error_of(answer))
        return shapes.text(answers.content(answer), "transcript").strip()

    async def _upload(self, utterance: Utterance) -> Answer:
        name = f"utterance{utterance.suffix}"  # the server goes by the suffix alone
        return await self._http.send(
            "POST", "/api/transcribe", file=(name, utterance.data), seconds=self._seconds
        )


class WebuiSynthesizer:
    """Text to speech on the server: whole MP3 files, at most one request in two seconds."""

    name = "server"
    window_seconds = 2.0
    max_characters = 4900
    """The server takes 5,000; the stops put behind headings and list items need some room."""

    def __init__(
        self,
        http: WebuiHttp,
        decode: Callable[[bytes], Sound],
        *,
        voice: str,
        rate: str = "+0%",
        pitch: str = "+0Hz",
        engine: str = "edge",
    ) -> None:
        """``decode`` makes sound of an MP3 file, in a thread; it raises FormatError."""
        self.rate_percent = 0
        self._http = http
        self._decode = decode
        self._voice = voice
        self._configured_percent = int(rate.rstrip("%"))
        self._settings = {"voice": voice, "pitch": pitch, "engine": engine}

    async def synthesize(self, text: str) -> Sound:
        """The sound of ``text``. Raises RateLimitedError, UnreachableError, VoiceError."""
        answer = await self._ask(text)
        if not answer.content_type.startswith("audio/"):
            raise VoiceError("The server sent no audio for a text.", hint=answers.CHECK_ADDRESS)
        try:
            sound = await asyncio.to_thread(self._decode, answer.body)
        except FormatError as error:
            raise VoiceError(f"The server sent broken audio for a text: {error}") from error
        return replace(sound, encoded_bytes=len(answer.body))

    async def _ask(self, text: str) -> Answer:
        body = {"text": text, "rate": self._rate()} | self._settings
        try:
            answer = await self._http.send("POST", "/api/tts", body=body)
        except (RateLimitedError, UnreachableError):
            raise
        except ServerError as error:  # a login that ran out, an answer that makes no sense
            raise self._mute(error) from error
        if answer.status == 429:
            raise answers.error_of(answer)
        if answer.status != 200:
            raise self._mute(answers.error_of(answer))
        return answer

    def _rate(self) -> str:
        """The configured rate, changed by ``rate_percent``: "+10%" and 20 are "+32%".

        The server takes -100 to 100, and needs the sign.
        """
        speed = (100 + self._configured_percent) * (100 + self.rate_percent) / 100
        return f"{min(round(speed) - 100, 100):+d}%"

    def _mute(self, error: ServerError) -> VoiceError:
        if isinstance(error, RefusedError) and "invalid voice" in str(error):
            # A stock hermes-webui has no Italian ones.
            return UnknownVoiceError(
                f'The server does not have the voice "{self._voice}".',
                hint="Add it to the voices in the server's api/routes.py (_handle_tts) and restart "
                "it, set [speak] voice to one that it has, or name a [speak] fallback.",
            )
        return VoiceError(f"The server does not speak a text. {error}")


def _without_ears(error: ServerError) -> RefusedError:
    return RefusedError(
        f"The server has no speech recognition. {error}",
        hint="Set up stt in ~/.hermes/config.yaml on the server.",
        status=503,
    )
