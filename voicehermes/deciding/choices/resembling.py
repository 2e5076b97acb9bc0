"""Words that sound alike: a recogniser writes "paiton" for a name that it does not know. Pure."""

import re
from collections.abc import Sequence

from voicehermes.deciding.choices.answer import UNCLEAR, Answer, chosen
from voicehermes.deciding.choices.heard import Heard
from voicehermes.deciding.choices.options import Option, Tokens, negators_in
from voicehermes.deciding.tokens import all_equal
from voicehermes.lexicon.choosing import ChoosingWords

_ALIKE = 0.8
"""More than this is taken for the choice: "produzione" for "production" is 0.85."""

_DOUBTFUL = 0.7
"""More than this is asked again rather than taken for something else."""

_MARGIN = 0.15
"""How much less the next best choice must resemble."""

_SHORTEST = 4
"""Sounds; shorter ones resemble too much by chance."""

_VOWELS = frozenset("aeiou")
_PAIRS = {"b": "p", "d": "t", "g": "k", "v": "f"}


def by_sound(heard: Heard) -> Answer | None:
    """The one choice that sounds as what was said, unclear in doubt; None if nothing does.

    "paiton" of Python, Rust, Go -> "Python"; "settimanale" of "Ogni settimana", "Mai" -> None.
    """
    answers = (_alike(said, heard.options, heard.words) for said in heard.contents())
    return next((answer for answer in answers if answer), None)


def _alike(said: Tokens, options: Sequence[Option], words: ChoosingWords) -> Answer | None:
    scores: dict[str, float] = {}
    for option in options:
        score = max((_likeness(said, form, words) for form in option.forms), default=0.0)
        scores[option.choice] = max(score, scores.get(option.choice, 0.0))
    best = max(scores, key=lambda choice: scores[choice], default=None)
    if best is None or scores[best] <= _DOUBTFUL:
        return None
    next_best = max((score for choice, score in scores.items() if choice != best), default=0.0)
    is_sure = scores[best] > _ALIKE and scores[best] - next_best >= _MARGIN
    return chosen(best) if is_sure else UNCLEAR


def _likeness(said: Tokens, form: Tokens, words: ChoosingWords) -> float:
    """From 0, nothing alike, to 1, the same sound. Numbers and "non" are never just alike."""
    if not all_equal(_exact(said, words), _exact(form, words)):
        return 0.0
    one, other = (_sound(tokens, words) for tokens in _differing(said, form))
    if min(len(one), len(other)) < _SHORTEST or not _begin_alike(one, other):
        return 0.0
    return 1 - _distance(one, other) / max(len(one), len(other))


def _exact(tokens: Tokens, words: ChoosingWords) -> Tokens:
    numbers = (
        t for t in tokens if t.number is not None or t.place is not None or len(t.readings) > 1
    )
    signs = (t for t in tokens if not t.text[0].isalpha())
    return (*numbers, *signs, *(tokens[place] for place in negators_in(tokens, words)))


def _differing(said: Tokens, form: Tokens) -> tuple[Tokens, Tokens]:
    """What one has and the other has not: of "docker compos" and "Docker Compose" the last."""
    return (
        tuple(token for token in said if not any(token.equals(other) for other in form)),
        tuple(token for token in form if not any(token.equals(other) for other in said)),
    )


def _sound(tokens: Tokens, words: ChoosingWords) -> str:
    """All words as one, spelled by their sound: "type script" -> "tipeskript"."""
    sound = "".join(token.text for token in tokens)
    for spelling, plain in words.sounds:
        sound = sound.replace(spelling, plain)
    return re.sub(r"(.)\1+", r"\1", sound)


def _begin_alike(one: str, other: str) -> bool:
    """The first sound is heard best: "Dario" is not Mario, but "baiton" may be Python."""
    first = [_PAIRS.get(sound[0], sound[0]) for sound in (one, other)]
    return first[0] == first[1] or _VOWELS.issuperset(first)


def _distance(one: str, other: str) -> float:
    """Edit distance in which vowels, which recognisers mistake most, cost half."""
    row = [0.0]
    for letter in other:
        row.append(row[-1] + _cost(letter))
    for letter in one:
        above, row = row, [row[0] + _cost(letter)]
        for place, letter_of_other in enumerate(other):
            changed = above[place] + _change(letter, letter_of_other)
            dropped, added = above[place + 1] + _cost(letter), row[place] + _cost(letter_of_other)
            row.append(min(changed, dropped, added))
    return row[-1]


def _cost(letter: str) -> float:
    return 0.5 if letter in _VOWELS else 1.0


def _change(one: str, other: str) -> float:
    """A vowel never becomes a consonant more cheaply than by leaving out and putting in."""
    if one == other:
        return 0.0
    return 2.0 if (one in _VOWELS) != (other in _VOWELS) else _cost(one)
