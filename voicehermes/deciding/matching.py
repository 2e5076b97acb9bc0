"""Phrases among the words that were said. Pure; knows no language.

Where two phrases begin at one word, the longer one counts: "una volta sola" before "una volta".
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from voicehermes.lexicon.answers import Phrases
from voicehermes.lexicon.folding import Phrase

_BLANK = ("",)
"""Stands where a phrase was, so that the words around it make no new one."""


def contains(said: Sequence[str], phrases: Phrases) -> bool:
    """Whether one of the phrases stands anywhere."""
    return any(_lengths(said, place, phrases) for place in range(len(said)))


def ends_in(said: Phrase, phrases: Phrases) -> bool:
    """Whether one of the phrases is the last of the words."""
    return any(said[place:] in phrases for place in range(len(said)))


def before(said: Phrase, phrases: Phrases) -> Phrase:
    """What comes before the first of the phrases; everything, if none is there."""
    for place in range(len(said)):
        if _lengths(said, place, phrases):
            return said[:place]
    return said


def without(said: Phrase, phrases: Phrases) -> Phrase:
    """The words with each phrase blanked: "non lo so", "no" without "non lo so" is "", "no"."""
    left: Phrase = ()
    place = 0
    while place < len(said):
        lengths = _lengths(said, place, phrases)
        left += _BLANK if lengths else said[place : place + 1]
        place += lengths[0] if lengths else 1
    return left


def made_of(said: Phrase, kinds: Mapping[str, Phrases]) -> tuple[str, ...] | None:
    """The kinds of phrases that the words consist of, in their order; None if a word is left over.

    "si", "una", "volta" -> "consents", "once"; "si", "domani" -> None.
    """
    behind: list[tuple[str, ...] | None] = [()]  # of the words from each place on, the last first
    for place in reversed(range(len(said))):
        steps = sorted(
            ((length, kind) for kind in kinds for length in _lengths(said, place, kinds[kind])),
            reverse=True,
        )
        rests = ((kind, behind[-length]) for length, kind in steps)
        behind.append(next(((kind, *rest) for kind, rest in rests if rest is not None), None))
    return behind[-1]


def is_only(said: Phrase, phrases: Phrases, beside: Phrases) -> bool:
    """Whether the words are made of some phrases, with nothing but others beside them."""
    kinds = made_of(said, {"beside": beside, "phrases": phrases})
    return kinds is not None and "phrases" in kinds


def _lengths(said: Sequence[str], place: int, phrases: Phrases) -> list[int]:
    """The lengths of the phrases that stand at a place, the longest first."""
    longest = min(_longest(phrases), len(said) - place)
    return [
        length for length in range(longest, 0, -1) if tuple(said[place : place + length]) in phrases
    ]


@lru_cache(256)
def _longest(phrases: Phrases) -> int:
    """Words in the longest of the phrases: of hundreds, and asked for at every place."""
    return max(map(len, phrases), default=0)
