"""Whole numbers as they are spelled: "ventitré", "twenty-three", "duemilaventisei". Pure."""

from collections.abc import Sequence

from voicehermes.lexicon.numbers import NumberWords

_TEN, _HUNDRED, _THOUSAND = 10, 100, 1000

_LONGEST = 60
"""Letters of a word; a longer one is no number."""


def spelled(texts: Sequence[str], words: NumberWords) -> tuple[int, int] | None:
    """The number at the beginning of these folded words, and how many words it takes.

    "centoventi", "euro" -> 120, 1; "twenty", "three", "pm" -> 23, 2; "dieci", "trenta" -> 10, 1.
    """
    best, values = None, list[int]()
    for length, text in enumerate(texts, 1):
        if _joins(text, values, words):
            continue
        pieces = _pieces(text, words)
        values += pieces
        total = _sum(values)
        if total is None or not pieces:
            break
        best = (total, length)
    return best


def _joins(text: str, values: Sequence[int], words: NumberWords) -> bool:
    """Whether a number goes on behind this word: the "and" of "a hundred and five"."""
    return text in words.joins and bool(values) and values[-1] >= _HUNDRED


def _pieces(text: str, words: NumberWords) -> tuple[int, ...]:
    """The values that a word is made of, () if it is no number: "ventitre" -> 20, 3."""
    if text in words.values:
        return (words.values[text],)
    if len(text) > _LONGEST:
        return ()
    for piece, value in (words.values | words.elided).items():
        rest = _pieces(text[len(piece) :], words) if text.startswith(piece) else ()
        if rest and _sum((value, *rest)) is not None:
            return (value, *rest)
    return ()


def _sum(values: Sequence[int]) -> int | None:
    """The number that these values make in that order: 2, 100, 50 -> 250; 3, 20 -> None."""
    total, current = 0, 0
    for value in values:
        if value >= _THOUSAND:
            if total % (value * _THOUSAND):
                return None
            total, current = total + max(current, 1) * value, 0
        elif value == _HUNDRED:
            if current >= _TEN:
                return None
            current = max(current, 1) * value
        elif current and not _has_room(current, value):
            return None
        else:
            current += value
    return total + current


def _has_room(current: int, value: int) -> bool:
    """Whether the last digits are still free: those of 20 for a 3, of 200 for a 50."""
    if current % _HUNDRED == 0:
        return True
    return current % _TEN == 0 and current % _HUNDRED > _TEN and 0 < value < _TEN
