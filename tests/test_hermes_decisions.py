"""Decisions of a conversation: seen in its session alone, and answered there. Virtual clock."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.virtual_clock import run
from tests.webui_server import (
    CAPTURES,
    Handler,
    WebuiServer,
    event,
    gives,
    json_answer,
    says,
    stream,
    streams,
)
from voicehermes.adapters.hermes.decisions import MOST_REMEMBERED
from voicehermes.adapters.hermes.http import WebuiHttp
from voicehermes.adapters.hermes.webui import WebuiAgent
from voicehermes.adapters.store import Store
from voicehermes.config import Server
from voicehermes.errors import GoneError, LoginError, ProtocolError, ServerError, UnreachableError
from voicehermes.events import Approval, Clarification, Decision, DecisionKind

URL = "http://127.0.0.1:8787"
STREAM = "/api/approval/stream"
PENDING = "/api/approval/pending"
RESPOND = "/api/approval/respond"
QUESTIONS = "/api/clarify/stream"
BEAT = ": keepalive\n\n"
LONG = 10_000.0
"""A stream that goes on for so long without an event, but with heartbeats."""

SESSION: Handler = lambda asked: json_answer(  # noqa: E731
    {"session": {"session_id": asked.query.get("session_id", "new"), "messages": []}}
)


def _approval(id_: str | None, **more: object) -> dict[str, object]:
    return {"approval_id": id_, "command": "rm x", "description": "delete"} | more


def _told(pending: object, name: str = "approval") -> str:
    return event(name, {"pending": pending, "pending_count": 1 if pending else 0})


def _quiet(seconds: float) -> list[str | float]:
    return [5.0, BEAT] * int(seconds / 5)


def _server(routes: dict[str, Handler | list[Handler]]) -> WebuiServer:
    return WebuiServer({"/api/session": SESSION, "/api/session/new": SESSION, **routes})


def _converse(
    server: WebuiServer,
    folder: Path,
    test: Callable[[WebuiAgent], Awaitable[None]],
    session: str = "s1",
    **config: Any,
) -> None:
    async def main() -> None:
        settings = Server(url=URL, session=session, **config)
        store = Store(folder)
        async with WebuiHttp(settings, store, transport=server) as http:
            await test(WebuiAgent(http, settings, store))

    run(main())
    assert server.open_streams == 0


async def _watch(
    agent: WebuiAgent, kind: DecisionKind = "approval"
) -> tuple[list[Decision | None], ServerError | None]:
    """What the watch tells to its end, and the error that ended it."""
    told: list[Decision | None] = []
    try:
        async with agent.watch_decisions(kind) as decisions:
            async for decision in decisions:
                told.append(decision)  # noqa: PERF401  # what came before an error counts
    except ServerError as error:
        return told, error
    return told, None


def _ids(told: list[Decision | None]) -> list[str | None]:
    return [None if decision is None else decision.id for decision in told]


# What is told


def test_what_waits_is_told_now_and_at_each_change(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        told, error = await _watch(agent)
        assert told == [None, Approval("a", "rm x", "delete", allow_permanent=True), None]
        assert isinstance(error, UnreachableError), "the server closed it"

    asked = _told(_approval("a", allow_permanent=True))
    server = _server({STREAM: streams(_told(None, "initial"), BEAT, asked, BEAT, _told(None))})
    _converse(server, tmp_path, test)
    assert server.last(STREAM).query == {"session_id": "s1"}


@pytest.mark.parametrize(
    ("name", "kind", "ids"),
    [
        (
            "decisions_approval_expired",
            "approval",
            [None, "gwlocal:e308ccd64bde4a4cbd4472616db0dcf4", None, None],
        ),
        (
            "decisions_two_approvals",
            "approval",
            [
                None,
                "gwlocal:dc2fcf23de804e899d75bf3470758b16",
                None,
                "gwlocal:81fec19106da48868b14e78fb126c902",
                None,
                None,
            ],
        ),
        ("decisions_question_expired", "clarification", [None, "63013b8bb848", None]),
    ],
)
def test_streams_of_a_real_server_are_read(
    tmp_path: Path, name: str, kind: DecisionKind, ids: list[str | None]
) -> None:
    text = (CAPTURES / "streams" / f"{name}.sse").read_text("utf-8")

    async def test(agent: WebuiAgent) -> None:
        told, _ = await _watch(agent, kind)
        assert _ids(told) == ids
        for decision in told:
            if isinstance(decision, Clarification):
                assert decision.choices == ("Produzione", "Collaudo", "Sviluppo locale")

    _converse(_server({STREAM: streams(text), QUESTIONS: streams(text)}), tmp_path, test)


@pytest.mark.parametrize(
    "junk",
    [
        "event: approval\ndata: junk\n\n",
        "event: approval\ndata: []\n\n",
        event("approval", {}),
        event("approval", {"pending": "yes"}),
        _told({"approval_id": "x"}),
        _told(_approval(None)),
        _told(_approval("")),
        _told(_approval("x", command=7)),
        event("unknown", {"pending": _approval("x")}),
    ],
)
def test_junk_in_an_event_costs_that_event_alone(tmp_path: Path, junk: str) -> None:
    async def test(agent: WebuiAgent) -> None:
        told, _ = await _watch(agent)
        assert _ids(told) == [None, "a"]

    server = _server({STREAM: streams(_told(None, "initial"), junk, _told(_approval("a")))})
    _converse(server, tmp_path, test)


def test_a_question_without_choices_is_one_for_any_answer(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        told, _ = await _watch(agent, "clarification")
        assert told == [Clarification("q", "Come?", (), None)]

    asked = {"clarify_id": "q", "question": "Come?", "choices_offered": None, "expires_at": 0}
    _converse(_server({QUESTIONS: streams(_told(asked, "initial"))}), tmp_path, test)


def test_a_questions_end_is_told_by_our_clock(tmp_path: Path) -> None:
    ahead = 3600.0
    ends_at = time.time() + ahead + 60.0
    date = format_datetime(datetime.fromtimestamp(time.time() + ahead, UTC), usegmt=True)
    asked = {"clarify_id": "q", "question": "Come?", "expires_at": ends_at}
    routes: dict[str, Handler | list[Handler]] = {
        "/api/clarify/pending": lambda _: json_answer({"pending": asked}, headers={"date": date})
    }

    async def test(agent: WebuiAgent) -> None:
        question = await agent.pending_decision("clarification")
        assert isinstance(question, Clarification)
        assert question.expires_at is not None
        assert abs(question.expires_at - (time.time() + 60.0)) < 5.0

    _converse(_server(routes), tmp_path, test)


def test_a_stream_without_heartbeats_is_lost(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        loop = asyncio.get_running_loop()
        told, error = await _watch(agent)
        assert told == [None]
        assert isinstance(error, UnreachableError)
        assert 315.0 < loop.time() < 320.0, "heartbeats are life, and three missed its end"

    silent = streams(_told(None, "initial"), *_quiet(300.0), LONG)
    _converse(_server({STREAM: silent}), tmp_path, test)


def test_a_stream_that_breaks_is_lost(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        told, error = await _watch(agent)
        assert _ids(told) == ["a"]
        assert isinstance(error, UnreachableError)

    broken = streams(_told(_approval("a"), "initial"), httpx.ReadError("broken"))
    _converse(_server({STREAM: broken}), tmp_path, test)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (says("unknown_endpoint"), ProtocolError),
        (says("auth_sessions_no_cookie"), LoginError),
        (gives({"ok": True}), ProtocolError),
    ],
)
def test_a_server_that_gives_no_such_stream_is_told(
    tmp_path: Path, answer: Handler, error: type[ServerError]
) -> None:
    async def test(agent: WebuiAgent) -> None:
        assert isinstance((await _watch(agent))[1], error)

    _converse(_server({STREAM: answer}), tmp_path, test)


def test_an_approval_without_an_id_is_not_passed_off_as_none(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        with pytest.raises(ProtocolError, match="approval_id"):
            await agent.pending_decision("approval")

    _converse(_server({PENDING: gives({"pending": _approval("")})}), tmp_path, test)


# The session


def test_before_there_is_a_session_nothing_waits_and_nobody_is_asked(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        async with asyncio.TaskGroup() as group:
            watch = group.create_task(_watch(agent), name="watch")
            assert await agent.pending_decision("approval") is None
            await asyncio.sleep(3600.0)
            assert server.asked == []
            assert not watch.done()
            await agent.conversation.session()
        assert watch.result() == ([None], None), "it ends as soon as there is one"

    server = _server({STREAM: streams(_told(None, "initial"))})
    _converse(server, tmp_path, test, session="new")


def test_the_last_session_is_looked_for_once_where_there_is_none(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        async with asyncio.TaskGroup() as group:
            watches = [
                group.create_task(_watch(agent, kind), name=kind)
                for kind in ("approval", "clarification")
            ]
            await asyncio.sleep(3600.0)
            for watch in watches:
                watch.cancel()
        assert server.paths() == ["/api/sessions"] * 2

    server = _server({"/api/sessions": gives({"sessions": []})})
    _converse(server, tmp_path, test, session="last")


def test_a_last_session_idle_for_too_long_does_not_make_the_watches_chase_each_other(
    tmp_path: Path,
) -> None:
    async def test(agent: WebuiAgent) -> None:
        async with asyncio.TaskGroup() as group:
            watches = [
                group.create_task(_watch(agent, kind), name=kind)
                for kind in ("approval", "clarification")
            ]
            await asyncio.sleep(3600.0)
            for watch in watches:
                assert not watch.done()
                watch.cancel()
        assert len(server.asked) == 2

    old = {"session_id": "old", "updated_at": time.time() - 9 * 3600}
    server = _server({"/api/sessions": gives({"sessions": [old]})})
    _converse(server, tmp_path, test, session="last", new_after_hours=4.0)


def test_the_watch_ends_as_soon_as_the_conversation_is_in_another_session(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        async with asyncio.TaskGroup() as group:
            watch = group.create_task(_watch(agent), name="watch")
            await asyncio.sleep(7.0)
            await agent.conversation.use("s2")
            await asyncio.sleep(0.001)
            assert watch.done()
        assert watch.result() == ([None], None)
        told, _ = await _watch(agent)
        assert _ids(told) == ["b"]
        assert [asked.query["session_id"] for asked in server.asked if asked.path == STREAM] == [
            "s1",
            "s2",
        ]

    first = streams(_told(None, "initial"), *_quiet(LONG))
    second = streams(_told(_approval("b"), "initial"))
    server = _server({STREAM: [first, second]})
    _converse(server, tmp_path, test)


def test_a_session_that_changes_while_the_stream_is_opened_ends_the_watch(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        async with agent.watch_decisions("approval") as decisions:
            await agent.conversation.use("s2")
            assert [decision async for decision in decisions] == []

    server = _server({STREAM: lambda _: stream(_told(_approval("a"), "initial"))})
    _converse(server, tmp_path, test)


# Answers


def test_an_answer_goes_to_the_session_in_which_its_decision_was_seen(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        assert _ids((await _watch(agent))[0]) == ["a"]
        await agent.conversation.use("s2")
        seen = await agent.pending_decision("clarification")
        assert seen is not None
        await agent.conversation.use("s3")
        await agent.answer_approval("a", "session")
        await agent.answer_clarification("q", "la seconda")

    question = {"clarify_id": "q", "question": "Come?"}
    server = _server(
        {
            STREAM: streams(_told(_approval("a"), "initial")),
            "/api/clarify/pending": gives({"pending": question}),
            RESPOND: says("approval_once_respond_ok"),
            "/api/clarify/respond": says("clarify_choice_respond_ok"),
        }
    )
    _converse(server, tmp_path, test)
    assert server.last(RESPOND).body == {
        "session_id": "s1",
        "approval_id": "a",
        "choice": "session",
    }
    assert server.last("/api/clarify/respond").body == {
        "session_id": "s2",
        "clarify_id": "q",
        "response": "la seconda",
    }


def test_what_was_never_seen_is_not_answered(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        with pytest.raises(GoneError):
            await agent.answer_approval("a", "once")
        with pytest.raises(GoneError):
            await agent.answer_clarification("q", "sì")

    server = _server({})
    _converse(server, tmp_path, test)
    assert server.asked == []


def test_the_sessions_of_the_newest_decisions_are_remembered(tmp_path: Path) -> None:
    count = MOST_REMEMBERED + 1

    async def test(agent: WebuiAgent) -> None:
        await _watch(agent)
        with pytest.raises(GoneError):
            await agent.answer_approval("a1", "deny")
        await agent.answer_approval("a0", "deny")  # seen again since

    words = [_told(_approval(f"a{number}")) for number in (*range(count - 1), 0, count)]
    server = _server({STREAM: streams(*words), RESPOND: gives({"ok": True})})
    _converse(server, tmp_path, test)
