"""Sentences of ours that wait for their sound, or for their place."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from voicehermes.audio import Sound
from voicehermes.errors import VoiceError
from voicehermes.speaking.failures import Failures
from voicehermes.speaking.phrases import Phrases


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

    def __init__(self, phrases: Phrases, failures: Failures, changed: asyncio.Event) -> None:
        """``changed`` is set when the sound of one is there, or will not be."""
        self._phrases = phrases
        self._failures = failures
        self._changed = changed
        self._next: deque[Saying] = deque()
        self._kept: deque[Saying] = deque()

    @property
    def turns(self) -> set[int]:
        """Those of which there are some."""
        return {saying.turn for saying in (*self._next, *self._kept)}

    @property
    def are_waited_for(self) -> bool:
        """Whether there are some that no question keeps back."""
        return bool(self._next)

    def add(self, turn: int, text: str, *, is_kept: bool) -> None:
        """Say it after the others."""
        (self._kept if is_kept else self._next).append(Saying(turn, text))

    def let_out(self) -> None:
        """No question keeps them back any more."""
        self._next.extend(self._kept)
        self._kept.clear()

    def start(self, tasks: asyncio.TaskGroup) -> None:
        """Let the sound of new ones be found."""
        for saying in (*self._next, *self._kept):
            if saying.task is None:
                name = f"sentence of turn {saying.turn}"
                saying.task = tasks.create_task(self._find_sound(saying), name=name)

    def pop_ready(self) -> tuple[Saying, Sound] | None:
        """The next one, if its sound is there."""
        if self._next and (sound := self._next[0].sound):
            return self._next.popleft(), sound
        return None

    def drop(self, is_unwanted: Callable[[Saying], bool]) -> None:
        """Forget some of them."""
        for saying in filter(is_unwanted, (*self._next, *self._kept)):
            if saying.task:
                saying.task.cancel()
        self._next = deque(saying for saying in self._next if not is_unwanted(saying))
        self._kept = deque(saying for saying in self._kept if not is_unwanted(saying))

    async def _find_sound(self, saying: Saying) -> None:
        try:
            saying.sound, engine = await self._phrases.sound(
                saying.text, self._failures.teller(saying.turn)
            )
        except VoiceError as error:
            for lane in (self._next, self._kept):
                if saying in lane:
                    lane.remove(saying)
            self._failures.tell_lost(saying.turn, error)
        else:
            if engine:
                self._failures.spoken_by(engine)
        self._changed.set()
