"""The scripted faults: which one strikes a request, and how a connection is cut."""

import threading
from collections.abc import Sequence

from voicehermes.simulator.scenario import Fault


class CutError(ConnectionError):
    """The scenario wants the connection cut here."""


class Faults:
    """Counts the requests to each endpoint and hands out its faults. Safe between threads."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self._faults = faults
        self._seen = [0] * len(faults)
        self._lock = threading.Lock()

    def take(self, path: str) -> Fault | None:
        """The fault for this request, if it is its turn. The first that fits is taken."""
        taken = None
        with self._lock:
            for index, fault in enumerate(self._faults):
                if fault.path not in ("*", path):
                    continue
                number = self._seen[index]
                self._seen[index] += 1
                is_over = fault.times and number >= fault.after + fault.times
                if taken is None and number >= fault.after and not is_over:
                    taken = fault
        return taken
