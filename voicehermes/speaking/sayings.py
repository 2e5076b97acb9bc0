"""Sentences of ours that wait for their sound, or for their place."""

import asyncio
from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from voicehermes.audio import Sound


@dataclass(slots=True, eq=False)
class Saying:
    """A sentence of ours."""

    turn: int
    text: str
    task: "asyncio.Task[None] | None" = None
    """Finds its sound."""
    sound: Sound | None = None


class Sayings:
    """In the order in which they are said; those behind a question are kept until it is over."""

    def __init__(self) -> None:
        self._next: deque[Saying] = deque()
        self._kept: deque[Saying] = deque()

    def __iter__(self) -> Iterator[Saying]:
        """All of them."""
        return iter((*self._next, *self._kept))

    @property
    def are_waited_for(self) -> bool:
        """Whether there are some that no question keeps back."""
        return bool(self._next)

    def add(self, saying: Saying, *, is_kept: bool) -> None:
        """Say it after the others."""
        (self._kept if is_kept else self._next).append(saying)

    def let_out(self) -> None:
        """No question keeps them back any more."""
        self._next.extend(self._kept)
        self._kept.clear()

    def pop_ready(self) -> Saying | None:
        """The next one, if its sound is there."""
        return self._next.popleft() if self._next and self._next[0].sound else None

    def drop(self, sayings: Collection[Saying]) -> None:
        """Forget these."""
        for saying in sayings:
            if saying.task:
                saying.task.cancel()
        self._next = deque(saying for saying in self._next if saying not in sayings)
        self._kept = deque(saying for saying in self._kept if saying not in sayings)
