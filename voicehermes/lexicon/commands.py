"""The words with which a shell command is read aloud. Pure but for reading its own file."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from voicehermes.lexicon import Language


@dataclass(frozen=True, slots=True)
class CommandWords:
    """What signs, operators and hidden characters of a command are called in a language."""

    symbols: dict[str, str]
    """Visible characters that are neither letters nor digits."""
    hidden: dict[str, str]
    """Characters that are not seen."""
    operators: dict[str, str]
    """What stands between commands."""
    redirects: dict[str, str]
    """Where a command reads from and writes to: "2>" …"""
    opens: dict[str, str]
    """What begins a quotation, a substitution or a group."""
    closes: dict[str, str]
    """Its end, by what it began with."""
    scripts: dict[str, str]
    """Alphabets by the first word of Unicode's names, and "other"."""
    words: dict[str, str]
    """Everything else, with ``{name}`` fields."""
    numbers: tuple[str, ...]
    """How few things are counted: "zero", "un", "due" …"""
    warnings: dict[str, tuple[str, str]]
    """What is said before a command of characters in it: of one, of several."""
    summary: dict[str, str]
    """The parts of a summary, with ``{name}`` fields."""
    descriptions: dict[str, str]
    """What hermes-agent says of a command, in English and lower case, and how it is said here."""
    describing: dict[str, str]
    """Words between descriptions."""
    reserved: frozenset[str]
    """Lower case: words of names. In a command they are told from the names they occur in."""
    ambiguous: frozenset[tuple[str, str]]
    """A name, and a short word that after it would be heard as another: ("punto", "e")."""

    def count(self, number: int) -> str:
        """A small number as a word: 3 -> "tre", 40 -> "40"."""
        return self.numbers[number] if number < len(self.numbers) else str(number)

    def listed(self, items: Sequence[str]) -> str:
        """ "a", "b", "c" -> "a, b e c"."""
        if len(items) < 2:
            return "".join(items)
        return f"{', '.join(items[:-1])} {self.summary['and']} {items[-1]}"

    def plural(self, forms: tuple[str, str], number: int, **fields: object) -> str:
        """The form for one, or for several with their number."""
        return forms[number > 1].format(count=self.count(number), **fields)


@cache
def load(language: Language) -> CommandWords:
    """The words of a language."""
    text = resources.files(__package__).joinpath(f"commands_{language}.toml").read_text("utf-8")
    table = tomllib.loads(text)
    common = frozenset(table["reading"]["common"])
    names = _names(table)
    return CommandWords(
        symbols=table["symbols"],
        hidden=table["hidden"],
        operators=table["operators"],
        redirects=table["redirects"],
        opens=table["opens"],
        closes=table["closes"],
        scripts=table["scripts"],
        words=table["words"],
        numbers=tuple(table["reading"]["numbers"]),
        warnings={name: (one, many) for name, (one, many) in table["warnings"].items()},
        summary=table["summary"],
        descriptions=table["descriptions"],
        describing=table["describing"],
        reserved=frozenset(word for name in names for word in name.split()) - common,
        ambiguous=_ambiguous(set(table["symbols"].values()))
        | _ambiguous({table["words"]["hidden"].format(name=n) for n in table["hidden"].values()}),
    )


def _names(table: dict[str, dict[str, str]]) -> list[str]:
    """The words of what is said of a command's characters, in lower case, without fields.

    What a hidden character or an alphabet is called stands only after words that tell of it.
    """
    sections = ("symbols", "operators", "redirects", "opens", "closes")
    names = [name for section in (*sections, "words") for name in table[section].values()]
    words = (word for name in names for word in name.lower().split() if "{" not in word)
    return [word for word in words if word.isalpha()]


def _ambiguous(names: set[str]) -> frozenset[tuple[str, str]]:
    pairs = set()
    for name in names:
        words = name.split()
        for at in range(1, len(words)):
            if (start := " ".join(words[:at])) in names:
                pairs.add((start, words[at].lower()))
    return frozenset(pairs)
