"""The embedded server: HTTP/1.1 on loopback, a thread for each connection."""

import asyncio
import socket
import sys
import threading
import time
from dataclasses import dataclass, replace
from email.message import Message
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from types import TracebackType
from typing import Self
from urllib.parse import parse_qsl, urlsplit

from voicehermes.simulator.faults import CutError
from voicehermes.simulator.messages import Answer, Request, Stream, refusal
from voicehermes.simulator.routes import refuse, respond
from voicehermes.simulator.scenario import Fault, Scenario
from voicehermes.simulator.world import World

_Socket = socket.socket | tuple[bytes, socket.socket]
"""What socketserver calls a request; TCP has the first kind."""

BODY_MAX = 20 * 1024 * 1024

TOO_LARGE = refusal(413, "File too large (max 20MB)")


@dataclass(frozen=True, slots=True)
class Logged:
    """One request that was answered, or whose connection was cut."""

    method: str
    path: str
    query: dict[str, str]
    body: bytes
    at: float
    """When it came, on time.monotonic()."""
    status: int
    """0 when nothing was answered."""


class Simulator:
    """An embedded Hermes WebUI.

    As a context manager, with or without async, it serves from a thread of its own;
    ``serve_forever`` serves from the caller's until KeyboardInterrupt. Raises OSError when the
    port is taken. Use it once.
    """

    def __init__(self, scenario: Scenario, port: int = 0, host: str = "127.0.0.1") -> None:
        self.world = World(scenario)
        self.log: list[Logged] = []
        """Every request, in the order in which they were answered."""
        self._server = _Server((host, port), self)
        self._thread = threading.Thread(target=self._serve, name="simulator")

    @property
    def spoken(self) -> list[tuple[str, bytes]]:
        """Each text that was spoken, with its MP3."""
        return self.world.voice.spoken

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """Its address, for ``[server] url``."""
        return f"http://{self._server.server_address[0]!s}:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._close()

    async def __aenter__(self) -> Self:
        return await asyncio.to_thread(self.__enter__)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.to_thread(self.__exit__, kind, error, trace)

    def serve_forever(self) -> None:
        """Serve until KeyboardInterrupt."""
        try:
            self._serve()
        except KeyboardInterrupt:
            pass
        finally:
            self._close()

    def hang_up(self) -> None:
        """Cut all connections, as when the network goes away; new ones are answered."""
        self._server.hang_up()

    def _serve(self) -> None:
        self._server.serve_forever(poll_interval=0.02)

    def _close(self) -> None:
        self.world.close()
        self._server.hang_up()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # server_close waits for them
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], simulator: Simulator) -> None:
        self.simulator = simulator
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        # HTTPServer's own asks the resolver for the host's name, which may take seconds.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "localhost", 0

    def process_request(self, request: _Socket, client_address: object) -> None:
        assert isinstance(request, socket.socket)
        with self._lock:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: _Socket) -> None:
        assert isinstance(request, socket.socket)
        with self._lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """End every connection, idle ones too."""
        with self._lock:
            for connection in self._connections:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:  # it is closed already
                    continue

    def handle_error(self, request: _Socket, client_address: object) -> None:
        # A client that went away is no news; anything else is a bug and is printed.
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else a body waits 40 ms for the headers' acknowledgement
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.connection.settimeout(self.server.simulator.world.scenario.server.idle_seconds)

    def version_string(self) -> str:
        return "HermesWebUI/voicehermes-simulator"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing: the simulator has a log of its own."""

    def do_GET(self) -> None:
        self._handle()

    def do_POST(self) -> None:
        self._handle()

    def do_OPTIONS(self) -> None:
        self._write(Answer(200, b""), None)

    def _handle(self) -> None:
        came = time.monotonic()
        world = self.server.simulator.world
        path = urlsplit(self.path).path
        fault = world.faults.take(path)
        if fault and fault.delay_seconds:
            world.pause(fault.delay_seconds)
        size = int(self.headers.get("Content-Length") or 0)
        request = self._request(path)
        scripted = self._scripted(fault)
        result: Answer | Stream | None = scripted or refuse(world, request)
        if result is None and size > BODY_MAX:
            result = TOO_LARGE
        if scripted or result is None:  # the others are answered before the body is read
            request = replace(request, body=self.rfile.read(size))
            result = scripted or respond(world, request)
        status = result.status if isinstance(result, Answer) else 200
        if fault and fault.drop_answer:
            status = 0
        query, body = dict(request.query), request.body
        self.server.simulator.log.append(Logged(request.method, path, query, body, came, status))
        if not status:
            raise CutError
        if isinstance(result, Answer):
            self._write(result, fault)
        else:
            self._stream(result, fault)

    def _request(self, path: str) -> Request:
        """The request without its body, which is not read yet."""
        return Request(
            method=self.command,
            path=path,
            query=dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True)),
            headers={name.lower(): value for name, value in self.headers.items()},
            cookies=_cookies(self.headers),
            body=b"",
            address=str(self.client_address[0]),
        )

    def _scripted(self, fault: Fault | None) -> Answer | None:
        if fault is None or fault.status is None:
            return None
        headers = (("Location", fault.location),) if fault.location else ()
        return Answer(fault.status, fault.body.encode(), fault.content_type, headers)

    def _write(self, answer: Answer, fault: Fault | None) -> None:
        self.send_response(answer.status)
        if answer.body:
            self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.body)))
        self.send_header("Cache-Control", "no-store")
        for name, value in answer.headers:
            self.send_header(name, value)
        self.end_headers()
        self._send(answer.body, fault.close_after_bytes if fault else None)

    def _stream(self, stream: Stream, fault: Fault | None) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Accel-Buffering", "no")
        self.send_header("Connection", "close")
        self.end_headers()
        bytes_left = fault.close_after_bytes if fault else None
        events_left = fault.close_after_events if fault else None
        if events_left == 0:
            raise CutError
        for item in stream.items:
            self._send(item, bytes_left)
            if bytes_left is not None:
                bytes_left -= len(item)
            if events_left is not None and not item.startswith(b":"):
                events_left -= 1
                if not events_left:
                    raise CutError

    def _send(self, data: bytes, left: int | None) -> None:
        """Write, and cut the connection where no more than ``left`` bytes may be written."""
        if left is not None and len(data) > left:
            self.wfile.write(data[:left])
            raise CutError
        self.wfile.write(data)


def _cookies(headers: Message) -> dict[str, str]:
    try:
        jar = SimpleCookie(headers.get("Cookie", ""))
    except CookieError:
        return {}
    return {name: morsel.value for name, morsel in jar.items()}
