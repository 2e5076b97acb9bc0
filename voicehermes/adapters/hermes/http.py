"""The connection to one hermes-webui: requests, cookies, and a login that ran out.

Knows no endpoint but the two that give cookies. Everything that goes wrong outside is an error
of our tree.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from email.utils import parsedate_to_datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy
from time import time
from types import TracebackType
from typing import Self

import httpx
from httpx_sse import EventSource, ServerSentEvent

from voicehermes import __version__
from voicehermes.adapters.hermes import answers, faults
from voicehermes.adapters.hermes.answers import Answer
from voicehermes.adapters.hermes.cookies import Cookies
from voicehermes.adapters.hermes.faults import AnswerLostError
from voicehermes.adapters.hermes.shapes import Json
from voicehermes.adapters.hermes.tls import tls_context
from voicehermes.adapters.store import Store
from voicehermes.config import Server, is_loopback
from voicehermes.errors import ConfigError, LoginError, ProtocolError

KEEP_ALIVE_SECONDS = 20.0
"""hermes-webui closes an idle connection after 30.0 s; ours must be gone before."""

COOKIE_PATHS = ("/api/auth/login", "/api/auth/logout", "/api/profile/switch")
"""Whose answers' cookies are kept; a proxy may set its own with every answer."""

SILENCE_SECONDS = 16.0
"""An event stream has a heartbeat after every 5 s of silence; three missed mean it is dead."""


def no_password() -> str | None:
    """The source of a daemon to which no password was given."""
    return None


class WebuiHttp:
    """Requests to one server, while it is open as a context manager.

    Invariant: cookies go to and come from that server alone, no redirect is followed, and no
    Origin or Referer is sent (the server would take us for a foreign web page).
    """

    def __init__(
        self,
        server: Server,
        store: Store,
        *,
        password: Callable[[], str | None] = no_password,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """``password`` is asked, in a thread, when the server wants a login in mid-use."""
        self.url = server.url
        self.clock_offset_seconds = 0.0
        """The server's clock less ours, from its last answer; good to a second or two."""
        self._server = server
        self._password = password
        self._transport = transport
        self._cookies = Cookies(store, server.url)
        self._stack = AsyncExitStack()
        self._login = asyncio.Lock()
        self._logins = 0
        self._is_password_refused = False

    async def __aenter__(self) -> Self:
        """Raises ConfigError for an address or a certificate's file that cannot be used."""
        await self._cookies.load()
        if not self._server.profile:
            await self._cookies.forget_profile()
        self._client = await self._stack.enter_async_context(
            httpx.AsyncClient(
                base_url=_parsed(self.url),
                verify=await asyncio.to_thread(tls_context, self._server),
                transport=self._transport,
                trust_env=not is_loopback(self.url),  # no proxy leads to our own machine
                headers={"User-Agent": f"voicehermes/{__version__}"},
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),  # we keep them
                limits=httpx.Limits(keepalive_expiry=KEEP_ALIVE_SECONDS),
            )
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stack.aclose()

    async def get(self, path: str, **query: str) -> Json:
        """The JSON object that a GET gives. Raises ServerError."""
        return answers.content(await self.send("GET", path, query=query))

    async def post(self, path: str, body: Json) -> Json:
        """The JSON object that a POST of one gives. Raises ServerError."""
        return answers.content(await self.send("POST", path, body=body))

    async def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Json | None = None,
        file: tuple[str, bytes] | None = None,
        seconds: float | None = None,
    ) -> Answer:
        """The answer to a request, read whole, whatever its status.

        ``file`` (name and contents) is sent as the form's part "file". ``seconds`` bounds the
        wait for the answer, ``[server] answer_seconds`` otherwise. Raises ServerError when no
        answer comes, and when a login in between is refused.
        """
        bound = self._server.answer_seconds if seconds is None else seconds

        # Named, so that httpx does not look it up in the system's files, on the loop.
        parts = None if file is None else {"file": (*file, "application/octet-stream")}

        def request() -> httpx.Request:
            return self._client.build_request(
                method,
                path,
                params=query,
                json=body,
                files=parts,
                headers=self._identity(),
                timeout=self._timeout(bound),
            )

        return _answer(await self._send_logged_in(request, bound))

    @asynccontextmanager
    async def events(
        self, path: str, **query: str
    ) -> AsyncIterator[AsyncIterator[ServerSentEvent]]:
        """An open event stream; the iterator ends when the server closes it.

        The iterator raises AnswerLostError when the connection breaks or is silent, heartbeats
        included, for more than SILENCE_SECONDS. Raises ServerError when the answer is no event
        stream.
        """

        def request() -> httpx.Request:
            return self._client.build_request(
                "GET",
                path,
                params=query,
                headers={"Accept": "text/event-stream"} | self._identity(),
                timeout=self._timeout(SILENCE_SECONDS),
            )

        bound = self._server.answer_seconds
        response = await self._send_logged_in(request, bound, is_stream=True)
        try:
            answer = _answer(response)
            answers.check(answer)
            if answer.content_type != "text/event-stream":
                raise ProtocolError(
                    "The server answered with something that is no event stream.",
                    hint=answers.CHECK_ADDRESS,
                )
            async with aclosing(self._read_events(response)) as events:
                yield events
        finally:
            await response.aclose()

    async def log_in(self, password: str) -> None:
        """Send the password and keep the cookies that come for it, the profile's too.

        Raises LoginError with the server's reason, RateLimitedError, other ServerErrors.
        """
        async with self._login:
            await self._log_in(password)

    async def switch_profile(self, name: str) -> None:
        """Choose the profile of all further requests. Raises ServerError."""
        await self.post("/api/profile/switch", {"name": name})

    async def forget_login(self) -> None:
        """Drop the cookies, in the file too."""
        await self._cookies.forget()

    async def _read_events(self, response: httpx.Response) -> AsyncGenerator[ServerSentEvent, None]:
        try:
            async with aclosing(EventSource(response).aiter_sse()) as events:
                async for event in events:
                    yield event
        except httpx.HTTPError as fault:
            raise faults.error_of(fault, self.url) from fault

    async def _send_logged_in(
        self, request: Callable[[], httpx.Request], seconds: float, *, is_stream: bool = False
    ) -> httpx.Response:
        """Send; where the login has run out and can be had again, once more."""
        logins = self._logins
        response = await self._send_once(request, seconds, is_stream=is_stream)
        if response.status_code == 401 and await self._is_logged_in_again(logins):
            response = await self._send_once(request, seconds, is_stream=is_stream)
        return response

    async def _is_logged_in_again(self, logins: int) -> bool:
        """Whether there are other cookies than when ``logins`` was counted. Raises ServerError."""
        async with self._login:
            if self._logins != logins:
                return True
            if await self._cookies.load():  # `voicehermes login` ran beside us
                self._logins += 1
                return True
            password = await asyncio.to_thread(self._password)
            if password is None or self._is_password_refused:
                return False
            try:
                await self._log_in(password)
            except LoginError:
                self._is_password_refused = True  # five more would lock every client out
                raise
            return True

    async def _log_in(self, password: str) -> None:
        await self._post_plainly("/api/auth/login", {"password": password})
        self._is_password_refused = False
        self._logins += 1
        if self._server.profile:  # its cookie is bound to that of the session
            await self._post_plainly("/api/profile/switch", {"name": self._server.profile})

    async def _post_plainly(self, path: str, body: Json) -> None:
        """POST without a further login when the answer is a 401."""
        bound = self._server.answer_seconds

        def request() -> httpx.Request:
            return self._client.build_request(
                "POST", path, json=body, headers=self._identity(), timeout=self._timeout(bound)
            )

        answers.content(_answer(await self._send_once(request, bound)))

    async def _send_once(
        self, build: Callable[[], httpx.Request], seconds: float, *, is_stream: bool = False
    ) -> httpx.Response:
        """The response: open when it succeeds and ``is_stream``, else read and closed."""
        try:
            request = build()  # a server's own id may be more than an address can hold
            async with AsyncExitStack() as on_failure, asyncio.timeout(seconds):
                response = await self._client.send(request, stream=True)
                on_failure.push_async_callback(response.aclose)
                if not (is_stream and response.is_success):
                    await response.aread()
                if request.method == "POST" and not response.is_success:
                    await _hang_up(response)
                self._note_clock(response)
                if request.url.path.endswith(COOKIE_PATHS):
                    await self._cookies.take(response.headers.get_list("set-cookie"))
                on_failure.pop_all()
        except TimeoutError as fault:
            raise AnswerLostError("The server did not answer in time.") from fault
        except (httpx.HTTPError, httpx.InvalidURL) as fault:
            raise faults.error_of(fault, self.url) from fault
        return response

    def _note_clock(self, response: httpx.Response) -> None:
        try:
            date = parsedate_to_datetime(response.headers["date"])
        except (KeyError, ValueError):
            return
        self.clock_offset_seconds = date.timestamp() + 0.5 - time()  # it is cut to seconds

    def _identity(self) -> dict[str, str]:
        cookies = self._cookies.header
        return {"Cookie": cookies} if cookies else {}

    def _timeout(self, seconds: float) -> httpx.Timeout:
        return httpx.Timeout(seconds, connect=self._server.connect_seconds)


async def _hang_up(response: httpx.Response) -> None:
    """Close the connection of a response, so that no other request goes over it.

    hermes-webui refuses by the head of a request, and takes the body that it left unread for the
    next one (observed: 501 and 400, as web pages).
    """
    if stream := response.extensions.get("network_stream"):
        await stream.aclose()


def _answer(response: httpx.Response) -> Answer:
    body = response.content if response.is_closed else b""  # open: a stream's, not read yet
    return Answer(response.status_code, response.headers, body)


def _parsed(url: str) -> httpx.URL:
    """Raises ConfigError where httpx has more rules for addresses than the configuration."""
    try:
        parsed = httpx.URL(url)
        parsed.host  # noqa: B018  # decodes an international name, which may be none
    except (httpx.InvalidURL, UnicodeError) as error:
        raise ConfigError(f"[server] url must be a valid address: {error}.") from error
    return parsed
