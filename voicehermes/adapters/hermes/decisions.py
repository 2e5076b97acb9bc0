"""The decisions that the conversation's session waits for: how they are seen and answered.

Here it is seen to that an answer goes to the one decision, in the one session, that it is for.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace

from httpx_sse import ServerSentEvent

from voicehermes.adapters.hermes import parse, shapes
from voicehermes.adapters.hermes.conversation import Conversation
from voicehermes.adapters.hermes.webui_api import WebuiApi
from voicehermes.errors import GoneError, ProtocolError, UnreachableError
from voicehermes.events import ApprovalChoice, Clarification, Decision, DecisionKind

NAMES = frozenset({"initial", "approval", "clarify"})
"""The events of both streams; others are passed over."""

MOST_REMEMBERED = 64
"""So many decisions' sessions are remembered. A session asks one at a time, of each kind."""

log = logging.getLogger(__name__)


class Decisions:
    """What is waited for, and the answers to it. See the port Agent."""

    def __init__(self, api: WebuiApi, conversation: Conversation) -> None:
        self._api = api
        self._conversation = conversation
        self._sessions: dict[str, str] = {}
        """Where each decision was seen, by its id; the one seen last is last."""

    @asynccontextmanager
    async def watch(self, kind: DecisionKind) -> AsyncIterator[AsyncIterator[Decision | None]]:
        """What waits now, and at each change, as long as the conversation stays in its session."""
        session_id = await self._conversation.known()
        if session_id is None:
            async with aclosing(self._nothing_yet()) as decisions:
                yield decisions
            return
        async with (
            self._api.decision_events(session_id, kind) as events,
            aclosing(self._told(kind, session_id, events)) as decisions,
        ):
            yield decisions

    async def pending(self, kind: DecisionKind) -> Decision | None:
        """What waits now; nothing does in a session that is still to be made."""
        session_id = await self._conversation.known()
        if session_id is None:
            return None
        return self._seen(await self._api.pending_decision(session_id, kind), session_id)

    async def answer_approval(self, approval_id: str, choice: ApprovalChoice) -> None:
        """Answer the one approval of that id."""
        await self._api.answer_approval(self._session_of(approval_id), approval_id, choice)

    async def answer_clarification(self, clarification_id: str, text: str) -> None:
        """Answer the one question of that id."""
        session_id = self._session_of(clarification_id)
        await self._api.answer_clarification(session_id, clarification_id, text)

    async def _nothing_yet(self) -> AsyncGenerator[None, None]:
        """That nothing waits, until there is a session in which something could."""
        yield None
        moved = asyncio.Event()
        with self._conversation.on_moved(moved.set):
            while self._conversation.current is None:
                await moved.wait()
                moved.clear()

    async def _told(
        self, kind: DecisionKind, session_id: str, events: AsyncIterator[ServerSentEvent]
    ) -> AsyncGenerator[Decision | None, None]:
        """Junk in an event is logged and costs that event alone."""
        while event := await self._next(session_id, events):
            if event.event in NAMES:
                try:
                    told = parse.pending(kind, shapes.parse_object(event.data))
                except ProtocolError as error:
                    log.warning("a %s event that makes no sense: %s", kind, error)
                else:
                    yield self._seen(told, session_id)

    async def _next(
        self, session_id: str, events: AsyncIterator[ServerSentEvent]
    ) -> ServerSentEvent | None:
        """The next event, or None as soon as the conversation is in another session.

        Heartbeats cannot be waited for: httpx-sse keeps those of a stream without ids to itself.
        """
        clock = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(None) as until_moved:
                with self._conversation.on_moved(lambda: until_moved.reschedule(clock.time())):
                    if self._conversation.current != session_id:
                        return None
                    event = await anext(events, None)
        except TimeoutError:
            if not until_moved.expired():
                raise
            return None
        if event is None:
            raise UnreachableError("The server closed the stream of decisions.")
        return event

    def _seen(self, decision: Decision | None, session_id: str) -> Decision | None:
        """The decision, by our clock; where it was seen is remembered."""
        if decision is None:
            return None
        self._sessions.pop(decision.id, None)
        self._sessions[decision.id] = session_id
        if len(self._sessions) > MOST_REMEMBERED:
            del self._sessions[next(iter(self._sessions))]
        if isinstance(decision, Clarification) and decision.expires_at is not None:
            return replace(decision, expires_at=self._conversation.our_time(decision.expires_at))
        return decision

    def _session_of(self, decision_id: str) -> str:
        """Raises GoneError for a decision that was never seen, or too long ago."""
        session_id = self._sessions.get(decision_id)
        if session_id is None:
            raise GoneError("That decision is not waited for any more.")
        return session_id
