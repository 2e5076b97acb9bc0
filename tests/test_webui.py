"""A conversation: its session, messages sent once, busy sessions. On the virtual clock."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import format_datetime
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
    done,
    event,
    fails,
    gives,
    json_answer,
    says,
    streams,
    token,
)
from voicehermes.adapters.hermes.faults import AnswerLostError
from voicehermes.adapters.hermes.http import WebuiHttp
from voicehermes.adapters.hermes.webui import WebuiAgent
from voicehermes.adapters.store import Store
from voicehermes.config import Server
from voicehermes.errors import BusyError, GoneError, RefusedError, UnreachableError
from voicehermes.events import Completed, TextDelta
from voicehermes.ports import Agent

URL = "http://127.0.0.1:8787"
START = "/api/chat/start"
STATUS = "/api/chat/stream/status"
SESSION = "/api/session"
NEW = "/api/session/new"
LIST = "/api/sessions"

STARTED = gives({"stream_id": "run-1", "session_id": "s1"})
LOST = fails(httpx.ReadError("broken"))
AWAY = fails(httpx.ConnectError("refused"))
BUSY = says("chat_start_conflict_active")
BUSY_RUN = "2173250a378b49e6921adb0acc1b6f44"


def _session(**fields: object) -> Handler:
    """The session that is asked for, or a new one called "new"."""

    def handler(asked: Asked) -> Reply:
        session_id = asked.query.get("session_id", "new")
        return json_answer({"session": {"session_id": session_id, "messages": []} | fields})

    return handler


def _said(text: str, *answers: str) -> list[dict[str, object]]:
    """The session's messages when the user has said something just now."""
    said: list[dict[str, object]] = [{"role": "user", "content": text, "timestamp": time.time()}]
    return said + [{"role": "assistant", "content": answer} for answer in answers]


def _converse(
    server: WebuiServer,
    folder: Path,
    test: Callable[[WebuiAgent], Awaitable[None]],
    config: Server | None = None,
) -> float:
    """Run ``test`` with an agent; the virtual seconds that it took."""

    async def main() -> float:
        settings = config or Server(url=URL, session="s1")
        store = Store(folder)
        async with WebuiHttp(settings, store, transport=server) as http:
            await test(WebuiAgent(http, settings, store))
            return asyncio.get_running_loop().time()

    return run(main())


def _starting(*answers: Handler, **more: Handler | list[Handler]) -> WebuiServer:
    """A server whose session s1 is there and that answers starts so, one after the other."""
    routes: dict[str, Handler | list[Handler]] = {
        START: list(answers),
        SESSION: more.get("session", _session()),
        NEW: _session(),
    }
    if "status" in more:
        routes[STATUS] = more["status"]
    return WebuiServer(routes)


def _starts(server: WebuiServer) -> int:
    return server.paths().count(START)


def test_it_is_an_agent(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        port: Agent = agent
        assert await port.submit("ciao") == "run-1"

    server = _starting(STARTED)
    _converse(server, tmp_path, test)
    assert server.last(START).body == {"session_id": "s1", "message": "ciao"}


def test_a_conversation_that_is_not_used_asks_the_server_nothing(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        pass

    server = WebuiServer({})
    _converse(server, tmp_path, test)
    assert server.asked == []


# Which session


def test_the_last_session_is_the_one_that_was_kept(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        await agent.submit("ciao")

    server = WebuiServer(
        {
            LIST: says("sessions_list"),
            START: lambda asked: json_answer(
                {"stream_id": "run-1", "session_id": asked.body["session_id"]}
            ),
            SESSION: _session(),
        }
    )
    last = Server(url=URL)
    _converse(server, tmp_path, test, last)
    first = server.last(START).body["session_id"]
    assert first == "443b24aa0be2", "the newest of the list"
    kept = {"url": URL, "profile": "", "configured": "last", "session_id": "s1"}
    assert json.loads((tmp_path / "session.json").read_text()) == kept | {"session_id": first}

    (tmp_path / "session.json").write_text(json.dumps(kept))
    _converse(server, tmp_path, test, last)
    assert server.last(START).body["session_id"] == "s1"
    assert server.paths().count(LIST) == 1


def test_sessions_of_a_command_line_or_archived_ones_are_not_taken_for_the_last(
    tmp_path: Path,
) -> None:
    async def test(agent: WebuiAgent) -> None:
        assert await agent.conversation.known() == "mine"

    sessions = [
        {"session_id": "cli", "is_cli_session": True, "updated_at": 9},
        {"session_id": "cron", "source_tag": "cron", "updated_at": 8},
        {"session_id": "old", "archived": True, "updated_at": 7},
        {"session_id": "imported", "read_only": True, "updated_at": 6},
        {"session_id": "mine", "source_tag": "webui", "updated_at": 5},
        {"session_id": "before", "source_tag": "webui", "updated_at": 4},
    ]
    server = WebuiServer({LIST: gives({"sessions": sessions})})
    _converse(server, tmp_path, test, Server(url=URL))


@pytest.mark.parametrize("refusal", ["session_get_404", "profile_mismatch_session_get"])
def test_a_kept_session_that_is_gone_gives_way_to_the_newest(tmp_path: Path, refusal: str) -> None:
    async def test(agent: WebuiAgent) -> None:
        assert await agent.conversation.known() == "443b24aa0be2"

    kept = {"url": URL, "profile": "", "configured": "last", "session_id": "gone"}
    (tmp_path / "session.json").write_text(json.dumps(kept))
    server = WebuiServer({LIST: says("sessions_list"), SESSION: says(refusal)})
    _converse(server, tmp_path, test, Server(url=URL))


@pytest.mark.parametrize(
    "kept",
    [
        "junk",
        "[]",
        json.dumps({"url": "http://127.0.0.1:1", "profile": "", "session_id": "s1"}),
        json.dumps({"url": URL, "profile": "casa", "session_id": "s1"}),
    ],
)
def test_a_session_of_another_server_or_profile_is_not_gone_on_with(
    tmp_path: Path, kept: str
) -> None:
    async def test(agent: WebuiAgent) -> None:
        assert await agent.conversation.known() is None

    (tmp_path / "session.json").write_text(kept)
    server = WebuiServer({LIST: gives({"sessions": []}), SESSION: _session()})
    _converse(server, tmp_path, test, Server(url=URL))


def test_a_new_session_works_where_and_with_what_the_configuration_says(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        assert await agent.live_run() is None
        assert NEW not in server.paths(), "made before it was needed"
        await agent.submit("ciao")
        await agent.submit("ancora")

    config = Server(url=URL, session="new", workspace="/w", model="m", model_provider="p")
    server = _starting(gives({"stream_id": "run-1", "session_id": "new"}))
    _converse(server, tmp_path, test, config)
    assert server.last(NEW).body == {"workspace": "/w", "model": "m", "model_provider": "p"}
    assert server.paths() == [NEW, START, START]
    assert server.last(START).body["session_id"] == "new"


def test_a_configured_session_that_is_not_there_is_told_with_the_remedy(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        with pytest.raises(GoneError, match="sessions list"):
            await agent.submit("ciao")

    _converse(_starting(STARTED, session=says("session_get_404")), tmp_path, test)


def test_a_session_idle_for_too_long_gives_way_to_a_new_one(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        await agent.submit("ciao")

    def at(hours_ago: float) -> WebuiServer:
        said_at = time.time() - hours_ago * 3600
        return _starting(STARTED, session=_session(last_message_at=said_at))

    kept = {"url": URL, "profile": "", "configured": "last", "session_id": "s1"}
    config = Server(url=URL, new_after_hours=4.0)
    for hours, session_id in ((3.0, "s1"), (5.0, "new")):
        (tmp_path / "session.json").write_text(json.dumps(kept))
        server = at(hours)
        _converse(server, tmp_path, test, config)
        assert server.last(START).body["session_id"] == session_id


def test_the_profile_is_switched_to_before_its_sessions_are_looked_at(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        await agent.conversation.known()

    server = WebuiServer(
        {
            "/api/profile/active": says("profile_active"),
            "/api/profile/switch": says("profile_switch_ok"),
            LIST: says("sessions_list"),
        }
    )
    _converse(server, tmp_path, test, Server(url=URL, profile="casa"))
    assert server.paths() == ["/api/profile/active", "/api/profile/switch", LIST]
    assert server.last(LIST).headers["cookie"] == "hermes_profile=casa"


def test_a_session_deleted_in_between_is_replaced_by_a_new_one(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        assert await agent.submit("ciao") == "run-1"

    server = _starting(
        says("chat_start_404"),
        gives({"stream_id": "run-1", "session_id": "new"}),
        session=[_session(), says("session_get_404")],
    )
    _converse(server, tmp_path, test)
    assert server.last(START).body["session_id"] == "new"
    assert json.loads((tmp_path / "session.json").read_text())["session_id"] == "new"


def test_a_session_of_another_profile_is_told_and_not_replaced(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        with pytest.raises(RefusedError, match='profile = "casa"'):
            await agent.submit("ciao")

    server = _starting(
        says("profile_mismatch_chat_start"),
        session=[_session(), says("profile_mismatch_session_get")],
    )
    _converse(server, tmp_path, test)
    assert NEW not in server.paths()


def test_a_conversation_that_moves_is_followed_and_kept(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        run_id = await agent.submit("ciao")
        async with agent.follow(run_id) as events:
            assert [told async for told in events][-1] == Completed("ciao")
        assert await agent.conversation.session() == "moved"

    server = _starting(STARTED)
    server.routes["/api/chat/stream"] = streams(
        token("ciao", 1),
        event("compressed", {"new_session_id": "moved"}, 2),
        done(("assistant", "ciao"), seq=3, session_id="moved"),
    )
    _converse(server, tmp_path, test)

    async def later(agent: WebuiAgent) -> None:
        await agent.submit("ancora")

    _converse(server, tmp_path, later)
    assert server.last(START).body["session_id"] == "moved"


def test_a_disk_that_does_not_keep_the_session_does_not_cost_the_message(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        assert await agent.submit("ciao") == "run-1"

    (tmp_path / "session.json").mkdir()  # nothing can be written in its place
    server = _starting(STARTED)
    _converse(server, tmp_path, test, Server(url=URL, session="new"))
    assert _starts(server) == 1


# Busy


@pytest.mark.parametrize("session", ["s1", "last", "new"])
def test_a_new_conversation_begins_in_a_new_session_and_stays_there(
    tmp_path: Path, session: str
) -> None:
    config = Server(url=URL, session=session)
    moved: list[str | None] = []

    async def test(agent: WebuiAgent) -> None:
        await agent.submit("ciao")
        with agent.conversation.on_moved(lambda: moved.append(agent.conversation.current)):
            await agent.begin_anew()
            await agent.submit("ricominciamo")

    async def test_later(agent: WebuiAgent) -> None:
        await agent.submit("ancora")

    def start(asked: Asked) -> Reply:
        return json_answer({"stream_id": "run-1", "session_id": asked.body["session_id"]})

    made = iter(["s1", "s2"] if session == "new" else ["s2"])
    server = WebuiServer(
        {
            START: start,
            SESSION: _session(),
            LIST: gives({"sessions": [{"session_id": "s1", "source_tag": "webui"}]}),
            NEW: lambda _: json_answer({"session": {"session_id": next(made), "messages": []}}),
        }
    )
    _converse(server, tmp_path, test, config)
    assert [asked.body["session_id"] for asked in server.asked if asked.path == START] == [
        "s1",
        "s2",
    ]
    assert moved == ["s2"]
    if session != "new":
        _converse(server, tmp_path, test_later, config)
        assert server.last(START).body == {"session_id": "s2", "message": "ancora"}


def test_a_new_conversation_that_the_server_does_not_make_is_told_and_the_old_one_goes_on(
    tmp_path: Path,
) -> None:
    async def test(agent: WebuiAgent) -> None:
        await agent.submit("ciao")
        with pytest.raises(UnreachableError):
            await agent.begin_anew()
        await agent.submit("ancora")

    server = WebuiServer({START: [STARTED, STARTED], SESSION: _session(), NEW: AWAY})
    _converse(server, tmp_path, test)
    assert server.last(START).body == {"session_id": "s1", "message": "ancora"}


def test_a_start_right_after_our_cancel_waits_until_the_run_is_gone(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        assert await agent.cancel(BUSY_RUN)
        assert await agent.submit("ciao") == "run-1"

    server = _starting(*[BUSY] * 5, STARTED)
    server.routes["/api/chat/cancel"] = says("cancel_midstream_cancel")
    seconds = _converse(server, tmp_path, test)
    assert seconds == pytest.approx(1.0)


def test_a_run_that_died_with_the_server_is_waited_for(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        began = asyncio.get_running_loop().time()

        def start(asked: Asked) -> Reply:
            if asked.at - began < 30:
                return captured("chat_start_conflict_active")
            return json_answer({"stream_id": "run-1", "session_id": "s1"})

        server.routes[START] = start
        assert await agent.submit("ciao") == "run-1"

    server = _starting(status=gives({"active": False}))
    assert 30 <= _converse(server, tmp_path, test) < 32


def test_a_session_at_work_on_another_run_is_busy_at_once(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        with pytest.raises(BusyError) as caught:
            await agent.submit("ciao")
        assert caught.value.run_id == BUSY_RUN

    server = _starting(BUSY, status=gives({"active": True}))
    assert _converse(server, tmp_path, test) == 0.0


@pytest.mark.parametrize("status", [{"active": True}, {"active": False}])
def test_a_run_that_never_goes_away_is_told_after_a_while(
    tmp_path: Path, status: dict[str, object]
) -> None:
    async def test(agent: WebuiAgent) -> None:
        await agent.cancel(BUSY_RUN)
        with pytest.raises(BusyError):
            await agent.submit("ciao")

    server = _starting(BUSY, status=gives(status))
    server.routes["/api/chat/cancel"] = says("cancel_midstream_cancel")
    assert 4 < _converse(server, tmp_path, test) < 37


def test_a_conflict_that_names_no_run_is_waited_for_shortly(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        with pytest.raises(BusyError):
            await agent.submit("ciao")

    server = _starting(gives({"error": "session already has an active stream"}, 409))
    assert _converse(server, tmp_path, test) == pytest.approx(5.0, abs=0.3)


# Sent once and only once


def test_a_message_that_arrived_although_its_answer_was_lost_is_not_sent_again(
    tmp_path: Path,
) -> None:
    async def test(agent: WebuiAgent) -> None:
        server.routes[SESSION] = _session(
            active_stream_id="run-7",
            pending_user_message="ciao",
            pending_started_at=time.time(),
        )
        assert await agent.submit("ciao") == "run-7"

    server = _starting(LOST)
    server.routes[SESSION] = _session()
    _converse(server, tmp_path, test)
    assert _starts(server) == 1


def test_a_message_that_was_answered_in_the_meantime_is_told_from_the_session(
    tmp_path: Path,
) -> None:
    async def test(agent: WebuiAgent) -> None:
        server.routes[SESSION] = _session(messages=_said("ciao", "Ciao a te."))
        run_id = await agent.submit("ciao")
        async with agent.follow(run_id) as events:
            told = [event async for event in events]
        assert told == [TextDelta("Ciao a te."), Completed("Ciao a te.")]
        assert not await agent.cancel(run_id)

    server = _starting(LOST)
    _converse(server, tmp_path, test)
    assert _starts(server) == 1


def test_a_message_that_did_not_arrive_is_sent_again(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        assert await agent.submit("ciao") == "run-1"

    server = _starting(LOST, STARTED)
    _converse(server, tmp_path, test)
    assert _starts(server) == 2


def test_the_same_words_said_an_hour_ago_are_not_taken_for_the_message(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        assert await agent.submit("sì") == "run-1"

    before = [{"role": "user", "content": "sì", "timestamp": time.time() - 3600}]
    server = _starting(LOST, STARTED, session=_session(messages=before))
    _converse(server, tmp_path, test)
    assert _starts(server) == 2


def test_a_message_that_arrives_late_keeps_its_run_when_it_is_sent_again(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        def busy(_: Asked) -> Reply:
            server.routes[SESSION] = _session(
                active_stream_id=BUSY_RUN,
                pending_user_message="ciao",
                pending_started_at=time.time(),
            )
            return captured("chat_start_conflict_active")

        server.routes[START] = [LOST, busy]
        assert await agent.submit("ciao") == BUSY_RUN

    server = _starting(status=gives({"active": True}))
    _converse(server, tmp_path, test)
    assert _starts(server) == 2


def test_another_clients_run_is_not_taken_for_ours(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        server.routes[SESSION] = _session(
            active_stream_id=BUSY_RUN,
            pending_user_message="qualcos'altro",
            pending_started_at=time.time(),
        )
        with pytest.raises(BusyError):
            await agent.submit("ciao")

    server = _starting(LOST, BUSY, status=gives({"active": True}))
    _converse(server, tmp_path, test)


def test_a_server_that_goes_away_in_between_is_looked_for_and_the_message_kept_in_mind(
    tmp_path: Path,
) -> None:
    async def test(agent: WebuiAgent) -> None:
        await agent.conversation.session()
        server.routes |= {START: [LOST, AWAY], SESSION: AWAY}
        with pytest.raises(UnreachableError):
            await agent.submit("ciao")
        server.routes |= {
            START: STARTED,
            SESSION: _session(messages=_said("ciao", "Eccomi.")),
        }
        run_id = await agent.submit("ciao")
        async with agent.follow(run_id) as events:
            assert [event async for event in events][-1] == Completed("Eccomi.")

    server = _starting(STARTED)
    seconds = _converse(server, tmp_path, test)
    assert 15 < seconds < 20
    assert _starts(server) == 1


def test_a_message_that_an_earlier_process_may_have_sent_is_looked_for_first(
    tmp_path: Path,
) -> None:
    """Also in the session of that process, when each one begins a new session."""

    async def send_again(agent: WebuiAgent) -> None:
        run_id = await agent.submit("ciao", said_at=time.time() - 3600)
        async with agent.follow(run_id) as events:
            assert [event async for event in events][-1] == Completed("Eccomi.")

    kept = {"url": URL, "profile": "", "configured": "new", "session_id": "earlier"}
    (tmp_path / "session.json").write_text(json.dumps(kept))
    later = [{"role": "user", "content": "grazie"}, {"role": "assistant", "content": "Prego."}]
    server = _starting(STARTED, session=_session(messages=_said("ciao", "Eccomi.") + later))
    _converse(server, tmp_path, send_again, Server(url=URL, session="new"))
    assert server.paths() == [SESSION]
    assert server.last(SESSION).query["session_id"] == "earlier"


def test_a_message_that_no_earlier_process_sent_is_sent(tmp_path: Path) -> None:
    async def send(agent: WebuiAgent) -> None:
        assert await agent.submit("ciao", said_at=time.time() - 3600) == "run-1"

    kept = {"url": URL, "profile": "", "configured": "new", "session_id": "deleted"}
    for session in (_session(), says("session_get_404")):
        (tmp_path / "session.json").write_text(json.dumps(kept))
        server = _starting(STARTED, session=session)
        _converse(server, tmp_path, send, Server(url=URL, session="new"))
        assert server.paths() == [SESSION, NEW, START]


def test_the_same_words_said_twice_are_two_messages_when_they_are_sent_again(
    tmp_path: Path,
) -> None:
    """Neither had arrived; the first one, sent now, is not taken for the second."""

    async def send_again(agent: WebuiAgent) -> None:
        for minutes in (2, 1):
            await agent.submit("ciao", said_at=time.time() - minutes * 60)

    answers = [_session(), _session(messages=_said("ciao", "Eccomi."))]
    server = _starting(STARTED, session=lambda asked: answers[_starts(server)](asked))
    (tmp_path / "session.json").write_text(
        json.dumps({"url": URL, "profile": "", "configured": "last", "session_id": "s1"})
    )
    _converse(server, tmp_path, send_again)
    assert _starts(server) == 2


def test_a_server_whose_clock_is_wrong_is_asked_by_its_own_clock(tmp_path: Path) -> None:
    behind = time.time() - 600
    date = format_datetime(datetime.fromtimestamp(behind, UTC), usegmt=True)
    said = [{"role": "user", "content": "ciao", "timestamp": behind}]

    def session(_: Asked) -> Reply:
        body = {"session": {"session_id": "s1", "messages": said}}
        return json_answer(body, headers={"date": date})

    async def test(agent: WebuiAgent) -> None:
        run_id = await agent.submit("ciao")
        assert run_id != "run-1"

    server = _starting(LOST, STARTED, session=session)
    _converse(server, tmp_path, test)
    assert _starts(server) == 1


def test_a_message_that_could_not_go_out_is_told_at_once(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        with pytest.raises(UnreachableError) as caught:
            await agent.submit("ciao")
        assert not isinstance(caught.value, AnswerLostError)

    server = _starting(AWAY)
    assert _converse(server, tmp_path, test) == 0.0
    assert _starts(server) == 1


def test_a_message_that_the_server_keeps_to_itself_is_refused(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        with pytest.raises(RefusedError, match="does not answer"):
            await agent.submit("[SILENT]")

    _converse(_starting(says("chat_start_silent_SILENT")), tmp_path, test)


# The rest of the port


def test_the_live_run_is_the_one_that_is_truly_at_work(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        server.routes[STATUS] = gives({"active": True})
        assert await agent.live_run() == "run-5"
        server.routes[STATUS] = gives({"active": False})
        assert await agent.live_run() is None
        server.routes[SESSION] = _session()
        assert await agent.live_run() is None

    server = _starting(STARTED, session=_session(active_stream_id="run-5"))
    _converse(server, tmp_path, test)
    assert server.last(SESSION).query == {"session_id": "s1", "messages": "0"}


def test_a_hint_is_taken_or_not(tmp_path: Path) -> None:
    async def test(agent: WebuiAgent) -> None:
        assert await agent.steer("più corto")
        assert not await agent.steer("ancora")

    server = _starting(STARTED)
    server.routes["/api/chat/steer"] = [says("steer_active"), says("steer_idle")]
    _converse(server, tmp_path, test)
    assert server.last("/api/chat/steer").body == {"session_id": "s1", "text": "ancora"}
