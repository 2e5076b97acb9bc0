"""Words and numbers with all that they may be read as, and phrases among them. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number or sign, and everything that it may be read as."""

    text: str
    """As written, folded; several words where they are one number: "dieci e mezza"."""
    readings: frozenset[str]
    """What it is equal to: {"due", "2"}, {"10:30", "22:30"}, {"secondo", "2°"}. Never empty."""
    number: int | None = None
    """The whole number that it is, which may count a choice. A time is none."""
    place: int | None = None
    """The ordinal that it is: 2 for "secondo", -1 for "ultimo"."""

    def equals(self, other: "Token") -> bool:
        """Whether both can be read as the same."""
        return not self.readings.isdisjoint(other.readings)


def word(text: str) -> Token:
    """A token that is only itself."""
    return Token(text, frozenset({text}))


def all_equal(some: Sequence[Token], others: Sequence[Token]) -> bool:
    """Whether both can be read as the same, token by token."""
    return len(some) == len(others) and all(
        one.equals(other) for one, other in zip(some, others, strict=True)
    )


def longest(tokens: Sequence[Token], begin: int, phrases: Iterable[str]) -> str | None:
    """The longest of the phrases that is there: "un quarto" before "un". None if none is."""
    if begin >= len(tokens):
        return None
    for length, phrase in _beginning(frozenset(phrases)).get(tokens[begin].text, ()):
        if " ".join(token.text for token in tokens[begin : begin + length]) == phrase:
            return phrase
    return None


@cache
def _beginning(phrases: frozenset[str]) -> dict[str, list[tuple[int, str]]]:
    """The phrases and their lengths in words, by their first word, the longest first."""
    table: dict[str, list[tuple[int, str]]] = {}
    for length, phrase in sorted(((len(p.split()), p) for p in phrases), reverse=True):
        table.setdefault(phrase.partition(" ")[0], []).append((length, phrase))
    return table
