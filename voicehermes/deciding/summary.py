"""A long command told in short: how long, with which rights, which programs, and on what.

Pure. What a summary leaves out is counted; a warning is never left out (``reading`` adds them).
"""

import re
from collections.abc import Iterable

from voicehermes.deciding.aloud import aloud
from voicehermes.deciding.programs import Run, code_of, name_of, programs_of, tables
from voicehermes.deciding.shell import Script
from voicehermes.deciding.shell_tokens import cut
from voicehermes.lexicon.commands import CommandWords

_SIZE = 110
"""Characters of a summary up to which details are added."""
_LONG = 40
"""Characters of a reading beyond which only a path's ends are read."""
_URL = re.compile(r"[a-zA-Z][\w+.-]*://([^/\s'\"?#<>|;&)]+)")
_REMOTE = re.compile(r"(?:[\w.-]+@)?[\w-]+(?:\.[\w-]+)+:(?!//).*|[\w.-]+@[\w.-]+(?::.*)?")
_PATHLIKE = re.compile(r"[~/*]|^\.|\.\w{1,5}$|^\$")
_TELLING = re.compile(
    r"-[a-zA-Z]*[rRfD][a-zA-Z]*|--(?:force.*|recursive|hard|delete|no-preserve-root|mirror|purge)"
)
_WRITING = re.compile(r"[0-9&]*(?:>>|>\||>)&?")


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


def summary(command: str, script: Script, words: CommandWords) -> str:
    """The command in short.

    "un comando di 340 caratteri: python, con un programma in linea di 12 righe"
    """
    runs = sorted(programs_of(script).runs, key=lambda run: run.simple.depth)
    told = ""
    for name, items, most in (
        ("elevated", [run.name for run in runs if run.name in tables().elevating], 2),
        ("programs", [_program(run, words) for run in runs if run.is_main and run.name], 4),
        ("code", _code(runs, words), 1),
        ("hosts", _hosts(command, runs, words), 2),
        ("writes", _written(script, words), 2),
        ("targets", _targets(runs, words), 2),
    ):
        told = _with(told, name, list(dict.fromkeys(items)), most, words)
    count = command_count(script)
    template = words.summary["long-count" if count > 1 else "long"]
    return template.format(count=words.count(count), length=len(command), rest=told)


def _with(told: str, name: str, items: list[str], most: int, words: CommandWords) -> str:
    """What was told and one thing more, with as many of its items as there is room for."""
    if not items:
        return told
    for number in range(min(most, len(items)), 0, -1):
        detail = words.summary[name].format(names=_listed(items, words, number))
        longer = f"{told}, {detail}" if told else detail
        if len(longer) <= _SIZE:
            break
    return longer


def _program(run: Run, words: CommandWords) -> str:
    """The program, what it is told to do, and options that tell of force: "rm meno r f"."""
    name = re.sub(r"[^\w./-].*", "", run.name)[:30] or run.name[:30]
    said = [_spoken(name, words)]
    plain = [w.value for w in run.arguments if not w.value.startswith("-")]
    if run.name in tables().with_subcommands and plain and re.fullmatch(r"[\w-]{1,20}", plain[0]):
        said.append(_spoken(plain[0], words))
    values = [w.value for w in run.arguments if run.name in tables().forceful]
    telling = (value for value in values if len(value) < 22 and _TELLING.fullmatch(value))
    said += [_spoken(option, words) for option in list(dict.fromkeys(telling))[:2]]
    return " ".join(said)


def _code(runs: Iterable[Run], words: CommandWords) -> list[str]:
    codes = [code for run in runs if run.is_main and (code := code_of(run))]
    lines = sum(len(code.strip("\n").splitlines()) for code in codes)
    name = "one-line" if lines < 2 else "lines"
    return [words.summary[name].format(count=lines)] if codes else []


def _hosts(command: str, runs: Iterable[Run], words: CommandWords) -> list[str]:
    hosts = [url.rpartition("@")[2] for url in _URL.findall(command)]
    remotes = [w.value for run in runs for w in run.arguments if _REMOTE.fullmatch(w.value)]
    hosts += [remote.rpartition("@")[2].partition(":")[0] for remote in remotes]
    return [_spoken(host, words, whole=True) for host in dict.fromkeys(hosts)]


def _written(script: Script, words: CommandWords) -> list[str]:
    targets = dict.fromkeys(
        redirect.target.value
        for simple in script.commands
        for redirect in simple.redirects
        if _WRITING.fullmatch(redirect.sign) and redirect.target.value not in {"", "/dev/null"}
    )
    return [_spoken(target, words) for target in targets]


def _targets(runs: Iterable[Run], words: CommandWords) -> list[str]:
    """The arguments that are paths, those outside of where it runs first."""
    values = dict.fromkeys(
        w.value
        for run in runs
        for w in run.arguments
        if not w.value.startswith("-")
        and _PATHLIKE.search(w.value)
        and not re.search(r"\s|://|[(;]", w.value)
        and name_of(w.value) != run.name
    )
    ordered = sorted(values, key=lambda value: value[:1] not in "/~$")
    return [_spoken(value, words) for value in ordered]


def _spoken(text: str, words: CommandWords, *, whole: bool = False) -> str:
    """A word as in the whole reading; of a long path the beginning and the end.

    "/home/ugo/x/y/z.txt" -> "barra home eccetera barra z punto txt"
    """
    said = aloud(cut(text[:500]).tokens, words)
    if whole or len(said) <= _LONG:
        return said
    parts = text.split("/")
    start = "/".join(parts[:2])[:12] if len(parts) > 2 else text[:12]
    end = ("/" + parts[-1] if len(parts) > 1 else text)[-16:]
    ends = (aloud(cut(part).tokens, words) for part in (start, end))
    return words.summary["ends"].format(start=next(ends), end=next(ends))


def _listed(items: list[str], words: CommandWords, most: int) -> str:
    """ "a", "b", "c" with most = 2 -> "a, b e un altro"."""
    left = len(items) - most
    if left > 0:
        items = [
            *items[:most],
            words.plural((words.summary["one-more"], words.summary["more"]), left),
        ]
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {words.summary['and']} {items[-1]}"
