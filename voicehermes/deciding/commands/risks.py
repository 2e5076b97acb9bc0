"""What makes a command risky: a spoken grant of it needs a second word.

Pure but for reading its own package's file. The rules are data (risks.toml); here are those that
no pattern can say. They err on the risky side.
"""

import posixpath
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from typing import Any

from voicehermes.deciding.commands.characters import codes_in, hidden_in, lookalikes_in
from voicehermes.deciding.commands.programs import (
    Programs,
    Run,
    basic_name,
    code_of,
    programs_of,
    tables,
)
from voicehermes.deciding.commands.shell import Script, parse
from voicehermes.deciding.commands.spelling import blobs_in
from voicehermes.deciding.commands.writing import Writing, writes_outside

LONG = 1000
"""Characters beyond which nobody keeps a command in mind that is read to them."""
PARSED = 10_000
"""Characters beyond which a command is not looked into: it is risky anyway."""

_COLOUR = re.compile(r"\\(?:x1[bB]|0?33|u001[bB])\[[0-9;]*m")
_ODD_PROGRAM = re.compile(r"[*?{$`]|\[.|\\")
_ODD_OPTION = re.compile(r"-[^=]*['\"\\]")
_PLAIN_OPTION = re.compile(r"--?[A-Za-z][\w-]*")
_CUT_WORD = re.compile(r"\w(?:''|\"\")\w|[A-Za-z]\\[A-Za-z]|\w'\w{1,3}'\w|\w\"\w{1,3}\"\w")
_DOWNLOADERS = frozenset({"curl", "wget", "fetch", "aria2c", "axel", "http", "xh", "lynx"})


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of risks.toml, which says what each field is. None: it does not matter."""

    name: str
    programs: tuple[str, ...] = ("*",)
    options: tuple[str, ...] = ()
    pattern: re.Pattern[str] | None = None
    unless: re.Pattern[str] | None = None
    code: re.Pattern[str] | None = None
    settings: re.Pattern[str] | None = None
    raw: re.Pattern[str] | None = None

    def hits(self, run: Run, line: str, code: str) -> bool:
        """Whether a program, its line and the code given to it are of this kind."""
        return (
            any(fnmatchcase(run.name, glob) for glob in self.programs)
            and (not self.options or _has_option(run, self.options))
            and (self.pattern is None or bool(self.pattern.search(line)))
            and (self.unless is None or not self.unless.search(line))
            and (self.code is None or bool(self.code.search(code)))
            and (self.settings is None or any(self.settings.search(w.raw) for w in run.settings))
        )


@cache
def _table() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("risks.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def rules() -> tuple[Rule, ...]:
    """The rules."""
    patterns = ("pattern", "unless", "code", "settings", "raw")
    return tuple(
        Rule(
            name=entry["name"],
            programs=tuple(entry.get("programs", ["*"])),
            options=tuple(entry.get("options", [])),
            **{key: re.compile(entry[key]) for key in patterns if key in entry},
        )
        for entry in _table()["rule"]
    )


@cache
def _writing() -> Writing:
    table = dict(_table()["writing"])
    own = {name: frozenset(options) for name, options in table.pop("own").items()}
    return Writing(own=own, **{name: frozenset(names) for name, names in table.items()})


def risks_of(command: str, workspace: str = "") -> tuple[str, ...]:
    """The names of the rules that hit, sorted; () if the command is plainly harmless.

    "sudo rm -rf /opt/x" -> ("delete", "outside-workspace", "privilege"), "git status" -> ()
    ``workspace`` is the folder where the agent works; "" if it is not known.
    """
    found = set(_written_oddly(command))
    if len(command) > PARSED:
        return tuple(sorted(found | {"unreadable"}))
    script = parse(command)
    programs = programs_of(script)
    found |= set(_by_rules(command, programs))
    found |= set(_built_oddly(script, programs))
    if writes_outside(script, programs.runs, workspace, _writing()):
        found.add("outside-workspace")
    return tuple(sorted(found))


def _by_rules(command: str, programs: Programs) -> Iterator[str]:
    candidates = [rule for rule in rules() if rule.raw is None or rule.raw.search(command)]
    for run in programs.runs:
        line, code = run.line, code_of(run)
        yield from (rule.name for rule in candidates if rule.hits(run, line, code))


def _written_oddly(command: str) -> Iterator[str]:
    """What the characters of a command tell."""
    if hidden_in(command.replace("\n", " ")) or lookalikes_in(command):
        yield "hidden"
    if codes_in(_COLOUR.sub("", command)) or blobs_in(command):
        yield "encoded"
    if len(command) > LONG:
        yield "long"
    if not command.strip():
        yield "unreadable"


def _built_oddly(script: Script, programs: Programs) -> Iterator[str]:
    """What its structure tells."""
    if script.is_broken or programs.is_opaque:
        yield "unreadable"
    if any(simple.after == "\n" for simple in script.commands):
        yield "newlines"
    if any(_is_obfuscated(run) for run in programs.runs if run.is_main):
        yield "obfuscated"
    if any(_reads_program(run) for run in programs.runs) or _runs_download(programs):
        yield "download-run"
    if _runs_written(script, programs):
        yield "eval"


def _is_obfuscated(run: Run) -> bool:
    """Whether the program's name is made up, or quotes cut it or an option: r''m, \\rm, $x."""
    word = run.word
    if word.raw and (word.is_quoted or word.is_dynamic or _ODD_PROGRAM.search(word.value)):
        return True
    return any(
        (_ODD_OPTION.match(w.raw) and _PLAIN_OPTION.fullmatch(w.value))
        or (w.is_quoted and w.raw[0] not in "'\"" and _CUT_WORD.search(w.raw))
        for w in run.arguments
    )


def _reads_program(run: Run) -> bool:
    """Whether a shell or an interpreter runs what comes through a pipe."""
    is_fed = run.simple.after in {"|", "|&"} or any(
        "<" in redirect.sign and redirect.target.value.startswith("<(")
        for redirect in run.simple.redirects
    )
    if not is_fed:
        return False
    if run.name in tables().shells:
        return True
    arguments = [w.value for w in run.arguments]
    has_script = any(not value.startswith("-") for value in arguments)
    takes_input = "-" in arguments or "/dev/stdin" in arguments
    is_language = basic_name(run.name) in tables().interpreters - _FILTERS
    return is_language and (takes_input or not (has_script or "-m" in arguments))


_FILTERS = frozenset({"awk", "gawk", "mawk", "nawk", "sqlite3"})
"""Interpreters whose program is never what they read from a pipe."""


def _runs_download(programs: Programs) -> bool:
    """Whether something is downloaded and something local is run: "curl -o x u && sh x"."""
    names = {run.name for run in programs.runs}
    return bool(names & _DOWNLOADERS) and any(
        run.name in tables().shells or run.word.value.startswith(("./", "/tmp/"))  # noqa: S108 - a path in a command
        for run in programs.runs
        if run.is_main
    )


def _runs_written(script: Script, programs: Programs) -> bool:
    """Whether it runs a file that it has written: "echo 'rm x' > y; sh y"."""
    written = {
        posixpath.normpath(redirect.target.value)
        for simple in script.commands
        for redirect in simple.redirects
        if redirect.writes and redirect.target.value
    }
    return bool(written) and any(
        posixpath.normpath(word.value or "-") in written
        for run in programs.runs
        for word in (run.word, *(run.arguments if _runs_files(run) else ()))
    )


def _runs_files(run: Run) -> bool:
    known = tables()
    is_program = basic_name(run.name) in known.interpreters - _FILTERS
    return is_program or run.name in known.shells or run.name in {"source", "."}


def _has_option(run: Run, wanted: tuple[str, ...]) -> bool:
    """Whether one is among the options: "-rf" has "r", "--recurs" has "recursive"."""
    for word in run.arguments:
        value = word.value
        if value == "--":
            return False
        if value.startswith("--"):
            name = value[2:].partition("=")[0].lower()
            if any(len(o) > 1 and len(name) > 1 and o.startswith(name) for o in wanted):
                return True
        elif value.startswith("-") and any(
            option in value[1:] if len(option) == 1 else option == value[1:] for option in wanted
        ):
            return True
    return False
