"""What listening costs while nobody speaks: ``python -m tests.bench.idle``.

The daemon runs as it is, hands-free, on a virtual sound card against the embedded server in a
process of its own. Beside it run a bare loop and Silero on every frame (tests/bench/idle_loops.py)
that hear the same at the same time, so that what else the machine does is shared by them all. Then
the detector alone hears an hour of each room at once, as the daemon would feed it.
"""

import argparse
import subprocess
import sys
import tempfile
import time
import wave
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.bench.idle_loops import LOOPS, Bare, OneThread
from tests.bench.latency import CLIP, daemon, server
from tests.bench.processes import Cost, Meter
from tests.bench.rooms import ROOMS, minute
from tests.real.sound_card import SoundCard, missing, open_sound_card
from voicehermes.adapters.sound.detectors import open_detector
from voicehermes.audio import FRAME_BYTES, RATE_HZ, SAMPLE_BYTES
from voicehermes.speaking.phrases import QUIET_SECONDS

TALK = 'hotkey = ""\nmode = "handsfree"\nhandsfree_start = "always"'

GOALS = {
    "quiet": ("bare", 1.0),
    "pink": ("silero", 0.5),
    "clicks": ("silero", 1.0),
    "music": ("silero", 1.0),
}
"""By room: whose part of a core the daemon's is compared with, and how much of it at most."""

GOAL_MB = 100.0

_PREPARED_SECONDS = QUIET_SECONDS + 5.0
"""With no new file for so long there is no more to prepare, or nothing that could be."""

_LONGEST_PREPARING_SECONDS = 175.0

_SETTLE_SECONDS = 3.0
"""Before a room is measured: what came before it is over."""


def main() -> int:
    """Print the tables; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="of each room, in real time")
    parser.add_argument("--minutes", type=int, default=60, help="of each room, for the detector")
    parser.add_argument("--turns", type=int, default=5, help="before the memory is read again")
    options = parser.parse_args()
    if (reason := missing()) is not None:
        print(reason)
        return 1
    with tempfile.TemporaryDirectory() as folder, open_sound_card() as card:
        is_met = measure_processes(Path(folder), card, options.seconds, options.turns)
    measure_detectors(options.minutes)
    return 0 if is_met else 1


def measure_processes(folder: Path, card: SoundCard, seconds: float, turns: int) -> bool:
    """The daemon and the two loops in each room; whether each goal is met."""
    timeline = folder / "state" / "voicehermes" / "timeline.jsonl"
    is_met = True
    print(f"{seconds:g} s of each room: CPU, % of a core; wake-ups a second; resident memory, MB")
    print(f"{'':8}" + columns("daemon", *LOOPS) * 3)
    with server(folder) as url, daemon(folder, card, url, TALK) as ours, loops(card) as others:
        processes = {"daemon": ours, **others}
        with heard(folder, card, "quiet", _LONGEST_PREPARING_SECONDS):
            wait_until_prepared(folder / "state")
        for room in ROOMS:
            turns_before = count(timeline, "turn_end")
            with heard(folder, card, room, _SETTLE_SECONDS + seconds):
                costs = measure(processes, seconds)
            print_costs(room, costs)
            base, most = GOALS[room]
            ratio = costs["daemon"].cpu_percent / costs[base].cpu_percent
            is_met &= ratio <= most
            began = count(timeline, "turn_end") - turns_before
            print(f"{'':8} {ratio:.2f} times {base} (goal: {most:g}); turns begun: {began}")
        if turns:
            resident = resident_after(turns, card, timeline, ours)
            is_met &= resident <= GOAL_MB
            print(f"resident after {turns} turns: {resident:.0f} MB (goal: {GOAL_MB:g})")
    return is_met


def wait_until_prepared(state: Path) -> None:
    """Return when the daemon has the sound of all that it says often, which it asks for once."""
    before, since = -1, time.monotonic()
    deadline = since + _LONGEST_PREPARING_SECONDS
    while time.monotonic() < min(since + _PREPARED_SECONDS, deadline):
        time.sleep(0.5)
        files = sum(1 for _ in state.rglob("*"))
        if files != before:
            before, since = files, time.monotonic()


@contextmanager
def loops(card: SoundCard) -> Iterator[Mapping[str, int]]:
    """The loops to compare with, running: their process ids by name."""
    with ExitStack() as stack:
        processes = {}
        for name in LOOPS:
            command = [sys.executable, "-m", "tests.bench.idle_loops", name]
            process = subprocess.Popen(command, env=card.env, stdout=subprocess.PIPE)
            stack.callback(process.wait)
            stack.callback(process.terminate)
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            processes[name] = process.pid
        yield processes


@contextmanager
def heard(folder: Path, card: SoundCard, room: str, seconds: float) -> Iterator[None]:
    """A room at the microphone while the block runs, for so long at most."""
    path = folder / f"{room}.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, SAMPLE_BYTES, RATE_HZ, 0, "NONE", "not compressed"))
        for number in range(int(seconds // 60) + 1):
            file.writeframes(minute(room, number))
    with card.playing(path):
        yield


def measure(processes: Mapping[str, int], seconds: float) -> dict[str, Cost]:
    """What each process takes during the next so many seconds, after things have settled."""
    time.sleep(_SETTLE_SECONDS)
    meters = {name: Meter(process) for name, process in processes.items()}
    time.sleep(seconds)
    return {name: meter.read() for name, meter in meters.items()}


def print_costs(room: str, costs: Mapping[str, Cost]) -> None:
    of_all = [costs[name] for name in ("daemon", *LOOPS)]
    cpu = columns(*(f"{cost.cpu_percent:.2f}" for cost in of_all))
    wakeups = columns(*(f"{cost.wakeups:.0f}" for cost in of_all))
    resident = columns(*(f"{cost.resident_mb:.0f}" for cost in of_all))
    print(f"{room:8}{cpu}{wakeups}{resident}")


def columns(first: str, *others: str) -> str:
    return f"{first:>10}" + "".join(f"{other:>9}" for other in others)


def resident_after(turns: int, card: SoundCard, timeline: Path, process: int) -> float:
    """Memory of the daemon after so many turns that were spoken to it."""
    for _ in range(turns):
        before = count(timeline, "turn_end")
        card.play(CLIP)
        deadline = time.monotonic() + 30
        while count(timeline, "turn_end") == before:
            if time.monotonic() > deadline:
                raise TimeoutError("a turn does not end")
            time.sleep(0.2)
    return Meter(process).read().resident_mb


def count(timeline: Path, event: str) -> int:
    """How often something happened so far."""
    return timeline.read_text().count(f'"{event}"') if timeline.exists() else 0


# --- the detector alone ---------------------------------------------------------------------


def measure_detectors(minutes: int) -> None:
    """So many minutes of each room for the detector, as a part of a core in real time.

    Silero always costs the same; a minute tells how much, of one that is kept to one thread.
    """
    print(f"\nthe detector alone, {minutes} minutes of each room, % of a core")
    print(f"{'':8}" + columns("ours", "bare", "silero-1"))
    detector = open_detector("auto")
    for room in ROOMS:
        ours = percent_of_core(detector.is_speech, FRAME_BYTES, room, minutes)
        bare = percent_of_core(Bare().take, RATE_HZ // 50 * SAMPLE_BYTES, room, 1)
        silero = percent_of_core(OneThread().take, FRAME_BYTES, room, 1)
        figures = columns(f"{ours:.3f}", f"{bare:.3f}", f"{silero:.3f}")
        print(f"{room:8}{figures}   {ours / silero:.2f} times silero-1")


def percent_of_core(
    take: Callable[[bytes], object], block_bytes: int, room: str, minutes: int
) -> float:
    """The part of a core that hearing so many minutes of a room would take in real time."""
    spent = 0.0
    for number in range(minutes):
        pcm = minute(room, number)
        blocks = [pcm[at : at + block_bytes] for at in range(0, len(pcm), block_bytes)]
        began = time.process_time()
        for block in blocks:
            take(block)
        spent += time.process_time() - began
    return 100 * spent / (60 * minutes)


if __name__ == "__main__":
    sys.exit(main())
