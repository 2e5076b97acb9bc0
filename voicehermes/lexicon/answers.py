"""The words that a spoken answer to a decision is understood by, per language.

One TOML file per language. Its words are written as people write them and kept folded, as
``folding.tokens`` gives what was heard. Pure but for reading its own package's file.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources

from voicehermes.lexicon import Language
from voicehermes.lexicon.folding import Phrase, tokens

Phrases = frozenset[Phrase]

_ALTERNATIVES = re.compile(r"\(([^()]*)\)")


@dataclass(frozen=True, slots=True)
class AnswerWords:
    """All phrases of one language: each field is a list of that name in its file."""

    language: Language
    refusals: Phrases
    """Refuse wherever they stand: "no", "lascia perdere"."""
    negatives: Phrases
    """Refuse too, but not in a condition or a question: "non", "niente"."""
    stops: Phrases
    """Refuse too, but not where the command is asked about: "ferma", as in "che cosa ferma"."""
    whole_refusals: Phrases
    """Refuse if nothing but fillers stands with them: "niente da fare", "cancella"."""
    idioms: Phrases
    """Have a negative and refuse nothing: "perché no", "non lo so". They allow nothing either."""
    conditions: Phrases
    """Begin what is not said of now: "se", "purché"."""
    interrogatives: Phrases
    """Ask about the command at the beginning of a sentence: "che cosa", "perché"."""
    waits: Phrases
    """Ask for time, wherever they stand."""
    whole_waits: Phrases
    """Ask for it as a whole sentence: "dopo"."""
    repeats: Phrases
    """Ask to hear the question again, wherever they stand."""
    whole_repeats: Phrases
    """Ask for it as a whole sentence: "cosa", "come"."""
    details: Phrases
    """Ask to hear more about the command, wherever they stand."""
    consents: Phrases
    """Allow it once."""
    followers: Phrases
    """Add to a consent before them; alone they may be what is left of "non lo faccia"."""
    once: Phrases
    """Allow it once, as the prompt says it."""
    limits: Phrases
    """Allow it once, beside a consent; alone they may be what is left of "per ora no"."""
    session: Phrases
    """Allow it for the session."""
    always: Phrases
    """Allow it for ever."""
    echoes: Phrases
    """What may be left of our own prompt; allows nothing."""
    fillers: Phrases
    """May stand beside a consent and change nothing: "pure", "per favore"."""
    hanging: Phrases
    """Leave open what they end: "sì, allora", "okay, so". Such an answer allows nothing."""
    acknowledgments: Phrases
    """With nods alone they take note and allow nothing: "ah, ok", "ok, ricevuto"."""
    nods: Phrases
    """Agree with whatever was said: "sì", "ok", "grazie"."""
    confirmation: Phrases
    """The word of the second question, and nothing else."""
    more: Phrases
    """Ask for the next group of choices."""
    cancels: Phrases
    """Decline to answer a clarification, as a whole answer."""
    inventions: Phrases
    """Whole sentences that recognisers make of silence."""
    credits: Phrases
    """The single words that credits of subtitles are made of."""
    credit_marks: Phrases
    """Those of them that make it a credit."""


@cache
def load(language: Language) -> AnswerWords:
    """The words of a language."""
    text = resources.files(__package__).joinpath(f"answers_{language}.toml").read_text("utf-8")
    table = tomllib.loads(text)
    lists = (field.name for field in fields(AnswerWords) if field.name != "language")
    return AnswerWords(language=language, **{name: phrases(table[name]) for name in lists})


def phrases(written: list[str]) -> Phrases:
    """The folded phrases, with every alternative: "per (la|questa) chat" stands for two.

    An empty alternative leaves it out: "(solo|) questa volta".
    """
    return frozenset(tokens(text) for line in written for text in alternatives(line))


def alternatives(line: str) -> Iterator[str]:
    """The lines that a line with "(a|b|)" stands for."""
    group = _ALTERNATIVES.search(line)
    if group is None:
        yield line
        return
    for choice in group[1].split("|"):
        yield from alternatives(line[: group.start()] + choice + line[group.end() :])
