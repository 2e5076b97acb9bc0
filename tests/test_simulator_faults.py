"""What the embedded server does wrong when the scenario asks for it."""

import asyncio
import io
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import httpx
import pytest
import soundfile

from tests.simulator_client import QUIET, Client, names, scenario, text
from voicehermes.simulator.faults import Faults
from voicehermes.simulator.scenario import Fault, Pause, Say, Server, Turn
from voicehermes.simulator.server import Simulator

WORDS = tuple(Say(f"{word} ") for word in ("uno", "due", "tre", "quattro"))


@contextmanager
def struck_client(fault: Fault) -> Iterator[Client]:
    """A client of a simulator that does this wrong."""
    played = scenario(*WORDS, faults=(fault,), server=Server(title_seconds=0.0))
    with Simulator(played) as simulator, Client(simulator) as client:
        yield client


def test_a_stream_cut_after_some_events_is_resumed_without_loss() -> None:
    with struck_client(Fault("/api/chat/stream", close_after_events=4)) as client:
        run_id = client.start(client.new_session())
        with client.open_run(run_id) as events:
            first = list(events)
        assert len(first) == 4
        rest = client.follow(run_id, after_seq=first[-1].number)
        assert text(first) + text(rest) == "uno due tre quattro "
        assert rest[-1].name == "stream_end"


def test_a_stream_can_be_cut_in_the_middle_of_an_event() -> None:
    with struck_client(Fault("/api/chat/stream", close_after_bytes=700)) as client:
        run_id = client.start(client.new_session())
        answer = client.get("/api/chat/stream", params={"stream_id": run_id})
        assert len(answer.content) == 700
        assert client.follow(run_id)[-1].name == "stream_end"


def test_a_network_that_goes_away_cuts_every_stream_and_takes_new_connections() -> None:
    played = scenario(Say("uno "), Pause(0.5), Say("due"), server=Server(title_seconds=0.0))
    with Simulator(played) as simulator, Client(simulator) as client:
        run_id = client.start(client.new_session())
        first = []
        with client.open_run(run_id) as events:
            for event in events:
                first.append(event)
                if event.name == "token":
                    simulator.hang_up()
        assert "due" not in text(first)
        rest = client.follow(run_id, after_seq=first[-1].number)
        assert text(first) + text(rest) == "uno due"


@pytest.mark.parametrize("status", [500, 502, 413, 429])
def test_a_status_is_answered_instead_so_many_times(status: int) -> None:
    body = '{"error": "prova"}'
    with struck_client(Fault("/api/tts", status=status, body=body, times=2)) as client:
        said = {"text": "ciao"}
        statuses = [client.post("/api/tts", json=said).status_code for _ in range(3)]
        assert statuses == [status, status, 200]
        assert [logged.status for logged in client.simulator.log] == statuses


def test_an_overloaded_server_answers_503_with_nothing_in_it() -> None:
    with struck_client(Fault("*", status=503, times=0)) as client:
        for path in ("/health", "/api/sessions"):
            answer = client.get(path)
            assert (answer.status_code, answer.content) == (503, b"")
            assert "content-type" not in answer.headers


def test_html_and_a_redirect_to_a_login_page_can_be_answered() -> None:
    faults = (
        Fault("/api/sessions", status=200, body="<html>", content_type="text/html"),
        Fault("/api/session/new", status=302, location="https://sso.example/login"),
    )
    with Simulator(scenario(faults=faults)) as simulator, Client(simulator) as client:
        assert client.get("/api/sessions").headers["content-type"] == "text/html"
        answer = client.post("/api/session/new", json={})
        assert answer.headers["location"] == "https://sso.example/login"


def test_a_broken_mp3_can_be_answered() -> None:
    with struck_client(
        Fault("/api/tts", status=200, body="junk", content_type="audio/mpeg")
    ) as client:
        answer = client.post("/api/tts", json={"text": "ciao"})
    assert answer.headers["content-type"] == "audio/mpeg"
    with pytest.raises(soundfile.LibsndfileError):
        soundfile.info(io.BytesIO(answer.content))


def test_a_body_can_be_cut_short() -> None:
    said = {"text": "ciao"}
    with struck_client(Fault("/api/tts", close_after_bytes=100)) as client:
        whole = len(client.simulator.world.voice.speak("ciao", said))
        with pytest.raises(httpx.RemoteProtocolError, match=f"100 bytes, expected {whole}"):
            client.post("/api/tts", json=said)


def test_a_message_can_be_taken_while_its_answer_is_lost() -> None:
    with struck_client(Fault("/api/chat/start", drop_answer=True)) as client:
        session_id = client.new_session()
        body = {"session_id": session_id, "message": "ciao"}
        with pytest.raises(httpx.RemoteProtocolError):
            client.post("/api/chat/start", json=body)
        query = {"session_id": session_id}
        messages = client.get("/api/session", params=query).json()["session"]["messages"]
        assert messages[0]["content"] == "ciao"
        assert client.simulator.log[1].status == 0


def test_an_answer_can_be_late() -> None:
    with struck_client(Fault("/health", delay_seconds=0.2)) as client:
        began = time.monotonic()
        client.get("/health")
        middle = time.monotonic()
        client.get("/health")
    assert middle - began >= 0.2
    assert time.monotonic() - middle < middle - began


def test_a_fault_waits_for_its_turn() -> None:
    faults = Faults([Fault("/a", after=1, times=2), Fault("*", times=1)])
    taken = [faults.take("/a") for _ in range(4)]
    assert [fault.path if fault else None for fault in taken] == ["*", "/a", "/a", None]


def test_an_idle_connection_is_closed_after_its_time() -> None:
    played = scenario(server=Server(idle_seconds=0.1))
    with ExitStack() as stack:
        address = "127.0.0.1", stack.enter_context(Simulator(played)).port
        connection = stack.enter_context(socket.create_connection(address, timeout=2))
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        while connection.recv(65536):
            pass


def test_a_client_that_leaves_a_stream_leaves_no_trace(capfd: pytest.CaptureFixture[str]) -> None:
    turns = (Turn(steps=(Say("uno "), Pause(0.1), *WORDS * 20)),)
    played = scenario(turns=turns, server=Server(heartbeat_seconds=0.02))
    with Simulator(played) as simulator, Client(simulator) as client:
        run_id = client.start(client.new_session())
        for _ in range(5):
            with client.open_run(run_id, after_seq=0) as events:
                next(events)
        time.sleep(0.2)
        assert names(client.follow(run_id))[-1] == "stream_end"
    assert capfd.readouterr() == ("", "")


def test_a_port_in_use_is_an_os_error() -> None:
    with Simulator(scenario()) as simulator, pytest.raises(OSError, match="in use"):
        Simulator(scenario(), port=simulator.port)


async def test_it_serves_clients_on_an_event_loop() -> None:
    async with Simulator(scenario(*WORDS, speech=QUIET)) as simulator:
        async with httpx.AsyncClient(base_url=simulator.url, verify=False) as client:
            answers = await asyncio.gather(
                *(client.post("/api/tts", json={"text": f"frase {n}"}) for n in range(8))
            )
        assert [answer.status_code for answer in answers] == [200] * 8
        assert len(simulator.spoken) == 8
