"""The best schedule there is for a reply, found by one who knows the future."""

import heapq
from dataclasses import dataclass

from tests.bench.pacing_model import (
    LATENCY_PER_CHARACTER,
    LATENCY_SECONDS,
    SPOKEN_PER_SECOND,
    WINDOW_SECONDS,
    Outcome,
    Reply,
)

CUT_SECONDS = 1e-6
"""Among schedules with the same silence, that with fewer cuts inside sentences."""


@dataclass(frozen=True, slots=True)
class _Label:
    """A way to have asked for the first clauses of a reply."""

    clauses: int
    requests: int
    asked_at: float
    """When the last request left."""
    silence: float
    """First sound and gaps so far."""
    first: float
    cuts: int

    @property
    def cost(self) -> float:
        return self.silence + CUT_SECONDS * self.cuts


def best(reply: Reply, *, inside_sentences: bool = True) -> Outcome:
    """The least silence over all cuts and request times.

    Dynamic programme over (clauses asked for, requests made) with a Pareto front of time of the
    last request and silence so far, searched best first. Asking as early as permitted is never
    worse. The bound: whatever comes before it, a clause is not heard earlier than its own sound
    can be there, and by then no more can have been spoken than what precedes it.
    """
    ends, known = reply.ends, reply.known
    count = len(ends)
    starts = [0, *ends]
    fastest = min(reply.latency_factors)
    jitters = any(factor != 1 for factor in reply.latency_factors)
    bound = [0.0] * (count + 1)
    for at in range(count - 1, -1, -1):
        own = LATENCY_SECONDS + LATENCY_PER_CHARACTER * (ends[at] - starts[at])
        bound[at] = max(bound[at + 1], known[at] + own * fastest - starts[at] / SPOKEN_PER_SECOND)
    fronts: dict[tuple[int, int], list[tuple[float, float]]] = {}
    tie = 0
    start = _Label(0, 0, -WINDOW_SECONDS, 0.0, 0.0, 0)
    heap = [(bound[0], 0, 0, start)]
    while heap:
        _, _, _, label = heapq.heappop(heap)
        at = label.clauses
        if at == count:
            return Outcome(
                first_seconds=label.first,
                gap_seconds=label.silence - label.first,
                requests=label.requests,
                cuts=label.cuts,
            )
        for end in range(at + 1, count + 1):
            whole = reply.clauses[end - 1].ends_sentence
            if not whole and not inside_sentences:
                continue
            asked = max(label.asked_at + WINDOW_SECONDS, known[end - 1])
            ready = asked + reply.latency(label.requests, ends[end - 1] - starts[at])
            silence = max(label.silence, ready - starts[at] / SPOKEN_PER_SECOND)
            key = end, label.requests + 1 if jitters else 0
            cuts = label.cuts + (not whole)
            new = _Label(end, label.requests + 1, asked, silence, label.first or ready, cuts)
            front = fronts.setdefault(key, [])
            if any(a <= asked and s <= new.cost for a, s in front):
                continue
            front[:] = [(a, s) for a, s in front if a < asked or s < new.cost]
            front.append((asked, new.cost))
            tie += 1
            heapq.heappush(heap, (max(new.cost, bound[end] + CUT_SECONDS * cuts), -end, tie, new))
    raise AssertionError("a reply without clauses")
