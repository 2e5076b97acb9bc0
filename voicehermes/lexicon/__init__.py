"""The words of a language: what we say, what we show, how text is read aloud.

One TOML file per language. Pure but for reading its own package's file.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

Language = Literal["it", "en"]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All words of one language."""

    language: Language
    phrases: dict[str, str]
    """Sentences of ours by name; ``{name}`` fields are filled in by ``say``."""
    reading: dict[str, str]
    """Words used when Markdown is read aloud, by name."""
    abbreviations: frozenset[str]
    """Lower case, with their final dot: those that never end a sentence."""
    soft_abbreviations: frozenset[str]
    """Lower case, with their dot: those that end a sentence if a capital follows ("ecc.")."""
    ambiguous_abbreviations: frozenset[str]
    """Lower case, with their dot: those that end one if a word of ``starters`` follows ("a.C.")."""
    starters: frozenset[str]
    """Lower case: words that begin sentences, elided ones with their apostrophe ("l'")."""
    name_particles: frozenset[str]
    """Lower case: words that begin a surname after an initial ("G. La Malfa")."""
    whole_word: str
    """A regular expression: a word of that form is no abbreviation, known or not."""

    def say(self, phrase: str, **fields: object) -> str:
        """The sentence of that name with its fields filled in. KeyError if there is none."""
        return self.phrases[phrase].format(**fields)


@cache
def load(language: Language) -> Lexicon:
    """The lexicon of a language."""
    text = resources.files(__package__).joinpath(f"{language}.toml").read_text("utf-8")
    table = tomllib.loads(text)
    sentences = table["sentences"]
    return Lexicon(
        language=language,
        phrases=dict(table["phrases"]),
        reading=dict(table["reading"]),
        abbreviations=frozenset(sentences["abbreviations"]),
        soft_abbreviations=frozenset(sentences["soft_abbreviations"]),
        ambiguous_abbreviations=frozenset(sentences["ambiguous_abbreviations"]),
        starters=frozenset(sentences["starters"]),
        name_particles=frozenset(sentences["name_particles"]),
        whole_word=sentences["whole_word"],
    )
