"""Answers that turn a choice away. The one that is turned away is never chosen. Pure."""

from collections.abc import Sequence

from voicehermes.deciding.answer import FREE, UNCLEAR, Answer, chosen
from voicehermes.deciding.choices.mentions import Unit
from voicehermes.deciding.choices.options import Tokens
from voicehermes.lexicon.choosing import ChoosingWords

_PAIR = 2
_TELLING = 5
"""Words from which an answer tells the agent more than which choice it is not."""


def by_negation(
    said: Tokens, units: Sequence[Unit], count: int, words: ChoosingWords
) -> Answer | None:
    """What an answer with a "non" and a choice means; None if it has not both.

    Only where it names another choice, and how is beyond doubt, that one is meant: "non la prima,
    ma la seconda", "la seconda, non la prima". ``count`` is how many choices there are.
    """
    kinds = [unit.kind for unit in units]
    if "negator" not in kinds or "mention" not in kinds:
        return None
    if wanted := _wanted(said, units, words):
        return chosen(wanted)
    is_telling = count > _PAIR or len(said) >= _TELLING
    return FREE if "unknown" in kinds and is_telling else UNCLEAR


def _wanted(said: Tokens, units: Sequence[Unit], words: ChoosingWords) -> str | None:
    """The choice that is wanted instead of another one."""
    named = [unit.choices for unit in units if unit.kind == "mention"]
    if len(named) != _PAIR or any(len(choices) != 1 for choices in named) or named[0] == named[1]:
        return None
    telling = [unit for unit in units if not _is_small(said, unit, words)]
    match [_role(said, unit, words) for unit in telling]:
        case ["not", *carriers, "mention", "contrast", "mention"] if set(carriers) <= {"carrier"}:
            return next(iter(named[1]))
        case [*carriers, "mention", "not", "mention"] if set(carriers) <= {"carrier"}:
            return next(iter(named[0]))
        case _:
            return None


def _role(said: Tokens, unit: Unit, words: ChoosingWords) -> str:
    """The kind, and "not" for the one negator that only denies what follows."""
    text = " ".join(token.text for token in said[unit.begin : unit.end])
    return "not" if unit.kind == "negator" and text in words.nots else unit.kind


def _is_small(said: Tokens, unit: Unit, words: ChoosingWords) -> bool:
    is_article = said[unit.begin].text in words.articles and unit.kind == "light"
    return is_article or unit.kind == "option"
