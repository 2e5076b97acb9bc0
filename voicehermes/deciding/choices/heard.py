"""An answer, prepared for being understood: its words beside the choices that there are. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from voicehermes.deciding.choices.mentions import Kind, Unit, mentions
from voicehermes.deciding.choices.options import Option, Tokens, options_of
from voicehermes.deciding.numbers import read
from voicehermes.deciding.transcripts import is_question
from voicehermes.lexicon import Language, choosing, numbers
from voicehermes.lexicon.choosing import ChoosingWords

_CARRYING: tuple[Kind, ...] = ("light", "carrier", "option")


@dataclass(frozen=True, slots=True)
class Heard:
    """One answer to one question."""

    transcript: str
    said: Tokens
    """Its words, with all that a speaker may mean by them."""
    written: Tokens
    """Its words as if they were those of a choice: "tre" is no time."""
    options: tuple[Option, ...]
    units: tuple[Unit, ...]
    """What each of the words of ``said`` does."""
    words: ChoosingWords
    asks: bool
    """Whether it has a question mark."""

    def has(self, kind: Kind) -> bool:
        """Whether there is a unit of that kind."""
        return any(unit.kind == kind for unit in self.units)

    def unknown(self) -> Tokens:
        """The words that are none of those that we know, and no choice."""
        return tuple(self.said[unit.begin] for unit in self.units if unit.kind == "unknown")

    def contents(self) -> list[Tokens]:
        """What is left without the words that say nothing, but for those that a choice has; then
        without any of them.

        "per favore usa quello nuovo" of "Usa il nuovo" -> "usa nuovo"; "nuovo".
        """
        offered = [token for option in self.options for token in option.tokens]
        told = [(unit, self.said[unit.begin : unit.end]) for unit in self.units]
        telling = [tokens for unit, tokens in told if unit.kind not in _CARRYING]
        carrying = [
            tokens
            for unit, tokens in told
            if unit.kind not in _CARRYING
            or (unit.kind != "light" and any(tokens[0].equals(own) for own in offered))
        ]
        kept = (tuple(token for tokens in some for token in tokens) for some in (carrying, telling))
        return [tokens for tokens in kept if tokens]


def hear(transcript: str, choices: Sequence[str], language: Language) -> Heard:
    """The answer beside the choices."""
    words, counting = choosing.load(language), numbers.load(language)
    said = read(transcript, counting, is_spoken=True)
    options = options_of(choices, counting, words)
    return Heard(
        transcript=transcript,
        said=said,
        written=read(transcript, counting, is_spoken=False),
        options=options,
        units=mentions(said, options, words),
        words=words,
        asks=is_question(transcript),
    )
