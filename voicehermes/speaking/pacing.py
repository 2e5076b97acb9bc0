"""Which clauses go into the next synthesis request, and when it may leave.

Pure: told what arrives and what the time is, it never waits by itself.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from voicehermes.speaking.clauses import Clause

RETRY_SECONDS = 0.5
"""From a refusal to the next try: a refused request does not move the server's window."""

WIDEN_SECONDS = 0.05
"""How much a refusal widens the window, and at most to twice the documented one."""


class Pace:
    """What is learnt about a synthesiser over all replies.

    The window is never shorter than the documented one.
    """

    def __init__(self, *, window_seconds: float, max_characters: int) -> None:
        self.max_characters = max_characters
        self._documented_seconds = window_seconds
        self._window_seconds = window_seconds
        self._last: float | None = None
        self._before_last: float | None = None
        self._retry_at = float("-inf")

    @property
    def window_seconds(self) -> float:
        """Least time between two requests, as far as is known; 0.0 where nothing limits them."""
        return self._window_seconds

    def requested(self, now: float) -> None:
        """A request leaves: a reply's, or a fixed phrase's that shares the window."""
        if self._last != now:
            self._before_last, self._last = self._last, now

    def answered(self, characters: int, latency_seconds: float, sound_seconds: float) -> None:
        """A request came back with sound."""

    def refused(self, now: float) -> None:
        """The last request came too early (429)."""
        if self._before_last is not None and now - self._before_last < 1.25 * self._window_seconds:
            widened = self._window_seconds + WIDEN_SECONDS
            self._window_seconds = min(widened, 2 * self._documented_seconds)
        self._last = self._before_last
        self._retry_at = now + RETRY_SECONDS

    def next_allowed(self, now: float) -> float:
        """The earliest time, from ``now`` on, at which a request may leave."""
        allowed = max(now, self._retry_at)
        return allowed if self._last is None else max(allowed, self._last + self._window_seconds)


@dataclass(frozen=True, slots=True)
class Request:
    """Clauses that are synthesised together."""

    clauses: tuple[Clause, ...]
    start: int = 0
    """Place of the first clause in the reply; sound is played in this order."""

    @property
    def text(self) -> str:
        """What the synthesiser is asked to speak."""
        return " ".join(clause.text for clause in self.clauses)


class Pacer:
    """One reply: clauses in, requests out. Every clause leaves in order, and only once."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._waiting: deque[tuple[int, Clause]] = deque()
        self._added = 0
        self._in_flight: dict[int, tuple[Request, float]] = {}
        self._ended = False

    @property
    def done(self) -> bool:
        """Whether the reply is complete and all of it was sent, and not refused."""
        return self._ended and not self._waiting and not self._in_flight

    def add(self, clauses: Sequence[Clause], now: float) -> None:
        """Further clauses of the reply are complete."""
        for clause in clauses:
            self._waiting.append((self._added, clause))
            self._added += 1

    def text_arrived(self, characters: int, now: float) -> None:
        """So many raw characters arrived; tells how fast the reply is written."""

    def end(self, now: float) -> None:
        """The reply is complete."""
        self._ended = True

    def next(self, now: float, sound_left: float) -> Request | float | None:
        """The request to send now, or when to ask again, or None: when something arrives.

        ``sound_left`` is the decoded sound not yet played, in seconds, without what is in flight.
        A request that is returned counts as sent.
        """
        if not self._waiting:
            return None
        allowed = self._pace.next_allowed(now)
        if allowed > now:
            return allowed
        count, size, complete = 0, 0, 0
        for _, clause in self._waiting:
            size += len(clause.text) + 1
            if size > self._pace.max_characters + 1:
                break
            count += 1
            if clause.ends_sentence:
                complete = count
        if not complete and not self._ended:
            return None
        return self._send(complete or count, now)

    def answered(self, request: Request, now: float, sound_seconds: float) -> None:
        """The sound of a request is there, and part of ``sound_left`` from now on."""
        _, sent = self._in_flight.pop(request.start)
        self._pace.answered(len(request.text), now - sent, sound_seconds)

    def refused(self, request: Request, now: float) -> None:
        """A request came too early (429): its clauses wait again, before all others."""
        del self._in_flight[request.start]
        places = range(request.start, request.start + len(request.clauses))
        self._waiting.extendleft(reversed(list(zip(places, request.clauses, strict=True))))
        self._pace.refused(now)

    def failed(self, request: Request) -> None:
        """A request will not be answered; its text is the caller's, who may have another voice."""
        del self._in_flight[request.start]

    def _send(self, count: int, now: float) -> Request:
        taken = [self._waiting.popleft() for _ in range(count)]
        request = Request(tuple(clause for _, clause in taken), taken[0][0])
        self._in_flight[request.start] = (request, now)
        self._pace.requested(now)
        return request
