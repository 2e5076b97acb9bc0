"""A scripted hermes-webui behind httpx: a transport, so that flows run on the virtual clock.

It obeys the transport's contract where the client could tell: a stream that is silent for longer
than the read time-out raises ReadTimeout, one that breaks raises ReadError, and what was opened
is counted until it is closed.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import httpx

CAPTURES = Path(__file__).parent / "data" / "captures"
ANSWERS: dict[str, dict[str, Any]] = json.loads((CAPTURES / "answers.json").read_text("utf-8"))

Reply = httpx.Response | Exception
Handler = Callable[["Asked"], Reply]
"""Gives the answer to a request, or what the transport raises for it."""


class Asked:
    """One request as the server saw it."""

    def __init__(self, request: httpx.Request, at: float) -> None:
        self.at = at
        self.method = request.method
        self.path = request.url.path
        self.query = {
            key: values[0] for key, values in parse_qs(request.url.query.decode()).items()
        }
        self.headers = request.headers
        self.content = request.content
        self.read_timeout: float = request.extensions["timeout"]["read"]

    @property
    def body(self) -> dict[str, Any]:
        """The JSON object that was sent."""
        value: dict[str, Any] = json.loads(self.content)
        return value


class WebuiServer(httpx.AsyncBaseTransport):
    """Answers by path. A list of handlers is used up one a request, its last one for ever."""

    def __init__(self, routes: dict[str, Handler | list[Handler]]) -> None:
        self.routes = routes
        self.asked: list[Asked] = []
        self.open_streams = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        asked = Asked(request, asyncio.get_running_loop().time())
        self.asked.append(asked)
        reply = self._handler(asked.path)(asked)
        if isinstance(reply, Exception):
            raise reply
        assert isinstance(reply, httpx.Response)
        if isinstance(reply.stream, Events):
            reply.stream.bind(self, asked.read_timeout)
        return reply

    def _handler(self, path: str) -> Handler:
        handler = self.routes.get(path, says("unknown_endpoint"))
        if not isinstance(handler, list):
            return handler
        return handler.pop(0) if len(handler) > 1 else handler[0]

    def paths(self) -> list[str]:
        """The paths asked for, in order."""
        return [asked.path for asked in self.asked]

    def last(self, path: str) -> Asked:
        """The newest request for ``path``."""
        return next(asked for asked in reversed(self.asked) if asked.path == path)


class Events(httpx.AsyncByteStream):
    """An event stream's bytes: text, pauses in seconds, and how it breaks."""

    def __init__(self, script: Iterable[str | float | Exception]) -> None:
        self._script = list(script)

    def bind(self, server: WebuiServer, read_timeout: float) -> None:
        self._server = server
        self._read_timeout = read_timeout
        server.open_streams += 1
        self._is_open = True

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for step in self._script:
            match step:
                case str():
                    yield step.encode()
                case Exception():
                    raise step
                case seconds:
                    await asyncio.sleep(min(seconds, self._read_timeout))
                    if seconds > self._read_timeout:
                        raise httpx.ReadTimeout("silent")

    async def aclose(self) -> None:
        self._server.open_streams -= self._is_open
        self._is_open = False


def event(name: str, payload: dict[str, Any], seq: int | None = None, stream: str = "run") -> str:
    """One event as text; without a number it has no id."""
    head = f"id: {stream}:{seq}\n" if seq is not None else ""
    return f"{head}event: {name}\ndata: {json.dumps(payload)}\n\n"


def token(text: str, seq: int, stream: str = "run") -> str:
    """A token event."""
    return event("token", {"text": text}, seq, stream)


def done(*messages: tuple[str, str], seq: int, session_id: str = "s1") -> str:
    """A done event with these messages (role, content) in its session."""
    said = [{"role": role, "content": content} for role, content in messages]
    return event("done", {"session": {"session_id": session_id, "messages": said}}, seq)


def json_answer(
    body: object, status: int = 200, headers: dict[str, str] | None = None
) -> httpx.Response:
    """A JSON answer."""
    return httpx.Response(status, json=body, headers=headers)


def stream(*script: str | float | Exception) -> httpx.Response:
    """An event stream."""
    return httpx.Response(
        200,
        headers={"content-type": "text/event-stream; charset=utf-8"},
        stream=Events(script),
    )


def captured(name: str) -> httpx.Response:
    """An answer as a real server gave it."""
    answer = ANSWERS[name]
    body = b"" if answer["body"] is None else json.dumps(answer["body"]).encode()
    return httpx.Response(answer["status"], headers=answer["headers"], content=body)


def says(name: str) -> Handler:
    """A handler that gives a captured answer."""
    return lambda _: captured(name)


def gives(body: object, status: int = 200) -> Handler:
    """A handler that answers with JSON."""
    return lambda _: json_answer(body, status)


def fails(error: Exception) -> Handler:
    """A handler to which no answer comes."""
    return lambda _: error


def streams(*script: str | float | Exception) -> Handler:
    """A handler that opens an event stream."""
    return lambda _: stream(*script)
