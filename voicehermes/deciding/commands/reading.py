"""How a command is read aloud, so that nothing in it hides: the whole of it, and what comes first.

Pure. The first reading is the whole one if that is short, and otherwise a summary.
"""

from dataclasses import dataclass

from voicehermes.deciding.commands.aloud import aloud
from voicehermes.deciding.commands.characters import codes_in, hidden_in, lookalikes_in
from voicehermes.deciding.commands.shell import Script, parse
from voicehermes.deciding.commands.spelling import blobs_in
from voicehermes.deciding.commands.summary import command_count, summary
from voicehermes.lexicon.commands import CommandWords

SHORT = 75
"""Characters of a reading that is heard at once: with the words around it, under 12 s of speech."""
NEARLY_SHORT = 95
"""The same where a summary would not be much shorter."""
LONGEST = 20_000
"""Characters of a command that are read in full; of a longer one the beginning and the end are."""
_BEGINNING, _ENDING = 16_000, 2_000


@dataclass(frozen=True, slots=True)
class Reading:
    """A command in words."""

    text: str
    """What is read first: everything, or a summary."""
    is_whole: bool
    """Whether ``text`` hides nothing. False for a summary, and where a part is only described:
    a blob, which nobody could follow, or the middle of a command beyond ``LONGEST``."""
    full: str
    """Everything."""
    is_full_whole: bool = True
    """Whether ``full`` hides nothing: not where it describes a part, as above."""


def read_command(command: str, words: CommandWords) -> Reading:
    """The reading of a command; any text has one, quickly.

    "rm -rf /tmp/x" -> "rm, meno r f, barra tmp barra x", whole
    """
    if not command.strip():
        empty = words.words["empty"] + aloud(parse(command.strip(" \t\n")).tokens, words)
        return Reading(empty, True, empty)
    script = parse(command[:LONGEST])
    warnings = _warnings_of(command, script, words)
    count = command_count(script)
    full = _introduced(_body(command, script, words), warnings, count, words)
    is_readable = len(command) <= LONGEST and not blobs_in(command)
    if len(full) <= SHORT:
        return Reading(full, is_readable, full, is_readable)
    short = _warned(summary(command, script, words), warnings, words)
    if len(full) <= NEARLY_SHORT and len(short) > len(full) * 0.75:
        return Reading(full, is_readable, full, is_readable)
    return Reading(short, False, full, is_readable)


def _body(command: str, script: Script, words: CommandWords) -> str:
    if len(command) <= LONGEST:
        return aloud(script.tokens, words)
    skipped = len(command) - _BEGINNING - _ENDING
    return ", ".join(
        (
            aloud(parse(command[:_BEGINNING]).tokens, words),
            words.words["skipped"].format(count=skipped),
            aloud(parse(command[-_ENDING:]).tokens, words),
        )
    )


def _introduced(body: str, warnings: list[str], count: int, words: CommandWords) -> str:
    """The reading with its warnings and, of several commands, how many they are before it."""
    if count > 1:
        body = words.summary["count"].format(count=words.count(count), rest=body)
    return _warned(body, warnings, words)


def _warned(body: str, warnings: list[str], words: CommandWords) -> str:
    if not warnings:
        return body
    return words.summary["attention"].format(warnings=words.listed(warnings), rest=body)


def _warnings_of(command: str, script: Script, words: CommandWords) -> list[str]:
    """What is to be known before the command is heard, one item for each kind."""
    counted = {
        "hidden": len(hidden_in(command.replace("\n", " "))),
        "lookalike": len(lookalikes_in(command)),
        "code": len(codes_in(command)),
        "broken": int(script.is_broken),
    }
    found = [words.plural(words.warnings[k], n) for k, n in counted.items() if n]
    if blobs := blobs_in(command):
        length = len(blobs[0])
        found.append(words.plural(words.warnings["blob"], len(blobs), length=length))
    return found
