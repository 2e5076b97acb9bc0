"""When each thing of a turn happened. Knows neither the clock nor the file: both are given."""

from collections.abc import Callable, Mapping
from typing import Literal

EventName = Literal[
    "trigger",
    "speech_begin",
    "speech_end",
    "release",
    "part",
    "upload_begin",
    "transcript",
    "submit",
    "run_begin",
    "first_delta",
    "sentence",
    "tts_request",
    "tts_audio",
    "sound_begin",
    "sound_end",
    "decision",
    "question",
    "answer",
    "reconnect",
    "turn_end",
]

Record = Mapping[str, object]
"""One line: "t" (seconds since the start), "turn", "event", and the event's own fields."""


class Timeline:
    """Turns events into records, in the order in which they are noted."""

    def __init__(self, now: Callable[[], float], write: Callable[[Record], None]) -> None:
        self._now = now
        self._began = now()
        self._write = write

    def note(
        self, event: EventName, turn: int, *, at: float | None = None, **fields: object
    ) -> None:
        """Record an event; ``at`` is its time on the same clock where it is not now."""
        when = self._now() if at is None else at
        self._write({"t": round(when - self._began, 4), "turn": turn, "event": event, **fields})
