"""What the user said and the agent does not have yet, on disk. Nothing said is lost.

An entry is first the utterance (its audio), then its words in place of it, and is gone once they
are submitted. While a process works on an entry, its file name carries that process's id and
when it began; when the process has died, or has given up, the entry is free for
``voicehermes retry``.

    unsent/20261130T101500.123-1.4711-90210.ogg    process 4711 works on it
    unsent/20261130T101500.123-1.txt               free: words that could not be submitted

All calls block on the disk: use ``asyncio.to_thread``.
"""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path

from voicehermes.adapters.store import Store
from voicehermes.audio import Utterance, UtteranceEnd

FOLDER = "unsent"
MOST_ENTRIES = 50
OLDEST = timedelta(days=30)
_WORDS = "txt"
_KEY_TIME = "%Y%m%dT%H%M%S.%f"
_HOLDER = re.compile(r"[0-9]{1,10}-[0-9]{1,20}")


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that was said and waits to be sent."""

    key: str
    """When it was said (UTC), and a number."""
    said_at: datetime
    what: str | Utterance
    """Its words, or the utterance that is not transcribed yet."""


class Outbox:
    """The entries, bounded in number and age: the oldest go first."""

    def __init__(
        self, store: Store, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._store = store
        self._now = now
        self._count = 0

    @cached_property
    def _holder(self) -> str:
        return _holder(os.getpid())

    def new_key(self) -> str:
        """A key for something that is being said now."""
        self._count += 1
        return f"{self._now().strftime(_KEY_TIME)[:-3]}-{self._count}"

    def keep_utterance(self, key: str, utterance: Utterance) -> None:
        """Keep the audio; this process works on it. Raises StoreError."""
        self._store.write(f"{FOLDER}/{key}.{self._holder}{utterance.suffix}", utterance.data)
        self._tidy()

    def keep_words(self, key: str, text: str) -> None:
        """Keep the words, in place of the audio; this process works on them. Raises StoreError."""
        name = f"{FOLDER}/{key}.{self._holder}.{_WORDS}"
        self._store.write(name, text.encode())
        self._remove(key, but=name)

    def forget(self, key: str) -> None:
        """It has arrived, or the user took it back. Raises StoreError."""
        self._remove(key)

    def leave(self, key: str) -> None:
        """Give up for now: free it for a retry. Raises StoreError."""
        for name in self._names(key):
            suffix = name.rsplit(".", 1)[1]
            data = self._store.read(name)
            if data is not None and name != f"{FOLDER}/{key}.{suffix}":
                self._store.write(f"{FOLDER}/{key}.{suffix}", data)
                self._store.remove(name)

    def free_entries(self) -> list[Entry]:
        """What nobody works on, oldest first. Raises StoreError."""
        self._tidy()
        entries = []
        for name in self._store.names(FOLDER):
            parsed = _parse(name)
            if parsed is None or (parsed.holder is not None and _is_alive(parsed.holder)):
                continue
            data = self._store.read(name)
            if data is None:
                continue
            what: str | Utterance
            if parsed.suffix == _WORDS:
                what = data.decode("utf-8", "replace")
            else:
                what = Utterance(data, f".{parsed.suffix}", 0.0, UtteranceEnd.RELEASED)
            entries.append(Entry(parsed.key, parsed.said_at, what))
        return entries

    def _names(self, key: str) -> list[str]:
        return [n for n in self._store.names(FOLDER) if (p := _parse(n)) and p.key == key]

    def _remove(self, key: str, *, but: str = "") -> None:
        for name in self._names(key):
            if name != but:
                self._store.remove(name)

    def _tidy(self) -> None:
        ours = [(name, parsed) for name in self._store.names(FOLDER) if (parsed := _parse(name))]
        oldest = self._now() - OLDEST
        for index, (name, parsed) in enumerate(reversed(ours)):
            if index >= MOST_ENTRIES or parsed.said_at < oldest:
                self._store.remove(name)


@dataclass(frozen=True, slots=True)
class _Name:
    key: str
    said_at: datetime
    holder: str | None
    suffix: str


def _parse(name: str) -> _Name | None:
    """What the name of an entry's file says, or None for any other file.

    "unsent/20261130T101500.123-1.4711-90210.ogg" -> key "20261130T101500.123-1",
    holder "4711-90210", suffix "ogg"
    """
    parts = name.removeprefix(f"{FOLDER}/").split(".")
    if len(parts) not in (3, 4) or not all(parts):
        return None
    holder = parts[2] if len(parts) == 4 else None
    if holder is not None and not _HOLDER.fullmatch(holder):
        return None
    key = ".".join(parts[:2])
    try:
        said_at = datetime.strptime(key.partition("-")[0], _KEY_TIME).replace(tzinfo=UTC)
    except ValueError:
        return None
    return _Name(key, said_at, holder, parts[-1])


def _holder(pid: int) -> str:
    """A process, told apart from an earlier one with its id: in a container ids come again.

    The second number is when it began, in clock ticks since the machine's start (proc(5), field
    22 of /proc/PID/stat); 0 where there is no such file.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return f"{pid}-0"
    return f"{pid}-{stat.rpartition(')')[2].split()[19]}"


def _is_alive(holder: str) -> bool:
    pid = int(holder.partition("-")[0])
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return _holder(pid) == holder
