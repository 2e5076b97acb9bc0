"""Where we are in an event stream, and how long to wait before it is tried again. Pure."""

import re

from voicehermes.adapters.hermes.parse import ENDS

FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 15.0
MOST_FAILURES = 16
"""In a row, with nothing new in between: some two to three minutes without the server."""

_NUMBER = re.compile("[0-9]{1,18}")


class StreamCursor:
    """Tells new events from repeated ones, and counts what went wrong since the last new one.

    Numbers are compared within their stream: each stream counts from 1. An event that ends a run
    is always new: hermes-webui sends `cancel` under the number of the event before it.
    """

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._last: dict[str, int] = {}
        self.failures = 0
        """Lost connections since the last new event."""

    @property
    def last_seq(self) -> int:
        """Number of the run's last event that was taken; 0 before the first."""
        return self._last.get(self._run_id, 0)

    def is_new(self, name: str, event_id: str) -> bool:
        """Whether this event was not taken before; it is now."""
        stream, _, number = event_id.rpartition(":")
        if name in ENDS or not _NUMBER.fullmatch(number):
            return True
        if int(number) <= self._last.get(stream, 0):
            return False
        self._last[stream] = int(number)
        self.failures = 0
        return True

    def next_wait(self, jitter: float) -> float | None:
        """Note a failure; seconds to wait after it, or None when it is time to give up.

        ``jitter`` is a random number from 0 to 1, so that clients do not come back together.
        """
        self.failures += 1
        if self.failures > MOST_FAILURES:
            return None
        longest: float = FIRST_WAIT_SECONDS * 2 ** (self.failures - 1)
        return min(longest, LONGEST_WAIT_SECONDS) * (0.5 + jitter / 2)
