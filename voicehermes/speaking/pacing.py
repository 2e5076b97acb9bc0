"""Which clauses go into the next synthesis request, and when it leaves.

The server takes one request per window and answers it with a whole file, so a listener waits
for the first sound, and again in every gap: when a clip ends before the next one is there. The
sum of these silences is what is kept small, by looking two requests ahead:

- Each time the window is open, every end of a clause is a candidate for the end of the next
  request, also of clauses still being written: those are guessed from the text that has arrived,
  the speed at which it does, and the length of a usual clause.
- A candidate costs the silence until its sound is there, beyond the sound that is left, then the
  least that the request after it will cost, once the window is open again. A long request lasts
  longer but is later; a short one is early, but may run out before the window opens. This sum
  weighs them, and nothing else decides on sizes.
- A cut inside a sentence is heard. So it is made only just in time before the sound ends, for
  until then the sentence itself may end, and it costs as much as the silence in which the agent
  writes a word or two.
- The best candidate is sent, of equal ones the smallest; when it is not written yet, or a cut,
  it is waited for. With much sound left nothing is sent at all: less is synthesised in vain when
  the user interrupts, and nothing while playback is paused.

Latency and speaking rate are learnt from the answers. A synthesiser without a window is the same
with a window of 0 seconds: then one sentence after another goes out, as few as are needed.

Pure: told what arrives and what the time is, it never waits by itself.
"""

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from voicehermes.speaking.clauses import Clause, text_of

RETRY_SECONDS = 0.5
"""From a refusal to the next try. A refused request does not move the server's window."""

WIDEN_SECONDS = 0.05
"""How much a refusal widens the window, to twice the documented one at most."""

USUAL_CLAUSE = 48
"""Characters of a clause that is being written; long ones are met more often."""

LEAST_REST = 22
"""Characters that a clause is always expected to go on for, however long it is already."""

CUT_CHARACTERS = 12
"""A cut inside a sentence is as bad as the silence in which the agent writes so many."""

UNKNOWN_CUT = 0.5
"""Share of that at the end of a clause that is not written yet: it may end the sentence."""

CARE = 1.6
"""How much earlier than just in time a cut is made, in mean errors of the expected latency."""

SPARE_SECONDS = 3.0
"""Sound left, beyond two windows, with which nothing is sent: nothing is gained by it."""

REQUESTS_AHEAD = 2
GUESSED_CLAUSES = 3
CLAUSES_AHEAD = 24
CLAUSES_CUT = 8
"""How far the plan looks; cuts inside a sentence are among the first clauses of a request."""

PAUSE_SECONDS = 1.0
"""Text that stays away longer (a tool is at work) does not count as slow writing."""

AT_ONCE = 2
"""Requests in flight at a time, where no window limits them."""

_MEMORY = 0.95
"""What an older answer still weighs when the next one has come."""

_LATENCY_PRIOR = ((30, 0.6), (400, 2.2))
"""Characters and seconds of two imagined answers, which keep a line through few true ones sane."""

_PRIOR_WEIGHT = 0.2
"""What an imagined answer weighs beside a true one."""

_SOUND_PRIOR = (70.0, 5.0)
"""Characters and seconds of sound, imagined before the first answer."""

_SPEED_PRIOR = (12, 0.2)
"""Characters and seconds of writing, imagined before a reply begins."""

_SOON = 1e-6
"""Times that differ by less are the same."""


class Pace:
    """What is learnt about a synthesiser over all replies.

    The window is never shorter than the documented one.
    """

    def __init__(self, *, window_seconds: float, max_characters: int) -> None:
        self.max_characters = max_characters
        self.window_seconds = window_seconds
        """Least time between two requests, as far as is known; 0.0: they are not limited."""
        self.scatter = 0.1
        """Mean relative error of the expected latency."""
        self._widest_seconds = 2 * window_seconds
        self._last: float | None = None
        self._before_last: float | None = None
        self._retry_at = -math.inf
        self._answers = _Line()
        self._characters, self._sound_seconds = _SOUND_PRIOR

    def latency_seconds(self, characters: int) -> float:
        """Expected time from a request to its sound."""
        return self._answers.at(characters)

    def sound_seconds(self, characters: int) -> float:
        """Expected length of the sound of a text."""
        return characters * self._sound_seconds / self._characters

    def speed_changed(self, factor: float) -> None:
        """The synthesiser speaks so many times as fast from now on."""
        self._sound_seconds /= factor

    def requested(self, now: float) -> None:
        """A request leaves: a reply's, or a fixed phrase's that shares the window."""
        self._before_last, self._last = self._last, now

    def answered(self, characters: int, latency_seconds: float, sound_seconds: float) -> None:
        """A request came back with sound."""
        expected = self.latency_seconds(characters)
        error = min(abs(latency_seconds / expected - 1), 1.0)
        self.scatter += (1 - _MEMORY) * (error - self.scatter)
        # One answer that took very long says little about the others.
        self._answers.learn(characters, min(latency_seconds, 4 * expected))
        self._characters = _MEMORY * self._characters + characters
        self._sound_seconds = _MEMORY * self._sound_seconds + sound_seconds

    def refused(self, now: float) -> None:
        """The last request came too early (429)."""
        before = self._before_last
        # A refusal long after our own last request is another client's doing.
        if before is not None and now - before < 1.25 * self.window_seconds:
            widened = self.window_seconds + WIDEN_SECONDS
            self.window_seconds = min(widened, self._widest_seconds)
        self._last = before
        self._retry_at = now + RETRY_SECONDS

    def next_allowed(self, now: float) -> float:
        """The earliest time, from ``now`` on, at which a request may leave."""
        opens_at = -math.inf if self._last is None else self._last + self.window_seconds
        return max(now, self._retry_at, opens_at)


class _Line:
    """Latency over characters: a weighted least squares line, which forgets slowly.

    Errors are taken as relative to the latency, and neither latency nor slope is negative.
    """

    def __init__(self) -> None:
        imagined = [_terms(characters, seconds) for characters, seconds in _LATENCY_PRIOR]
        self._prior = [_PRIOR_WEIGHT * sum(terms) for terms in zip(*imagined, strict=True)]
        self._sums = [0.0] * len(self._prior)
        self._base, self._slope = 0.0, 0.0
        self._fit()

    def at(self, characters: int) -> float:
        return self._base + self._slope * characters

    def learn(self, characters: int, seconds: float) -> None:
        new = _terms(characters, max(seconds, 0.01))
        self._sums = [_MEMORY * old + term for old, term in zip(self._sums, new, strict=True)]
        self._fit()

    def _fit(self) -> None:
        n, x, xx, y, xy = (a + b for a, b in zip(self._prior, self._sums, strict=True))
        self._slope = max(0.0, (n * xy - x * y) / (n * xx - x * x))
        self._base = max(0.01, (y - self._slope * x) / n)


def _terms(characters: int, seconds: float) -> list[float]:
    weight = 1 / seconds
    products = (1, characters, characters * characters, seconds, characters * seconds)
    return [weight * product for product in products]


@dataclass(frozen=True, slots=True)
class Request:
    """Clauses that are synthesised together."""

    clauses: tuple[Clause, ...]
    start: int = 0
    """Place of the first clause among all of the reply; sound is played in this order."""

    @property
    def text(self) -> str:
        """What the synthesiser is asked to speak."""
        return text_of(self.clauses)


class Pacer:
    """One reply: clauses in, requests out.

    Every clause leaves in order and once, unless its request is refused. Times are of one clock
    that never goes back. Ask ``next`` again whenever anything was told, and at the time it names.
    """

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._waiting: deque[tuple[int, Clause]] = deque()
        self._places = 0
        self._in_flight: dict[int, tuple[Request, float]] = {}
        self._ended = False
        self._text = _Arrival()
        self._again_at = -math.inf

    @property
    def done(self) -> bool:
        """Whether the reply is complete, and all of it sent and answered."""
        return self._ended and not self._waiting and not self._in_flight

    @property
    def places(self) -> int:
        """How many clauses there were so far."""
        return self._places

    @property
    def seconds_to_come(self) -> float:
        """Expected length of the sound of all clauses that were not answered yet."""
        waiting = sum(len(clause.text) for _, clause in self._waiting)
        in_flight = sum(len(request.text) for request, _ in self._in_flight.values())
        return self._pace.sound_seconds(waiting + in_flight)

    def add(self, clauses: Sequence[Clause], now: float) -> None:
        """Further clauses of the reply are complete."""
        for clause in clauses:
            for part in _parts(clause, self._pace.max_characters):
                self._waiting.append((self._places, part))
                self._places += 1
        if clauses:
            self._again_at = now
            self._text.completed(sum(len(clause.text) + 1 for clause in clauses), now)

    def text_arrived(self, characters: int, now: float) -> None:
        """So many characters of the reply arrived, as the agent wrote them.

        Told before the clauses that they complete. Without it the writing speed is taken from
        the clauses alone.
        """
        self._text.arrived(characters, now)

    def end(self, now: float) -> None:
        """The reply is complete: no clause comes any more."""
        self._ended = True
        self._again_at = now

    def next(self, now: float, sound_left: float) -> Request | float | None:
        """The request to send now, or when to ask again, or None: when something was told.

        ``sound_left`` is the decoded sound not yet played, in seconds, without what is in flight.
        A request that is returned counts as sent.
        """
        if not self._waiting:
            return None
        again_at = max(self._again_at, self._pace.next_allowed(now))
        if again_at > now:
            return again_at
        window = self._pace.window_seconds
        if not window and len(self._in_flight) >= AT_ONCE:
            return None
        silent_at = self._silent_at(now, sound_left)
        spare = silent_at - now - 2 * window - SPARE_SECONDS - self._pace.latency_seconds(100)
        if spare > 0:
            return now + spare + _SOON
        plan = _Plan(self._pace, self._ends(now), self._text.speed)
        step = plan.best(0, now, silent_at)
        if step.at > now + _SOON:
            self._again_at = step.at
            return step.at
        return self._send(step.end, now)

    def answered(self, request: Request, now: float, sound_seconds: float) -> None:
        """The sound of a request is there, and part of ``sound_left`` from now on."""
        _, sent = self._in_flight.pop(request.start)
        self._again_at = now
        self._pace.answered(len(request.text), now - sent, sound_seconds)

    def refused(self, request: Request, now: float) -> None:
        """A request came too early (429): its clauses wait again, before all others."""
        del self._in_flight[request.start]
        self._waiting.extendleft(reversed(list(enumerate(request.clauses, request.start))))
        self._pace.refused(now)
        self._again_at = now

    def failed(self, request: Request) -> None:
        """A request will not be answered; its text is the caller's, who may have another voice."""
        del self._in_flight[request.start]
        self._again_at = -math.inf

    def _send(self, count: int, now: float) -> Request:
        taken = [self._waiting.popleft() for _ in range(count)]
        request = Request(tuple(clause for _, clause in taken), taken[0][0])
        self._in_flight[request.start] = (request, now)
        self._pace.requested(now)
        return request

    def _silent_at(self, now: float, sound_left: float) -> float:
        """When the sound will end if nothing more is sent; now, when there is none."""
        silent_at = now + sound_left
        for request, sent in self._in_flight.values():
            characters = len(request.text)
            ready = max(now, sent + self._pace.latency_seconds(characters))
            silent_at = max(silent_at, ready) + self._pace.sound_seconds(characters)
        return silent_at

    def _ends(self, now: float) -> "list[_End]":
        """Where requests may end: the clauses that wait, and those that are guessed."""
        first = self._waiting[0][0]
        ends: list[_End] = []
        characters = 0
        for count, (place, clause) in enumerate(self._waiting):
            # Of a refused request and what waits behind it, others may be on their way already.
            if place != first + count or (count >= CLAUSES_AHEAD and not ends[-1].cut):
                return ends
            characters += len(clause.text) + 1
            ends.append(_End(characters, now, 0.0 if clause.ends_sentence else 1.0))
        if not self._ended:
            for more, at in self._text.guess(now):
                ends.append(_End(characters + more, at, UNKNOWN_CUT))
        return ends


def _parts(clause: Clause, most: int) -> Iterator[Clause]:
    """A clause, split at spaces where it is too long for a request, inside a word if it must be.

    "uno due tre", 8 -> "uno due", "tre"
    """
    text = clause.text
    while len(text) > most:
        space = text.rfind(" ", 1, most + 1)
        cut = space if space > 0 else most
        yield Clause(text[:cut].rstrip(), clause.sentence, False)
        text = text[cut:].lstrip()
    yield Clause(text, clause.sentence, clause.ends_sentence)


class _Arrival:
    """How fast the text of a reply arrives, and how much of a clause is there already."""

    def __init__(self) -> None:
        self._characters, self._seconds = _SPEED_PRIOR
        self._last: float | None = None
        self._open = 0

    @property
    def speed(self) -> float:
        """Characters in a second, while the agent writes at all."""
        return self._characters / self._seconds

    def arrived(self, characters: int, now: float) -> None:
        if self._last is not None:
            self._characters += characters
            self._seconds += min(now - self._last, PAUSE_SECONDS)
        self._last = now
        self._open += characters

    def completed(self, characters: int, now: float) -> None:
        if not self._open:
            self.arrived(characters, now)
        self._open = 0

    def guess(self, now: float) -> Iterator[tuple[float, float]]:
        """Characters up to the end of each of the next clauses, and when it will be there."""
        last = now if self._last is None else self._last
        rest = max(USUAL_CLAUSE - self._open, LEAST_REST)
        # Text that is overdue stays away as long again: it is never expected at once.
        at = max(last + rest / self.speed, now + (now - last))
        for place in range(GUESSED_CLAUSES):
            more = place * USUAL_CLAUSE
            yield self._open + rest + more, at + more / self.speed


@dataclass(frozen=True, slots=True)
class _End:
    """An end of a clause, where a request may end."""

    characters: float
    """From the first clause that waits to here."""
    known_at: float
    """When it is, or will probably be, written."""
    cut: float
    """How surely it is inside a sentence; 0.0 at the end of one."""


@dataclass(frozen=True, slots=True)
class _Step:
    """A request: up to which end, when, and the silence that follows from it."""

    end: int
    at: float
    cost: float


class _Plan:
    """The search over the next requests."""

    def __init__(self, pace: Pace, ends: list[_End], speed: float) -> None:
        self._pace = pace
        self._ends = ends
        self._cut_seconds = CUT_CHARACTERS / speed

    def best(self, start: int, allowed: float, silent_at: float, depth: int = 0) -> _Step:
        """The best request from the end ``start`` on, at ``allowed`` or later.

        ``silent_at`` is when the sound before it ends. Beyond the last end, and after the last
        request that is looked ahead to, nothing costs anything.
        """
        if start == len(self._ends) or depth == REQUESTS_AHEAD:
            return _Step(start, allowed, 0.0)
        least = _Step(start, allowed, math.inf)
        careful = 1 + CARE * self._pace.scatter
        for index, characters in self._requests(start):
            if not least.cost:
                break
            latency = self._pace.latency_seconds(characters)
            end = self._ends[index]
            at = max(allowed, end.known_at)
            cost = end.cut * self._cut_seconds
            if cost:
                at = max(at, silent_at - latency * careful)
            ready = at + latency
            cost += max(0.0, ready - silent_at)
            if cost >= least.cost:
                continue
            silent_then = max(ready, silent_at) + self._pace.sound_seconds(characters)
            after = self.best(index + 1, at + self._pace.window_seconds, silent_then, depth + 1)
            cost += after.cost
            if cost < least.cost - _SOON:
                least = _Step(index + 1, at, cost)
        return least

    def _requests(self, start: int) -> Iterator[tuple[int, int]]:
        """The requests that may begin there: index of the last end, and characters."""
        before = self._ends[start - 1].characters if start else 0.0
        for index in range(start, len(self._ends)):
            characters = round(self._ends[index].characters - before) - 1
            if index > start and characters > self._pace.max_characters:
                return
            if not self._ends[index].cut or index - start < CLAUSES_CUT:
                yield index, characters
