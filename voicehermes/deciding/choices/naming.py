"""A choice by its own words: all of them, or enough that no other one has. Pure."""

from collections.abc import Sequence

from voicehermes.deciding.answer import UNCLEAR, Answer, chosen
from voicehermes.deciding.choices.mentions import Unit
from voicehermes.deciding.choices.options import Option, Tokens, bare
from voicehermes.lexicon.choosing import ChoosingWords


def verbatim(transcript: str, options: Sequence[Option]) -> str | None:
    """The choice that was said letter for letter."""
    text = transcript.strip()
    return next((o.choice for o in options if text and o.choice.strip() == text), None)


def exactly(
    written: Tokens, said: Tokens, options: Sequence[Option], words: ChoosingWords
) -> str | None:
    """The choice that the whole answer is; None if there is none, or two that sound the same.

    "alle quindici" -> "Alle 15:00"; "type script" -> "TypeScript". ``written`` is the answer as
    if it were a choice; "alle nove", which can be said of 9:00 and of 21:00, is neither.
    """
    found = _whole(written, options, words)
    found |= _whole(said, options, words) if found else set()
    return found.pop() if len(found) == 1 else None


def _whole(said: Tokens, options: Sequence[Option], words: ChoosingWords) -> set[str]:
    """The choices of which it has every word, in the strictest way that there are any."""
    small = bare(said, words)
    named = [option for option in options if option.tokens]
    for found in (
        {option.choice for option in named if _equal(said, option.tokens)},
        {option.choice for option in named if _equal(small, option.forms[0])},
        {option.choice for option in named if _joined(said) == _joined(option.tokens)},
    ):
        if found:
            return found
    return set()


def by_letter(said: Tokens, options: Sequence[Option], words: ChoosingWords) -> str | None:
    """The choice that is one letter or is labelled with it: "la bi" of "A) Roma", "B) Milano"."""
    skipped = words.option_words | words.courtesies | words.determiners
    texts = [token.text for token in said]
    letters = {texts[-1]} if len(texts) == 1 else {text for text in texts if text not in skipped}
    if len(letters) != 1:
        return None
    text = letters.pop()
    letter = words.letters.get(text, text)
    found = {option.choice for option in options if letter in _letters(option, words)}
    return found.pop() if len(letter) == len(found) == 1 else None


def part_of(
    said: Tokens, units: Sequence[Unit], options: Sequence[Option], words: ChoosingWords
) -> Answer | None:
    """The one choice that has all the words which say something; unclear if several have.

    "quella nuova" of "Usa il database nuovo", "Usa quello vecchio" -> the first.
    """
    for content in contents(said, units):
        for is_loose in (False, True):
            having = [option for option in options if option.has_part(content, is_loose=is_loose)]
            if all(token.text in words.alls for token in content):
                having = [o for o in having if o.tokens[0].equals(content[0])]
            if found := {option.choice for option in having}:
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


def _letters(option: Option, words: ChoosingWords) -> set[str]:
    """The letter that it is, as "A" or "Opzione A", and that of its label."""
    texts = [token.text for token in option.tokens if token.text not in words.option_words]
    labels = [option.label.text] if option.label else []
    return {text for text in (*texts[: len(texts) == 1], *labels) if text.isalpha()}
