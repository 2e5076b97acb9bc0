"""Decisions found and answered on real sockets, against the embedded server."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from voicehermes.adapters.hermes.http import WebuiHttp
from voicehermes.adapters.hermes.webui import WebuiAgent
from voicehermes.adapters.store import Store
from voicehermes.config import Server
from voicehermes.deciding.docket import DecisionConfirmed, DecisionFound, DecisionGone
from voicehermes.errors import GoneError, UnconfirmedError
from voicehermes.events import (
    Approval,
    Clarification,
    Completed,
    Decision,
    RunEvent,
    TextDelta,
)
from voicehermes.simulator.scenario import Scenario
from voicehermes.simulator.server import Simulator
from voicehermes.watching import Watching

QUICK = """
[server]
title_seconds = 0
heartbeat_seconds = 0.2
{server}
[pace]
first_token_seconds = 0
characters_per_second = 0

[decisions]
{decisions}

[[turns]]
when = ["riavvia"]
[[turns.steps]]
approval = "systemctl restart backup"
description = "service"
granted = [{{ say = "Fatto." }}]
denied = [{{ say = "Allora no." }}]
expired = [{{ say = "Tempo scaduto." }}]

[[turns]]
when = ["rilascia"]
[[turns.steps]]
clarify = "Dove?"
choices = ["staging", "production"]
answered = [{{ say = "Bene: {{answer}}." }}]
expired = [{{ say = "Faccio da me." }}]

[[turns]]
when = ["aspetta"]
steps = [{{ approval = "rm x", expired = [{{ pause = 60 }}] }}]

[[turns]]
when = ["due"]
steps = [{{ approval = "rm uno", description = "1" }}, {{ approval = "rm due", description = "2" }}]

[[turns]]
when = ["comprimi"]
steps = [{{ compress = "Comprimo." }}, {{ approval = "rm x", granted = [{{ say = "Fatto." }}] }}]
"""

Told = DecisionFound | DecisionGone | DecisionConfirmed


class Scene:
    """A conversation that is watched, with what was told of it."""

    def __init__(
        self, simulator: Simulator, http: WebuiHttp, agent: WebuiAgent, approval_seconds: float
    ) -> None:
        self.simulator = simulator
        self.http = http
        self.agent = agent
        self.told: asyncio.Queue[Told] = asyncio.Queue()
        self.watching = Watching(agent, self.told.put_nowait, approval_seconds)

    async def next(self, seconds: float = 5.0) -> Told:
        """What is told next."""
        async with asyncio.timeout(seconds):
            return await self.told.get()

    async def found(self) -> Decision:
        """What is told next is that this one was found."""
        news = await self.next()
        assert isinstance(news, DecisionFound)
        return news.decision

    async def hear(self, run_id: str) -> tuple[str, RunEvent]:
        """What the run says, and how it ends."""
        text = ""
        async with asyncio.timeout(10.0), self.agent.follow(run_id) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    text += event.text
        return text, event

    async def answer_elsewhere(self, path: str, **body: object) -> None:
        """Another client answers."""
        session_id = await self.agent.conversation.session()
        await self.http.post(f"/api/{path}/respond", {"session_id": session_id, **body})

    def asked(self, path: str) -> int:
        """How many requests for ``path`` were answered."""
        return sum(logged.path == path for logged in self.simulator.log)


@asynccontextmanager
async def _simulator(server: str, decisions: str, faults: str) -> AsyncIterator[Simulator]:
    """Built and stopped beside the loop, as that blocks."""
    text = QUICK.format(server=server, decisions=decisions) + faults
    simulator = await asyncio.to_thread(Simulator, Scenario.parse(text))
    await asyncio.to_thread(simulator.__enter__)
    try:
        yield simulator
    finally:
        await asyncio.to_thread(simulator.__exit__, None, None, None)


async def _play(
    folder: Path,
    test: Callable[[Scene], Awaitable[None]],
    *,
    server: str = "",
    decisions: str = "",
    faults: str = "",
    password: str | None = None,
    approval_seconds: float = 60.0,
) -> None:
    async with _simulator(server, decisions, faults) as simulator:
        config, store = Server(url=simulator.url), Store(folder)
        async with WebuiHttp(config, store, password=lambda: password) as http:
            scene = Scene(simulator, http, WebuiAgent(http, config, store), approval_seconds)
            async with asyncio.TaskGroup() as group:
                watch = group.create_task(scene.watching.run(), name="watch")
                await test(scene)
                assert not watch.done()
                watch.cancel()
    assert scene.told.empty()


async def test_an_approval_is_found_and_granted(tmp_path: Path) -> None:
    async def test(scene: Scene) -> None:
        run_id = await scene.agent.submit("riavvia")
        asked = await scene.found()
        assert isinstance(asked, Approval)
        assert (asked.command, asked.description) == ("systemctl restart backup", "service")
        await scene.watching.answer(asked, "once")
        assert await scene.hear(run_id) == ("\n\nFatto.", Completed("\n\nFatto."))

    await _play(tmp_path, test)


async def test_a_question_is_found_and_answered(tmp_path: Path) -> None:
    async def test(scene: Scene) -> None:
        run_id = await scene.agent.submit("rilascia")
        asked = await scene.found()
        assert isinstance(asked, Clarification)
        assert asked.choices == ("staging", "production")
        left = scene.watching.time_left(asked.id)
        assert left is not None
        assert 3590 < left <= 3602
        await scene.watching.answer(asked, "staging")
        text, _ = await scene.hear(run_id)
        assert text.strip() == "Bene: staging."

    await _play(tmp_path, test)


async def test_what_is_pending_when_we_begin_is_found(tmp_path: Path) -> None:
    async def test(scene: Scene) -> None:
        asked = await scene.found()
        later = WebuiAgent(scene.http, Server(url=scene.http.url), Store(tmp_path))
        told: asyncio.Queue[Told] = asyncio.Queue()
        async with asyncio.TaskGroup() as group:
            watching = Watching(later, told.put_nowait, 60.0)
            watch = group.create_task(watching.run(), name="later watch")
            async with asyncio.timeout(5.0):
                assert await told.get() == DecisionFound(asked)
            await watching.answer(asked, "deny")
            watch.cancel()
        assert await scene.next() == DecisionGone(asked.id, has_expired=False)

    async def begin(scene: Scene) -> None:
        await scene.agent.submit("riavvia")
        await test(scene)

    await _play(tmp_path, begin)


async def test_an_approval_that_expires_is_found_gone_although_nobody_tells(tmp_path: Path) -> None:
    async def test(scene: Scene) -> None:
        await scene.agent.submit("aspetta")  # its run goes on in silence
        asked = await scene.found()
        assert await scene.next(10.0) == DecisionGone(asked.id, has_expired=True)
        with pytest.raises(GoneError):
            await scene.watching.answer(asked, "once")
        assert scene.asked("/api/approval/respond") == 0

    limits = "approval_seconds = 0.5"
    await _play(tmp_path, test, decisions=limits, approval_seconds=0.5)


async def test_an_answer_to_an_approval_that_has_just_expired_grants_nothing(
    tmp_path: Path,
) -> None:
    async def test(scene: Scene) -> None:
        run_id = await scene.agent.submit("riavvia")
        asked = await scene.found()
        await scene.hear(run_id)
        with pytest.raises(GoneError):
            await scene.agent.answer_approval(asked.id, "once")
        assert await scene.next() == DecisionGone(asked.id, has_expired=False)

    await _play(tmp_path, test, decisions="approval_seconds = 0.3")


async def test_a_question_that_expires_is_told_at_once(tmp_path: Path) -> None:
    async def test(scene: Scene) -> None:
        await scene.agent.submit("rilascia")
        asked = await scene.found()
        assert await scene.next() == DecisionGone(asked.id, has_expired=True)

    await _play(tmp_path, test, decisions="clarify_seconds = 1")


async def test_what_was_answered_elsewhere_is_gone(tmp_path: Path) -> None:
    async def test(scene: Scene) -> None:
        run_id = await scene.agent.submit("riavvia")
        asked = await scene.found()
        await scene.answer_elsewhere("approval", approval_id=asked.id, choice="deny")
        assert await scene.next() == DecisionGone(asked.id, has_expired=False)
        assert (await scene.hear(run_id))[0].strip() == "Allora no."
        await scene.agent.submit("rilascia")
        question = await scene.found()
        await scene.answer_elsewhere("clarify", clarify_id=question.id, response="production")
        assert await scene.next() == DecisionGone(question.id, has_expired=False)
        with pytest.raises(GoneError):
            await scene.agent.answer_clarification(question.id, "staging")

    await _play(tmp_path, test)


async def test_a_cancelled_run_asks_nothing_any_more(tmp_path: Path) -> None:
    async def test(scene: Scene) -> None:
        run_id = await scene.agent.submit("rilascia")
        asked = await scene.found()
        await scene.agent.cancel(run_id)
        assert await scene.next() == DecisionGone(asked.id, has_expired=False)

    await _play(tmp_path, test)


async def test_one_approval_after_the_other_is_answered_each_for_itself(tmp_path: Path) -> None:
    async def test(scene: Scene) -> None:
        run_id = await scene.agent.submit("due")
        first = await scene.found()
        await scene.watching.answer(first, "once")
        second = await scene.found()
        with pytest.raises(GoneError):
            await scene.agent.answer_approval(first.id, "once")
        scene.watching.confirm(second.id)
        assert await scene.next() == DecisionConfirmed(second.id)
        await scene.watching.answer(second, "deny")
        await scene.hear(run_id)

    await _play(tmp_path, test)


async def test_a_conversation_that_moves_is_watched_where_it_goes_on(tmp_path: Path) -> None:
    async def test(scene: Scene) -> None:
        await asyncio.sleep(0.3)  # the first session's streams are there
        first = await scene.agent.conversation.session()
        run_id = await scene.agent.submit("comprimi")
        async with asyncio.TaskGroup() as group:
            run = group.create_task(scene.hear(run_id), name="run")
            asked = await scene.found()
            assert await scene.agent.conversation.session() != first
            await scene.watching.answer(asked, "once")
        assert run.result()[0].strip() == "Fatto."

    await _play(tmp_path, test)


async def test_a_stream_that_is_cut_is_opened_again(tmp_path: Path) -> None:
    async def test(scene: Scene) -> None:
        await scene.agent.submit("riavvia")
        asked = await scene.found()
        await asyncio.sleep(1.5)
        await scene.answer_elsewhere("approval", approval_id=asked.id, choice="deny")
        assert await scene.next(1.0) == DecisionGone(asked.id, has_expired=False)
        assert scene.asked("/api/approval/stream") >= 1

    faults = '[[faults]]\npath = "/api/approval/stream"\nclose_after_events = 1\n'
    await _play(tmp_path, test, faults=faults)


async def test_a_server_without_the_streams_is_asked(tmp_path: Path) -> None:
    async def test(scene: Scene) -> None:
        await scene.agent.submit("riavvia")
        asked = await scene.found()
        await scene.watching.answer(asked, "once")

    missing = 'status = 404\nbody = \'{"error": "not found"}\'\ntimes = 0\n'
    faults = f'[[faults]]\npath = "/api/approval/stream"\n{missing}'
    await _play(tmp_path, test, faults=faults)


async def test_an_answer_whose_answer_is_lost_is_not_sent_twice(tmp_path: Path) -> None:
    async def test(scene: Scene) -> None:
        run_id = await scene.agent.submit("riavvia")
        asked = await scene.found()
        with pytest.raises(UnconfirmedError):
            await scene.watching.answer(asked, "once")
        assert (await scene.hear(run_id))[0].strip() == "Fatto."

    faults = '[[faults]]\npath = "/api/approval/respond"\ndrop_answer = true\n'
    await _play(tmp_path, test, faults=faults)


async def test_an_answer_that_did_not_get_there_is_sent_again(tmp_path: Path) -> None:
    async def test(scene: Scene) -> None:
        run_id = await scene.agent.submit("rilascia")
        asked = await scene.found()
        await scene.watching.answer(asked, "production")
        assert (await scene.hear(run_id))[0].strip() == "Bene: production."

    bad = 'status = 502\nbody = "<html>Bad Gateway</html>"\ncontent_type = "text/html"\n'
    faults = f'[[faults]]\npath = "/api/clarify/respond"\n{bad}times = 2\n'
    await _play(tmp_path, test, faults=faults)


async def test_a_login_that_ran_out_is_renewed_for_streams_looks_and_answers(
    tmp_path: Path,
) -> None:
    async def test(scene: Scene) -> None:
        run_id = await scene.agent.submit("riavvia")
        asked = await scene.found()
        await scene.http.post("/api/auth/logout", {})
        scene.watching.confirm(asked.id)
        assert await scene.next() == DecisionConfirmed(asked.id)
        await scene.http.post("/api/auth/logout", {})
        await scene.watching.answer(asked, "once")
        await scene.hear(run_id)
        await scene.http.post("/api/auth/logout", {})
        await scene.agent.conversation.session()
        async with scene.agent.watch_decisions("approval") as decisions:
            assert await anext(decisions) is None

    await _play(tmp_path, test, server='password = "segreta"', password="segreta")
