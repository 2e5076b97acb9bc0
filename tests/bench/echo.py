"""Whether the assistant hears itself, and the user over it: ``python -m tests.bench.echo``.

The speaker is looped into the microphone through a delay, a gain and a loudspeaker that distorts a
little (tests/bench/loop.py), on a simulated audio clock. Playback, mixer, canceller, capture and
detector are the daemon's own; what the dialogue would do is done here: softer at a hint, silent and
recording when somebody surely speaks, and on again afterwards. The assistant speaks Debian's
recordings in Italian and espeak's voices.
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import median

import numpy as np

from tests import virtual_clock
from tests.bench import said
from tests.bench.loop import Loop, LoopMicrophone, LoopSpeaker, Samples
from tests.bench.talker import PLAYED_DBFS, Talker, Told, assistant, replies

MODES = ("half-duplex", "aec", "headset")
"""The last one hears the echo and does nothing about it: what a canceller is for."""

WAYS_SECONDS = (0.02, 0.06, 0.15, 0.3)
ECHO_DBFS = (-20.0, -32.0)
USER_DBFS = -30.0
USER_OVER_ECHO_DB = (6.0, 0.0, -6.0, -11.0)

TALKS = 24
"""How often the user talks over it at each level."""

TALK_EVERY_SECONDS = 9.0
SETTLED_SECONDS = 4.0
"""The canceller has learnt the room by then."""

MISSED_SECONDS = 4.0
"""What was not noticed by then was not heard."""


def user(number: int) -> Samples:
    """What the user says, from its first sound on, at USER_DBFS."""
    spoken = said.sentences()
    sentence = spoken[-1 - number % 6] if number % 2 else spoken[number * 5 % len(spoken)]
    return np.asarray(sentence.samples * 10 ** ((USER_DBFS - said.SPEECH_DBFS) / 20))


def run_alone(mode: str, *, way_seconds: float, echo_dbfs: float, seconds: float) -> Told:
    """The assistant speaks and nobody else does."""
    most_seconds = 1.5 * seconds + 60.0
    loop = _loop(way_seconds, echo_dbfs, most_seconds, seed=1)
    talker = Talker(mode, LoopSpeaker(loop), LoopMicrophone(loop))
    speech = list(replies(seconds))

    async def speak() -> None:
        with suppress(TimeoutError):  # who interrupts himself does not come to an end
            async with asyncio.timeout(most_seconds):
                await talker.speak(speech)

    virtual_clock.run(speak())
    return talker.told


@dataclass(frozen=True)
class Noticed:
    """How soon users were noticed, in seconds after their first sound; inf = they were not."""

    hinted: tuple[float, ...]
    begun: tuple[float, ...]

    @property
    def missed(self) -> int:
        return sum(seconds > MISSED_SECONDS for seconds in self.begun)


def run_over(over_db: float, *, way_seconds: float, is_ducking: bool) -> Noticed:
    """The user talks over it again and again, so much louder than its echo."""
    seconds = SETTLED_SECONDS + TALKS * TALK_EVERY_SECONDS
    loop = _loop(way_seconds, USER_DBFS - over_db, 2 * seconds, seed=2)
    times = [SETTLED_SECONDS + at * TALK_EVERY_SECONDS + at % 7 * 0.1 for at in range(TALKS)]
    for number, at in enumerate(times):
        loop.say(user(number), at)
    talker = Talker("aec", LoopSpeaker(loop), LoopMicrophone(loop), is_ducking=is_ducking)
    told = virtual_clock.run(talker.speak([(list(assistant(seconds)), 0.0)]))
    return Noticed(
        tuple(_first_after(told.hints, at) for at in times),
        tuple(_first_after(told.begins, at) for at in times),
    )


def _loop(way_seconds: float, echo_dbfs: float, seconds: float, *, seed: int) -> Loop:
    gain = 10 ** ((echo_dbfs - PLAYED_DBFS) / 20)
    return Loop(way_seconds=way_seconds, echo_gain=gain, seconds=seconds, seed=seed)


def _first_after(times: Sequence[float], at: float) -> float:
    later = (time - at for time in times if at <= time < at + MISSED_SECONDS)
    return next(later, float("inf"))


def main() -> int:
    """Print the tables; 1 when the assistant began a conversation with itself."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="of the assistant's speech")
    options = parser.parse_args()
    if (reason := said.missing()) is not None:
        print(reason)
        return 1
    is_met = measure_alone(options.minutes * 60)
    measure_over()
    return 0 if is_met else 1


def measure_alone(seconds: float) -> bool:
    """How often it hears itself, in each mode; whether the goal of none is met."""
    print(f"{seconds / 60:.0f} minutes of the assistant's speech; nobody else speaks")
    print(f"{'echo':12} {'delay':>6} {'level':>6} {'self-triggers':>14} {'hints':>6} {'softer':>7}")
    is_met = True
    for mode in MODES:
        for way_seconds in WAYS_SECONDS if mode == "aec" else WAYS_SECONDS[1:2]:
            for dbfs in ECHO_DBFS:
                told = run_alone(mode, way_seconds=way_seconds, echo_dbfs=dbfs, seconds=seconds)
                print(
                    f"{mode:12} {way_seconds * 1000:3.0f} ms {dbfs:4.0f} dB {len(told.begins):14d} "
                    f"{len(told.hints):6d} {told.hinted_seconds:5.1f} s",
                    flush=True,
                )
                is_met &= mode == "headset" or not told.begins
    return is_met


def measure_over() -> None:
    """How soon a user who talks over it is noticed."""
    print(f"\n{TALKS} times a user talks over it (aec, 60 ms), in seconds from the first sound")
    print(f"{'user':>9} {'softer at a hint':17} {'hint p50':>9} {'sure p50':>9} {'p95':>5} missed")
    for over_db in USER_OVER_ECHO_DB:
        for is_ducking in (True, False):
            noticed = run_over(over_db, way_seconds=0.06, is_ducking=is_ducking)
            begun = sorted(noticed.begun)
            print(
                f"{over_db:+6.0f} dB {'yes' if is_ducking else 'no':17} "
                f"{median(noticed.hinted):9.2f} {median(begun):9.2f} "
                f"{begun[round(0.95 * (len(begun) - 1))]:5.2f} {noticed.missed:6d}",
                flush=True,
            )


if __name__ == "__main__":
    sys.exit(main())
