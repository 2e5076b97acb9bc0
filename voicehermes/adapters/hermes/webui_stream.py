"""Follows one run of hermes-webui to its end, through lost connections.

What an event means is parse.py's to know, which events are new is cursor.py's; here is the
loop that attaches, waits, asks what became of the run, and attaches again.
"""

import asyncio
import logging
import random
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager

from httpx_sse import ServerSentEvent

from voicehermes.adapters.hermes import transcript
from voicehermes.adapters.hermes.cursor import LONGEST_WAIT_SECONDS, StreamCursor
from voicehermes.adapters.hermes.parse import INTERRUPTED, Reply
from voicehermes.adapters.hermes.webui_api import WebuiApi
from voicehermes.errors import GoneError, ServerError, UnreachableError
from voicehermes.events import Failed, Reconnected, RunEnd, RunEvent

QUIET_HEARTBEATS = 6
"""So many heartbeats (of 5 s) with no event between them, and we ask whether the run is alive.

hermes-webui sends them for as long as the stream is open, whatever became of the run's worker.
"""

MOST_INTERRUPTIONS = 3
"""So often in a row a stream may tell nothing, or that it lost the run; then we read the session.

Right after a cancel it says so although the cancel is known half a second later.
"""

ATTACHED_WAIT_SECONDS = 1.0
"""Longest wait before the next try when the server could be reached this time."""

POLL_SECONDS = 2.0
"""Between looks at a run that goes on while its events cannot be had."""

log = logging.getLogger(__name__)


@asynccontextmanager
async def follow(
    api: WebuiApi, run_id: str, session_id: str
) -> AsyncIterator[AsyncIterator[RunEvent]]:
    """The run's events from its beginning, each once; the last one is a RunEnd.

    The iterator raises UnreachableError when the server stays away too long, LoginError and
    other ServerErrors when it refuses to go on.
    """
    async with aclosing(_Follower(api, run_id, session_id).events()) as events:
        yield events


class _Follower:
    """The state of following one run: where in the stream we are, and what was told."""

    def __init__(self, api: WebuiApi, run_id: str, session_id: str) -> None:
        self._api = api
        self._run_id = run_id
        self._cursor = StreamCursor(run_id)
        self._reply = Reply(session_id)
        self._interruptions = 0

    async def events(self) -> AsyncGenerator[RunEvent, None]:
        while True:
            fault: ServerError = UnreachableError("The server closed the event stream too early.")
            longest_wait = LONGEST_WAIT_SECONDS
            try:
                async with self._api.events(self._run_id, self._cursor.last_seq) as stream:
                    longest_wait = ATTACHED_WAIT_SECONDS
                    if self._cursor.failures:
                        log.info("attached to the run again")
                        yield Reconnected(self._cursor.failures)
                    async with aclosing(self._read(stream)) as events:
                        async for event in events:
                            yield event
                            if isinstance(event, RunEnd):
                                return
            except GoneError as error:
                fault = error
                self._interruptions = MOST_INTERRUPTIONS
            except ServerError as error:
                if not error.retryable:
                    raise
                fault = error
            wait = self._cursor.next_wait(random.random())  # noqa: S311
            if wait is None:
                raise fault
            wait = min(wait, longest_wait)
            log.info("the event stream was lost; trying again in %.1f s: %s", wait, fault)
            await asyncio.sleep(wait)
            for event in await self._find_out():
                yield event
                if isinstance(event, RunEnd):
                    return

    async def _read(self, stream: AsyncIterator[ServerSentEvent]) -> AsyncGenerator[RunEvent, None]:
        """New events until the stream ends, or has no more to say of this run."""
        quiet = 0
        is_told = False
        async for sent in stream:
            if not sent.data:  # how httpx-sse shows a heartbeat
                quiet += 1
                if quiet % QUIET_HEARTBEATS == 0 and not await self._is_active():
                    return
                continue
            quiet = 0
            if sent.event == "stream_end":  # and no `done` before it
                self._interruptions = MOST_INTERRUPTIONS
                return
            if not self._cursor.is_new(sent.event, sent.id):
                continue
            is_told = True
            for event in self._reply.take(sent.event, sent.data):
                if isinstance(event, Failed) and event.kind == INTERRUPTED:
                    self._interruptions += 1
                    return
                yield event
        self._interruptions = 0 if is_told else self._interruptions + 1

    async def _is_active(self) -> bool:
        return (await self._api.stream_status(self._run_id)).is_active

    async def _find_out(self) -> list[RunEvent]:
        """The run's end from its session, or nothing where its stream can still tell it."""
        try:
            while True:
                status = await self._api.stream_status(self._run_id)
                is_told = self._interruptions < MOST_INTERRUPTIONS
                if is_told and (status.is_active or status.is_replayable):
                    return []
                if not status.is_active:
                    return await self._end_in_session()
                await asyncio.sleep(POLL_SECONDS)
        except ServerError as error:
            if not error.retryable:
                raise
            return []

    async def _end_in_session(self) -> list[RunEvent]:
        """The run's end as its session has it. Raises GoneError when that is deleted."""
        session = await self._api.session(self._reply.session_id)
        active = session.info.active_run_id
        if active == self._run_id:
            return self._reply.ended(())  # it died with the server; its turn was not written
        messages: transcript.Messages = session.messages
        if active is not None:
            messages = transcript.earlier_turns(messages)  # the last one is another run's
        return self._reply.ended(transcript.last_turn(messages))
