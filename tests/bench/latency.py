"""Our own share of the wait, over whole turns: ``python -m tests.bench.latency``.

The daemon runs as it is, on a virtual sound card, against the embedded server in a process of
its own. A recording is played into the microphone while the control socket presses and releases;
the daemon's timeline tells what each stage took. What the server and the network take is not
counted, nor the block that is still in the device when the key is let go. The reply is one
sentence: behind a short one the pacing may wait for the next on purpose.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.real.sound_card import SoundCard, missing, open_sound_card
from voicehermes.statistics import percentile

CLIP = Path(__file__).parent.parent / "data" / "audio" / "cameriere.wav"
GOAL_P50, GOAL_P95 = 0.040, 0.100

SCENARIO = """\
pace = { first_token_seconds = 0.2, characters_per_second = 120.0 }
transcribe = { default = "cameriere", delay_seconds = 0.1, delay_factor = 0.0 }
speech = { synthesizer = "tone", delay_seconds = 0.2, delay_per_character = 0.001 }

[[turns]]
steps = [{ say = "Il cameriere arriva subito al vostro tavolo con il menu di oggi." }]
"""

STAGES = (
    ("release -> upload begins", "release", "upload_begin"),
    ("first sentence complete -> request sent", "sentence", "tts_request"),
    ("audio received -> first sample at the device", "tts_audio", "sound_begin"),
)


def main() -> int:
    """Print the table; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=50)
    turns = parser.parse_args().turns
    if (reason := missing()) is not None:
        print(reason)
        return 1
    with tempfile.TemporaryDirectory() as folder, open_sound_card() as card:
        waits = measure(Path(folder), card, turns)
    is_met = True
    print(f"{'stage':<46} {'turns':>5} {'p50':>8} {'p95':>8}")
    for name, values in waits.items():
        p50, p95 = percentile(values, 50), percentile(values, 95)
        is_met &= len(values) == turns and p50 <= GOAL_P50 and p95 <= GOAL_P95
        print(f"{name:<46} {len(values):5} {p50 * 1000:5.1f} ms {p95 * 1000:5.1f} ms")
    print(f"goal: p50 at most {GOAL_P50 * 1000:.0f} ms, p95 at most {GOAL_P95 * 1000:.0f} ms each")
    return 0 if is_met else 1


def measure(folder: Path, card: SoundCard, turns: int) -> dict[str, list[float]]:
    """The waits of each stage, in seconds, over so many turns."""
    timeline = folder / "state" / "voicehermes" / "timeline.jsonl"
    with server(folder) as url, daemon(folder, card, url):
        for turn in range(1, turns + 1):
            ctl(folder, card, "press")
            card.play(CLIP)
            ctl(folder, card, "release")
            wait_for_end(timeline, turn)
            print(f"\r{turn}/{turns}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return waits_of([json.loads(line) for line in timeline.read_text().splitlines()])


def waits_of(records: list[dict[str, object]]) -> dict[str, list[float]]:
    """For each stage, the time between the first of both events in each turn that has both."""
    first: dict[tuple[object, object], float] = {}
    for record in records:
        in_device = float(str(record.get("device_seconds", 0.0)))
        first.setdefault((record["turn"], record["event"]), float(str(record["t"])) - in_device)
    turns = sorted({int(str(record["turn"])) for record in records})
    return {
        name: sorted(
            first[turn, end] - first[turn, begin]
            for turn in turns
            if (turn, begin) in first and (turn, end) in first
        )
        for name, begin, end in STAGES
    }


def wait_for_end(timeline: Path, turn: int) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        time.sleep(0.1)
        lines = timeline.read_text().splitlines() if timeline.exists() else []
        records = (json.loads(line) for line in lines)
        if any(r["event"] == "turn_end" and r["turn"] == turn for r in records):
            return
    raise TimeoutError(f"turn {turn} does not end")


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """The embedded server as a process of its own; its address."""
    scenario = folder / "scenario.toml"
    scenario.write_text(SCENARIO)
    command = ["simulator", "--port", "0", "--scenario", str(scenario)]
    process = subprocess.Popen(
        [sys.executable, "-m", "voicehermes", *command], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        yield next(word.rstrip(";,.") for word in line.split() if word.startswith("http"))
    finally:
        process.terminate()
        process.wait(timeout=10)


@contextmanager
def daemon(folder: Path, card: SoundCard, url: str, talk: str = 'hotkey = ""') -> Iterator[int]:
    """``voicehermes run``, ready: its process id. ``talk`` is the section [talk]."""
    (folder / "config.toml").write_text(
        f'[server]\nurl = "{url}"\n[talk]\n{talk}\n[speak]\nfallback = []\n'
        f'[control]\nsocket = "{folder}/control.sock"\n'
    )
    with (folder / "daemon.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "voicehermes", "run"],
            env=environment(folder, card),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        deadline = time.monotonic() + 20
        while ctl(folder, card, "status", check=False) != 0 and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(1.0)  # the microphone is open and the ring is full
        yield process.pid
    finally:
        process.terminate()
        process.wait(timeout=10)
        if process.returncode:
            print((folder / "daemon.log").read_text(), file=sys.stderr)


def ctl(folder: Path, card: SoundCard, action: str, *, check: bool = True) -> int:
    return subprocess.run(
        [sys.executable, "-m", "voicehermes", "ctl", action],
        env=environment(folder, card),
        capture_output=True,
        check=check,
        timeout=20,
    ).returncode


def environment(folder: Path, card: SoundCard) -> dict[str, str]:
    ours = {"XDG_STATE_HOME": f"{folder}/state", "VOICEHERMES_CONFIG": f"{folder}/config.toml"}
    return {**os.environ, **card.env, **ours}


if __name__ == "__main__":
    sys.exit(main())
