"""A small client of the embedded server for its tests. Blocks."""

import json
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from voicehermes.simulator.scenario import Pace, Scenario, Speech, Step, Turn
from voicehermes.simulator.server import Simulator

AT_ONCE = Pace(first_token_seconds=0.0, characters_per_second=0.0)

QUIET = Speech(synthesizer="tone", delay_seconds=0.0, delay_per_character=0.0, window_seconds=0.0)
"""Speech that costs no time and has no limit."""


_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Unused, but httpx would load all certificates for each client."""


@dataclass(frozen=True)
class Event:
    """One event of a stream, or a comment with the name ":"."""

    name: str
    data: Any
    id: str | None = None

    @property
    def number(self) -> int:
        """The second half of the id."""
        assert self.id is not None
        return int(self.id.rpartition(":")[2])


class Client(httpx.Client):
    """Talks to one simulator."""

    def __init__(self, simulator: Simulator, **options: Any) -> None:
        self.simulator = simulator
        super().__init__(
            base_url=simulator.url, timeout=10.0, trust_env=False, verify=_NO_TLS, **options
        )

    def new_session(self, **body: object) -> str:
        """The id of a new session."""
        answer = self.post("/api/session/new", json=body)
        return str(answer.json()["session"]["session_id"])

    def start(self, session_id: str, message: str = "ciao") -> str:
        """The stream id of a run that was begun."""
        body = {"session_id": session_id, "message": message}
        answer = self.post("/api/chat/start", json=body)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["stream_id"])

    @contextmanager
    def open_stream(
        self, path: str, query: Mapping[str, object], last_event_id: str | None = None
    ) -> Iterator[Iterator[Event]]:
        """The events of a stream, as they come."""
        parameters = {name: str(value) for name, value in query.items()}
        headers = {"Last-Event-ID": last_event_id} if last_event_id else {}
        with self.stream("GET", path, params=parameters, headers=headers) as answer:
            assert answer.status_code == 200
            assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
            yield read_events(answer.iter_lines())

    @contextmanager
    def open_run(
        self, stream_id: str, last_event_id: str | None = None, **cursor: object
    ) -> Iterator[Iterator[Event]]:
        """The events of a run, as they come."""
        query = {"stream_id": stream_id, **cursor}
        with self.open_stream("/api/chat/stream", query, last_event_id) as events:
            yield events

    def follow(
        self, stream_id: str, last_event_id: str | None = None, **cursor: object
    ) -> list[Event]:
        """All events of a run, to the end of the stream."""
        with self.open_run(stream_id, last_event_id, **cursor) as events:
            return list(events)

    def wait_last_event(self, stream_id: str, name: str) -> None:
        """Until the newest event of a run, metering aside, has this name."""
        for event in self.live(stream_id):
            if event.name == name:
                return
        raise AssertionError(f"no {name} came")

    def live(self, stream_id: str) -> Iterator[Event]:
        """The events of a run from its beginning, without counting as the first to attach."""
        with self.open_run(stream_id, after_seq=0) as events:
            yield from events


def read_events(lines: Iterator[str]) -> Iterator[Event]:
    """Events and comments of an event stream; one that is cut short is not given."""
    fields: dict[str, str] = {}
    for line in lines:
        if line.startswith(":"):
            yield Event(":", line)
        elif line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif fields:
            yield Event(fields["event"], json.loads(fields["data"]), fields.get("id"))
            fields = {}


def names(events: list[Event]) -> list[str]:
    """Names in order, without metering, comments and repetitions."""
    kept: list[str] = []
    for event in events:
        if event.name not in ("metering", ":") and event.name != (kept[-1] if kept else None):
            kept.append(event.name)
    return kept


def text(events: list[Event]) -> str:
    """What the tokens say."""
    return "".join(event.data["text"] for event in events if event.name == "token")


def scenario(*steps: Step, **parts: Any) -> Scenario:
    """A scenario with one reply, played at once, that speaks in tones."""
    turns = (Turn(steps=steps),) if steps else Scenario().turns
    defaults: dict[str, Any] = {"pace": AT_ONCE, "speech": QUIET, "turns": turns}
    return Scenario(**(defaults | parts))
