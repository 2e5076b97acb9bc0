"""One question at a time, from text to having been heard.

What a user's consent hangs on is whether all of a question was heard: QuestionHeard is told when it
was, and in every other case QuestionUnheard, or nothing when it was dropped. Knows no reply.
"""

import asyncio
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from voicehermes.audio import Sound
from voicehermes.errors import VoiceError, VoicehermesError
from voicehermes.speaking.failures import Failures
from voicehermes.speaking.joining import SENTENCE_PAUSE_SECONDS, after_silence, with_pause
from voicehermes.speaking.parts import Part
from voicehermes.speaking.phrases import Phrases
from voicehermes.speaking.playback import Playback
from voicehermes.speaking.spoken import Spoken
from voicehermes.speaking.voice_events import QuestionHeard, QuestionUnheard

_MOST_CHARACTERS = 300
"""Of one request: a longer one would be waited for, while this much lasts 20 s."""

_SEARCH_SECONDS = 2.0
"""So long before the latest time an end of a sentence is looked for, where there was patience."""


@dataclass(slots=True)
class _Piece:
    """One synthesis request's worth of a question."""

    text: str
    is_fixed: bool
    sound: Sound | None = None


@dataclass(slots=True, eq=False)
class _Reading:
    question: int
    pieces: list[_Piece]
    begin_by: float
    """Loop time at which all other sound is silent at the latest."""
    after: Callable[[], bool] | None
    """Whether all that is to be heard before it has been queued; None: nothing is."""
    tasks: "set[asyncio.Task[None]] | None" = None
    tags: list[int] = field(default_factory=list)
    """Of the pieces that the playback has."""
    heard: int = 0
    """How many of them were heard."""


class Questions:
    """Reads a question; a new one takes the place of the one that is being read.

    Only a fixed part's sound is kept on the disk.
    """

    def __init__(
        self,
        playback: Playback,
        phrases: Phrases,
        failures: Failures,
        *,
        tags: Iterator[int],
        spoken: Spoken,
        sink: Callable[[QuestionHeard | QuestionUnheard], None],
        changed: asyncio.Event,
    ) -> None:
        """``tags`` are given to clips. ``changed`` is set when ``play`` may have more to do."""
        self._playback = playback
        self._phrases = phrases
        self._failures = failures
        self._tags = tags
        self._spoken = spoken
        self._sink = sink
        self._changed = changed
        self._reading: _Reading | None = None

    @property
    def is_reading(self) -> bool:
        """Whether a question was asked, and nothing was told of it yet."""
        return self._reading is not None

    @property
    def lacks_sound(self) -> bool:
        """Whether a piece waits for a synthesiser: replies wait behind it."""
        pieces = self._reading.pieces if self._reading else ()
        return any(piece.sound is None for piece in pieces)

    def ask(
        self,
        question: int,
        parts: Sequence[Part],
        *,
        begin_by: float,
        after: Callable[[], bool] | None = None,
    ) -> None:
        """Begin to read, at the next end of a sentence.

        ``begin_by`` is when all other sound is silent at the latest. With ``after`` the question
        comes behind all that is queued, once that returns True.
        """
        self.drop()
        self._reading = _Reading(question, list(_pieces(parts)), begin_by, after)

    def drop(self) -> None:
        """Be silent at once, for good: no event of the question follows."""
        if reading := self._reading:
            self._reading = None
            for task in reading.tasks or ():
                task.cancel()
            self._playback.drop(reading.tags)
            for tag in reading.tags:
                self._spoken.ended(tag)
            self._changed.set()

    def lose(self, error: VoicehermesError) -> None:
        """Give up what is being read, if anything is."""
        if reading := self._reading:
            self.drop()
            self._sink(QuestionUnheard(reading.question, error))

    def start(self, tasks: asyncio.TaskGroup) -> None:
        """Let the sound of a new question be found, piece by piece."""
        reading = self._reading
        if reading is None or reading.tasks is not None:
            return
        name = f"sound of question {reading.question}"
        reading.tasks = {
            tasks.create_task(self._find_sound(reading, piece), name=name)
            for piece in reading.pieces
        }

    def play(self, now: float) -> float | None:
        """Play what is next of it; the time at which to try again, None: when something changed."""
        reading = self._reading
        if reading is None:
            return None
        if not reading.pieces:
            self.lose(VoiceError("There is nothing in the question to read aloud."))
            return None
        search_at = reading.begin_by - _SEARCH_SECONDS
        if reading.after and not reading.tags and now < search_at and not reading.after():
            return search_at
        for piece in reading.pieces[len(reading.tags) :]:
            if piece.sound is None:
                break
            is_last = piece is reading.pieces[-1]
            sound = with_pause(piece.sound, 0.0 if is_last else SENTENCE_PAUSE_SECONDS)
            if not reading.tags:  # a cue that announces it is heard first
                sound = after_silence(sound, self._playback.overlaid_seconds)
            tag = next(self._tags)
            reading.tags.append(tag)
            self._playback.interject_question(tag, sound)
            if len(reading.tags) == 1:
                self._make_room(reading, reading.begin_by - now)
        return None

    def clip_began(self, tag: int) -> None:
        """Take in that a clip, of the question perhaps, begins to be heard."""
        reading = self._reading
        if reading and tag in reading.tags:
            self._spoken.began(tag, reading.pieces[reading.tags.index(tag)].text)

    def clip_ended(self, tag: int) -> None:
        """Take in that a clip of the question was heard."""
        reading = self._reading
        if reading and tag in reading.tags:
            self._spoken.ended(tag)
            reading.heard += 1
            if reading.heard == len(reading.pieces):
                self._reading = None
                self._sink(QuestionHeard(reading.question))

    def _make_room(self, reading: _Reading, seconds: float) -> None:
        if reading.after and reading.after() and self._playback.queued_seconds <= seconds:
            self._playback.give_way_behind()
        else:
            self._playback.give_way(seconds)

    async def _find_sound(self, reading: _Reading, piece: _Piece) -> None:
        try:
            piece.sound, engine = await self._phrases.sound(
                piece.text, self._failures.teller(0), is_kept=piece.is_fixed
            )
        except VoiceError as error:
            if reading is self._reading:
                self.lose(error)
        else:
            if engine:
                self._failures.spoken_by(engine)
        self._changed.set()


def _pieces(parts: Iterable[Part]) -> Iterator[_Piece]:
    """A fixed part is spoken by itself; others are joined as far as they make one request."""
    for is_fixed, group in groupby(parts, key=lambda part: part.is_fixed):
        texts = [text for part in group if (text := part.text.strip())]
        if not is_fixed:
            texts = textwrap.wrap(" ".join(texts), _MOST_CHARACTERS, break_on_hyphens=False)
        for text in texts:
            yield _Piece(text, is_fixed)
