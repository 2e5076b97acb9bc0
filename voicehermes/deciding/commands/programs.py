"""The programs that a command runs, also those that run as arguments of others.

Pure but for reading its own package's file. Errs on the side of finding too many: after ``sudo``,
``xargs`` and the like every word that is no option is taken for a program too.
"""

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import islice, pairwise

from voicehermes.deciding.commands.shell import Script, Simple, Word, parse

_DEEPEST = 4
"""Commands in strings within each other that are followed."""
_MOST = 20
"""Words after a wrapper that are taken for a program."""
_MOST_OF_ALL = 200
"""Programs of one command that are found."""
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")
_SHELL_SIGNS = re.compile(r"[\s;|&$`<>]")
_EXEC = re.compile(r"-(?:exec|execdir|ok|okdir)")
_EMPTY = Word("", "")


@dataclass(frozen=True, slots=True)
class Tables:
    """Names of programs, by what they do with their arguments (programs.toml)."""

    keywords: frozenset[str]
    no_commands: frozenset[str]
    wrappers: frozenset[str]
    outer: frozenset[str]
    elevating: frozenset[str]
    shells: frozenset[str]
    string_takers: frozenset[str]
    interpreters: frozenset[str]
    code_options: frozenset[str]
    with_subcommands: frozenset[str]
    forceful: frozenset[str]
    valued: Mapping[str, str]
    leading: Mapping[str, int]


@cache
def tables() -> Tables:
    """The names."""
    text = resources.files(__package__).joinpath("programs.toml").read_text("utf-8")
    table = tomllib.loads(text)
    sets = {name: frozenset(names) for name, names in table.items() if isinstance(names, list)}
    return Tables(valued=table["valued"], leading=table["leading"], **sets)


@dataclass(frozen=True, slots=True)
class Run:
    """A program with its arguments."""

    name: str
    """Without its folder, in lower case: "/usr/bin/RM" -> "rm"; "" if only variables are set."""
    word: Word
    """As it is written."""
    arguments: tuple[Word, ...]
    settings: tuple[Word, ...]
    """Variables set for it: "A=1"."""
    simple: Simple
    """The simple command it is part of."""
    is_main: bool
    """It is what the simple command is there for: "rm" and not "sudo" nor "x" in "sudo rm x"."""

    @property
    def line(self) -> str:
        """Name and arguments without quotes: "rm -rf /tmp/x"."""
        return " ".join((self.name, *(word.value for word in self.arguments)))


@dataclass(frozen=True, slots=True)
class Programs:
    """All programs of a command."""

    runs: tuple[Run, ...]
    is_opaque: bool
    """There is more than was followed, or a string in it is no whole command."""


def programs_of(script: Script) -> Programs:
    """The programs of a command, those in strings for a shell too.

    "sudo bash -c 'rm x'" -> sudo, bash, rm
    """
    finder = _Finder()
    finder.script(script, 0)
    return Programs(tuple(finder.runs), finder.is_opaque)


def code_of(run: Run) -> str:
    """What an interpreter is given to run: "python -c 'print(1)'" -> "print(1)"; "" if nothing."""
    known = tables()
    if basic_name(run.name) not in known.interpreters:
        return ""
    given = []
    for option, word in pairwise(run.arguments):
        if option.value.startswith("-") and option.value.lstrip("-") in known.code_options:
            given.append(word.value)
    given += [w.value for w in run.arguments if re.search(r"[\s(;]", w.value)]
    given += [run.simple.lines] if run.simple.lines else []
    given += [r.target.value for r in run.simple.redirects if r.sign.endswith("<<<")]
    return "\n".join(dict.fromkeys(given))


def basic_name(name: str) -> str:
    """Without a version: "python3.12" -> "python"."""
    return re.sub(r"(?<=[a-z])[\d.]+$", "", name)


class _Finder:
    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.is_opaque = False

    def script(self, script: Script, depth: int) -> None:
        """Find the programs of a script that stands in so many strings."""
        self.is_opaque |= script.is_broken
        if depth > _DEEPEST:
            self.is_opaque = True
            return
        for simple in script.commands:
            self._simple(simple, depth)

    def _simple(self, simple: Simple, depth: int) -> None:
        settings, words = _without_prefix(simple.words)
        if words and words[0].value in tables().no_commands and not words[0].is_quoted:
            words = ()
        runs = list(islice(_runs(simple, settings, words), _MOST + 1))
        self.is_opaque |= len(runs) > _MOST or len(self.runs) > _MOST_OF_ALL
        if len(self.runs) > _MOST_OF_ALL:
            return
        self.runs += runs[:_MOST]
        for run in runs[:1] + [run for run in runs[1:_MOST] if run.name in tables().shells]:
            for text in _strings(run):
                self.script(parse(text), depth + 1)


def _without_prefix(words: tuple[Word, ...]) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """Settings, and what is left without them and without keywords."""
    settings: list[Word] = []
    for at, word in enumerate(words):
        if _ASSIGNMENT.match(word.raw):
            settings.append(word)
        elif word.is_quoted or word.value not in tables().keywords:
            return tuple(settings), words[at:]
    return tuple(settings), ()


def _runs(simple: Simple, settings: tuple[Word, ...], words: tuple[Word, ...]) -> Iterator[Run]:
    """The program, and those that it wraps."""
    if not words:
        yield Run("", _EMPTY, (), settings, simple, is_main=True)
        return
    inner = _wrapped(words)
    is_wrapper = name_of(words[0].value) in tables().wrappers
    mains = {_main(words, inner)} if is_wrapper else {0, *inner}
    for at in [0, *inner]:
        name = name_of(words[at].value)
        yield Run(name, words[at], words[at + 1 :], settings, simple, is_main=at in mains)


def _wrapped(words: tuple[Word, ...]) -> list[int]:
    """Where programs may stand among the arguments."""
    places = range(1, len(words))
    if any(_EXEC.fullmatch(word.value) for word in words[1:]):
        return [at for at in places if _EXEC.fullmatch(words[at - 1].value)]
    if name_of(words[0].value) not in tables().wrappers:
        return []
    values = [word.value for word in words]
    return [at for at in places if values[at][:1] != "-" and not _ASSIGNMENT.match(values[at])]


def _main(words: tuple[Word, ...], inner: list[int]) -> int:
    """Which of them the command is there for: in "sudo -u bob ls" the word 3."""
    at = 0
    while (name := name_of(words[at].value)) in tables().wrappers:
        if name in tables().outer:
            break
        valued = tables().valued.get(name, "")
        behind = (inner[n] for n in range(bisect_right(inner, at), len(inner)))
        places = (at for at in behind if not _has_value(words[at - 1].value, valued))
        place = next(islice(places, tables().leading.get(name, 0), None), None)
        if place is None:
            break
        at = place
    return at


def _has_value(option: str, valued: str) -> bool:
    return len(option) == 2 and option[0] == "-" and option[1] in valued


def name_of(value: str) -> str:
    r""" "/usr/bin/RM" -> "rm", "C:\cmd.exe" -> "cmd"."""
    return re.split(r"[/\\]", value)[-1].lower().removesuffix(".exe")


def _strings(run: Run) -> Iterator[str]:
    """The strings that it runs as shell commands."""
    is_shell = run.name in tables().shells
    if run.name == "eval":
        yield " ".join(word.value for word in run.arguments)
    elif is_shell or run.name in tables().string_takers:
        yield from (word.value for word in run.arguments if _SHELL_SIGNS.search(word.value))
    if is_shell:
        yield from (
            after.value
            for option, after in pairwise(run.arguments)
            if re.fullmatch(r"-[a-z]*c", option.value) and not _SHELL_SIGNS.search(after.value)
        )
        yield run.simple.lines or ""
        yield from (r.target.value for r in run.simple.redirects if r.sign.endswith("<<<"))
