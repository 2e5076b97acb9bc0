"""Answers that turn a choice away. The one that is turned away is never chosen. Pure."""

from collections.abc import Sequence

from voicehermes.deciding.answer import FREE, UNCLEAR, Answer, chosen
from voicehermes.deciding.choices.mentions import Kind, Unit

_PAIR = 2
_SHORT = 8


def by_negation(units: Sequence[Unit], count: int) -> Answer | None:
    """What an answer with a "non" and a choice means; None if it has not both.

    Only where it names another choice, and how is beyond doubt, that one is meant: "non la prima,
    ma la seconda", "la seconda, non la prima". ``count`` is how many choices there are.
    """
    kinds = [unit.kind for unit in units]
    if "negator" not in kinds or "mention" not in kinds:
        return None
    if wanted := _wanted([unit for unit in units if unit.kind not in ("light", "option")]):
        return chosen(wanted)
    is_set = "unknown" in kinds and count > _PAIR
    return FREE if is_set or len(units) > _SHORT else UNCLEAR


def _wanted(units: Sequence[Unit]) -> str | None:
    """The choice that is wanted instead of another one."""
    kinds: list[Kind] = [unit.kind for unit in units if unit.kind != "carrier"]
    named = [unit.choices for unit in units if unit.kind == "mention"]
    if len(named) != _PAIR or any(len(choices) != 1 for choices in named) or named[0] == named[1]:
        return None
    if kinds == ["negator", "mention", "contrast", "mention"]:
        return next(iter(named[1]))
    if [unit.kind for unit in units][-3:] == ["mention", "negator", "mention"] and len(kinds) == 3:
        return next(iter(named[0]))
    return None
