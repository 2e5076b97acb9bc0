"""The agent behind hermes-webui, seen from one conversation: the port Agent.

Here it is seen to that a message is sent once and only once.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from time import time
from uuid import uuid4

from voicehermes.adapters.hermes import transcript, webui_stream
from voicehermes.adapters.hermes.conversation import Conversation
from voicehermes.adapters.hermes.decisions import Decisions
from voicehermes.adapters.hermes.faults import AnswerLostError
from voicehermes.adapters.hermes.http import WebuiHttp
from voicehermes.adapters.hermes.parse import Reply
from voicehermes.adapters.hermes.webui_api import Session, WebuiApi
from voicehermes.adapters.store import Store
from voicehermes.config import Server
from voicehermes.errors import BusyError, GoneError, UnreachableError
from voicehermes.events import (
    ApprovalChoice,
    Decision,
    DecisionKind,
    RunEvent,
    SessionMoved,
)

BUSY_WAIT_SECONDS = 0.2
"""A start after a cancel is refused for 0.2 to 1.0 s, until the run's worker is done."""

CANCELLED_SECONDS = 5.0
"""So long we wait for a run that we cancelled and that is still at work."""

DEAD_SECONDS = 35.0
"""So long we wait for a run that is dead: after a crash the server holds it for 30 s."""

LOOK_WAITS_SECONDS = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Before each look for a message whose answer was lost; after the last one we give up."""

CLOCK_SLACK_SECONDS = 2.0
"""How far our idea of the server's clock may be off."""

LOOK_MESSAGES = 50
"""So many of a session's last messages are looked through for one of ours."""

log = logging.getLogger(__name__)


class WebuiAgent:
    """A conversation with the agent, in the session that the configuration chooses."""

    def __init__(self, http: WebuiHttp, server: Server, store: Store) -> None:
        self.api = WebuiApi(http)
        self.conversation = Conversation(http, server, store)
        self.decisions = Decisions(self.api, self.conversation)
        self._cancelled: str | None = None
        self._unconfirmed: dict[str, float] = {}
        """Messages whose answers were lost, and when they were first sent, by our clock."""
        self._sent_again: set[str] = set()
        """Messages that had not arrived and were sent anew. The same words said later had not
        arrived either, and must not be taken for these."""
        self._ended: dict[str, list[RunEvent]] = {}
        """What is to be told of runs that ended before the server could tell us their ids."""

    async def submit(self, text: str, *, said_at: float | None = None) -> str:
        """Send a message; returns the id of the run that works on it. See the port."""
        first_sent_at = None if text in self._sent_again else said_at
        since = self._unconfirmed.get(text, first_sent_at)  # sent, and nobody knows if it arrived
        waits = iter(LOOK_WAITS_SECONDS)
        while True:
            sent_at = time()
            try:
                run_id = await self._submit(text, since)
            except UnreachableError as fault:
                if since is None and not isinstance(fault, AnswerLostError):
                    raise  # it did not go out
                since = sent_at if since is None else since
                self._unconfirmed[text] = since
                wait = next(waits, None)
                if wait is None:
                    raise
                log.warning("the answer to a message was lost, looking for it: %s", fault)
                await asyncio.sleep(wait)
            else:
                self._unconfirmed.pop(text, None)
                return run_id

    @asynccontextmanager
    async def follow(self, run_id: str) -> AsyncIterator[AsyncIterator[RunEvent]]:
        """The run's events from its beginning to its end, each once. See the port."""
        async with aclosing(self._events(run_id, await self.conversation.session())) as events:
            yield events

    async def cancel(self, run_id: str) -> bool:
        """Stop a run; False when it was over already. Raises ServerError."""
        if run_id in self._ended:
            return False
        self._cancelled = run_id
        return await self.api.cancel(run_id)

    async def steer(self, text: str) -> bool:
        """Hand the running run a hint; False when it does not take one now. Raises ServerError."""
        return await self.api.steer(await self.conversation.session(), text)

    async def begin_anew(self) -> None:
        """Go on in a new session: the next message is its first. Raises ServerError."""
        await self.conversation.begin_anew()

    async def live_run(self) -> str | None:
        """The id of the run that the conversation works on now, or None. Raises ServerError."""
        session_id = await self.conversation.known()
        if session_id is None:
            return None
        session = await self.api.session(session_id, last=0)
        run_id = session.info.active_run_id
        if run_id and (await self.api.stream_status(run_id)).is_active:
            return run_id
        return None  # none, or one that died with the server

    def watch_decisions(
        self, kind: DecisionKind
    ) -> AbstractAsyncContextManager[AsyncIterator[Decision | None]]:
        """What the conversation waits for: now, and at each change. See the port."""
        return self.decisions.watch(kind)

    async def pending_decision(self, kind: DecisionKind) -> Decision | None:
        """What the conversation waits for of this kind now. Raises ServerError."""
        return await self.decisions.pending(kind)

    async def answer_approval(self, approval_id: str, choice: ApprovalChoice) -> None:
        """Answer the one approval of that id. See the port."""
        await self.decisions.answer_approval(approval_id, choice)

    async def answer_clarification(self, clarification_id: str, text: str) -> None:
        """Answer the one question of that id. See the port."""
        await self.decisions.answer_clarification(clarification_id, text)

    async def _events(self, run_id: str, session_id: str) -> AsyncGenerator[RunEvent, None]:
        if run_id in self._ended:
            for event in self._ended[run_id]:
                yield event
            return
        async with webui_stream.follow(self.api, run_id, session_id) as events:
            async for event in events:
                if isinstance(event, SessionMoved):
                    await self.conversation.use(event.session_id)
                yield event

    async def _submit(self, text: str, since: float | None) -> str:
        """Send it, unless it was sent at Unix time ``since`` or later and is found."""
        if since is None:
            return await self._start(text)
        if run_id := await self._find(text, since):
            return run_id
        try:
            run_id = await self._start(text)
        except BusyError:
            # The run that the session works on may be of the message whose answer was lost.
            if run_id := await self._find(text, since):
                return run_id
            raise
        self._sent_again.add(text)
        return run_id

    async def _find(self, text: str, since: float) -> str | None:
        """The run that works, or worked, on a message sent at ``since`` or later, or None."""
        session_id = await self.conversation.known() or await self.conversation.last_used()
        if session_id is None:
            return None
        try:
            session = await self.api.session(session_id, last=LOOK_MESSAGES)
        except GoneError:
            return None
        since = self.conversation.server_time(since) - CLOCK_SLACK_SECONDS
        turn = transcript.turn_of(session.messages, text, since)
        run_id = session.info.active_run_id
        if run_id is None or not _is_at_work_on(session, text, since, turn):
            if turn is None:
                return None
            run_id = f"ended:{uuid4().hex}"  # the server does not tell the ids of such runs
            self._ended[run_id] = Reply(session_id).ended(turn)
        await self.conversation.use(session_id)
        return run_id

    async def _start(self, text: str) -> str:
        """Send the message, waiting for runs that are over, in a new session if need be."""
        clock = asyncio.get_running_loop()
        began = clock.time()
        is_replaced = False
        while True:
            session_id = await self.conversation.session()
            try:
                started = await self.api.start(session_id, text)
            except BusyError as busy:
                waited = clock.time() - began
                if not await self._is_soon_free(busy, waited):
                    raise
                await asyncio.sleep(BUSY_WAIT_SECONDS if waited < CANCELLED_SECONDS else 1.0)
            except GoneError:
                if is_replaced:
                    raise
                is_replaced = True
                await self.conversation.replace(session_id)
            else:
                await self.conversation.use(started.session_id)
                return started.run_id

    async def _is_soon_free(self, busy: BusyError, waited: float) -> bool:
        """Whether the run that keeps the session busy is over or about to be."""
        if busy.run_id in (None, self._cancelled) and waited < CANCELLED_SECONDS:
            return True
        if busy.run_id is None or waited >= DEAD_SECONDS:
            return False
        return not (await self.api.stream_status(busy.run_id)).is_active


def _is_at_work_on(
    session: Session, text: str, since: float, turn: transcript.Messages | None
) -> bool:
    """Whether the session's run is of the message ``text`` and not of another client's."""
    if turn is not None:
        return turn == transcript.last_turn(session.messages)
    is_pending = (session.pending_message or "").strip() == text.strip()
    return is_pending and session.pending_since >= since
