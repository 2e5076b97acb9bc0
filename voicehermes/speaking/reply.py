"""One reply on its way from text to sound. Pure: told what arrives and what the time is."""

from collections.abc import Iterator
from dataclasses import dataclass

from voicehermes.audio import Sound
from voicehermes.lexicon import Lexicon
from voicehermes.speaking.clauses import Clause
from voicehermes.speaking.engines import Engine
from voicehermes.speaking.pacing import Pace, Pacer, Request
from voicehermes.speaking.script import Script
from voicehermes.speaking.speakable import SpeechText


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the reply that is complete."""

    index: int
    characters: int


class Reply:
    """Clauses in, requests out, sounds in, clips out: each clause in order, and once."""

    def __init__(self, turn: int, engine: Engine | None, lexicon: Lexicon, script: Script) -> None:
        """What was heard of the script is left out; how much that is, is kept up to date there."""
        self.turn = turn
        self.script = script
        self.engine = engine
        """Whose pace it goes by."""
        self.has_sounded = False
        self._speech = SpeechText(lexicon)
        self._pacer = Pacer(
            engine.pace if engine else Pace(window_seconds=0.0, max_characters=5000)
        )
        self._heard = script.heard
        self._has_ended = False
        self._sentence_characters = 0
        self._arrived: dict[int, tuple[Request, Sound | None]] = {}
        self._place = 0

    def add(self, delta: str, now: float) -> list[Sentence]:
        """Take in more text; the sentences that it completes."""
        self._pacer.text_arrived(len(delta), now)
        return self._take(self._speech.feed(delta), now)

    def end(self, now: float) -> list[Sentence]:
        """The text is complete; the sentences that this completes. Ending twice is ending once."""
        if self._has_ended:
            return []
        self._has_ended = True
        completed = self._take(self._speech.end(), now)
        self._pacer.end(now)
        return completed

    def next(self, now: float, queued_seconds: float) -> Request | float | None:
        """See Pacer.next; ``queued_seconds`` is what the device still has to play."""
        waiting = sum(sound.seconds for _, sound in self._arrived.values() if sound)
        return self._pacer.next(now, queued_seconds + waiting)

    def answered(self, request: Request, sound: Sound, engine: Engine, now: float) -> None:
        """The sound of a request is there."""
        if engine is self.engine:
            self._pacer.answered(request, now, sound.seconds)
        else:
            self._pacer.failed(request)  # another one's latency says nothing about this one's
        self._arrived[request.start] = request, sound

    def refused(self, request: Request, now: float) -> None:
        """The request came too early and will come again."""
        self._pacer.refused(request, now)

    def failed(self, request: Request) -> None:
        """No synthesiser speaks the request's text."""
        self._pacer.failed(request)
        self._arrived[request.start] = request, None

    def clips(self) -> Iterator[tuple[Request, Sound]]:
        """What can be played now, in order; each is given once."""
        while self._place in self._arrived:
            request, sound = self._arrived.pop(self._place)
            self._place += len(request.clauses)
            if sound:
                yield request, sound

    @property
    def seconds_to_come(self) -> float:
        """Expected length of what was added and not yet given as a clip."""
        arrived = sum(sound.seconds for _, sound in self._arrived.values() if sound)
        return arrived + self._pacer.seconds_to_come

    @property
    def end_place(self) -> int:
        """The place behind all that was added, see ``is_at``."""
        return self._pacer.places

    def is_at(self, place: int) -> bool:
        """Whether all clips up to a place have been given."""
        return self._place >= place

    @property
    def is_sent(self) -> bool:
        """Whether all of its text went to a synthesiser and came back."""
        return self._pacer.done

    @property
    def is_over(self) -> bool:
        """Whether it has no further clips."""
        return self._pacer.done and not self._arrived

    def _take(self, clauses: list[Clause], now: float) -> list[Sentence]:
        clauses = [clause for clause in clauses if clause.sentence >= self._heard]
        self._pacer.add(clauses, now)
        completed = []
        for clause in clauses:
            self._sentence_characters += len(clause.text) + 1
            if clause.ends_sentence:
                completed.append(Sentence(clause.sentence, self._sentence_characters - 1))
                self._sentence_characters = 0
        return completed
