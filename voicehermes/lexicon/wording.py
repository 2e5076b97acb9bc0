"""The words by which one hears that somebody has not finished: "e", "con", "vorrei", "ehm".

One TOML file per language, written as people write. Here accents tell words apart: "e" leaves a
sentence open, "dov'è" does not. Pure but for reading its own package's file.
"""

import re
import tomllib
import unicodedata
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources

from voicehermes.lexicon import Language

Words = tuple[str, ...]
Phrases = frozenset[Words]

MOST_WORDS = 4
"""The longest phrase."""

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class WordingWords:
    """All phrases of one language: each field is a list of that name in its file."""

    hanging: Phrases
    """Nobody ends with them: conjunctions, prepositions, articles, sounds of thinking."""
    hanging_unless_asked: Phrases
    """Nobody ends with them but a question: "vorrei", "è", as in "che ora è"."""
    interrogatives: Phrases
    """Begin a question, whether its mark was heard or not."""
    openings: Phrases
    """Begin what waits for its main clause: "se domani piove"."""


@cache
def load(language: Language) -> WordingWords:
    """The words of a language."""
    text = resources.files(__package__).joinpath(f"wording_{language}.toml").read_text("utf-8")
    table = tomllib.loads(text)
    names = (field.name for field in fields(WordingWords))
    return WordingWords(**{name: frozenset(map(words_of, table[name])) for name in names})


def words_of(text: str) -> Words:
    """The words of a text, lower case and with their accents: "Dov'È?" -> "dov", "è"."""
    return tuple(_WORD.findall(unicodedata.normalize("NFC", text).lower()))
