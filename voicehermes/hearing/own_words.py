"""Whether words that were heard are only what we said ourselves. Pure.

The microphone takes our own words from the speaker where nothing cancels the echo well enough. What
comes of that is a stretch of what was said, word after word, as a recogniser hears it: with a wrong
letter here and there, perhaps cut at the ends. What people say differs from it in a whole word at
least, mostly at the beginning or the end.
"""

from collections.abc import Sequence
from functools import lru_cache

from voicehermes.lexicon.folding import tokens

LEAST_WORDS = 5
"""Fewer may be an answer in the words of the question: "sì", "la seconda", "restare a casa"."""

_MOST_COST = 0.2
"""Of the letters."""

_ALIKE = 0.55
"""Words that have so much in common may be one word, misheard or cut off."""

_LEAST_LETTERS = 3
"""Of a word that may be another one."""

_STRANGE = 2.0
"""What a word that was not spoken counts, beside one that was misheard."""

_SKIPPED = 0.5
"""What a word that was spoken and not heard counts: recognisers leave out what they do not get."""

_NUMBER_LETTERS = 1.0
"""A number is spoken as "12" and heard as "dodici", or the other way round."""

_NEVER = float("inf")


def is_own(text: str, spoken: Sequence[str]) -> bool:
    """Whether the text is a stretch of what was spoken, in one or more pieces, oldest first.

    "e nel pomerigio esce il sole" is one of "Domani piove, e nel pomeriggio esce il sole."; "e nel
    pomeriggio esce la luna?" and "no, nel pomeriggio esce il sole" are not.
    """
    said = tokens(text)
    if len(said) < LEAST_WORDS:
        return False
    ours = [word for piece in spoken for word in tokens(piece)]
    return _cost(said, ours) <= _MOST_COST * sum(map(len, said))


def _cost(said: Sequence[str], ours: Sequence[str]) -> float:
    """How much must be changed to make a stretch of ours what was said, in letters.

    The first word and the last must be ours; inf = they are not.
    """
    first, *between, last = said
    # costs[at]: of the words so far, where they end in front of that word of ours.
    costs = [_NEVER]
    for our_word in ours:
        costs.append(min(_difference(first, our_word), costs[-1] + _SKIPPED * len(our_word)))
    for word in between:
        previous, costs = costs, [_NEVER]
        for at, our_word in enumerate(ours):
            costs.append(
                min(
                    previous[at] + _replaced(word, our_word),
                    previous[at + 1] + _STRANGE * max(2, len(word)),
                    costs[at] + _SKIPPED * len(our_word),
                )
            )
    ends = (before + _difference(last, word) for before, word in zip(costs, ours, strict=False))
    return min(ends, default=_NEVER)


def _replaced(word: str, ours: str) -> float:
    """What it counts that a word stands for one of ours."""
    if word.isdigit() != ours.isdigit():
        return _NUMBER_LETTERS
    return min(_difference(word, ours), _STRANGE * max(2, len(word)))


@lru_cache(maxsize=8192)
def _difference(word: str, ours: str) -> float:
    """How much of a word is not as in ours, in letters; inf = they are different words.

    A "no" is no rest of "Milano".
    """
    if word == ours:
        return 0.0
    if len(word) < _LEAST_LETTERS:
        return _NEVER
    pairs, our_pairs = _pairs(word), _pairs(ours)
    common = len(pairs & our_pairs)
    if not common:
        return _NEVER
    is_cut = word in ours
    alike = 2 * common / (len(pairs) + len(our_pairs))
    return len(word) * (1 - alike) if alike >= _ALIKE or is_cut else _NEVER


def _pairs(word: str) -> frozenset[str]:
    return frozenset(word[at : at + 2] for at in range(len(word) - 1))
