"""A long command told in short: how long, with which rights, which programs, and on what.

Pure. What a summary leaves out is counted; a warning is never left out (``reading`` adds them).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from voicehermes.deciding.commands.aloud import aloud
from voicehermes.deciding.commands.programs import Run, code_of, name_of, programs_of, tables
from voicehermes.deciding.commands.shell import Script
from voicehermes.deciding.commands.shell_tokens import cut
from voicehermes.lexicon.commands import CommandWords

_SIZE = 110
"""Characters of a summary up to which details are added."""
_LONG = 64
"""Characters of a reading beyond which only a path's ends are read."""
_FEW = 3
"""Characters at each end of what is nothing but signs and letters with long names."""
_URL = re.compile(r"(?<![\w+.-])[a-zA-Z][\w+.-]*://([^/\s'\"?#<>|;&)]+)")
_REMOTE = re.compile(r"(?:[\w.-]+@)?[\w-]+(?:\.[\w-]+)+:(?!//).*|[\w.-]+@[\w.-]+(?::.*)?")
_PATHLIKE = re.compile(r"[~/*]|^\.|\.\w{1,5}$|^[$`]")
_NO_PATH = re.compile(r"://|[(;|\n]|^\w+\s")
_IN_CODE = re.compile(r"""['"]([/~][^'"\n]*)['"]""")
_RESULT = re.compile(r"\$\(|`|[<>]\(")
_TELLING = re.compile(
    r"-[a-zA-Z]*[rRfD][a-zA-Z]*|--(?:force.*|recursive|hard|delete|no-preserve-root|mirror|purge)"
)


def command_count(script: Script) -> int:
    """How many commands follow each other; a pipeline is one: "a | b && c" -> 2."""
    ends = tables().no_commands - {"[["}
    depth = min((simple.depth for simple in script.commands), default=0)
    return sum(
        simple.depth == depth
        and simple.after not in {"|", "|&"}
        and not (simple.words and simple.words[0].raw in ends)
        for simple in script.commands
    )


@dataclass(frozen=True, slots=True)
class _Item:
    """One thing that is told."""

    parts: tuple[str, ...]
    """Words of the command."""
    form: str = ""
    """A name in ``words.summary`` that they are told with; "" for none."""
    is_whole: bool = False
    """It is never shortened."""

    def said(self, words: CommandWords) -> str:
        names = " ".join(_spoken(part, words, is_whole=self.is_whole) for part in self.parts)
        return words.summary[self.form].format(names=names) if self.form else names


def summary(command: str, script: Script, words: CommandWords) -> str:
    """The command in short.

    "un comando di 340 caratteri: python, con un programma incorporato di 12 righe"
    """
    runs = sorted(programs_of(script).runs, key=lambda run: run.simple.depth)
    told = ""
    for name, items, most in (
        ("elevated", [_Item((run.name,)) for run in runs if run.name in tables().elevating], 2),
        ("programs", [_program(run) for run in runs if run.is_main and run.name], 4),
        ("code", _code(runs), 1),
        ("hosts", _hosts(command, runs), 2),
        ("writes", _written(script), 2),
        ("targets", _targets(runs), 2),
        ("text", _text(runs), 1),
    ):
        different = list(dict.fromkeys(items))
        said = [item.said(words) for item in different[:most]]
        told = _with(told, name, said, len(different), words)
    count = command_count(script)
    template = words.summary["long-count" if count > 1 else "long"]
    return template.format(count=words.count(count), length=len(command), rest=told)


def _with(told: str, name: str, said: list[str], number: int, words: CommandWords) -> str:
    """What was told and one thing more, with as many of its items as there is room for."""
    longer = told
    for most in range(len(said), 0, -1):
        detail = words.summary[name].format(names=_listed(said[:most], number - most, words))
        longer = f"{told}, {detail}" if told else detail
        if len(longer) <= _SIZE:
            break
    return longer


def _program(run: Run) -> _Item:
    """The program, what it is told to do, and options that tell of force: "rm", "-rf"."""
    name = re.sub(r"[^\w./-].*", "", run.name, flags=re.DOTALL)[:30] or run.name[:30]
    told = [name]
    plain = [w.value for w in run.arguments if not w.value.startswith("-")]
    if run.name in tables().with_subcommands and plain and re.fullmatch(r"[\w-]{1,20}", plain[0]):
        told.append(plain[0])
    values = [w.value for w in run.arguments if run.name in tables().forceful]
    telling = [value for value in values if len(value) < 22 and _TELLING.fullmatch(value)]
    told += list(dict.fromkeys(telling))[:2]
    return _Item(tuple(told), "piped" if run.simple.after in {"|", "|&"} else "")


def _code(runs: Iterable[Run]) -> list[_Item]:
    """How many lines the programs have that are given in the command."""
    return _lines([code for run in runs if run.is_main and (code := code_of(run))])


def _text(runs: Iterable[Run]) -> list[_Item]:
    """How many lines other programs are given to read."""
    given = [run.simple.lines for run in runs if run.is_main and not code_of(run)]
    return _lines([lines for lines in given if lines])


def _lines(texts: list[str]) -> list[_Item]:
    number = sum(len(text.strip("\n").splitlines()) for text in texts)
    return [_Item((str(number),), "lines" if number > 1 else "one-line")] if texts else []


def _hosts(command: str, runs: Iterable[Run]) -> list[_Item]:
    hosts = [url.rpartition("@")[2] for url in _URL.findall(command)]
    remotes = [w.value for run in runs for w in run.arguments if _REMOTE.fullmatch(w.value)]
    hosts += [remote.rpartition("@")[2].partition(":")[0] for remote in remotes]
    return [_Item((host,), is_whole=True) for host in hosts if host]


def _written(script: Script) -> list[_Item]:
    return [
        _target(redirect.target.value)
        for simple in script.commands
        for redirect in simple.redirects
        if redirect.writes and redirect.target.value not in {"", "/dev/null"}
    ]


def _targets(runs: Iterable[Run]) -> list[_Item]:
    """The arguments that are paths, those outside of where it runs first."""
    values = [
        w.value
        for run in runs
        for w in run.arguments
        if not w.value.startswith("-")
        and _PATHLIKE.search(w.value)
        and (not _NO_PATH.search(w.value) or _RESULT.match(w.value))
        and name_of(w.value) != run.name
    ]
    for run in runs:
        values += _IN_CODE.findall(code_of(run))
    return [_target(value) for value in sorted(values, key=lambda value: value[:1] not in "/~$`")]


def _target(value: str) -> _Item:
    return _Item((), "result") if _RESULT.match(value) else _Item((value,))


def _spoken(text: str, words: CommandWords, *, is_whole: bool = False) -> str:
    """A word as in the whole reading; of a long path the beginning and the end.

    "/home/ugo/…/y/z.txt" -> "barra home eccetera barra y barra z punto txt"
    """
    said = aloud(cut(text[:500]).tokens, words)
    if is_whole or len(said) <= _LONG:
        return said
    start, *middle, end = [text[:12], text[-16:]] if "/" not in text.strip("/") else _parts(text)
    for part in reversed(middle):
        if len(told := _ends(start, part + end, words)) > _LONG:
            break
        end = part + end
    told = min(_ends(start, end, words), said, key=len)
    return told if len(told) <= 2 * _LONG else _ends(text[:_FEW], text[-_FEW:], words)


def _parts(path: str) -> list[str]:
    """ "/home/ugo/x" -> "/home", "/ugo", "/x"; of long ones what fits."""
    return [part[:24] for part in re.findall(r"/?[^/]+/?$|/?[^/]+", path)]


def _ends(start: str, end: str, words: CommandWords) -> str:
    ends = [aloud(cut(part).tokens, words) for part in (start, end)]
    return words.summary["ends"].format(start=ends[0], end=ends[1])


def _listed(items: list[str], left: int, words: CommandWords) -> str:
    """ "a", "b" and one that is left -> "a, b e un altro"."""
    if left > 0:
        forms = (words.summary["one-more"], words.summary["more"])
        items = [*items, words.plural(forms, left)]
    is_piped = bool(items) and items[-1].startswith(words.summary["piped"].format(names=""))
    return ", ".join(items) if is_piped else words.listed(items)
