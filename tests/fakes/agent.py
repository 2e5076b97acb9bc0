"""An agent whose every answer the test gives; asserts that the port is used as it promises."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from tests.fakes.decisions import FakeDecisions
from voicehermes.errors import VoicehermesError
from voicehermes.events import (
    ApprovalChoice,
    Cancelled,
    Completed,
    Decision,
    DecisionKind,
    Failed,
    RunEvent,
    TextDelta,
)


class FakeAgent:
    """Runs get the ids "run-1", "run-2" …; the test feeds their events with ``tell``.

    What it waits for is put into ``decisions``.
    """

    def __init__(self) -> None:
        self.decisions = FakeDecisions()
        self.submitted: list[str] = []
        self.cancelled: list[str] = []
        self.steered: list[str] = []
        self.begun_anew: list[int] = []
        """How many messages had been submitted at each new beginning."""
        self.following: set[str] = set()
        self.live: str | None = None
        self.takes_hints = True
        self.arrived: dict[str, str] = {}
        """Runs of messages that arrived although nobody was told, by text."""
        self.fault: VoicehermesError | None = None
        """Raised by the next call that reaches the server."""
        self.submit_seconds = 0.05
        self.on_submit: Callable[[], None] = lambda: None
        """Called when a message comes in."""
        self._queues: dict[str, asyncio.Queue[RunEvent | VoicehermesError]] = {}

    async def submit(self, text: str, *, said_at: float | None = None) -> str:
        self.on_submit()
        await asyncio.sleep(self.submit_seconds)
        self._fail()
        assert text.strip(), "an empty message was submitted"
        if said_at is not None and text in self.arrived:
            return self.arrived[text]
        self.submitted.append(text)
        return f"run-{len(self.submitted)}"

    @asynccontextmanager
    async def follow(self, run_id: str) -> AsyncIterator[AsyncIterator[RunEvent]]:
        assert run_id not in self.following, f"{run_id} is followed twice"
        self.following.add(run_id)
        try:
            yield self._events(run_id)
        finally:
            self.following.discard(run_id)

    async def cancel(self, run_id: str) -> bool:
        await asyncio.sleep(0.02)
        self._fail()
        self.cancelled.append(run_id)
        return True

    async def steer(self, text: str) -> bool:
        await asyncio.sleep(0.02)
        self._fail()
        self.steered.append(text)
        return self.takes_hints

    async def begin_anew(self) -> None:
        await asyncio.sleep(0.02)
        self._fail()
        self.begun_anew.append(len(self.submitted))

    async def live_run(self) -> str | None:
        await asyncio.sleep(0.02)
        self._fail()
        return self.live

    def watch_decisions(
        self, kind: DecisionKind
    ) -> AbstractAsyncContextManager[AsyncIterator[Decision | None]]:
        return self.decisions.watch(kind)

    async def pending_decision(self, kind: DecisionKind) -> Decision | None:
        return await self.decisions.look(kind)

    async def answer_approval(self, approval_id: str, choice: ApprovalChoice) -> None:
        await self.decisions.approve(approval_id, choice)

    async def answer_clarification(self, clarification_id: str, text: str) -> None:
        await self.decisions.clarify(clarification_id, text)

    def tell(self, run_id: str, *events: RunEvent | VoicehermesError) -> None:
        """The run's next events."""
        queue = self._queues.setdefault(run_id, asyncio.Queue())
        for event in events:
            queue.put_nowait(event)

    def reply(self, run_id: str, *texts: str) -> None:
        """The run's whole answer, delta by delta."""
        self.tell(run_id, *map(TextDelta, texts), Completed("".join(texts)))

    async def _events(self, run_id: str) -> AsyncIterator[RunEvent]:
        queue = self._queues.setdefault(run_id, asyncio.Queue())
        while True:
            event = await queue.get()
            if isinstance(event, VoicehermesError):
                raise event
            yield event
            if isinstance(event, Completed | Failed | Cancelled):
                return

    def _fail(self) -> None:
        if self.fault is not None:
            fault, self.fault = self.fault, None
            raise fault
