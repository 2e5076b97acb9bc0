"""The connection: requests, cookies, logins that run out, event streams."""

import asyncio
import json
import stat
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import pytest

from tests.virtual_clock import run
from tests.webui_server import (
    Asked,
    Handler,
    Reply,
    WebuiServer,
    captured,
    fails,
    gives,
    json_answer,
    says,
    stream,
    streams,
    token,
)
from voicehermes.adapters.hermes.faults import AnswerLostError
from voicehermes.adapters.hermes.http import SILENCE_SECONDS, WebuiHttp
from voicehermes.adapters.store import Store
from voicehermes.config import Server
from voicehermes.errors import (
    ConfigError,
    GoneError,
    LoginError,
    ProtocolError,
    RateLimitedError,
    UnreachableError,
)

URL = "http://127.0.0.1:8787"


def _with(
    server: WebuiServer,
    folder: Path,
    test: Callable[[WebuiHttp], Awaitable[None]],
    *,
    config: Server | None = None,
    password: str | None = None,
) -> None:
    async def main() -> None:
        settings = config or Server(url=URL)
        async with WebuiHttp(
            settings, Store(folder), password=lambda: password, transport=server
        ) as http:
            await test(http)
        assert server.open_streams == 0

    run(main())


def _guarded(answer: Handler) -> Handler:
    """A path that wants the cookie which a login gives."""

    def handler(asked: Asked) -> Reply:
        is_in = "hermes_session=" in asked.headers.get("cookie", "")
        return answer(asked) if is_in else captured("auth_sessions_no_cookie")

    return handler


def test_the_path_of_the_address_comes_before_that_of_the_request(tmp_path: Path) -> None:
    server = WebuiServer({"/hermes/api/x": gives({"ok": True})})

    async def test(http: WebuiHttp) -> None:
        assert await http.get("/api/x", session_id="a b&c") == {"ok": True}

    _with(server, tmp_path, test, config=Server(url="https://h.example/hermes"))
    assert server.asked[0].query == {"session_id": "a b&c"}


@pytest.mark.parametrize("host", ["xn--", "\u2177.x", "a" * 70_000])
def test_an_address_that_only_httpx_refuses_is_told_in_one_sentence(
    host: str, tmp_path: Path
) -> None:
    async def main() -> None:
        async with WebuiHttp(Server(url=f"https://{host}"), Store(tmp_path)):
            pass

    with pytest.raises(ConfigError, match=r"\[server\] url must be a valid address"):
        run(main())


def test_an_id_that_no_address_can_hold_is_an_error_of_the_server(tmp_path: Path) -> None:
    async def test(http: WebuiHttp) -> None:
        with pytest.raises(ProtocolError, match="No request can be made"):
            await http.get("/api/session", session_id="a" * 100_000)

    _with(WebuiServer({}), tmp_path, test)


def test_no_origin_or_referer_is_ever_sent(tmp_path: Path) -> None:
    server = WebuiServer({"/api/x": gives({}), "/api/s": streams()})

    async def test(http: WebuiHttp) -> None:
        await http.get("/api/x")
        await http.post("/api/x", {"a": 1})
        await http.send("POST", "/api/x", file=("a.ogg", b"1"))
        async with http.events("/api/s"):
            pass

    _with(server, tmp_path, test)
    assert len(server.asked) == 4
    for asked in server.asked:
        assert not {"origin", "referer", "cookie"} & set(asked.headers)


def test_cookies_are_kept_privately_and_sent_back_by_the_next_process(tmp_path: Path) -> None:
    server = WebuiServer(
        {
            "/api/auth/login": says("login_ok"),
            "/api/profile/switch": says("profile_switch_ok"),
            "/api/sessions": _guarded(says("sessions_list")),
        }
    )
    config = Server(url=URL, profile="casa")

    async def log_in(http: WebuiHttp) -> None:
        await http.log_in("segreto")

    async def use(http: WebuiHttp) -> None:
        await http.get("/api/sessions")

    _with(server, tmp_path, log_in, config=config)
    _with(server, tmp_path, use, config=config)
    cookie = server.last("/api/sessions").headers["cookie"]
    assert cookie.startswith("hermes_session=b6690f4e")
    assert cookie.endswith("; hermes_profile=casa")
    file = tmp_path / "cookies.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "segreto" not in file.read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["cookies.json"]


def test_the_profiles_cookie_is_dropped_when_no_profile_is_configured(tmp_path: Path) -> None:
    kept = {"url": URL, "cookies": {"hermes_session": "a.b", "hermes_profile": "casa"}}
    (tmp_path / "cookies.json").write_text(json.dumps(kept))
    server = WebuiServer({"/api/x": gives({})})

    async def test(http: WebuiHttp) -> None:
        await http.get("/api/x")

    _with(server, tmp_path, test)
    assert server.asked[0].headers["cookie"] == "hermes_session=a.b"


@pytest.mark.parametrize(
    "kept",
    [
        '{"url": "http://127.0.0.1:9999", "cookies": {"hermes_session": "a.b"}}',
        "junk",
        "[]",
        '{"url": "http://127.0.0.1:8787", "cookies": 3}',
    ],
)
def test_cookies_of_another_server_or_a_damaged_file_are_not_sent(
    tmp_path: Path, kept: str
) -> None:
    (tmp_path / "cookies.json").write_text(kept)
    server = WebuiServer({"/api/x": gives({})})

    async def test(http: WebuiHttp) -> None:
        await http.get("/api/x")

    _with(server, tmp_path, test)
    assert "cookie" not in server.asked[0].headers


def test_a_cookie_that_the_server_withdraws_is_forgotten(tmp_path: Path) -> None:
    def switch(asked: Asked) -> Reply:
        name = asked.body["name"]
        cookie = f"p={name}; Path=/; HttpOnly" if name else "p=; Max-Age=0; Path=/"
        return json_answer({}, headers={"set-cookie": cookie})

    server = WebuiServer({"/api/profile/switch": switch})

    async def test(http: WebuiHttp) -> None:
        for name in ("casa", "", "casa"):
            await http.switch_profile(name)

    _with(server, tmp_path, test)
    assert [asked.headers.get("cookie") for asked in server.asked] == [None, "p=casa", None]


def test_a_cookie_that_a_proxy_sets_with_each_answer_is_not_kept(tmp_path: Path) -> None:
    cookie = {"set-cookie": "balancer=7; Path=/"}
    server = WebuiServer({"/api/x": lambda _: json_answer({}, headers=cookie)})

    async def test(http: WebuiHttp) -> None:
        await http.get("/api/x")
        await http.get("/api/x")

    _with(server, tmp_path, test)
    assert "cookie" not in server.last("/api/x").headers
    assert list(tmp_path.iterdir()) == []


def test_a_login_that_ran_out_is_renewed_once_for_all_and_the_requests_repeated(
    tmp_path: Path,
) -> None:
    server = WebuiServer(
        {
            "/api/auth/login": says("login_ok"),
            "/api/profile/switch": says("profile_switch_ok"),
            "/api/sessions": _guarded(says("sessions_list")),
        }
    )

    async def test(http: WebuiHttp) -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(5):
                group.create_task(http.get("/api/sessions"), name=f"request-{number}")

    _with(server, tmp_path, test, password="giusta", config=Server(url=URL, profile="casa"))
    assert server.paths().count("/api/auth/login") == 1
    assert server.paths().count("/api/profile/switch") == 1
    assert server.last("/api/auth/login").body == {"password": "giusta"}


def test_an_event_stream_is_renewed_too(tmp_path: Path) -> None:
    server = WebuiServer(
        {"/api/auth/login": says("login_ok"), "/api/s": _guarded(streams(token("ciao", 1)))}
    )

    async def test(http: WebuiHttp) -> None:
        async with http.events("/api/s") as events:
            assert [event.data async for event in events] == ['{"text": "ciao"}']

    _with(server, tmp_path, test, password="giusta")


def test_without_a_password_a_login_that_ran_out_is_an_error(tmp_path: Path) -> None:
    server = WebuiServer({"/api/sessions": says("auth_sessions_no_cookie")})

    async def test(http: WebuiHttp) -> None:
        with pytest.raises(LoginError, match="voicehermes login"):
            await http.get("/api/sessions")
        with pytest.raises(LoginError):
            async with http.events("/api/sessions"):
                pass

    _with(server, tmp_path, test)
    assert "/api/auth/login" not in server.paths()


def test_a_refused_password_is_not_tried_again(tmp_path: Path) -> None:
    server = WebuiServer(
        {
            "/api/auth/login": says("login_wrong_password"),
            "/api/sessions": says("auth_sessions_no_cookie"),
        }
    )

    async def test(http: WebuiHttp) -> None:
        with pytest.raises(LoginError, match="Invalid password"):
            await http.get("/api/sessions")
        with pytest.raises(LoginError, match="Authentication required"):
            await http.get("/api/sessions")

    _with(server, tmp_path, test, password="sbagliata")
    assert server.paths().count("/api/auth/login") == 1


def test_a_request_that_stays_refused_after_a_login_is_repeated_once_only(tmp_path: Path) -> None:
    server = WebuiServer(
        {
            "/api/auth/login": says("login_ok"),
            "/api/sessions": says("auth_sessions_no_cookie"),
        }
    )

    async def test(http: WebuiHttp) -> None:
        with pytest.raises(LoginError):
            await http.get("/api/sessions")

    _with(server, tmp_path, test, password="giusta")
    assert server.paths() == ["/api/sessions", "/api/auth/login", "/api/sessions"]


def test_a_login_by_another_process_is_taken_over(tmp_path: Path) -> None:
    server = WebuiServer({"/api/sessions": _guarded(says("sessions_list"))})

    async def test(http: WebuiHttp) -> None:
        with pytest.raises(LoginError):
            await http.get("/api/sessions")
        kept = json.dumps({"url": URL, "cookies": {"hermes_session": "a.b"}})
        await asyncio.to_thread((tmp_path / "cookies.json").write_text, kept)
        await http.get("/api/sessions")

    _with(server, tmp_path, test)


def test_too_many_logins_are_told_as_such(tmp_path: Path) -> None:
    server = WebuiServer({"/api/auth/login": says("login_ratelimit_5")})

    async def test(http: WebuiHttp) -> None:
        with pytest.raises(RateLimitedError, match="Try again in a minute"):
            await http.log_in("x")

    _with(server, tmp_path, test)


def test_an_answer_that_does_not_come_in_time_is_lost(tmp_path: Path) -> None:
    class Silent(WebuiServer):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            await asyncio.sleep(3600)
            raise AssertionError("it was waited for")

    async def test(http: WebuiHttp) -> None:
        began = asyncio.get_running_loop().time()
        with pytest.raises(AnswerLostError):
            await http.get("/api/x")
        assert asyncio.get_running_loop().time() - began == 30.0
        with pytest.raises(AnswerLostError):
            await http.send("POST", "/api/x", seconds=120.0)
        assert asyncio.get_running_loop().time() - began == 150.0

    _with(Silent({}), tmp_path, test)


def test_a_body_that_breaks_off_or_dribbles_is_an_answer_that_is_lost(tmp_path: Path) -> None:
    dribble = [step for _ in range(100) for step in ("a", 1.0)]
    server = WebuiServer(
        {"/api/a": streams("{", httpx.ReadError("broken")), "/api/b": streams(*dribble)}
    )

    async def test(http: WebuiHttp) -> None:
        for path in ("/api/a", "/api/b"):
            with pytest.raises(AnswerLostError):
                await http.get(path)
            assert server.open_streams == 0

    _with(server, tmp_path, test)


def test_no_connection_is_told_with_its_remedy(tmp_path: Path) -> None:
    server = WebuiServer({"/api/x": fails(httpx.ConnectError("All connection attempts failed"))})

    async def test(http: WebuiHttp) -> None:
        with pytest.raises(UnreachableError, match="hermes-webui runs") as caught:
            await http.get("/api/x")
        assert not isinstance(caught.value, AnswerLostError)

    _with(server, tmp_path, test)


def test_the_status_of_a_stream_is_checked_before_its_body(tmp_path: Path) -> None:
    server = WebuiServer(
        {
            "/api/gone": says("stream_unknown_id"),
            "/api/page": lambda _: httpx.Response(200, html="<html>"),
            "/api/json": gives({"ok": True}),
        }
    )

    async def test(http: WebuiHttp) -> None:
        for path, error in (
            ("/api/gone", GoneError),
            ("/api/page", ProtocolError),
            ("/api/json", ProtocolError),
        ):
            with pytest.raises(error):
                async with http.events(path):
                    pass

    _with(server, tmp_path, test)


def test_a_stream_lives_on_heartbeats_and_dies_of_three_missed_ones(tmp_path: Path) -> None:
    beats = [step for _ in range(20) for step in (5.0, ": heartbeat\n\n")]
    server = WebuiServer({"/api/s": streams(token("a", 1), *beats, token("b", 2), 3600.0)})

    async def test(http: WebuiHttp) -> None:
        clock = asyncio.get_running_loop()
        texts: list[str] = []

        async def listen() -> None:
            async with http.events("/api/s") as events:
                async for event in events:
                    texts.append(event.data)  # noqa: PERF401 - what came before the end counts

        with pytest.raises(AnswerLostError):
            await listen()
        assert [text for text in texts if text] == ['{"text": "a"}', '{"text": "b"}']
        assert clock.time() == 100.0 + SILENCE_SECONDS

    _with(server, tmp_path, test)


def test_leaving_a_stream_early_closes_it(tmp_path: Path) -> None:
    server = WebuiServer({"/api/s": lambda _: stream(token("a", 1), 3600.0)})

    async def test(http: WebuiHttp) -> None:
        async with http.events("/api/s") as events:
            async for _ in events:
                break
            assert server.open_streams == 1
        assert server.open_streams == 0

        async def listen() -> None:
            async with http.events("/api/s") as events:
                async for _ in events:
                    pass

        with pytest.raises(TimeoutError):
            await asyncio.wait_for(listen(), 2)
        assert server.open_streams == 0

    _with(server, tmp_path, test)


def test_the_servers_clock_is_read_off_its_answers(tmp_path: Path) -> None:
    date = {"date": "Sun, 29 Nov 2026 23:03:28 GMT"}
    server = WebuiServer(
        {
            "/api/x": lambda _: json_answer({}, headers=date),
            "/api/y": lambda _: json_answer({}, headers={"date": "?"}),
        }
    )

    async def test(http: WebuiHttp) -> None:
        await http.get("/api/x")
        assert abs(time.time() + http.clock_offset_seconds - 1795993408.5) < 5
        before = http.clock_offset_seconds
        await http.get("/api/y")
        assert http.clock_offset_seconds == before

    _with(server, tmp_path, test)
