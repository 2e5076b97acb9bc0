"""What a running process costs, as the kernel counts it. Linux only."""

import os
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Cost:
    """What a process took over a while."""

    cpu_percent: float
    """Of one core, in user and system mode together."""
    wakeups: float
    """Times a second that one of its threads slept and was woken."""
    resident_mb: float
    """Memory that it holds now."""


class Meter:
    """Counts what a process takes from now on."""

    def __init__(self, pid: int) -> None:
        self._folder = Path("/proc", str(pid))
        self._began = time.monotonic()
        self._cpu = self._cpu_seconds()
        self._wakeups = self._wakeups_by_thread()

    def read(self) -> Cost:
        """What it took until now."""
        seconds = time.monotonic() - self._began
        wakeups = self._wakeups_by_thread()
        count = sum(now - self._wakeups.get(thread, 0) for thread, now in wakeups.items())
        cpu = self._cpu_seconds() - self._cpu
        return Cost(100 * cpu / seconds, count / seconds, resident_mb(self._folder))

    def _cpu_seconds(self) -> float:
        fields = (self._folder / "stat").read_text().rpartition(")")[2].split()
        user, system = fields[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def _wakeups_by_thread(self) -> dict[str, int]:
        return {
            thread.name: int(_status(thread)["voluntary_ctxt_switches"])
            for thread in (self._folder / "task").iterdir()
        }


def resident_mb(process: Path) -> float:
    """Memory that a process holds, of its folder in /proc."""
    return int(_status(process)["VmRSS"].removesuffix("kB")) / 1024


def _status(folder: Path) -> dict[str, str]:
    lines = (folder / "status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
