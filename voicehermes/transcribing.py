"""From what was said to its words, as a whole or in parts while it is said.

Knows neither the dialogue nor the disk: it is asked, and may be told to forget.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from voicehermes.audio import Utterance
from voicehermes.deciding.silence import is_nothing_said
from voicehermes.errors import VoicehermesError
from voicehermes.hearing.wording import joined
from voicehermes.lexicon import Language, answers, wording
from voicehermes.ports import Recognizer
from voicehermes.timeline import Timeline

log = logging.getLogger(__name__)

_TOO_SLOW = 2.0
"""A request that takes so many times as long as its sound costs much in itself, however short it
is: every part would cost that again, and delay the end by more than it saves. (A server that is
slow in proportion to the sound is not left: its work is the same, and begins earlier.)"""

_QUICK_SECONDS = 5.0
"""A request answered in this time shows that the server is not, or no more, that slow. The first
one of a server that has yet to load its model may take 7 s (measured)."""


@dataclass(slots=True)
class _Heard:
    """What is known of a turn that is still being said."""

    texts: list[str] = field(default_factory=list)
    is_broken: bool = False
    """Whether a part was not asked for, or failed: the whole is needed."""
    lane: asyncio.Lock = field(default_factory=asyncio.Lock)


class Transcriber:
    """Has utterances transcribed. Parts of a turn are asked for in their order, one at a time."""

    def __init__(
        self,
        recognizer: Recognizer,
        timeline: Timeline,
        language: Language,
        note_words: Callable[[int, str], None],
    ) -> None:
        """``note_words`` gets a recording and all its words so far: its next part may follow."""
        self._recognizer = recognizer
        self._timeline = timeline
        self._inventions = answers.load(language)
        self._wording = wording.load(language)
        self._note_words = note_words
        self._turns: dict[int, _Heard] = {}
        self._is_quick = True
        """Whether parts are worth while. It is learnt anew with every request: a server that loads
        its model, or was busy for a moment, must not end it for good."""

    async def take_part(self, turn: int, recording: int, part: Utterance) -> None:
        """Have the next part of that turn transcribed, unless the server is too slow for parts."""
        heard = self._turns.setdefault(turn, _Heard())
        async with heard.lane:
            if heard.is_broken or not self._is_quick:
                heard.is_broken = True
                return
            try:
                heard.texts.append(await self._ask(part))
            except VoicehermesError as error:
                log.info("a part of turn %d could not be transcribed: %s", turn, error)
                heard.is_broken = True
                return
        text = joined(heard.texts, self._wording)
        self._timeline.note("part", turn, seconds=round(part.seconds, 3), characters=len(text))
        if self._is_quick:
            self._note_words(recording, text)

    async def transcribe(
        self, turn: int, utterance: Utterance, rest: Utterance | None, *, is_answer: bool
    ) -> str:
        """The words of a turn, "" if there are none; ``rest`` is what no part of it has.

        The answer to a decision is the whole of it: where a part gave no words it is asked for
        again, since those of the others alone may be a yes that was not meant. Raises ServerError.
        """
        if heard := self._turns.get(turn):
            async with heard.lane:  # the last part may still be out
                self.forget(turn)
            if not heard.is_broken:
                text = await self._ask_rest(turn, heard.texts, rest, is_answer=is_answer)
                if text is not None:
                    return text
        return await self._ask(utterance)

    def forget(self, turn: int) -> None:
        """Nothing of that turn is wanted any more."""
        self._turns.pop(turn, None)

    async def _ask_rest(
        self, turn: int, texts: list[str], rest: Utterance | None, *, is_answer: bool
    ) -> str | None:
        """All words of the parts and the rest; None = the whole is needed."""
        if rest is not None:
            try:
                texts = [*texts, await self._ask(rest)]
            except VoicehermesError as error:
                if error.retryable:  # nothing of the server's own: the whole would fare no better
                    raise
                log.info("the rest of turn %d could not be transcribed: %s", turn, error)
                return None
        words = ["" if self._is_nothing(text) else text for text in texts]
        if is_answer and not all(words):
            return None
        return joined(words if any(words) else texts, self._wording)

    def _is_nothing(self, text: str) -> bool:
        return is_nothing_said(text, self._inventions, is_certain=True)

    async def _ask(self, utterance: Utterance) -> str:
        loop = asyncio.get_running_loop()
        asked_at = loop.time()
        text = await self._recognizer.transcribe(utterance)
        took = loop.time() - asked_at
        if took <= _QUICK_SECONDS:
            self._is_quick = True
        elif took > _TOO_SLOW * utterance.seconds > 0:
            self._is_quick = False
        return text
