"""Answers that turn a choice away. The one that is turned away is never chosen. Pure."""

from voicehermes.deciding.choices.answer import FREE, UNCLEAR, Answer, chosen
from voicehermes.deciding.choices.heard import Heard
from voicehermes.deciding.choices.mentions import Unit

_PAIR = 2
_TELLING = 5
"""Words from which an answer tells the agent more than which choice it is not."""


def by_negation(heard: Heard) -> Answer | None:
    """What an answer with a "non" and a choice means; None if it has not both.

    Only where it names another choice, and how is beyond doubt, that one is meant: "non la prima,
    ma la seconda", "la seconda, non la prima".
    """
    if not (heard.has("negator") and heard.has("mention")):
        return None
    if wanted := _wanted(heard):
        return chosen(wanted)
    is_telling = len(heard.options) > _PAIR or len(heard.said) >= _TELLING
    return FREE if heard.has("unknown") and is_telling else UNCLEAR


def _wanted(heard: Heard) -> str | None:
    """The choice that is wanted instead of another one."""
    named = [unit.choices for unit in heard.units if unit.kind == "mention"]
    if len(named) != _PAIR or any(len(choices) != 1 for choices in named) or named[0] == named[1]:
        return None
    match [_role(unit, heard) for unit in heard.units if not _is_small(unit, heard)]:
        case ["not", *carriers, "mention", "contrast", "mention"] if set(carriers) <= {"carrier"}:
            return next(iter(named[1]))
        case [*carriers, "mention", "not", "mention"] if set(carriers) <= {"carrier"}:
            return next(iter(named[0]))
        case _:
            return None


def _role(unit: Unit, heard: Heard) -> str:
    """The kind, and "not" for the one negator that only denies what follows."""
    text = " ".join(token.text for token in heard.said[unit.begin : unit.end])
    return "not" if unit.kind == "negator" and text in heard.words.nots else unit.kind


def _is_small(unit: Unit, heard: Heard) -> bool:
    is_article = heard.said[unit.begin].text in heard.words.articles
    return unit.kind == "option" or (unit.kind == "light" and is_article)
