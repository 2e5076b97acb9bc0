"""Writes the timeline to a file, off the event loop. A disk that fails never stops a turn."""

import asyncio
import json
import logging
import os
import threading
from collections import deque
from pathlib import Path

from voicehermes.timeline import Record

log = logging.getLogger(__name__)

MAX_BYTES = 4_000_000
"""A file that would grow beyond this becomes the older one: some 1,000 turns."""

MAX_WAITING = 10_000
"""Records that may wait for the disk; then the oldest are dropped."""


def older(path: Path) -> Path:
    """Where a full file is kept until the next one is full."""
    return path.with_name(f"{path.name}.1")


class Journal:
    """Appends records to a file of JSON lines.

    ``write`` never waits; ``run`` does the writing until it is cancelled, and loses nothing of
    what was written before.
    """

    def __init__(self, path: Path, *, since: float, max_bytes: int = MAX_BYTES) -> None:
        self._path = path
        self._since = round(since, 3)
        self._max_bytes = max_bytes
        self._waiting: deque[Record] = deque(maxlen=MAX_WAITING)
        self._wake = asyncio.Event()
        self._lock = threading.Lock()
        self._failed = False

    def write(self, record: Record) -> None:
        """Have a record written, with "since": the Unix time at which this daemon began."""
        self._waiting.append({**record, "since": self._since})
        self._wake.set()

    async def run(self) -> None:
        """Write what comes until cancelled. A file that cannot be written is logged once."""
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                await asyncio.to_thread(self._flush)
        finally:
            await asyncio.to_thread(self._flush)

    def _flush(self) -> None:
        with self._lock:  # a cancelled `run` flushes while an earlier flush may still go on
            lines = []
            while self._waiting:
                lines.append(json.dumps(self._waiting.popleft(), ensure_ascii=False) + "\n")
            if lines:
                self._append("".join(lines).encode())

    def _append(self, data: bytes) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if self._path.exists() and self._path.stat().st_size + len(data) > self._max_bytes:
                self._path.replace(older(self._path))
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(descriptor, "ab") as file:
                file.write(data)
        except OSError as error:
            if not self._failed:
                log.warning("The timeline %s cannot be written: %s.", self._path, error.strerror)
            self._failed = True
        else:
            self._failed = False
