"""The choices of a question, prepared for being compared with what was said. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from voicehermes.deciding.numbers import read
from voicehermes.deciding.tokens import Token, starts_with
from voicehermes.lexicon.choosing import ChoosingWords, Phrases
from voicehermes.lexicon.numbers import NumberWords

Tokens = tuple[Token, ...]

_LABEL = re.compile(r"^\W*?(\d{1,2}|[^\W\d_])(?:[.)\]:]+\s+|\s+[-–—]\s+)(?=.*\w)")
_HEAD = re.compile(r"\s*(?:[(\[:;,]|\s[-–—]+\s|→)")

_LOOSE = 5
"""Letters of a word from which its last vowel does not count: "nuovo" and "nuova"."""


@dataclass(frozen=True, slots=True)
class Option:
    """One choice."""

    choice: str
    """Verbatim, as it is sent."""
    tokens: Tokens
    """All of its words without a label."""
    forms: tuple[Tokens, ...]
    """How it is named: all its words but articles; then also what comes before the first comma,
    colon, dash or bracket, if anything does."""
    label: Token | None
    """The number or letter that it begins with: the 1 of "1. Staging"."""

    def has_part(self, said: Sequence[Token], words: ChoosingWords) -> bool:
        """Whether every one of these words is in it, and no "non" of it is left out."""
        is_loose = len(self.tokens) > 1
        if not all(any(same(t, own, is_loose=is_loose) for own in self.tokens) for t in said):
            return False
        return all(any(own.equals(token) for token in said) for own in self.negators(words))

    def has_any(self, said: Sequence[Token]) -> bool:
        """Whether one of these words is in it."""
        return any(same(token, own, is_loose=True) for token in said for own in self.tokens)

    def negators(self, words: ChoosingWords) -> Tokens:
        """Its words that turn the rest into the opposite."""
        return negators_in(self.tokens, words)


def options_of(
    choices: Sequence[str], numbers: NumberWords, words: ChoosingWords
) -> tuple[Option, ...]:
    """The choices in their order. One without any word has no forms."""
    return tuple(_option(choice, numbers, words) for choice in choices)


def same(one: Token, other: Token, *, is_loose: bool) -> bool:
    """Whether they are the same word; loosely, also in another gender or number."""
    if one.equals(other):
        return True
    stems = (one.text[:-1], other.text[:-1])
    is_long = len(one.text) >= _LOOSE and len(other.text) >= _LOOSE
    return is_loose and is_long and stems[0] == stems[1] and _inflects(one) and _inflects(other)


def _inflects(token: Token) -> bool:
    return token.text[-1] in "aeio" and token.number is None


def without(tokens: Sequence[Token], phrases: Phrases) -> Tokens:
    """What is left without these words; everything, when nothing would be."""
    kept = tuple(token for token in tokens if token.text not in phrases)
    return kept or tuple(tokens)


def negators_in(tokens: Sequence[Token], words: ChoosingWords) -> Tokens:
    """The words that turn others away: "non", "tranne"; of a phrase, its first word."""
    return tuple(
        token
        for place, token in enumerate(tokens)
        if any(starts_with(tokens, phrase.split(), place) for phrase in words.negators)
    )


def _option(choice: str, numbers: NumberWords, words: ChoosingWords) -> Option:
    label, content = _labelled(choice, numbers)
    tokens = read(content, numbers, is_spoken=False)
    head = read(_HEAD.split(content.strip(), maxsplit=1)[0], numbers, is_spoken=False)
    forms = [without(tokens, words.articles)] if tokens else []
    if head and len(head) < len(tokens):
        forms.append(without(head, words.articles))
    return Option(choice, tokens, tuple(forms), label)


def _labelled(choice: str, numbers: NumberWords) -> tuple[Token | None, str]:
    """The label and the rest: "2) Roma" -> 2, "Roma"; "Roma" -> None, "Roma"."""
    found = _LABEL.match(choice)
    if not found:
        return None, choice
    return read(found[1], numbers, is_spoken=False)[0], choice[found.end() :]
