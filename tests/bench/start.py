"""How long ``--help`` takes against a bare interpreter: ``python -m tests.bench.start``."""

import subprocess
import sys
import time

ROUNDS = 15
GOAL = 4.0


def seconds(*arguments: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def main() -> int:
    """Print the ratio; 1 when it misses the goal."""
    pairs = [(seconds("-c", "pass"), seconds("-m", "voicehermes", "--help")) for _ in range(ROUNDS)]
    bare, ours = (min(times) for times in zip(*pairs, strict=True))
    print(f"bare interpreter  {bare * 1000:6.1f} ms")
    print(f"voicehermes --help {ours * 1000:5.1f} ms, {ours / bare:.1f} times (goal: {GOAL:g})")
    return int(ours > GOAL * bare)


if __name__ == "__main__":
    sys.exit(main())
