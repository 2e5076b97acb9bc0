"""How a language says numbers, ordinals, times and dates.

One TOML file per language, its words in lower case and without accents, for that is how they are
compared. Pure but for reading its own package's file.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from voicehermes.lexicon import Language


@dataclass(frozen=True, slots=True)
class NumberWords:
    """The number words of one language."""

    values: dict[str, int]
    """Words that are a number by themselves ("venti"), or part of one ("cento", "mila")."""
    elided: dict[str, int]
    """What is a number only with more behind it in the same word: the "vent" of "ventuno"."""
    joins: frozenset[str]
    """Words inside a number, after the hundreds: the "and" of "a hundred and five"."""
    ordinals: dict[str, int]
    """"seconda" is 2; counted from the end they are negative: "penultima" is -2."""
    ordinal_marks: frozenset[str]
    """What makes an ordinal of digits: the "a" of "2a"."""
    ordinal_phrases: dict[str, int]
    """Ordinals of several words: "second to last" is -2."""
    points: frozenset[str]
    """How the decimal mark is said: "virgola"."""
    decimal_mark: str
    """How it is written; dot or comma, the other one groups thousands."""
    signs: dict[str, str]
    """How a sign is said, and the sign: "per cento" is "%"."""
    at: frozenset[str]
    """Words before a time: "alle"."""
    past: frozenset[str]
    """Words between the hour and the minutes after it: "e"."""
    before: frozenset[str]
    """Words between the hour and the minutes that are missing: "meno"."""
    past_first: frozenset[str]
    """Words between minutes and the hour they come after: "past"; none in Italian."""
    before_first: frozenset[str]
    """Words between minutes and the hour they are missing to: "to"; none in Italian."""
    minutes: dict[str, int]
    """Minutes by name: "mezza" is 30, "un quarto" is 15."""
    hours: dict[str, int]
    """Hours by name: "mezzogiorno" is 12."""
    sharp: frozenset[str]
    """What may follow an hour and adds nothing: "in punto"."""
    morning: frozenset[str]
    """What says that an hour is before noon: "di mattina"."""
    afternoon: frozenset[str]
    """What says that an hour is after noon: "del pomeriggio"."""
    months: tuple[str, ...]
    """The twelve, from January."""
    day_first: bool
    """Whether 05/12 is a day in December."""


@cache
def load(language: Language) -> NumberWords:
    """The number words of a language."""
    name = f"numbers_{language}.toml"
    table = tomllib.loads(resources.files(__package__).joinpath(name).read_text("utf-8"))
    times = table["times"]
    return NumberWords(
        values=table["values"],
        elided=table["elided"],
        joins=frozenset(table["joins"]),
        ordinals=_inflected(table["ordinals"]),
        ordinal_marks=frozenset(table["ordinals"]["marks"]),
        ordinal_phrases=table["ordinals"]["phrases"],
        points=frozenset(table["points"]),
        decimal_mark=table["decimal_mark"],
        signs=table["signs"],
        at=frozenset(times["at"]),
        past=frozenset(times["past"]),
        before=frozenset(times["before"]),
        past_first=frozenset(times["past_first"]),
        before_first=frozenset(times["before_first"]),
        minutes=times["minutes"],
        hours=times["hours"],
        sharp=frozenset(times["sharp"]),
        morning=frozenset(times["morning"]),
        afternoon=frozenset(times["afternoon"]),
        months=tuple(table["dates"]["months"]),
        day_first=table["dates"]["day_first"],
    )


def _inflected(table: dict[str, dict[str, int]]) -> dict[str, int]:
    """Every form of the ordinals: "prim" with the endings "o", "a" makes "primo", "prima"."""
    return {
        stem + ending: place
        for stem, place in table["stems"].items()
        for ending in table["endings"]
    }
