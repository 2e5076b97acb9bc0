"""The client on real sockets: TLS, servers that are no hermes-webui, whole runs."""

import asyncio
import io
import ssl
import wave
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from voicehermes.adapters.hermes.faults import AnswerLostError, BrokenOffError
from voicehermes.adapters.hermes.http import WebuiHttp
from voicehermes.adapters.hermes.login import login
from voicehermes.adapters.hermes.webui import WebuiAgent
from voicehermes.adapters.hermes.webui_voice import WebuiRecognizer
from voicehermes.adapters.store import Store
from voicehermes.audio import Utterance, UtteranceEnd
from voicehermes.config import Server
from voicehermes.errors import (
    ConfigError,
    LoginError,
    ProtocolError,
    RefusedError,
    ServerError,
    UnreachableError,
)
from voicehermes.events import (
    Cancelled,
    Completed,
    Reconnected,
    RunEvent,
    SessionMoved,
    TextDelta,
)
from voicehermes.simulator.scenario import Scenario
from voicehermes.simulator.server import Simulator

TLS = Path(__file__).parent / "data" / "tls"

Speak = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def _listening(speak: Speak, context: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """The port of a server that speaks so to each connection."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await speak(reader, writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has left
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    async with server:
        yield server.sockets[0].getsockname()[1]


def _answering(text: str, *, stays: bool = False) -> Speak:
    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(text.encode())
        if stays:
            await reader.read()

    return speak


async def _error(config: Server, folder: Path) -> ServerError:
    async with WebuiHttp(config, Store(folder)) as http:
        with pytest.raises(ServerError) as caught:
            await http.get("/api/sessions")
    return caught.value


# Servers that are no hermes-webui


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("220 mail.example ESMTP\r\n\r\n", ProtocolError, "does not speak HTTP"),
        ("SSH-2.0-OpenSSH_9.2\r\n", BrokenOffError, "[server] url"),
        ("", BrokenOffError, "before it had answered"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{", BrokenOffError, "before it had"),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>",
            ProtocolError,
            "a web page, not with JSON. Check [server] url",
        ),
        (
            "HTTP/1.1 302 Found\r\nLocation: login?next=/\r\nContent-Length: 0\r\n\r\n",
            ProtocolError,
            "login page",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\njunk",
            ProtocolError,
            "makes no sense",
        ),
        ("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", UnreachableError, "overloaded"),
    ],
)
async def test_whatever_answers_there_the_user_reads_one_sentence(
    tmp_path: Path, text: str, kind: type[ServerError], words: str
) -> None:
    async with _listening(_answering(text)) as port:
        error = await _error(Server(url=f"http://127.0.0.1:{port}"), tmp_path)
    assert type(error) is kind
    assert words in str(error)
    assert "\n" not in str(error)


async def test_a_closed_port_is_told_with_its_remedy(tmp_path: Path) -> None:
    async with _listening(_answering("")) as port:
        pass
    error = await _error(Server(url=f"http://127.0.0.1:{port}"), tmp_path)
    assert type(error) is UnreachableError
    assert "Check that hermes-webui runs there" in str(error)


async def test_a_host_that_does_not_exist_is_told_with_its_remedy(tmp_path: Path) -> None:
    error = await _error(Server(url="https://nowhere.invalid"), tmp_path)
    assert type(error) is UnreachableError
    assert "[server] url" in str(error)


async def test_a_server_that_says_nothing_is_waited_for_as_long_as_configured(
    tmp_path: Path,
) -> None:
    async with _listening(_answering("", stays=True)) as port:
        config = Server(url=f"http://127.0.0.1:{port}", answer_seconds=0.2)
        error = await _error(config, tmp_path)
    assert type(error) is AnswerLostError


# TLS


def _server_context(*, wants_certificate: bool = False) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(TLS / "server.pem")
    if wants_certificate:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(TLS / "ca.pem")
    return context


OK = _answering("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n" + '{"ok":true}')


async def _gets(config: Server, folder: Path) -> bool:
    async with WebuiHttp(config, Store(folder)) as http:
        return await http.get("/api/x") == {"ok": True}


async def test_the_servers_certificate_is_verified(tmp_path: Path) -> None:
    async with _listening(OK, _server_context()) as port:
        url = f"https://127.0.0.1:{port}"
        error = await _error(Server(url=url), tmp_path)
        assert type(error) is UnreachableError
        assert "certificate" in str(error)
        assert "[server] ca_file" in str(error)
        assert await _gets(Server(url=url, ca_file=str(TLS / "ca.pem")), tmp_path)
        assert await _gets(Server(url=url, verify_tls=False), tmp_path)


async def test_a_client_certificate_is_shown(tmp_path: Path) -> None:
    async with _listening(OK, _server_context(wants_certificate=True)) as port:
        url = f"https://127.0.0.1:{port}"
        plain = Server(url=url, ca_file=str(TLS / "ca.pem"))
        assert isinstance(await _error(plain, tmp_path), UnreachableError)
        shown = plain.model_copy(update={"client_cert": str(TLS / "client.pem")})
        assert await _gets(shown, tmp_path)


async def test_https_spoken_to_a_server_of_plain_http_is_told(tmp_path: Path) -> None:
    async with _listening(_answering("HTTP/1.1 400 Bad Request\r\n\r\n")) as port:
        config = Server(url=f"https://127.0.0.1:{port}", connect_seconds=1.0)
        error = await _error(config, tmp_path)
    assert isinstance(error, UnreachableError)


@pytest.mark.parametrize("key", ["ca_file", "client_cert"])
@pytest.mark.parametrize("file", ["none.pem", "junk.pem"])
async def test_a_certificate_file_that_cannot_be_used_is_a_configuration_error(
    tmp_path: Path, key: str, file: str
) -> None:
    await asyncio.to_thread((tmp_path / "junk.pem").write_text, "junk")
    config = Server.model_validate({"url": "https://127.0.0.1", key: str(tmp_path / file)})
    with pytest.raises(ConfigError, match=rf"\[server\] {key} must be a PEM file"):
        async with WebuiHttp(config, Store(tmp_path)):
            pass


# Whole runs against the embedded server

QUICK = """
[pace]
first_token_seconds = 0.02
characters_per_second = 2000

[transcribe]
delay_seconds = 0
delay_factor = 0

[speech]
synthesizer = "tone"
"""


@asynccontextmanager
async def _simulator(scenario: str) -> AsyncIterator[Simulator]:
    """The embedded server; it is built and stopped beside the loop, as it blocks."""
    simulator = await asyncio.to_thread(Simulator, Scenario.parse(QUICK + scenario))
    await asyncio.to_thread(simulator.__enter__)
    try:
        yield simulator
    finally:
        await asyncio.to_thread(simulator.__exit__, None, None, None)


@asynccontextmanager
async def _talking(
    scenario: str, folder: Path, **config: object
) -> AsyncIterator[tuple[WebuiAgent, WebuiHttp, Simulator]]:
    async with _simulator(scenario) as simulator:
        server = Server.model_validate({"url": simulator.url, **config})
        store = Store(folder)
        async with WebuiHttp(server, store) as http:
            yield WebuiAgent(http, server, store), http, simulator


async def _hear(agent: WebuiAgent, run_id: str) -> list[RunEvent]:
    async with agent.follow(run_id) as events:
        return [event async for event in events]


def _text(told: list[RunEvent]) -> str:
    return "".join(event.text for event in told if isinstance(event, TextDelta))


def _asked(simulator: Simulator, path: str) -> int:
    return len([logged for logged in simulator.log if logged.path == path])


async def test_a_question_is_answered(tmp_path: Path) -> None:
    async with _talking("", tmp_path) as (agent, _, _):
        told = await _hear(agent, await agent.submit("Che ore sono?"))
        assert told[-1] == Completed("Hai detto: Che ore sono?")
        assert _text(told) == "Hai detto: Che ore sono?"


async def test_a_stream_that_breaks_again_and_again_loses_and_doubles_nothing(
    tmp_path: Path,
) -> None:
    scenario = """
    [[turns]]
    steps = [{ say = "Uno due tre quattro cinque sei sette otto nove dieci undici dodici." }]
    [[faults]]
    path = "/api/chat/stream"
    times = 3
    close_after_events = 3
    """
    async with _talking(scenario, tmp_path) as (agent, _, _):
        told = await _hear(agent, await agent.submit("conta"))
    assert _text(told) == "Uno due tre quattro cinque sei sette otto nove dieci undici dodici."
    assert told[-1] == Completed(_text(told))
    assert len([event for event in told if isinstance(event, Reconnected)]) == 3


async def test_a_message_whose_answer_was_lost_is_sent_once(tmp_path: Path) -> None:
    scenario = """
    [[faults]]
    path = "/api/chat/start"
    drop_answer = true
    """
    async with _talking(scenario, tmp_path) as (agent, _, simulator):
        told = await _hear(agent, await agent.submit("ciao"))
        assert _text(told) == "Hai detto: ciao"
        assert isinstance(told[-1], Completed)
        assert _asked(simulator, "/api/chat/start") == 1
        assert isinstance((await _hear(agent, await agent.submit("ancora")))[-1], Completed)


async def test_a_message_that_did_not_get_there_is_sent_again(tmp_path: Path) -> None:
    scenario = """
    [[faults]]
    path = "/api/chat/start"
    status = 502
    body = "<html>Bad Gateway</html>"
    """
    async with _talking(scenario, tmp_path) as (agent, _, _):
        with pytest.raises(UnreachableError):
            await agent.submit("ciao")


async def test_a_cancelled_run_ends_so_and_the_next_message_is_taken(tmp_path: Path) -> None:
    scenario = """
    [[turns]]
    when = ["piano"]
    pace = { characters_per_second = 5 }
    steps = [{ say = "Molto lentamente, una parola dopo l'altra." }]
    [[turns]]
    steps = [{ say = "Fatto." }]
    """
    async with _talking(scenario, tmp_path) as (agent, _, _):
        run_id = await agent.submit("piano")
        async with agent.follow(run_id) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    assert await agent.live_run() == run_id
                    assert await agent.cancel(run_id)
                    break
            assert [event async for event in events][-1] == Cancelled()
        assert _text(await _hear(agent, await agent.submit("adesso"))) == "Fatto."


async def test_a_conversation_that_is_compressed_goes_on_in_its_new_session(
    tmp_path: Path,
) -> None:
    scenario = """
    [[turns]]
    steps = [{ say = "Riassumo. " }, { compress = "Compression finished" }, { say = "Ecco." }]
    """
    async with _talking(scenario, tmp_path) as (agent, _, _):
        before = await agent.conversation.session()
        told = await _hear(agent, await agent.submit("ciao"))
        moved = [event for event in told if isinstance(event, SessionMoved)]
        assert len(moved) == 1
        assert await agent.conversation.session() == moved[0].session_id != before
        assert isinstance((await _hear(agent, await agent.submit("e poi?")))[-1], Completed)


async def test_a_live_run_is_attached_from_its_beginning_by_another_process(
    tmp_path: Path,
) -> None:
    scenario = """
    [[turns]]
    pace = { characters_per_second = 60 }
    steps = [{ say = "Una risposta abbastanza lunga da essere interrotta a metà strada." }]
    """
    async with _talking(scenario, tmp_path) as (agent, http, _):
        run_id = await agent.submit("ciao")
        async with agent.follow(run_id) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    break
        config = Server(url=http.url)
        later = WebuiAgent(http, config, Store(tmp_path))
        assert await later.live_run() == run_id
        told = await _hear(later, run_id)
    assert _text(told).startswith("Una risposta")
    assert told[-1] == Completed(_text(told))


async def test_a_password_opens_the_server_and_its_cookie_serves_the_next_process(
    tmp_path: Path,
) -> None:
    scenario = '[server]\npassword = "segreta"\nprofiles = ["default", "casa"]\n'
    async with _talking(scenario, tmp_path, profile="casa") as (agent, http, _):
        with pytest.raises(LoginError):
            await agent.submit("ciao")
        with pytest.raises(LoginError, match="Invalid password"):
            await login(http, "sbagliata")
        await login(http, "segreta")
        assert isinstance((await _hear(agent, await agent.submit("ciao")))[-1], Completed)
        config = Server(url=http.url, profile="casa")
        store = Store(tmp_path)
        async with WebuiHttp(config, store) as other:
            later = WebuiAgent(other, config, store)
            assert await later.conversation.known() == await agent.conversation.session()


async def test_a_login_that_ran_out_is_renewed_and_what_was_refused_is_sent_again(
    tmp_path: Path,
) -> None:
    """hermes-webui refuses by the cookie alone and takes the unread body for the next request."""
    async with _simulator('[server]\npassword = "segreta"\n') as simulator:
        config = Server(url=simulator.url)
        async with WebuiHttp(config, Store(tmp_path), password=lambda: "segreta") as http:
            agent = WebuiAgent(http, config, Store(tmp_path))
            session_id = await agent.conversation.session()
            for _ in range(3):
                await http.post("/api/auth/logout", {})  # as a login that runs out
                recognizer = WebuiRecognizer(http, seconds=10.0)
                speech = Utterance(_silent_wav(), ".wav", 1.0, UtteranceEnd.RELEASED)
                assert await recognizer.transcribe(speech) == "Ciao, come stai?"
                assert (await http.get("/api/session", session_id=session_id))["session"]
                await http.post("/api/auth/logout", {})  # as a login that runs out
                assert isinstance((await _hear(agent, await agent.submit("ciao")))[-1], Completed)


async def test_an_upload_that_is_refused_before_it_is_read_is_told(tmp_path: Path) -> None:
    refusal = '{"error": "File too large (max 20MB)"}'
    text = (
        "HTTP/1.1 413 Too Large\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(refusal)}\r\n\r\n{refusal}"
    )
    async with _listening(_answering(text)) as port:
        config = Server(url=f"http://127.0.0.1:{port}")
        async with WebuiHttp(config, Store(tmp_path)) as http:
            large = Utterance(bytes(15_000_000), ".wav", 400.0, UtteranceEnd.RELEASED)
            with pytest.raises((RefusedError, AnswerLostError)):
                await WebuiRecognizer(http, seconds=10.0).transcribe(large)


async def test_speech_is_transcribed(tmp_path: Path) -> None:
    async with _talking("", tmp_path) as (_, http, _):
        heard = await WebuiRecognizer(http, seconds=10.0).transcribe(
            Utterance(_silent_wav(), ".wav", 1.0, UtteranceEnd.RELEASED)
        )
    assert heard == "Ciao, come stai?"


def _silent_wav() -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(16_000)
        writer.writeframes(bytes(32_000))
    return file.getvalue()
