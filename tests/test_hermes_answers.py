"""What an HTTP answer means."""

import json

import pytest

from tests.webui_server import ANSWERS
from voicehermes.adapters.hermes.answers import Answer, content, error_of
from voicehermes.errors import (
    BusyError,
    GoneError,
    LoginError,
    ProtocolError,
    RateLimitedError,
    RefusedError,
    ServerError,
    UnreachableError,
)


def _captured(name: str) -> Answer:
    answer = ANSWERS[name]
    body = b"" if answer["body"] in (None, "") else json.dumps(answer["body"]).encode()
    return Answer(answer["status"], answer["headers"], body)


def _page(status: int, body: bytes = b"<!doctype html><title>Welcome</title>") -> Answer:
    return Answer(status, {"content-type": "text/html"}, body)


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("auth_sessions_no_cookie", LoginError, "Authentication required"),
        ("auth_sessions_no_cookie", LoginError, "voicehermes login"),
        ("login_wrong_password", LoginError, "Invalid password"),
        ("login_ratelimit_5", RateLimitedError, "Too many attempts. Try again in a minute"),
        ("auth_root_no_cookie", ProtocolError, "login page"),
        ("unknown_endpoint", ProtocolError, "[server] url"),
        ("session_get_404", GoneError, "Session not found"),
        ("stream_unknown_id", GoneError, "stream not found"),
        ("chat_start_404", GoneError, "Session not found"),
        ("profile_switch_404", RefusedError, "Profile 'nessuno' does not exist"),
        ("profile_mismatch_session_get", RefusedError, 'profile "casa"'),
        ("chat_start_conflict_active", BusyError, "another request"),
        ("chat_start_blank_message", RefusedError, "message is required"),
        ("chat_start_json_array", RefusedError, "Internal server error"),
        ("clarify_choice_respond_twice", GoneError, "expired or not found"),
        ("session_new_workspace_system", RefusedError, "/etc"),
        ("transcribe_bad_ext", RefusedError, "Unsupported format: .txt"),
        ("tts_rate_limited_429", RateLimitedError, "please wait"),
        ("csrf_cookie_foreign_origin", RefusedError, "proxy"),
    ],
)
def test_what_a_real_server_refuses_has_its_own_error_and_the_servers_reason(
    name: str, kind: type[ServerError], words: str
) -> None:
    error = error_of(_captured(name))
    assert type(error) is kind
    assert words in str(error)


def test_a_busy_session_names_the_run_that_keeps_it_busy() -> None:
    error = error_of(_captured("chat_start_conflict_active"))
    assert isinstance(error, BusyError)
    assert error.run_id == "2173250a378b49e6921adb0acc1b6f44"


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (_page(200), ProtocolError, "a web page, not with JSON. Check [server] url"),
        (_page(404), ProtocolError, "404 with a web page"),
        (_page(403), ProtocolError, "403 with a web page"),
        (_page(500), ProtocolError, "500"),
        (_page(401), LoginError, "in front of the server"),
        (_page(407), LoginError, "in front of the server"),
        (_page(413), RefusedError, "shorter pieces"),
        (_page(429), RateLimitedError, "wait"),
        (_page(502), UnreachableError, "hermes-webui runs"),
        (_page(504), UnreachableError, "proxy"),
        (Answer(503, {}, b""), UnreachableError, "overloaded"),
        (Answer(301, {"location": "https://h.example/x"}, b""), ProtocolError, "h.example"),
        (Answer(302, {}, b""), ProtocolError, "redirect"),
        (Answer(200, {}, b""), ProtocolError, "nothing"),
        (Answer(200, {"content-type": "application/json"}, b"[1]"), ProtocolError, "not with JSON"),
        (Answer(200, {"content-type": "text/plain"}, b"ok"), ProtocolError, "text/plain"),
        (Answer(200, {}, b"\xff\xfe{"), ProtocolError, "something unknown"),
        (Answer(418, {}, b"{}"), RefusedError, "418"),
        (Answer(599, {}, b'{"error": 7}'), RefusedError, "599"),
    ],
)
def test_what_is_no_answer_of_hermes_webui_says_what_to_check(
    answer: Answer, kind: type[ServerError], words: str
) -> None:
    with pytest.raises(ServerError) as caught:
        content(answer)
    assert type(caught.value) is kind
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_every_status_without_success_has_an_error() -> None:
    for status in [*range(100, 200), *range(300, 600)]:
        for body in (b"", b"{}", b'{"error": "no"}', b"<html>", b"[]", b"null"):
            assert isinstance(error_of(Answer(status, {}, body)), ServerError)


def test_a_reason_or_a_target_cannot_command_the_terminal() -> None:
    details = json.dumps({"error": "\x1b[31mno\x9b0m\n why"}).encode()
    assert (
        str(error_of(Answer(400, {}, details))) == "The server refuses: \ufffd[31mno\ufffd0m why."
    )
    assert "\x1b" not in str(error_of(Answer(302, {"location": "/a\x1b[2J"}, b"")))


def test_a_long_reason_of_the_server_is_cut() -> None:
    answer = Answer(400, {}, json.dumps({"error": "no\n" * 1000}).encode())
    assert len(str(error_of(answer))) < 400
    assert "\n" not in str(error_of(answer))


def test_an_answer_that_a_proxy_broke_is_said_to_be_broken() -> None:
    compressed = Answer(200, {"content-type": "application/json"}, b"\x1f\x8b\x08\x00")
    with pytest.raises(ProtocolError, match="broken JSON"):
        content(compressed)
