"""The agent behind hermes-webui, seen from one conversation: the port Agent.

Here it is seen to that a message is sent once and only once.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from uuid import uuid4

from voicehermes.adapters.hermes import transcript, webui_stream
from voicehermes.adapters.hermes.conversation import Conversation
from voicehermes.adapters.hermes.faults import AnswerLostError
from voicehermes.adapters.hermes.http import WebuiHttp
from voicehermes.adapters.hermes.parse import Reply
from voicehermes.adapters.hermes.webui_api import WebuiApi
from voicehermes.adapters.store import Store
from voicehermes.config import Server
from voicehermes.errors import BusyError, GoneError, UnreachableError
from voicehermes.events import RunEvent, SessionMoved

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

_ENDED = "ended:"
"""Begins our own id for a run that ended before the server could tell us its id."""

log = logging.getLogger(__name__)


class WebuiAgent:
    """A conversation with the agent, in the session that the configuration chooses."""

    def __init__(self, http: WebuiHttp, server: Server, store: Store) -> None:
        self.api = WebuiApi(http)
        self.conversation = Conversation(http, server, store)
        self._cancelled: str | None = None
        self._unconfirmed: dict[str, float] = {}

    @classmethod
    @asynccontextmanager
    async def open(
        cls, http: WebuiHttp, server: Server, store: Store
    ) -> AsyncIterator["WebuiAgent"]:
        """The conversation, for as long as it is used. Sends nothing yet."""
        yield cls(http, server, store)

    async def submit(self, text: str, *, said_at: float | None = None) -> str:
        """Send a message; returns the id of the run that works on it. See the port."""
        since = self._unconfirmed.pop(text, said_at)  # sent, and nobody knows if it arrived
        waits = iter(LOOK_WAITS_SECONDS)
        while True:
            sent_at = self.conversation.server_time() - CLOCK_SLACK_SECONDS
            try:
                if since is not None and (run_id := await self.find(text, since)):
                    return run_id
                return await self._start(text)
            except BusyError:
                # The run that it works on may be of the message whose answer we lost.
                if since is not None and (run_id := await self.find(text, since)):
                    return run_id
                raise
            except UnreachableError as fault:
                if since is None and not isinstance(fault, AnswerLostError):
                    raise  # it did not go out
                since = sent_at if since is None else since
                wait = next(waits, None)
                if wait is None:
                    self._unconfirmed[text] = since
                    raise
                log.warning("the answer to a message was lost, looking for it: %s", fault)
                await asyncio.sleep(wait)

    async def find(self, text: str, since: float) -> str | None:
        """The run that works, or worked, on a message sent after Unix time ``since``, or None.

        ``since`` is by the server's clock. Raises ServerError.
        """
        session_id = await self.conversation.known()
        if session_id is None:
            return None
        session = await self.api.session(session_id, last=LOOK_MESSAGES)
        run_id = session.info.active_run_id
        pending = (session.pending_message or "").strip()
        if run_id and pending == text.strip() and session.pending_since >= since:
            return run_id
        if transcript.holds(session.messages, text, since):
            return run_id or f"{_ENDED}{uuid4().hex}"
        return None

    @asynccontextmanager
    async def follow(self, run_id: str) -> AsyncIterator[AsyncIterator[RunEvent]]:
        """The run's events from its beginning to its end, each once. See the port."""
        async with aclosing(self._events(run_id, await self.conversation.session())) as events:
            yield events

    async def cancel(self, run_id: str) -> bool:
        """Stop a run; False when it was over already. Raises ServerError."""
        if run_id.startswith(_ENDED):
            return False
        self._cancelled = run_id
        return await self.api.cancel(run_id)

    async def steer(self, text: str) -> bool:
        """Hand the running run a hint; False when it does not take one now. Raises ServerError."""
        return await self.api.steer(await self.conversation.session(), text)

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

    async def _events(self, run_id: str, session_id: str) -> AsyncGenerator[RunEvent, None]:
        if run_id.startswith(_ENDED):
            for event in await webui_stream.ending(self.api, run_id, Reply(session_id)):
                yield event
            return
        async with webui_stream.follow(self.api, run_id, session_id) as events:
            async for event in events:
                if isinstance(event, SessionMoved):
                    await self.conversation.use(event.session_id)
                yield event

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
