"""The world in which pacing policies are measured: replies, a rate-limited server, a listener.

All in virtual time. A policy is told none of these numbers but the window.
"""

import heapq
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Protocol

from voicehermes.speaking.clauses import Clause
from voicehermes.speaking.pacing import Request

SIZES = (1, 2, 3, 5, 8, 12, 20, 30, 40, 60)
"""Sentences of a reply."""
SPEEDS = (20, 60, 200)
"""Characters that the agent writes in a second."""

WINDOW_SECONDS = 2.0
MAX_CHARACTERS = 5000
LATENCY_SECONDS = 0.35
LATENCY_PER_CHARACTER = 0.004
SPOKEN_PER_SECOND = 15.0
DELTA = 4
"""Characters that arrive together."""
SPEED_BLOCK = 40
"""Characters over which the speed of writing is the same, where it jitters."""
_EPSILON = 1e-9


@dataclass(frozen=True)
class Reply:
    """A reply, and the luck that every policy has with it."""

    clauses: tuple[Clause, ...]
    speed: float
    speed_factors: tuple[float, ...]
    """One for every 40 characters."""
    latency_factors: tuple[float, ...]
    """One for every accepted request, in order."""

    @cached_property
    def ends(self) -> list[int]:
        """Characters up to the end of each clause. The spaces between them are not counted."""
        return list(accumulate(len(clause.text) for clause in self.clauses))

    @cached_property
    def deltas(self) -> list[float]:
        """When each delta arrives."""
        total = self.ends[-1]
        sizes = [min(DELTA, total - start) for start in range(0, total, DELTA)]
        return list(
            accumulate(
                size / (self.speed * self.speed_factors[place * DELTA // SPEED_BLOCK])
                for place, size in enumerate(sizes)
            )
        )

    @cached_property
    def known(self) -> list[float]:
        """When each clause is known to be complete: one character later, or at the end."""
        last = len(self.deltas) - 1
        return [self.deltas[min(end // DELTA, last)] for end in self.ends]

    def latency(self, request: int, characters: int) -> float:
        """From the ``request``-th accepted request to its sound, in seconds."""
        return (LATENCY_SECONDS + LATENCY_PER_CHARACTER * characters) * self.latency_factors[
            request
        ]


def make_reply(sentences: int, speed: float, jitter: float, seed: str) -> Reply:
    """The same text for the same seed and number of sentences, at every speed and jitter."""
    rng = random.Random(f"text {seed} {sentences}")
    lengths = [_clip(_log_normal(rng, 72, 0.55), 12, 320) for _ in range(sentences)]
    if rng.random() < 0.35:
        lengths[0] = rng.randint(4, 18)
    clauses = [
        Clause("x" * part, sentence, place == len(parts) - 1)
        for sentence, length in enumerate(lengths)
        for parts in [_cut(rng, length)]
        for place, part in enumerate(parts)
    ]
    total = sum(lengths)
    rng = random.Random(f"jitter {seed} {sentences}")
    return Reply(
        tuple(clauses),
        speed,
        tuple(_log_normal(rng, 1, jitter) for _ in range(total // SPEED_BLOCK + 1)),
        tuple(_log_normal(rng, 1, jitter) for _ in clauses),
    )


def _log_normal(rng: random.Random, median: float, sigma: float) -> float:
    return median * math.exp(rng.gauss(0, sigma))


def _clip(value: float, low: int, high: int) -> int:
    return round(min(max(value, low), high))


def _cut(rng: random.Random, length: int) -> list[int]:
    parts: list[int] = []
    while length > 0:
        part = min(max(1, round(_log_normal(rng, 38, 0.45))), length)
        parts.append(part)
        length -= part
    if len(parts) > 1 and parts[-1] < 12:
        tail = parts.pop()
        parts[-1] += tail
    return parts


class Policy(Protocol):
    """What decides on requests; Pacer, and the policies it is compared with."""

    def add(self, clauses: Sequence[Clause], now: float) -> None: ...
    def text_arrived(self, characters: int, now: float) -> None: ...
    def end(self, now: float) -> None: ...
    def next(self, now: float, sound_left: float) -> Request | float | None: ...
    def answered(self, request: Request, now: float, sound_seconds: float) -> None: ...
    def refused(self, request: Request, now: float) -> None: ...
    def failed(self, request: Request) -> None: ...


@dataclass
class Outcome:
    """How one reply went."""

    first_seconds: float = 0.0
    """From the beginning of the reply to the first sound."""
    gap_seconds: float = 0.0
    """Silence between clips, in all."""
    requests: int = 0
    """Accepted ones."""
    refusals: int = 0
    """429s."""
    lost: float = 0.0
    """Share of the text that was never spoken."""
    cuts: int = 0
    """Requests that end inside a sentence."""

    @property
    def j_seconds(self) -> float:
        """What the listener waits in silence in all."""
        return self.first_seconds + self.gap_seconds


def play(reply: Reply, policy: Policy, begins_at: float = 0.0) -> Outcome:
    """Let a policy speak a reply that begins at some time of the policy's clock."""
    return _World(reply, policy, begins_at).run()


class _World:
    def __init__(self, reply: Reply, policy: Policy, begins_at: float) -> None:
        self.begins_at = begins_at
        self.reply = reply
        self.policy = policy
        self.outcome = Outcome()
        self.accepted_at = float("-inf")
        self.answers: list[tuple[float, int, Request]] = []
        self.silent_from = 0.0
        self.spoken = 0
        self.characters = 0

    def run(self) -> Outcome:
        wake: float | None = None
        delta, complete = 0, 0
        deltas, ends, total = self.reply.deltas, self.reply.ends, self.reply.ends[-1]
        infinity = float("inf")
        while True:
            arrival = deltas[delta] if delta < len(deltas) else infinity
            answer = self.answers[0][0] if self.answers else infinity
            now = min(arrival, answer, infinity if wake is None else wake)
            if now == infinity:
                break
            if now == arrival:
                before, delta = delta * DELTA, delta + 1
                arrived = min(delta * DELTA, total)
                self.policy.text_arrived(arrived - before, self.begins_at + now)
                until = complete
                while until < len(ends) and (ends[until] < arrived or arrived == total):
                    until += 1
                if until > complete:
                    self.policy.add(self.reply.clauses[complete:until], self.begins_at + now)
                    complete = until
                if arrived == total:
                    self.policy.end(self.begins_at + now)
            elif now == answer:
                self._hear(now)
            wake = self._ask(now)
        self.outcome.lost = 1 - self.characters / total
        return self.outcome

    def _hear(self, now: float) -> None:
        _, _, request = heapq.heappop(self.answers)
        characters = sum(len(clause.text) for clause in request.clauses)
        sound_seconds = characters / SPOKEN_PER_SECOND
        silence = max(0.0, now - self.silent_from)
        if self.spoken:
            self.outcome.gap_seconds += silence
        else:
            self.outcome.first_seconds = now
        self.spoken += 1
        self.characters += characters
        self.silent_from = max(now, self.silent_from) + sound_seconds
        self.policy.answered(request, self.begins_at + now, sound_seconds)

    def _ask(self, now: float) -> float | None:
        """Send what the policy wants to send; returns when it wants to be asked again."""
        while True:
            wish = self.policy.next(self.begins_at + now, max(0.0, self.silent_from - now))
            if not isinstance(wish, Request):
                return None if wish is None else max(wish - self.begins_at, now + _EPSILON)
            self._send(wish, now)

    def _send(self, request: Request, now: float) -> None:
        characters = sum(len(clause.text) for clause in request.clauses)
        if characters > MAX_CHARACTERS:
            self.policy.failed(request)
        elif now - self.accepted_at < WINDOW_SECONDS - _EPSILON:
            self.outcome.refusals += 1
            self.policy.refused(request, self.begins_at + now)
        else:
            ready = now + self.reply.latency(self.outcome.requests, characters)
            # Clips are played in order: one that is ready early waits for those before it.
            ready = max([ready, *(at for at, _, _ in self.answers)])
            heapq.heappush(self.answers, (ready, self.outcome.requests, request))
            self.accepted_at = now
            self.outcome.requests += 1
            self.outcome.cuts += not request.clauses[-1].ends_sentence
