"""The choices of a question, prepared for being compared with what was said. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from voicehermes.deciding.numbers import read
from voicehermes.deciding.tokens import Token, longest
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
    colon, dash or bracket, if anything does; and what comes behind a yes or a no: "tieni"."""
    label: Token | None
    """The number or letter that it begins with: the 1 of "1. Staging"."""
    negators: tuple[int, ...]
    """Where its words are that turn what follows into the opposite. The "no" of "No, wait" is
    an answer, and turns nothing."""

    def has_part(self, said: Sequence[Token], *, is_loose: bool = False) -> bool:
        """Whether every one of these words is in it, and no "non" before them is left out."""
        places = [self._places(token, is_loose=is_loose) for token in said]
        if sum(1 for found in places if {*found} & {*self.negators}) > len(self.negators):
            return False  # "non non" is no "Non"
        last = max((found[0] for found in places if found), default=0)
        return all(places) and all(
            any(self.tokens[negator].equals(token) for token in said)
            for negator in self.negators
            if negator < last
        )

    def has_words(self, said: Sequence[Token]) -> bool:
        """Whether every one of these words is in it, be it behind a "non"."""
        return all(self._places(token, is_loose=False) for token in said)

    def has_any(self, said: Sequence[Token]) -> bool:
        """Whether one of these words is in it, if in another form: "annullare" in "Annulla"."""
        return any(
            token.equals(own)
            or (len(own.text) >= _LOOSE and token.text.startswith(own.text[:_LOOSE]))
            for token in said
            for own in self.tokens
        )

    def _places(self, token: Token, *, is_loose: bool) -> list[int]:
        """Where that word is."""
        return [n for n, own in enumerate(self.tokens) if same(token, own, is_loose=is_loose)]


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


def bare(tokens: Sequence[Token], small: Phrases) -> Tokens:
    """Without those small words; the last word is never one: the "a" of "Piano A"."""
    return (*(token for token in tokens[:-1] if token.text not in small), *tokens[-1:])


def negators_in(tokens: Sequence[Token], words: ChoosingWords) -> tuple[int, ...]:
    """Where the words begin that turn others away: "non", "tranne"."""
    return tuple(n for n in range(len(tokens)) if longest(tokens, n, words.negators))


def is_one_of(tokens: Sequence[Token], phrases: Phrases) -> bool:
    """Whether the words are one of the phrases."""
    return " ".join(token.text for token in tokens) in phrases


def _option(choice: str, numbers: NumberWords, words: ChoosingWords) -> Option:
    label, content = _labelled(choice, numbers)
    tokens = read(content, numbers, is_spoken=False)
    head, *tails = (
        read(part, numbers, is_spoken=False) for part in _HEAD.split(content.strip(), maxsplit=1)
    )
    forms = [bare(tokens, words.articles)] if tokens else []
    if head and len(head) < len(tokens):
        forms.append(bare(head, words.articles))
    is_answer = is_one_of(head, words.refusing)
    if is_answer or is_one_of(head, words.consenting):
        forms += [bare(tail, words.articles) for tail in tails if tail]
    negators = (n for n in negators_in(tokens, words) if not (is_answer and n < len(head)))
    return Option(choice, tokens, tuple(forms), label, tuple(negators))


def _labelled(choice: str, numbers: NumberWords) -> tuple[Token | None, str]:
    """The label and the rest: "2) Roma" -> 2, "Roma"; "Roma" -> None, "Roma"."""
    found = _LABEL.match(choice)
    if not found:
        return None, choice
    return read(found[1], numbers, is_spoken=False)[0], choice[found.end() :]
