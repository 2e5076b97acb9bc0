"""The words around a choice: how people name one, exclude one, hesitate, or ask to hear them again.

One TOML file per language, written as people write; kept as ``folding.pieces`` cuts what was heard.
Pure but for reading its own package's file.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from voicehermes.lexicon import Language
from voicehermes.lexicon.answers import alternatives
from voicehermes.lexicon.folding import fold, pieces

Phrases = frozenset[str]
"""Folded, words joined by single spaces: "l altra"."""


@dataclass(frozen=True, slots=True)
class ChoosingWords:
    """All of one language. Each field is a list, or a table, of that name in its file."""

    articles: Phrases
    """Words that make no difference between choices: articles, most prepositions."""
    separators: Phrases
    """How the signs between words are said: "punto", "barra"."""
    prepositions: Phrases
    """Those that may stand between a verb that we do not know and a choice: "in", "su"."""
    noises: Phrases
    """What people say while they think: "ehm", "allora"."""
    courtesies: Phrases
    """What surrounds an answer and says nothing: "per favore", "allora"."""
    carriers: Phrases
    """What names a choice without being part of it: "vorrei", "metti", "mi piace"."""
    determiners: Phrases
    """Before the letter of a choice: "la B"."""
    option_words: Phrases
    """Before a number, say that it counts the choices: "opzione"."""
    alls: Phrases
    """Name a choice only if it begins so: "tutte" of "Tutte le regioni"."""
    homographs: Phrases
    """Ordinals that are something else without an article: "prima fai un backup"."""
    pronouns: Phrases
    """Numbers that mostly are none: the "one" of "the last one"."""
    middles: Phrases
    """The choice with as many before it as after it."""
    negators: Phrases
    """Turn the choice beside them away: "non", "tranne", "niente"."""
    exclusions: Phrases
    """Do so too, but are nothing special in a choice: "evita", "stop"."""
    nots: Phrases
    """Those of the negators that deny nothing but the choice behind them: "non"."""
    contrasts: Phrases
    """Between what is turned away and what is wanted: "ma"."""
    alternatives: Phrases
    """Between two choices that are both possible: "o"."""
    additions: Phrases
    """Between two choices that are both wanted: "e"."""
    hedges: Phrases
    """Not decided yet: "forse", "un attimo"."""
    waits: Phrases
    """Ask for time: "un attimo"."""
    interrogatives: Phrases
    """Begin a question."""
    delegations: Phrases
    """Leave it to the agent: "come vuoi". Free text, though they look like questions."""
    neither: Phrases
    """Want none of the choices."""
    repeats: Phrases
    """Ask to hear the choices again."""
    whole_repeats: Phrases
    """Ask for it as the whole answer: "cosa"."""
    repeat_fillers: Phrases
    """May stand beside that: "le opzioni"."""
    consenting: Phrases
    """Choices that are a yes, in any language that agents write."""
    refusing: Phrases
    """Choices that are a no."""
    letters: dict[str, str]
    """Names of letters: "bi" is "b"."""
    sounds: tuple[tuple[str, str], ...]
    """Spellings of one sound, to be replaced in this order."""


@cache
def load(language: Language) -> ChoosingWords:
    """The words of a language."""
    name = f"choosing_{language}.toml"
    table = tomllib.loads(resources.files(__package__).joinpath(name).read_text("utf-8"))
    letters, sounds = table.pop("letters"), table.pop("sounds")
    lists = {field: phrases(written) for field, written in table.items()}
    return ChoosingWords(**lists, letters=letters, sounds=tuple(map(tuple, sounds)))


def phrases(written: list[str]) -> Phrases:
    """The folded phrases, with every alternative: "(un|l')altra" is "un altra" and "l altra"."""
    return frozenset(
        " ".join(pieces(fold(text))) for line in written for text in alternatives(line)
    )
