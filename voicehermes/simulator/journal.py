"""A run's events: numbered, kept, and handed to whoever follows. Knows not where they come from.

The rules of resuming are those observed of hermes-webui. Nothing here locks; a Journal is used
under the world's lock.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

CLOSING = frozenset({"stream_end", "cancel", "apperror", "error"})
"""The server closes the stream after these; not after ``done``."""


CANCELLED: Json = {
    "message": "Cancelled by user",
    "type": "cancelled",
    "status": "cancelled",
}
"""The data of ``cancel`` in the journal; live followers get the session with it."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stream."""

    name: str
    data: Mapping[str, Any]

    def frame(self, id_: str | None) -> bytes:
        """Its bytes on the wire; approval and clarify streams have no id."""
        head = f"id: {id_}\n" if id_ else ""
        data = json.dumps(self.data, ensure_ascii=False)
        return f"{head}event: {self.name}\ndata: {data}\n\n".encode()


@dataclass(slots=True)
class Journal:
    """The events of one run. An event's number is its place, from 1."""

    run_id: str
    events: list[Event] = field(default_factory=list)
    delivered: int = 0
    """How many were handed to any follower: one who attaches without a cursor begins there."""
    cancelled: Event | None = None
    """The ``cancel`` that live followers get. It comes before the journal has its own."""
    cut: int | None = None
    """Where the journal stood at that moment."""

    @property
    def is_live(self) -> bool:
        """Whether a worker still adds to it."""
        return self.cancelled is None and not self.is_terminal

    @property
    def is_terminal(self) -> bool:
        """Whether the event is there that ends the run."""
        return bool(self.events) and self.events[-1].name in CLOSING

    @property
    def state(self) -> str:
        """In the server's words."""
        if not self.is_terminal:
            return "running" if self.is_live else "lost-worker-bookkeeping"
        return "completed" if self.events[-1].name == "stream_end" else "errored"

    def described(self, session_id: str) -> Json:
        """As ``journal`` of a status."""
        last = len(self.events)
        return {
            "session_id": session_id,
            "run_id": self.run_id,
            "last_seq": last,
            "last_event_id": f"{self.run_id}:{last}",
            "last_event": self.events[-1].name if self.events else None,
            "terminal": self.is_terminal,
            "terminal_state": self.state,
        }


class Follower:
    """One client on its way through a journal."""

    def __init__(self, journal: Journal, cursor: int | None) -> None:
        """Begin after the event ``cursor``.

        One ahead of the end counts from the beginning; None gets of a live run what nobody got
        yet, and of a finished one everything.
        """
        self._journal = journal
        self._was_live = journal.is_live
        if cursor is None:
            self._position = journal.delivered if journal.is_live else 0
        else:
            self._position = cursor if cursor <= len(journal.events) else 0

    def has_news(self) -> bool:
        """Whether ``take`` has something to tell."""
        return len(self._journal.events) > self._position or not self._journal.is_live

    def take(self, session_id: str) -> tuple[list[bytes], bool]:
        """The frames since the last call, and whether they are the last ones."""
        journal = self._journal
        until = journal.cut if self._was_live else None
        frames = [
            event.frame(f"{journal.run_id}:{number}")
            for number, event in enumerate(
                journal.events[self._position : until], self._position + 1
            )
        ]
        self._position += len(frames)
        if self._was_live:
            journal.delivered = max(journal.delivered, self._position)
        if journal.is_live:
            return frames, False
        if self._was_live and journal.cancelled:
            # It repeats the id of the event before it, being in no journal yet.
            frames.append(journal.cancelled.frame(f"{journal.run_id}:{self._position}"))
        elif not journal.is_terminal:
            frames.append(self._lost(session_id))
        return frames, True

    def _lost(self, session_id: str) -> bytes:
        """The end of a journal that has none."""
        last = len(self._journal.events)
        data = {
            "type": "interrupted",
            "recovery_control": True,
            "message": "The live worker stopped before this run finished.",
            "hint": "What was journaled has been restored. Start a new turn to go on.",
            "session_id": session_id,
            "stream_id": self._journal.run_id,
            "journal_last_seq": last,
        }
        return Event("apperror", data).frame(f"{self._journal.run_id}:{last + 1}")


def read_cursor(query: Mapping[str, str], last_event_id: str | None, run_id: str) -> int | None:
    """The event after which a follower wants to go on; None when it does not say.

    The query wins over the header; a foreign or unreadable id means from the beginning.
    """
    if (after := query.get("after_seq")) is not None:
        return int(after) if after.isdecimal() else 0
    for value in (query.get("after_event_id"), last_event_id):
        if value is not None:
            run, _, number = value.rpartition(":")
            return int(number) if run == run_id and number.isdecimal() else 0
    return 0 if query.get("replay") == "1" else None
