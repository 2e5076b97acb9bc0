"""A choice by its own words: all of them, or enough that no other one has. Pure."""

from collections.abc import Sequence

from voicehermes.deciding.answer import UNCLEAR, Answer, chosen
from voicehermes.deciding.choices.mentions import Unit
from voicehermes.deciding.choices.options import Option, Tokens, without
from voicehermes.lexicon.choosing import ChoosingWords


def verbatim(transcript: str, options: Sequence[Option]) -> str | None:
    """The choice that was said letter for letter."""
    text = transcript.strip()
    return next((o.choice for o in options if text and o.choice.strip() == text), None)


def exactly(said: Tokens, options: Sequence[Option], words: ChoosingWords) -> str | None:
    """The choice that the whole answer is; None if there is none, or two that sound the same.

    "alle quindici" -> "Alle 15:00"; "type script" -> "TypeScript".
    """
    bare = without(said, words.articles)
    spoken = [option for option in options if option.tokens]
    for found in (
        {option.choice for option in spoken if _equal(said, option.tokens)},
        {option.choice for option in spoken if _equal(bare, option.forms[0])},
        {option.choice for option in spoken if _joined(said) == _joined(option.tokens)},
    ):
        if found:
            return found.pop() if len(found) == 1 else None
    return None


def by_letter(said: Tokens, options: Sequence[Option], words: ChoosingWords) -> str | None:
    """The choice that is one letter or is labelled with it: "la bi" of "A) Roma", "B) Milano"."""
    skipped = words.option_words | words.courtesies | words.determiners
    texts = [token.text for token in said]
    letters = {texts[-1]} if len(texts) == 1 else {text for text in texts if text not in skipped}
    if len(letters) != 1:
        return None
    text = letters.pop()
    letter = words.letters.get(text, text)
    found = {option.choice for option in options if letter in _letters(option)}
    return found.pop() if len(letter) == len(found) == 1 else None


def part_of(
    said: Tokens, units: Sequence[Unit], options: Sequence[Option], words: ChoosingWords
) -> Answer | None:
    """The one choice that has all the words which say something; unclear if several have.

    "quella nuova" of "Usa il database nuovo", "Usa quello vecchio" -> the first.
    """
    for content in contents(said, units):
        found = {option.choice for option in options if option.has_part(content, words)}
        if found:
            return chosen(found.pop()) if len(found) == 1 else UNCLEAR
    return None


def contents(said: Tokens, units: Sequence[Unit]) -> list[Tokens]:
    """What was said without the words that say nothing; then also without those that carry."""
    kept = [_of_kinds(said, units, kinds) for kinds in (("light",), ("light", "carrier", "option"))]
    return [tokens for tokens in kept if tokens]


def _of_kinds(said: Tokens, units: Sequence[Unit], dropped: tuple[str, ...]) -> Tokens:
    kept = (said[unit.begin : unit.end] for unit in units if unit.kind not in dropped)
    return tuple(token for tokens in kept for token in tokens)


def _equal(some: Tokens, others: Tokens) -> bool:
    return len(some) == len(others) and all(
        one.equals(other) for one, other in zip(some, others, strict=True)
    )


def _joined(tokens: Tokens) -> str:
    return "".join(token.text for token in tokens)


def _letters(option: Option) -> set[str]:
    """The letter that it is, and that of its label."""
    alone = option.tokens[0].text if len(option.tokens) == 1 else ""
    label = option.label.text if option.label else ""
    return {text for text in (alone, label) if len(text) == 1 and text.isalpha()}
