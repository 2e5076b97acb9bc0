"""Knows at any time what the conversation waits for, and brings it the answers.

What the server's streams push is taken at once. What they cannot tell, such as an approval's
expiry, is asked for. Both can be late: an answer of the server counts only if nothing newer came
while it was on its way.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, repeat
from time import time
from typing import cast

from voicehermes.deciding.docket import (
    DecisionConfirmed,
    DecisionFound,
    DecisionGone,
    Docket,
    News,
)
from voicehermes.errors import (
    GoneError,
    RefusedError,
    ServerError,
    UnconfirmedError,
    UnreachableError,
    VoicehermesError,
)
from voicehermes.events import Approval, ApprovalChoice, Decision, DecisionKind, kind_of
from voicehermes.ports import Agent

POLL_SECONDS = 3.0
"""Between looks while a decision is open, or while its kind's stream cannot be had."""

FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 30.0
"""Before a stream is tried again, and after a fault that will not go away by itself."""

LONGEST_LOOK_WAIT_SECONDS = 5.0
"""Before a look is tried again."""

STEADY_SECONDS = 5.0
"""A stream that lasted so long was a good one; the waits begin anew."""

MOVED_WAIT_SECONDS = 0.1
"""Before the stream of another session is opened."""

LOOK_SECONDS = 60.0
"""So long a look that was asked for is tried for, while nothing is open."""

ANSWER_WAITS_SECONDS = (0.3, 0.6, 1.2, 2.4)
"""Before an answer that was lost is sent again; after the last one, the longest look's wait."""

ANSWER_SECONDS = 60.0
"""So long an answer is tried for. By default hermes-webui waits no longer for an approval."""

KINDS: tuple[DecisionKind, ...] = ("approval", "clarification")

Report = Callable[[DecisionFound | DecisionGone | DecisionConfirmed], None]

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _View:
    """How we stand with one kind of decision."""

    kind: DecisionKind
    version: int = 0
    """Counts the news: what was asked for before the last of them does not count."""
    is_streaming: bool = False
    streamed: str | None = None
    """Id of what the stream said last is pending."""
    look_until: float = 0.0
    """A look was asked for, and is worth trying until then, by the loop's clock."""
    confirming: set[str] = field(default_factory=set)
    """What is to be confirmed by the next look."""
    nudge: asyncio.Event = field(default_factory=asyncio.Event)
    """Something changed that may make a look due."""
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    """Somebody wants a look since the last one, whatever became of that."""
    fault: VoicehermesError | None = None
    """Why the last look told nothing."""

    def is_look_wanted(self, now: float) -> bool:
        """Whether somebody waits for what a look tells."""
        return bool(self.confirming) or now < self.look_until


class Watching:
    """Reports each decision as it is found, confirmed and gone; sends each answer once.

    An answer that the server took, or that came too late, is told by ``answer`` alone: no
    DecisionGone follows.
    """

    def __init__(
        self,
        agent: Agent,
        report: Report,
        approval_seconds: float,
        *,
        clock: Callable[[], float] = time,
    ) -> None:
        """``approval_seconds`` as in [decisions]; ``clock`` gives Unix time."""
        self._agent = agent
        self._report = report
        self._clock = clock
        self._docket = Docket(approval_seconds)
        self._views = {kind: _View(kind) for kind in KINDS}

    async def run(self) -> None:
        """Watch until cancelled."""
        async with asyncio.TaskGroup() as group:
            for view in self._views.values():
                group.create_task(self._listen(view), name=f"listen {view.kind}")
                group.create_task(self._keep_looking(view), name=f"look {view.kind}")

    def look(self, kind: DecisionKind | None = None) -> None:
        """Ask the server now what is pending; of both kinds unless one is named."""
        for view in self._views.values():
            if kind in (None, view.kind):
                self._want_look(view)

    def confirm(self, id_: str) -> None:
        """Ask whether that one is still pending; DecisionConfirmed or DecisionGone follows.

        While the server cannot be reached, neither does.
        """
        decision = self._docket.find(id_)
        if decision is None:
            self._report(DecisionGone(id_, has_expired=False))
            return
        view = self._views[kind_of(decision)]
        view.confirming.add(id_)
        view.asked.set()
        view.nudge.set()

    def fault(self, id_: str) -> VoicehermesError | None:
        """Why it could not be found out last whether that one is still pending."""
        decision = self._docket.find(id_)
        return None if decision is None else self._views[kind_of(decision)].fault

    def time_left(self, id_: str) -> float | None:
        """Seconds until it expires as far as is known, 0.0 if it is not pending.

        None when it waits for ever.
        """
        return self._docket.time_left(id_, _now(), self._clock())

    async def answer(self, decision: Decision, answer: str) -> None:
        """Send the answer, an ApprovalChoice or a text, to that decision and no other.

        Where nobody knows whether the server has it, the server is asked what is pending, and it
        is sent again only if this decision still is. Raises GoneError when that is not pending,
        UnconfirmedError when it is not any more and the answer may have arrived, RefusedError
        when another answer to it is on its way, and ServerError; then it may be answered again.
        """
        id_ = decision.id
        view = self._views[kind_of(decision)]
        if not self._docket.is_open(id_):
            raise GoneError("That decision is not waited for any more.")
        if self._docket.is_answering(view.kind):
            raise RefusedError("An answer to that decision is on its way already.")
        self._docket.begin_answer(id_)
        is_settled = False
        try:
            await self._deliver(view, decision, answer)
            is_settled = True
        except (GoneError, UnconfirmedError):
            is_settled = True
            raise
        finally:
            if is_settled:
                self._docket.settle(id_)
            else:
                self._docket.give_up_answer(id_)
            self._want_look(view)

    async def _deliver(self, view: _View, decision: Decision, answer: str) -> None:
        give_up_at = _now() + ANSWER_SECONDS
        lost: ServerError | None = None
        for wait in chain(ANSWER_WAITS_SECONDS, repeat(LONGEST_LOOK_WAIT_SECONDS)):
            try:
                if lost is not None and not await self._is_pending(view, decision.id):
                    raise _unconfirmed() from lost
                await self._send(decision, answer)
            except GoneError as error:
                if lost is not None:
                    raise _unconfirmed() from error
                raise
            except UnreachableError as error:
                lost = error
                if _now() + wait > give_up_at:
                    raise
                log.info("an answer was lost; looking for it in %.1f s: %s", wait, error)
                await asyncio.sleep(wait)
            else:
                return

    async def _is_pending(self, view: _View, id_: str) -> bool:
        pending = await self._ask(view)
        return pending is not None and pending.id == id_

    async def _send(self, decision: Decision, answer: str) -> None:
        if isinstance(decision, Approval):
            await self._agent.answer_approval(decision.id, cast("ApprovalChoice", answer))
        else:
            await self._agent.answer_clarification(decision.id, answer)

    async def _listen(self, view: _View) -> None:
        """Take what one kind's stream tells, and open it again whenever it is lost."""
        failures = 0
        while True:
            began = None
            try:
                async with self._agent.watch_decisions(view.kind) as decisions:
                    async for decision in decisions:
                        if began is None:
                            began = _now()
                            log.info("the %s stream is there", view.kind)
                        self._hear(view, decision)
                wait = MOVED_WAIT_SECONDS
            except VoicehermesError as error:
                is_steady = began is not None and _now() - began >= STEADY_SECONDS
                failures = 1 if is_steady else failures + 1
                wait = _wait_after(error, failures, LONGEST_WAIT_SECONDS)
                _log_loss(view.kind, error, failures)
            view.is_streaming = False
            view.nudge.set()
            await asyncio.sleep(wait)

    def _hear(self, view: _View, decision: Decision | None) -> None:
        """Take a word of the stream, unless it is older than what was asked for since.

        Repeated words are no news: hermes-webui repeats itself whenever it is asked.
        """
        word = None if decision is None else decision.id
        opened = self._docket.open(view.kind)
        if decision is None:
            is_late = opened is not None and opened.id != view.streamed
        else:
            is_late = self._docket.is_over(decision.id) and not self._docket.is_settled(decision.id)
        is_news = word != view.streamed or not view.is_streaming
        view.streamed = word
        view.is_streaming = True
        if is_late:
            self._want_look(view)
        elif is_news:
            self._take(view, decision)

    async def _keep_looking(self, view: _View) -> None:
        """Ask what is pending of one kind, whenever it is due."""
        failures = 0
        while True:
            await self._wait_due(view)
            try:
                await self._look(view)
                failures, view.fault = 0, None
            except VoicehermesError as error:
                failures, view.fault = failures + 1, error
                wait = _wait_after(error, failures, LONGEST_LOOK_WAIT_SECONDS)
                log.info("what is pending cannot be asked for; again in %.1f s: %s", wait, error)
                with suppress(TimeoutError):
                    async with asyncio.timeout(wait):
                        await view.asked.wait()

    async def _wait_due(self, view: _View) -> None:
        """Until a look is wanted, or it is time for one; not while an answer is on its way."""
        is_due = False
        while self._docket.is_answering(view.kind) or not (is_due or view.is_look_wanted(_now())):
            must_poll = not view.is_streaming or self._docket.open(view.kind) is not None
            view.nudge.clear()
            try:
                async with asyncio.timeout(POLL_SECONDS if must_poll else None):
                    await view.nudge.wait()
                is_due = False
            except TimeoutError:
                is_due = True

    async def _look(self, view: _View) -> None:
        view.asked.clear()
        until, view.look_until = view.look_until, 0.0
        confirming, view.confirming = view.confirming, set()
        try:
            pending = await self._ask(view)
        except VoicehermesError:
            view.look_until = max(view.look_until, until)
            view.confirming |= confirming
            raise
        if self._docket.is_answering(view.kind):
            view.confirming |= confirming  # the look after it will tell
            return
        told = {news.id for news in self._take(view, pending) if isinstance(news, DecisionGone)}
        for id_ in confirming - told:
            if self._docket.is_open(id_):
                self._report(DecisionConfirmed(id_))
            elif not self._docket.is_settled(id_):
                self._report(DecisionGone(id_, has_expired=False))

    async def _ask(self, view: _View) -> Decision | None:
        """What is pending, with nothing newer known when the answer comes."""
        while True:
            version = view.version
            pending = await self._agent.pending_decision(view.kind)
            if view.version == version:
                return pending

    def _take(self, view: _View, decision: Decision | None) -> tuple[News, ...]:
        view.version += 1
        told = self._docket.see(view.kind, decision, _now(), self._clock())
        for news in told:
            self._report(news)
        view.nudge.set()
        return told

    def _want_look(self, view: _View) -> None:
        view.look_until = _now() + LOOK_SECONDS
        view.asked.set()
        view.nudge.set()


def _now() -> float:
    return asyncio.get_running_loop().time()


def _wait_after(error: VoicehermesError, failures: int, longest_seconds: float) -> float:
    if not error.retryable:
        return LONGEST_WAIT_SECONDS
    return min(FIRST_WAIT_SECONDS * 2.0 ** min(failures - 1, 16), longest_seconds)


def _unconfirmed() -> UnconfirmedError:
    return UnconfirmedError("Nothing waits for the answer any more; nobody knows if it arrived.")


def _log_loss(kind: DecisionKind, error: VoicehermesError, failures: int) -> None:
    """The first loss of a row is worth a line, what follows is not."""
    if failures > 1:
        log.debug("the %s stream is still lost: %s", kind, error)
    elif error.retryable:
        log.info("the %s stream was lost: %s", kind, error)
    else:
        log.warning("the %s stream cannot be had, the server is asked instead: %s", kind, error)
