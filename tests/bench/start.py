"""How light the start is, against what it cannot avoid: ``python -m tests.bench.start``.

``--help`` against a bare interpreter; ``run``, from its start until it answers on its control
socket, against importing the libraries that it needs. Each pair is timed in turn; the smallest
times are compared, since other work on the machine only ever adds.
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROUNDS = 15
RUN_ROUNDS = 7
HELP_GOAL, RUN_GOAL = 4.0, 1.5
PATIENCE_SECONDS = 30.0

LIBRARIES = "httpx, httpx_sse, pydantic, platformdirs, sounddevice, soundfile, webrtcvad"
"""What ``run`` cannot do without. numpy, soxr, miniaudio and the rest come in while it runs."""


def main() -> int:
    """Print both ratios; 1 when one misses its goal."""
    is_met = compare(
        "--help",
        lambda: seconds("-m", "voicehermes", "--help"),
        "bare interpreter",
        lambda: seconds("-c", "pass"),
        ROUNDS,
        HELP_GOAL,
    )
    is_met &= compare(
        "run, until `ctl status` is answered",
        seconds_to_status,
        "importing its libraries",
        lambda: seconds("-c", f"import asyncio, argparse, {LIBRARIES}"),
        RUN_ROUNDS,
        RUN_GOAL,
    )
    return 0 if is_met else 1


def compare(
    name: str,
    ours: Callable[[], float],
    base_name: str,
    base: Callable[[], float],
    rounds: int,
    goal: float,
) -> bool:
    pairs = [(ours(), base()) for _ in range(rounds)]
    best, best_base = (min(times) for times in zip(*pairs, strict=True))
    print(f"{base_name:<36} {best_base * 1000:6.0f} ms")
    print(f"{name:<36} {best * 1000:6.0f} ms, {best / best_base:.2f} times (goal: {goal:g})")
    return bool(best <= goal * best_base)


def seconds(*arguments: str) -> float:
    """How long the interpreter takes over something."""
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def seconds_to_status() -> float:
    """From the start of the daemon to its first answer."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "control.sock"
        environment = {
            **os.environ,
            "XDG_STATE_HOME": folder,
            "VOICEHERMES_CONTROL__SOCKET": str(path),
            "VOICEHERMES_AUDIO__OUTPUT": "null",
        }
        began = time.perf_counter()
        daemon = subprocess.Popen(
            [sys.executable, "-m", "voicehermes", "run"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            while not is_answered(path):
                if time.perf_counter() - began > PATIENCE_SECONDS:
                    raise TimeoutError("the daemon does not answer")
                time.sleep(0.005)
            return time.perf_counter() - began
        finally:
            daemon.terminate()
            daemon.wait(timeout=10)


def is_answered(path: Path) -> bool:
    """Whether the daemon tells its state at this path."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(5)
        try:
            client.connect(str(path))
            client.sendall(b'{"command": "status"}\n')
            return b'"ok": true' in client.recv(4096)
        except OSError:
            return False


if __name__ == "__main__":
    sys.exit(main())
