"""What a command writes to, and whether that is outside of where the agent works.

Pure. Follows no symbolic links, and takes whatever is only known at run time for outside.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from voicehermes.deciding.commands.programs import Run
from voicehermes.deciding.commands.shell import Script

_HARMLESS = re.compile(r"/dev/(?:null|stdout|stderr|tty|fd/\d+)")
_SCRATCH = "/tmp"  # noqa: S108 - a path in a command, not one of ours
_HERE = re.compile(r"\$(?:PWD\b|\{PWD\}|\(pwd\))/?")
_UNKNOWN = re.compile(r"[$`]|^~|^[A-Za-z]:[\\/]|[{,]\s*(?:[/~]|\.\.)")


@dataclass(frozen=True, slots=True)
class Writing:
    """Which arguments of which programs are written to ([writing] of risks.toml)."""

    all: frozenset[str]
    """All of them."""
    last: frozenset[str]
    """The last; "git clone" is a program with its first argument."""
    in_place: frozenset[str]
    """All, if one of ``in_place_options`` is there."""
    in_place_options: frozenset[str]
    options: frozenset[str]
    """Of any program: what follows these options."""
    own: Mapping[str, frozenset[str]]
    """The same by program."""


def writes_outside(script: Script, runs: Iterable[Run], workspace: str, writing: Writing) -> bool:
    """Whether anything outside the workspace and /tmp may be written to.

    "cp a /etc/b" -> True, "cp a b" -> False, "cd .. && cp a b" -> True.
    Without a workspace any absolute path but /tmp is outside.
    """
    runs = list(runs)
    is_elsewhere = any(_leaves(run, workspace) for run in runs)
    return any(
        is_outside(path, workspace, is_elsewhere=is_elsewhere)
        for path in _written(script, runs, writing)
    )


def is_outside(path: str, workspace: str, *, is_elsewhere: bool = False) -> bool:
    """Whether a path is, or may be, outside. ``is_elsewhere``: a relative one is then."""
    path = _HERE.sub("", path)
    if not path or _HARMLESS.fullmatch(path):
        return False
    if _UNKNOWN.search(path):
        return True
    plain = posixpath.normpath(path)
    if not plain.startswith("/"):
        return is_elsewhere or plain.startswith("..")
    roots = [_SCRATCH, *([posixpath.normpath(workspace)] if workspace else [])]
    return not any(plain.startswith(root.rstrip("/") + "/") for root in roots)


def _leaves(run: Run, workspace: str) -> bool:
    """Whether it changes to a folder outside."""
    if run.name not in {"cd", "pushd", "chdir"}:
        return False
    folders = [w.value for w in run.arguments if not w.value.startswith("-") or w.value == "-"]
    if not folders or folders[0] == "-":
        return run.name == "cd"
    inside = {workspace.rstrip("/"), _SCRATCH} - {""}
    return folders[0].rstrip("/") not in inside and is_outside(folders[0], workspace)


def _written(script: Script, runs: Iterable[Run], writing: Writing) -> Iterator[str]:
    for simple in [*script.commands, *(run.simple for run in runs)]:
        for redirect in simple.redirects:
            if redirect.writes:
                yield redirect.target.value
    for run in runs:
        yield from _arguments(run, writing)
        yield from _after_options(run, writing)


def _arguments(run: Run, writing: Writing) -> Iterator[str]:
    plain = [w.value for w in run.arguments if not w.value.startswith("-")]
    with_subcommand = f"{run.name} {plain[0]}" if plain else ""
    if run.name in writing.all or (run.name in writing.in_place and _is_in_place(run, writing)):
        yield from plain
    elif run.name in writing.last or with_subcommand in writing.last:
        yield from plain[-1:]


def _is_in_place(run: Run, writing: Writing) -> bool:
    options = [w.value for w in run.arguments if w.value.startswith("-")]
    return any(
        option.lstrip("-").partition("=")[0].partition(".")[0] in writing.in_place_options
        or re.match(r"-[a-zA-Z]*i", option)
        for option in options
    )


def _after_options(run: Run, writing: Writing) -> Iterator[str]:
    """ "-o x", "-ox", "--output x" and "--output=x" -> "x"; in a program's own also "-so x"."""
    own = writing.own.get(run.name, frozenset())
    names = writing.options | own
    letters = "".join(name[1] for name in own if len(name) == 2)
    cluster = re.compile(rf"-[a-zA-Z]*?[{letters}](.*)", re.DOTALL) if letters else None
    values = [w.value for w in run.arguments]
    for value, after in pairwise([*values, ""]):
        name, sign, glued = value.partition("=")
        if value in names:
            yield after
        elif sign and name in names:
            yield glued
        elif cluster and (match := cluster.fullmatch(value)):
            yield match[1] or after
        elif value[:2] in names and value[:2] != "--":
            yield value[2:]
