"""The policies that ours is compared with; they have the face of a Pacer."""

from collections import deque
from collections.abc import Sequence

from tests.bench.pacing_model import WINDOW_SECONDS
from voicehermes.speaking.clauses import Clause
from voicehermes.speaking.pacing import Request


class OnePerSentence:
    """Every sentence is a request, never closer than the window."""

    def __init__(self) -> None:
        self._waiting: deque[Clause] = deque()
        self._allowed = float("-inf")

    def add(self, clauses: Sequence[Clause], now: float) -> None:
        self._waiting.extend(clauses)

    def text_arrived(self, characters: int, now: float) -> None: ...

    def end(self, now: float) -> None: ...

    def next(self, now: float, sound_left: float) -> Request | float | None:
        if not any(clause.ends_sentence for clause in self._waiting):
            return None
        if now < self._allowed:
            return self._allowed
        self._allowed = now + WINDOW_SECONDS
        taken = [self._waiting.popleft()]
        while not taken[-1].ends_sentence:
            taken.append(self._waiting.popleft())
        return Request(tuple(taken))

    def answered(self, request: Request, now: float, sound_seconds: float) -> None: ...

    def refused(self, request: Request, now: float) -> None:
        self._waiting.extendleft(reversed(request.clauses))

    def failed(self, request: Request) -> None: ...


class WholeReply:
    """One request, when the reply is complete. Too long a reply is not spoken at all."""

    def __init__(self) -> None:
        self._waiting: list[Clause] = []
        self._ended = False

    def add(self, clauses: Sequence[Clause], now: float) -> None:
        self._waiting.extend(clauses)

    def text_arrived(self, characters: int, now: float) -> None: ...

    def end(self, now: float) -> None:
        self._ended = True

    def next(self, now: float, sound_left: float) -> Request | float | None:
        if not self._ended or not self._waiting:
            return None
        taken, self._waiting = self._waiting, []
        return Request(tuple(taken))

    def answered(self, request: Request, now: float, sound_seconds: float) -> None: ...

    def refused(self, request: Request, now: float) -> None: ...

    def failed(self, request: Request) -> None: ...
