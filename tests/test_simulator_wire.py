"""The embedded server against what hermes-webui was seen to answer: tests/data/wire."""

import io
import json
import struct
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
import soundfile

from tests.simulator_client import QUIET, Client, Event, names, read_events, scenario
from voicehermes.simulator.scenario import (
    Approval,
    Clarify,
    Decisions,
    Emit,
    Error,
    Pause,
    Reason,
    Say,
    Scenario,
    Server,
    Speech,
    Step,
    Tool,
    Transcribe,
    Turn,
)
from voicehermes.simulator.server import Simulator

WIRE = Path(__file__).parent / "data" / "wire"
SHAPES: dict[str, str] = json.loads((WIRE / "shapes.json").read_text("utf-8"))

ANSWERS = [json.loads(line) for line in (WIRE / "answers.jsonl").read_text("utf-8").splitlines()]
STREAMS = {
    stream["name"]: stream
    for line in (WIRE / "streams.jsonl").read_text("utf-8").splitlines()
    if (stream := json.loads(line))
}

PASSWORD = "correct horse"
COMMAND = "rm -rf /home/user/x"
REASON = "delete in root path"
QUESTION = "Quale ambiente vuoi usare per il rilascio?"
CHOICES = ("Produzione", "Collaudo", "Sviluppo locale")

OPAQUE = {
    "messages",
    "tool_calls",
    "runtime_journal_snapshot",
    "configured_model_badges",
    "usage",
    "runs",
    "args",
}
"""Keys whose contents were not compared."""

FEWER = {"settings", "health"}
"""Answers of which the embedded server gives only the part that a voice client could want."""

STOCK = Speech(
    voices="stock",
    synthesizer="tone",
    delay_seconds=0.0,
    delay_per_character=0.0,
    window_seconds=0.0,
)

SCENARIOS: dict[str, Scenario] = {
    "open": scenario(Say("pong"), transcribe=Transcribe(delay_seconds=0.0, delay_factor=0.0)),
    "running": scenario(Say("parola "), Pause(60), server=Server(unwind_seconds=0.0)),
    "approval": scenario(Approval(COMMAND, REASON), server=Server(unwind_seconds=0.0)),
    "clarify": scenario(Clarify(QUESTION, CHOICES), server=Server(unwind_seconds=0.0)),
    "password": scenario(server=Server(password=PASSWORD)),
    "voice": scenario(speech=STOCK),
    "italian": scenario(speech=QUIET),
    "spoken": scenario(speech=Speech(synthesizer="tone", voices="stock", delay_seconds=0.0)),
}

SAME_SERVER = {"idle": "open", "elsewhere": "open", "finished": "open"} | {
    "login": "password",
    "logout": "password",
}


class Servers:
    """A simulator for each kind of scenario, kept for all cases that leave it as it was."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._kept: dict[str, Simulator] = {}

    def give(self, setup: str) -> Simulator:
        kind = SAME_SERVER.get(setup, setup)
        if kind in ("approval", "spoken", "password") or kind not in self._kept:
            self._kept[kind] = self._stack.enter_context(Simulator(SCENARIOS[kind]))
        return self._kept[kind]


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    with ExitStack() as stack:
        yield Servers(stack)


@pytest.mark.parametrize("case", ANSWERS, ids=lambda case: case["name"])
def test_a_request_is_answered_as_hermes_webui_answered_it(
    case: dict[str, Any], servers: Servers
) -> None:
    simulator = servers.give(case["setup"])
    with Client(simulator) as client:
        values = prepare(case["setup"], simulator, client)
        answer = send(case, client, values)
    assert answer.status_code == case["status"], answer.text
    if "type" in case:
        assert answer.headers.get("content-type", "") == case["type"]
        assert answer.headers.get("location") == case.get("location")
        assert bool(answer.content) == (case["status"] == 200)
        return
    body = answer.json()
    expected = set(SHAPES[case["shape"]].split())
    if case["name"] in FEWER:
        assert shape(body) - {"webui_version"} <= expected
    else:
        assert shape(body) == expected
    assert body.get("error", "").startswith(case.get("error", ""))
    assert ("error" in body) == ("error" in case)
    for name, value in case.get("values", {}).items():
        assert body[name] == value


def shape(value: Any, prefix: str = "") -> set[str]:
    """The keys of a JSON value, nested ones with dots; a list counts by its first item."""
    if isinstance(value, list) and value:
        return shape(value[0], f"{prefix}[]")
    if not isinstance(value, dict):
        return set()
    found: set[str] = set()
    for name, inner in value.items():
        path = f"{prefix}.{name}" if prefix else name
        found.add(path)
        if name not in OPAQUE:
            found |= shape(inner, path)
    return found


def prepare(setup: str, simulator: Simulator, client: Client) -> dict[str, str]:
    """Bring the server into the state of the case; what its placeholders stand for."""
    values = {"url": simulator.url, "password": PASSWORD}
    if setup in ("login", "logout"):
        client.post("/api/auth/login", json={"password": PASSWORD})
        cookie = client.cookies["hermes_session"]
        other = "0" if cookie[-1] != "0" else "1"
        values["cookie"] = f"hermes_session={cookie}"
        values["tampered"] = f"hermes_session={cookie[:-1]}{other}"
        page = client.get("/").text
        values["token"] = page.partition('csrfToken:"')[2].partition('"')[0]
        if setup == "logout":
            client.post("/api/auth/logout", json={})
        client.cookies.clear()
    if setup in ("idle", "finished", "running", "approval", "clarify"):
        values["session"] = client.new_session()
    if setup == "elsewhere":
        values["session"] = client.new_session(profile="casa")
    if setup in ("finished", "running", "approval", "clarify"):
        values["stream"] = client.start(values["session"])
    if setup == "finished":
        client.follow(values["stream"])
    if setup == "running":
        client.wait_last_event(values["stream"], "token")
    for kind in ("approval", "clarify"):
        if setup == kind:
            client.wait_last_event(values["stream"], kind)
            query = {"session_id": values["session"]}
            pending = client.get(f"/api/{kind}/pending", params=query).json()["pending"]
            values[kind] = pending[f"{kind}_id"]
    if setup == "spoken":
        assert client.post("/api/tts", json={"text": "ciao"}).status_code == 200
    return values


def send(case: Mapping[str, Any], client: Client, values: Mapping[str, str]) -> httpx.Response:
    url = filled(case["url"], values)
    headers = filled(case.get("headers", {}), values)
    if "{cookie}" in str(case.get("headers", {})):
        headers["Cookie"] = values["cookie"]
    if upload := case.get("upload"):
        part = (upload["filename"], CONTENTS[upload["content"]])
        boundary = {"Content-Type": "multipart/form-data; boundary=b"}
        return client.post(url, content=multipart(upload["field"], *part), headers=boundary)
    body = filled(case.get("body"), values)
    if isinstance(body, str):
        return client.request(
            case["method"], url, headers=headers, content=body.removeprefix("{raw}").encode()
        )
    return client.request(case["method"], url, headers=headers, json=body)


def filled(value: Any, values: Mapping[str, str]) -> Any:
    """The value with its placeholders replaced."""
    written = json.dumps(value)
    for name, inserted in values.items():
        written = written.replace(f"{{{name}}}", inserted)
    return json.loads(written.replace("{5001 characters}", "a" * 5001))


def multipart(field: str, filename: str | None, content: bytes) -> bytes:
    name = f'; filename="{filename}"' if filename is not None else ""
    head = f'--b\r\nContent-Disposition: form-data; name="{field}"{name}\r\n\r\n'
    return head.encode() + content + b"\r\n--b--\r\n"


def _audio(kind: str) -> bytes:
    file = io.BytesIO()
    subtype = "OPUS" if kind == "OGG" else None
    soundfile.write(file, [0.0, 0.1] * 8000, 16000, format=kind, subtype=subtype)
    return file.getvalue()


CONTENTS = {
    "wav": _audio("WAV"),
    "flac": _audio("FLAC"),
    "ogg": _audio("OGG"),
    "mp3": _audio("MP3"),
    "webm": b"\x1a\x45\xdf\xa3" + bytes(100),
    "m4a": b"\0\0\0\x20ftypM4A " + bytes(100),
    "text": b"ciao",
    "empty": b"",
    "garbage": b"\x17\x2a" * 5000,
    "header": b"RIFF"
    + struct.pack("<I", 36)
    + b"WAVEfmt "
    + struct.pack("<IHHIIHH", 16, 1, 1, 16000, 32000, 2, 16)
    + b"data"
    + struct.pack("<I", 0),
}


# ---- Streams

TERMINAL = Tool("terminal", args={"command": "echo primo"}, preview="primo")
RETRY = Emit("warning", {"type": "fallback", "message": "Rate limited. Waiting 2.4s..."})
AFTER = (Say("Ho finito."),)
APPROVE = Approval(COMMAND, REASON, granted=AFTER, denied=AFTER, expired=AFTER)
CLARIFY = Clarify(QUESTION, CHOICES, answered=AFTER, expired=AFTER)

PLAYS: dict[str, tuple[Step, ...]] = {
    "stream_normal_pong": (Say("pong"),),
    "slow_title__chat_stream": (Say("pong"),),
    "stream_tool": (TERMINAL, *AFTER),
    "stream_tools_interim": (Say("Controllo subito due cose."), TERMINAL, TERMINAL, *AFTER),
    "stream_reasoning": (Reason("L'utente vuole"), Reason(" sapere."), Say("La risposta")),
    "stream_empty_reply": (),
    "stream_error_400": (Error("HTTP 400: errore"),),
    "stream_error_401": (Error("HTTP 401: errore", kind="auth_mismatch", hint="Check it."),),
    "stream_error_429": (RETRY, Error("HTTP 429", kind="rate_limit", hint="Try again.")),
    "stream_error_500": (Error("HTTP 500: errore"),),
    "stream_drop_midway": (Say("Questa frase si interromperà a metà"), Error("HTTP 500")),
    "repeat_pong_2": (Say("pong"), Error("No response.", kind="no_response", hint="Wait.")),
    "approval_once__chat_stream": (APPROVE,),
    "approval_deny__chat_stream": (APPROVE,),
    "approval_no_id__chat_stream": (APPROVE,),
    "approval_always__chat_stream": (APPROVE,),
    "approval_session__chat_stream": (APPROVE,),
    "approval_expired__chat_stream": (APPROVE,),
    "approval_double__chat_stream": (Approval(COMMAND, REASON), Approval("chmod -R 777 x"), *AFTER),
    "clarify_choice__chat_stream": (CLARIFY,),
    "clarify_free__chat_stream": (CLARIFY,),
    "clarify_expired__chat_stream": (CLARIFY,),
    "cancel_midstream__chat_stream": (Say("parola "), Pause(60)),
    "approval_cancel_while_pending__chat_stream": (APPROVE,),
    "clarify_cancel_while_pending__chat_stream": (CLARIFY,),
}

ANSWERED = {"once": "once", "deny": "deny", "no_id": "deny", "always": "always"} | {
    "session": "session",
    "double": "once",
}


def react(name: str, client: Client, session_id: str, stream_id: str, event: Event) -> None:
    """Do what the person did when this event came."""
    kind = name.partition("__")[0].partition("_")[2]
    if "cancel" in name and event.name in ("token", "approval", "clarify"):
        client.get("/api/chat/cancel", params={"stream_id": stream_id})
    elif event.name == "approval" and kind in ANSWERED:
        id_ = {} if kind == "no_id" else {"approval_id": event.data["approval_id"]}
        body = {"session_id": session_id, "choice": ANSWERED[kind], **id_}
        assert client.post("/api/approval/respond", json=body).json()["ok"]
    elif event.name == "clarify" and kind in ("choice", "free"):
        id_ = {"clarify_id": event.data["clarify_id"]} if kind == "choice" else {}
        body = {"session_id": session_id, "response": "Collaudo", **id_}
        assert client.post("/api/clarify/respond", json=body).json()["ok"]


@pytest.mark.parametrize("name", PLAYS)
def test_a_run_streams_the_events_that_hermes_webui_streamed(name: str) -> None:
    seen = STREAMS[name]
    decisions = Decisions(approval_seconds=0.1, clarify_seconds=0.1)
    is_expiry = name.endswith("expired__chat_stream")
    played = scenario(
        *PLAYS[name],
        turns=(Turn(steps=PLAYS[name]),),
        server=Server(title_seconds=0.0, unwind_seconds=0.0),
        decisions=decisions if is_expiry else Decisions(),
    )
    with Simulator(played) as simulator, Client(simulator) as client:
        session_id = client.new_session()
        stream_id = client.start(session_id)
        query = {"stream_id": stream_id}
        events: list[Event] = []
        with client.stream("GET", "/api/chat/stream", params=query) as answer:
            for event in read_events(answer.iter_lines()):
                events.append(event)
                react(name, client, session_id, stream_id, event)
        for header, value in seen["headers"].items():
            assert answer.headers[header] == value
    compare(events, seen)
    numbers = [event.number for event in events]
    if seen["last_id_repeats"]:
        assert numbers.pop() == numbers[-1]
    assert numbers == list(range(1, len(numbers) + 1))


def compare(events: list[Event], seen: Mapping[str, Any]) -> None:
    """Names and keys are those that were seen."""
    assert names(events) == seen["events"]
    for event in events:
        if event.name not in ("metering", "done", "tool_complete", ":"):
            assert set(event.data) == set(seen["keys"][event.name]), event.name
        assert (event.id is not None) == (seen["has_ids"] and event.name != ":")


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("approval_once__approval_stream", APPROVE),
        ("approval_deny__approval_stream", APPROVE),
        ("approval_expired__approval_stream", APPROVE),
        ("approval_once__clarify_stream", APPROVE),
        ("clarify_choice__clarify_stream", CLARIFY),
        ("clarify_expired__clarify_stream", CLARIFY),
    ],
)
def test_a_decision_stream_tells_what_hermes_webui_told(name: str, step: Step) -> None:
    seen = STREAMS[name]
    decisions = Decisions(approval_seconds=0.3, clarify_seconds=0.3)
    played = scenario(
        Pause(0.1),
        step,
        server=Server(title_seconds=0.0, heartbeat_seconds=0.5),
        decisions=decisions if "expired" in name else Decisions(),
    )
    path = f"/api/{name.split('__')[1].replace('_', '/')}"
    with Simulator(played) as simulator, Client(simulator) as client:
        session_id = client.new_session()
        query = {"session_id": session_id}
        events: list[Event] = []
        with client.stream("GET", path, params=query) as answer:
            stream_id = client.start(session_id)
            for event in read_events(answer.iter_lines()):
                events.append(event)
                if event.name == ":":
                    break
                pending = event.data["pending"]
                if pending and "expired" not in name:
                    asked = Event(event.name, pending)
                    react(name, client, session_id, stream_id, asked)
        for header, value in seen["headers"].items():
            assert answer.headers[header] == value
    compare(events, seen)
    assert events[-1].data == seen["comments"][0]
    assert events[-2].data["pending"] is None


def test_a_cancelled_run_is_replayed_as_hermes_webui_replayed_it() -> None:
    played = scenario(Say("parola "), CLARIFY, server=Server(unwind_seconds=0.5))
    with Simulator(played) as simulator, Client(simulator) as client:
        session_id = client.new_session()
        stream_id = client.start(session_id)
        client.wait_last_event(stream_id, "clarify")
        client.get("/api/chat/cancel", params={"stream_id": stream_id})
        at_once = client.follow(stream_id)
        while client.get("/api/session", params={"session_id": session_id}).json()["session"][
            "active_stream_id"
        ]:
            time.sleep(0.02)
        later = client.follow(stream_id)
    keys = STREAMS["cancel_midstream__replay_dead_no_cursor"]["keys"]["apperror"]
    assert at_once[-1].name == "apperror"
    assert set(at_once[-1].data) == set(keys)
    assert later[-1].name == "cancel"
    assert set(later[-1].data) == set(STREAMS["cancelled_replay_later"]["keys"]["cancel"])
    assert later[-1].number == at_once[-1].number == later[-2].number + 1
