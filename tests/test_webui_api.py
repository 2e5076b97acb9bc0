"""Each endpoint, on what a real server answered."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.virtual_clock import run
from tests.webui_server import ANSWERS, Handler, WebuiServer, gives, says
from voicehermes.adapters.hermes.http import WebuiHttp
from voicehermes.adapters.hermes.webui_api import (
    Started,
    StreamStatus,
    WebuiApi,
)
from voicehermes.adapters.store import Store
from voicehermes.config import Server
from voicehermes.errors import GoneError, ProtocolError, RefusedError
from voicehermes.events import Approval, Clarification

Use = Callable[[WebuiApi], Awaitable[object]]


def _ask(folder: Path, name: str, use: Use) -> object:
    """What ``use`` returns when the server gives the captured answer to the captured path."""
    result, server = _give(folder, ANSWERS[name]["path"].partition("?")[0], says(name), use)
    assert server.asked[0].method == ANSWERS[name]["method"]
    return result


def _give(folder: Path, path: str, answer: Handler, use: Use) -> tuple[object, WebuiServer]:
    server = WebuiServer({path: answer})

    async def main() -> object:
        config = Server(url="http://127.0.0.1:8787")
        async with WebuiHttp(config, Store(folder), transport=server) as http:
            return await use(WebuiApi(http))

    return run(main()), server


@pytest.mark.parametrize(
    ("name", "use", "result"),
    [
        ("profile_active", lambda api: api.active_profile(), "default"),
        (
            "chat_start_ok",
            lambda api: api.start("8ba80f87b3c6", "ciao"),
            Started("318926cc20a54889886c8f71d569c183", "8ba80f87b3c6"),
        ),
        ("stream_status_active", lambda api: api.stream_status("x"), StreamStatus(True, True)),
        ("stream_status_finished", lambda api: api.stream_status("x"), StreamStatus(False, True)),
        ("stream_status_unknown", lambda api: api.stream_status("x"), StreamStatus(False, False)),
        ("cancel_midstream_cancel", lambda api: api.cancel("x"), True),
        ("cancel_unknown_stream", lambda api: api.cancel("x"), False),
        ("steer_active", lambda api: api.steer("s", "x"), True),
        ("steer_idle", lambda api: api.steer("s", "x"), False),
        ("transcribe_capability", lambda api: api.can_transcribe(), True),
        (
            "approval_once_pending",
            lambda api: api.pending_decision("s", "approval"),
            Approval(
                "gwlocal:a640025d11ae4699a5b062600739ce0d",
                "rm -rf /home/user/x",
                "delete in root path",
                allow_permanent=True,
            ),
        ),
        ("approval_once_pending_after", lambda api: api.pending_decision("s", "approval"), None),
        (
            "clarify_choice_pending",
            lambda api: api.pending_decision("s", "clarification"),
            Clarification(
                "b720515651b0",
                "Quale ambiente vuoi usare per il rilascio?",
                ("Produzione", "Collaudo", "Sviluppo locale"),
                1795997122.4960806,
            ),
        ),
        (
            "clarify_expired_pending_after",
            lambda api: api.pending_decision("s", "clarification"),
            None,
        ),
        ("approval_once_respond_ok", lambda api: api.answer_approval("s", "a", "once"), None),
        ("clarify_choice_respond_ok", lambda api: api.answer_clarification("s", "c", "x"), None),
    ],
)
def test_what_a_real_server_answers_is_understood(
    tmp_path: Path, name: str, use: Use, result: object
) -> None:
    assert _ask(tmp_path, name, use) == result


@pytest.mark.parametrize(
    ("name", "use", "kind"),
    [
        (
            "approval_once_respond_twice",
            lambda api: api.answer_approval("s", "a", "once"),
            GoneError,
        ),
        (
            "approval_once_respond_stale_id",
            lambda api: api.answer_approval("s", "a", "once"),
            GoneError,
        ),
        (
            "approval_once_respond_bad_choice",
            lambda api: api.answer_approval("s", "a", "once"),
            RefusedError,
        ),
        (
            "clarify_choice_respond_twice",
            lambda api: api.answer_clarification("s", "c", "x"),
            GoneError,
        ),
        ("chat_start_silent_SILENT", lambda api: api.start("s", "[SILENT]"), RefusedError),
        ("session_new_workspace_system", lambda api: api.new_session(), RefusedError),
    ],
)
def test_a_no_is_an_error_even_when_its_status_is_a_success(
    tmp_path: Path, name: str, use: Use, kind: type[Exception]
) -> None:
    with pytest.raises(kind):
        _ask(tmp_path, name, use)


def test_an_answer_always_carries_the_id_of_its_decision(tmp_path: Path) -> None:
    async def approve(api: WebuiApi) -> None:
        await api.answer_approval("s1", "a1", "deny")

    _, server = _give(tmp_path, "/api/approval/respond", gives({"ok": True}), approve)
    assert server.asked[0].body == {"session_id": "s1", "approval_id": "a1", "choice": "deny"}

    async def answer(api: WebuiApi) -> None:
        await api.answer_clarification("s1", "c1", "Collaudo")

    _, server = _give(tmp_path, "/api/clarify/respond", gives({"ok": True}), answer)
    assert server.asked[0].body == {"session_id": "s1", "clarify_id": "c1", "response": "Collaudo"}


@pytest.mark.parametrize("body", [{}, {"ok": None}, {"ok": 1}, {"ok": "true"}])
def test_anything_but_a_clear_yes_approved_nothing(tmp_path: Path, body: dict[str, object]) -> None:
    with pytest.raises(GoneError):
        _give(
            tmp_path,
            "/api/approval/respond",
            gives(body),
            lambda api: api.answer_approval("s", "a", "once"),
        )


def test_sessions_are_listed_the_newest_first(tmp_path: Path) -> None:
    sessions = [{"session_id": str(at), "updated_at": at} for at in (5, 9, 7)]
    listed, _ = _give(
        tmp_path, "/api/sessions", gives({"sessions": sessions}), lambda api: api.sessions()
    )
    assert isinstance(listed, list)
    assert [session.id for session in listed] == ["9", "7", "5"]


def test_a_session_at_work_tells_its_run_and_its_message(tmp_path: Path) -> None:
    async def look(api: WebuiApi) -> None:
        session = await api.session("c7702c29946d")
        assert session.info.active_run_id == "2173250a378b49e6921adb0acc1b6f44"
        assert session.pending_message == "goccia per favore"
        assert session.pending_since == 1795993640.1941895
        assert len(session.messages) == 1

    _ask(tmp_path, "session_get_while_streaming", look)


@pytest.mark.parametrize(
    ("path", "body", "use"),
    [
        ("/api/chat/start", {}, lambda api: api.start("s", "x")),
        ("/api/chat/start", {"stream_id": None}, lambda api: api.start("s", "x")),
        ("/api/chat/start", {"stream_id": 7}, lambda api: api.start("s", "x")),
        ("/api/session", {"session": []}, lambda api: api.session("s")),
        ("/api/session", {}, lambda api: api.session("s")),
        ("/api/session", {"session": {"session_id": 1}}, lambda api: api.session("s")),
        ("/api/sessions", {"sessions": {}}, lambda api: api.sessions()),
        ("/api/chat/stream/status", {"active": "yes"}, lambda api: api.stream_status("x")),
        (
            "/api/approval/pending",
            {"pending": {}},
            lambda api: api.pending_decision("s", "approval"),
        ),
        (
            "/api/clarify/pending",
            {"pending": {"clarify_id": "", "question": "?"}},
            lambda api: api.pending_decision("s", "clarification"),
        ),
        ("/api/clarify/pending", {}, lambda api: api.pending_decision("s", "clarification")),
        (
            "/api/clarify/pending",
            {"pending": "?"},
            lambda api: api.pending_decision("s", "clarification"),
        ),
    ],
)
def test_fields_that_are_missing_or_of_another_kind_are_named(
    tmp_path: Path, path: str, body: object, use: Use
) -> None:
    with pytest.raises(ProtocolError, match='"'):
        _give(tmp_path, path, gives(body), use)
