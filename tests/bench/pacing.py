"""The silence that a listener sits through under the limiter: ``python -m tests.bench.pacing``.

In virtual time, on the model of pacing_model.py. Each policy speaks the same replies, with the
same luck; the best schedule knows the future. J is the time to the first sound and all silences
between clips, and only counted where the whole text was spoken.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from tests.bench.pacing_best import best
from tests.bench.pacing_model import (
    MAX_CHARACTERS,
    SIZES,
    SPEEDS,
    WINDOW_SECONDS,
    Outcome,
    Reply,
    make_reply,
    play,
)
from tests.bench.pacing_policies import OnePerSentence, WholeReply
from voicehermes.speaking.pacing import Pace, Pacer

JITTERS = (0.0, 0.3)
OURS, BEST = "ours", "best"
APART_SECONDS = 10_000.0
"""From the beginning of one reply to that of the next; long enough for any to end."""


@dataclass(frozen=True)
class Measured:
    """One policy over the replies of one speed and jitter."""

    outcomes: dict[int, list[Outcome]]
    """By sentences of the reply."""

    @property
    def all(self) -> list[Outcome]:
        return [outcome for some in self.outcomes.values() for outcome in some]


def ours(replies: Sequence[Reply]) -> list[Outcome]:
    """The product's policy. It learns from reply to reply, as a daemon does."""
    pace = Pace(window_seconds=WINDOW_SECONDS, max_characters=MAX_CHARACTERS)
    return [play(reply, Pacer(pace), place * APART_SECONDS) for place, reply in enumerate(replies)]


POLICIES: dict[str, Callable[[Sequence[Reply]], list[Outcome]]] = {
    OURS: ours,
    "one per sentence": lambda replies: [play(reply, OnePerSentence()) for reply in replies],
    "whole reply": lambda replies: [play(reply, WholeReply()) for reply in replies],
    BEST: lambda replies: [best(reply) for reply in replies],
}


def measure(speed: int, jitter: float, count: int, seed: int) -> dict[str, Measured]:
    """Every policy over ``count`` replies of each size."""
    replies = [
        (size, make_reply(size, speed, jitter, f"{seed} {place}"))
        for place in range(count)
        for size in SIZES
    ]
    measured = {}
    for name, policy in POLICIES.items():
        outcomes: dict[int, list[Outcome]] = {size: [] for size in SIZES}
        for (size, _), outcome in zip(replies, policy([r for _, r in replies]), strict=True):
            outcomes[size].append(outcome)
        measured[name] = Measured(outcomes)
    return measured


def mean_j(outcomes: Sequence[Outcome]) -> float:
    """Mean silence where all was spoken; not a number where nothing was."""
    spoken = [outcome.j_seconds for outcome in outcomes if not outcome.lost]
    return fmean(spoken) if spoken else float("nan")


HEADER = (
    f"{'sentences':>9}  {'policy':<16} {'first s':>8} {'gaps s':>7} {'J s':>7}"
    f" {'requests':>8} {'429s':>5} {'lost %':>6} {'cuts':>5}"
)


def row(label: str, name: str, outcomes: Sequence[Outcome]) -> str:
    """A line of the table: means over replies, but 429s in all."""
    spoken = [outcome for outcome in outcomes if not outcome.lost]
    first = fmean(o.first_seconds for o in spoken) if spoken else float("nan")
    gaps = fmean(o.gap_seconds for o in spoken) if spoken else float("nan")
    return (
        f"{label:>9}  {name:<16} {first:8.2f} {gaps:7.2f} {mean_j(outcomes):7.2f}"
        f" {fmean(o.requests for o in outcomes):8.1f} {sum(o.refusals for o in outcomes):5d}"
        f" {100 * fmean(o.lost for o in outcomes):6.1f} {fmean(o.cuts for o in outcomes):5.2f}"
    )


@dataclass(frozen=True)
class Goal:
    """What is asked of our policy at one speed and jitter, and what it does."""

    speed: int
    jitter: float
    ratio: float
    """J over the best J, means over all replies."""
    refusals: int
    lost: float
    cuts: float

    @property
    def most_ratio(self) -> float:
        return 1.08 if self.jitter else 1.05

    @property
    def most_cuts(self) -> float:
        return 2.0 if self.speed < 60 else 1.0

    @property
    def is_met(self) -> bool:
        return (
            self.ratio <= self.most_ratio
            and self.refusals == 0
            and self.lost == 0
            and self.cuts <= self.most_cuts
        )

    def __str__(self) -> str:
        return (
            f"{self.speed:5d} {self.jitter:6.1f} {self.ratio:9.3f} <= {self.most_ratio:.2f}"
            f" {self.refusals:5d} = 0 {100 * self.lost:5.1f} = 0"
            f" {self.cuts:6.2f} <= {self.most_cuts:.0f}  {'met' if self.is_met else 'MISSED'}"
        )


def goal(speed: int, jitter: float, measured: dict[str, Measured]) -> Goal:
    """Our policy against the best schedule."""
    outcomes = measured[OURS].all
    return Goal(
        speed,
        jitter,
        mean_j(outcomes) / mean_j(measured[BEST].all),
        sum(outcome.refusals for outcome in outcomes),
        fmean(outcome.lost for outcome in outcomes),
        fmean(outcome.cuts for outcome in outcomes),
    )


def main() -> int:
    """Print everything; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.pacing", description=__doc__)
    parser.add_argument("--replies", type=int, default=100, help="replies of each size")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    goals = []
    for jitter in JITTERS:
        for speed in SPEEDS:
            measured = measure(speed, jitter, arguments.replies, arguments.seed)
            print(f"\n{speed} characters per second, jitter {jitter}\n{HEADER}")
            for size in SIZES:
                for name, some in measured.items():
                    print(row(str(size), name, some.outcomes[size]))
            for name, some in measured.items():
                print(row("all", name, some.all))
            sys.stdout.flush()
            goals.append(goal(speed, jitter, measured))
    print("\nGoals of our policy\n    g jitter    J / best           429s      lost %    cuts")
    for each in goals:
        print(each)
    return 0 if all(each.is_met for each in goals) else 1


if __name__ == "__main__":
    sys.exit(main())
