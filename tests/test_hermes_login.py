"""Logging in and out."""

import json
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import pytest

from tests.virtual_clock import run
from tests.webui_server import ANSWERS, WebuiServer, fails, gives, says
from voicehermes.adapters.hermes.http import WebuiHttp
from voicehermes.adapters.hermes.login import (
    auth_status,
    login,
    logout,
    password_source,
)
from voicehermes.adapters.store import Store
from voicehermes.config import Server
from voicehermes.errors import ConfigError, LoginError, ProtocolError, RateLimitedError

URL = "http://127.0.0.1:8787"
STATUS = "/api/auth/status"
LOGIN = "/api/auth/login"


def _with(server: WebuiServer, folder: Path, test: Callable[[WebuiHttp], Awaitable[None]]) -> None:
    async def main() -> None:
        async with WebuiHttp(Server(url=URL), Store(folder), transport=server) as http:
            await test(http)

    run(main())


def test_a_login_keeps_the_cookie_and_neither_keeps_nor_logs_the_password(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server = WebuiServer({STATUS: says("auth_status_logged_out"), LOGIN: says("login_ok")})

    async def test(http: WebuiHttp) -> None:
        await login(http, "molto-segreta")

    _with(server, tmp_path, test)
    kept = json.loads((tmp_path / "cookies.json").read_text())
    assert kept["url"] == URL
    assert list(kept["cookies"]) == ["hermes_session"]
    assert "molto-segreta" not in caplog.text
    assert kept["cookies"]["hermes_session"] not in caplog.text
    assert all("molto-segreta" not in path.read_text() for path in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        ("login_wrong_password", LoginError, "The server refuses: Invalid password."),
        ("login_ratelimit_5", RateLimitedError, "Too many attempts. Try again in a minute"),
        ("unknown_endpoint", ProtocolError, "[server] url"),
    ],
)
def test_a_refusal_gives_the_servers_reason_and_keeps_nothing(
    tmp_path: Path, answer: str, kind: type[Exception], words: str
) -> None:
    server = WebuiServer({STATUS: says("auth_status_logged_out"), LOGIN: says(answer)})

    async def test(http: WebuiHttp) -> None:
        with pytest.raises(kind) as caught:
            await login(http, "x")
        assert words in str(caught.value)

    _with(server, tmp_path, test)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("ways", "words"),
    [
        ({"auth_enabled": False}, "asks for no login"),
        ({"oidc_enabled": True}, "by OpenID Connect, not by password"),
        ({"passkeys_enabled": True}, "by passkeys, not by password"),
        ({"oidc_enabled": True, "passkeys_enabled": True}, "by OpenID Connect or passkeys"),
        ({}, "by another way"),
    ],
)
def test_a_login_that_is_not_by_password_is_named_and_no_password_sent(
    tmp_path: Path, ways: dict[str, bool], words: str
) -> None:
    status = {**ANSWERS["auth_status_logged_out"]["body"], "password_auth_enabled": False, **ways}
    server = WebuiServer({STATUS: gives(status)})

    async def test(http: WebuiHttp) -> None:
        with pytest.raises(LoginError, match=words):
            await login(http, "x")

    _with(server, tmp_path, test)
    assert server.paths() == [STATUS]


def test_an_older_server_that_does_not_list_the_ways_takes_a_password(tmp_path: Path) -> None:
    server = WebuiServer({STATUS: gives({"auth_enabled": True}), LOGIN: says("login_ok")})

    async def test(http: WebuiHttp) -> None:
        await login(http, "x")

    _with(server, tmp_path, test)
    assert (tmp_path / "cookies.json").exists()


def test_the_status_tells_whether_we_are_in(tmp_path: Path) -> None:
    server = WebuiServer({STATUS: [says("auth_status_logged_in"), says("auth_status_logged_out")]})

    async def test(http: WebuiHttp) -> None:
        assert (await auth_status(http)).logged_in
        assert not (await auth_status(http)).logged_in

    _with(server, tmp_path, test)


@pytest.mark.parametrize(
    ("answer", "is_ended_there"),
    [
        (says("logout_ok"), True),
        (says("logout_twice"), True),
        (fails(httpx.ConnectError("refused")), False),
    ],
)
def test_logging_out_forgets_the_cookies_whatever_the_server_says(
    tmp_path: Path, answer: Callable[[object], httpx.Response], is_ended_there: bool
) -> None:
    kept = {"url": URL, "cookies": {"hermes_session": "a.b"}}
    (tmp_path / "cookies.json").write_text(json.dumps(kept))
    server = WebuiServer({"/api/auth/logout": answer, "/api/x": gives({})})

    async def test(http: WebuiHttp) -> None:
        assert await logout(http) is is_ended_there
        await http.get("/api/x")

    _with(server, tmp_path, test)
    assert server.asked[0].headers["cookie"] == "hermes_session=a.b"
    assert "cookie" not in server.asked[-1].headers
    assert list(tmp_path.iterdir()) == []


def test_a_password_comes_from_the_environment_or_from_systemd(tmp_path: Path) -> None:
    (tmp_path / "voicehermes-password").write_text("da systemd \n")
    folder = {"CREDENTIALS_DIRECTORY": str(tmp_path)}
    assert password_source({}) is None
    assert password_source({"VOICEHERMES_PASSWORD": ""}) is None
    assert password_source({"CREDENTIALS_DIRECTORY": str(tmp_path / "none")}) is None
    assert password_source(folder) == "da systemd "
    assert password_source(folder | {"VOICEHERMES_PASSWORD": "x"}) == "x"


def test_a_credential_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "voicehermes-password").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="voicehermes-password"):
        password_source({"CREDENTIALS_DIRECTORY": str(tmp_path)})
