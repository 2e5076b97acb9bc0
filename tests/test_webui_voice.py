"""The server's ears and voice."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import pytest

from tests.virtual_clock import run
from tests.webui_server import Handler, WebuiServer, fails, gives, says, streams
from voicehermes.adapters.hermes.faults import AnswerLostError
from voicehermes.adapters.hermes.http import WebuiHttp
from voicehermes.adapters.hermes.webui_voice import (
    MOST_UPLOAD_BYTES,
    WebuiRecognizer,
    WebuiSynthesizer,
)
from voicehermes.adapters.store import Store
from voicehermes.audio import Sound, Utterance, UtteranceEnd
from voicehermes.config import Server
from voicehermes.errors import (
    FormatError,
    LoginError,
    ProtocolError,
    RateLimitedError,
    RefusedError,
    ServerError,
    UnreachableError,
    VoiceError,
    VoicehermesError,
)
from voicehermes.ports import Recognizer, Synthesizer

TRANSCRIBE = "/api/transcribe"
TTS = "/api/tts"


def _utterance(data: bytes = b"OggS", suffix: str = ".ogg") -> Utterance:
    return Utterance(data, suffix, 1.0, UtteranceEnd.RELEASED)


def _decode(data: bytes) -> Sound:
    if data != b"mp3":
        raise FormatError("This is not MP3.")
    return Sound(b"\0\0" * 240)


def _with(server: WebuiServer, folder: Path, test: Callable[[WebuiHttp], Awaitable[None]]) -> None:
    async def main() -> None:
        config = Server(url="http://127.0.0.1:8787")
        async with WebuiHttp(config, Store(folder), transport=server) as http:
            await test(http)

    run(main())


def _transcribe(folder: Path, answer: Handler, utterance: Utterance | None = None) -> str:
    heard: list[str] = []

    async def test(http: WebuiHttp) -> None:
        recognizer: Recognizer = WebuiRecognizer(http, seconds=120.0)
        heard.append(await recognizer.transcribe(utterance or _utterance()))

    _with(WebuiServer({TRANSCRIBE: answer}), folder, test)
    return heard[0]


def _synthesize(folder: Path, answer: Handler) -> Sound:
    made: list[Sound] = []

    async def test(http: WebuiHttp) -> None:
        voice: Synthesizer = WebuiSynthesizer(http, _decode, voice="it-IT-ElsaNeural")
        made.append(await voice.synthesize("Ciao."))

    _with(WebuiServer({TTS: answer}), folder, test)
    return made[0]


def _audio(data: bytes, content_type: str = "audio/mpeg") -> Handler:
    return lambda _: httpx.Response(200, headers={"content-type": content_type}, content=data)


def test_an_utterance_is_uploaded_as_a_file_whose_suffix_tells_its_format(tmp_path: Path) -> None:
    server = WebuiServer({TRANSCRIBE: says("transcribe_ok_ogg")})

    async def test(http: WebuiHttp) -> None:
        recognizer = WebuiRecognizer(http, seconds=120.0)
        assert await recognizer.transcribe(_utterance(b"FLAC!", ".flac")) == (
            "e tempo fa da domani a Roma?"
        )

    _with(server, tmp_path, test)
    asked = server.asked[0]
    assert asked.headers["content-type"].startswith("multipart/form-data; boundary=")
    assert b'name="file"; filename="utterance.flac"' in asked.content
    assert b"\r\n\r\nFLAC!\r\n" in asked.content


def test_an_upload_that_breaks_off_is_sent_once_more_by_who_is_still_logged_in(
    tmp_path: Path,
) -> None:
    """hermes-webui breaks off an upload whose login has run out before its 401 is read."""

    def uploads(capability: Handler) -> tuple[WebuiServer, list[VoicehermesError | str]]:
        broken = iter([httpx.ReadError("reset")])
        heard = says("transcribe_ok_ogg")
        server = WebuiServer(
            {
                TRANSCRIBE: lambda request: next(broken, None) or heard(request),
                "/api/transcribe/capability": capability,
            }
        )
        told: list[VoicehermesError | str] = []

        async def test(http: WebuiHttp) -> None:
            try:
                told.append(await WebuiRecognizer(http, seconds=120.0).transcribe(_utterance()))
            except LoginError as error:
                told.append(error)

        _with(server, tmp_path, test)
        return server, told

    _, told = uploads(gives({"ok": True, "available": True, "provider": "local"}))
    assert told == ["e tempo fa da domani a Roma?"]
    server, told = uploads(says("auth_sessions_no_cookie"))
    assert isinstance(told[0], LoginError)
    assert [asked.path for asked in server.asked].count(TRANSCRIBE) == 1


def test_nothing_understood_is_an_empty_transcript(tmp_path: Path) -> None:
    assert _transcribe(tmp_path, says("transcribe_noise")) == ""
    assert _transcribe(tmp_path, gives({"ok": True, "transcript": " \n"})) == ""


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (says("transcribe_garbage"), RefusedError, "transcription failed"),
        (says("transcribe_bad_ext"), RefusedError, "Unsupported format"),
        (gives({"error": "File too large (max 20MB)"}, 413), RefusedError, "shorter pieces"),
        (gives({"error": "STT is not configured"}, 503), RefusedError, "config.yaml"),
        (lambda _: httpx.Response(503), UnreachableError, "overloaded"),
        (says("auth_sessions_no_cookie"), LoginError, "voicehermes login"),
        (gives({"ok": True}), ProtocolError, "transcript"),
        (gives({"ok": True, "transcript": None}), ProtocolError, "transcript"),
        (gives({"ok": True, "transcript": 3}), ProtocolError, "transcript"),
        (fails(httpx.ReadTimeout("slow")), AnswerLostError, "in time"),
        (streams("{", 3600.0), AnswerLostError, "in time"),
    ],
)
def test_what_the_server_does_not_transcribe_is_told(
    tmp_path: Path, answer: Handler, kind: type[ServerError], words: str
) -> None:
    with pytest.raises(ServerError, match=words) as caught:
        _transcribe(tmp_path, answer)
    assert type(caught.value) is kind


def test_a_recording_that_the_server_would_not_take_is_not_sent(tmp_path: Path) -> None:
    def refuse(_: object) -> httpx.Response:
        raise AssertionError("it was sent")

    large = _utterance(bytes(MOST_UPLOAD_BYTES + 1))
    with pytest.raises(RefusedError, match="20 MB") as caught:
        _transcribe(tmp_path, refuse, large)
    assert caught.value.status == 413


def test_a_text_is_spoken_in_the_voice_that_was_chosen(tmp_path: Path) -> None:
    server = WebuiServer({TTS: _audio(b"mp3")})

    async def test(http: WebuiHttp) -> None:
        voice = WebuiSynthesizer(
            http, _decode, voice="it-IT-DiegoNeural", rate="+10%", pitch="-5Hz", engine="edge"
        )
        sound = await voice.synthesize("Ciao.")
        assert sound == Sound(b"\0\0" * 240, encoded_bytes=3)

    _with(server, tmp_path, test)
    assert server.asked[0].body == {
        "text": "Ciao.",
        "voice": "it-IT-DiegoNeural",
        "rate": "+10%",
        "pitch": "-5Hz",
        "engine": "edge",
    }


@pytest.mark.parametrize(
    ("configured", "percent", "rate"),
    [
        ("+0%", 0, "+0%"),
        ("+0%", 30, "+30%"),
        ("+0%", -20, "-20%"),
        ("+10%", 20, "+32%"),
        ("-50%", -50, "-75%"),
        ("-10%", 10, "-1%"),
        ("+60%", 100, "+100%"),
        ("-100%", 50, "-100%"),
    ],
)
def test_a_changed_speed_goes_with_the_configured_one(
    tmp_path: Path, configured: str, percent: int, rate: str
) -> None:
    server = WebuiServer({TTS: _audio(b"mp3")})

    async def test(http: WebuiHttp) -> None:
        voice = WebuiSynthesizer(http, _decode, voice="it-IT-ElsaNeural", rate=configured)
        voice.rate_percent = percent
        await voice.synthesize("Ciao.")

    _with(server, tmp_path, test)
    assert server.asked[0].body["rate"] == rate


def test_a_voice_that_the_server_lacks_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(VoiceError) as caught:
        _synthesize(tmp_path, says("tts_it_voice_upstream_invalid"))
    sentence = str(caught.value)
    for words in ("it-IT-ElsaNeural", "api/routes.py", "[speak] voice", "[speak] fallback"):
        assert words in sentence


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (says("tts_rate_limited_429"), RateLimitedError),
        (says("tts_engine_fails"), VoiceError),
        (says("tts_engine_elevenlabs"), VoiceError),
        (says("tts_5001_chars"), VoiceError),
        (says("unknown_endpoint"), VoiceError),
        (says("auth_sessions_no_cookie"), VoiceError),
        (lambda _: httpx.Response(503), VoiceError),
        (lambda _: httpx.Response(502, html="<html>"), VoiceError),
        (lambda _: httpx.Response(302, headers={"location": "login"}), VoiceError),
        (lambda _: httpx.Response(200, html="<html>"), VoiceError),
        (gives({"ok": True}), VoiceError),
        (_audio(b"not mp3"), VoiceError),
        (_audio(b""), VoiceError),
        (fails(httpx.ReadError("broken")), UnreachableError),
        (fails(httpx.ConnectError("refused")), UnreachableError),
        (fails(httpx.RemoteProtocolError("illegal status line")), VoiceError),
    ],
)
def test_what_the_server_does_not_speak_is_an_error_that_the_port_knows(
    tmp_path: Path, answer: Handler, kind: type[VoicehermesError]
) -> None:
    with pytest.raises(kind) as caught:
        _synthesize(tmp_path, answer)
    assert isinstance(caught.value, RateLimitedError | UnreachableError | VoiceError)


def test_the_servers_reason_is_kept(tmp_path: Path) -> None:
    with pytest.raises(VoiceError, match="ELEVENLABS_API_KEY not configured"):
        _synthesize(tmp_path, says("tts_engine_elevenlabs"))
