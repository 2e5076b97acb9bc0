"""The words by which the assistant itself is asked for something, and those that ask for nothing.

One TOML file per language. Its words are written as people write them and kept folded, as
``folding.tokens`` gives what was heard. Pure but for reading its own package's file.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from voicehermes.events import LOCAL_COMMANDS, LocalCommand
from voicehermes.lexicon import Language
from voicehermes.lexicon.answers import Phrases, phrases


@dataclass(frozen=True, slots=True)
class RequestWords:
    """All phrases of one language."""

    language: Language
    commands: Mapping[LocalCommand, Phrases]
    """Ask for it as a whole utterance: "più piano"."""
    wrappings: Phrases
    """May stand around a command and change nothing: "per favore", "hermes"."""
    backchannels: Phrases
    """Show that somebody listens, and want nothing: "sì", "capito"."""


@cache
def load(language: Language) -> RequestWords:
    """The words of a language."""
    text = resources.files(__package__).joinpath(f"requests_{language}.toml").read_text("utf-8")
    table = tomllib.loads(text)
    return RequestWords(
        language=language,
        commands={name: phrases(table["commands"][name]) for name in LOCAL_COMMANDS},
        wrappings=phrases(table["wrappings"]),
        backchannels=phrases(table["backchannels"]),
    )
