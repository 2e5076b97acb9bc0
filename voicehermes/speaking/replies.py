"""The replies that are being spoken, in their order, and what the last ones said. Pure."""

from collections.abc import Callable, Iterator

from voicehermes.speaking.reply import Reply, Sentence
from voicehermes.speaking.script import Script

Told = list[tuple[int, list[Sentence]]]
"""The sentences that were completed, and in the reply of which turn."""


class Replies:
    """Replies in the order in which they are spoken.

    Of one turn there may be two: an earlier one that is said again, and its own after that. What
    is written for one that is not spoken any more is still taken down, as long as no other begins.
    """

    def __init__(self) -> None:
        self._replies: list[Reply] = []
        self._newest: Script | None = None
        self._last: Script | None = None

    def __iter__(self) -> Iterator[Reply]:
        return iter(self._replies)

    def __len__(self) -> int:
        return len(self._replies)

    @property
    def last(self) -> Script | None:
        """What the last reply said of which there is any text."""
        return self._last

    def begin(self, reply: Reply) -> None:
        """A further one, after the others."""
        self._replies.append(reply)
        self._newest = reply.script

    def begin_again(self, reply: Reply) -> None:
        """One that was spoken before: it comes in front of those that say nothing yet."""
        waiting = self.take_out(lambda other: not other.script.says_anything)
        self._replies += [reply, *waiting]

    def take_out(self, is_unwanted: Callable[[Reply], bool]) -> list[Reply]:
        """Forget some; returns them."""
        out = [reply for reply in self._replies if is_unwanted(reply)]
        self._replies = [reply for reply in self._replies if reply not in out]
        return out

    def name_run(self, turn: int, run_id: str) -> None:
        """The run that the turn's reply comes from is known now."""
        if script := self._script_of(turn):
            script.run_id = run_id

    def add(self, turn: int, delta: str, now: float) -> Told:
        """A further piece of what the turn's reply says. Nothing when it never began."""
        script = self._script_of(turn)
        if script is None:
            return []
        script.add(delta)
        if script.says_anything:
            self._last = script
        return [(reply.turn, reply.add(delta, now)) for reply in self._speaking(script)]

    def end(self, turn: int, now: float) -> Told:
        """All that the turn's reply says is there."""
        script = self._script_of(turn)
        if script is None:
            return []
        script.is_complete = True
        return [(reply.turn, reply.end(now)) for reply in self._speaking(script)]

    def _script_of(self, turn: int) -> Script | None:
        """What was begun for the turn, or else what is said again for it."""
        spoken = [reply.script for reply in self._replies if reply.turn == turn]
        kept = [script for script in (self._newest, self._last) if script]
        own = (script for script in spoken + kept if script.turn == turn)
        return next(own, spoken[0] if spoken else None)

    def _speaking(self, script: Script) -> list[Reply]:
        return [reply for reply in self._replies if reply.script is script]
