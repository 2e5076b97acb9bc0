"""Commands in files: one line each, so that what cannot stand in a line is escaped."""

import re
from pathlib import Path

DATA = Path(__file__).parent / "data" / "commands"
_PLAIN = {"\\": "\\", "n": "\n", "r": "\r", "t": "\t"}
_ESCAPE = re.compile(r"\\(\\|[nrt]|u[0-9a-f]{4}|U[0-9a-f]{8})")


def unescaped(text: str) -> str:
    """ "ls\\\\nrm" -> "ls", a newline, "rm"."""
    return _ESCAPE.sub(lambda m: _PLAIN.get(m[1]) or chr(int(m[1][1:], 16)), text)


def rows(name: str) -> list[tuple[str, str]]:
    """The two columns of a file, unescaped; its first line says what they are."""
    lines = (DATA / name).read_text("utf-8").removesuffix("\n").split("\n")[1:]
    pairs = (line.split("\t") for line in lines)
    return [(unescaped(first), unescaped(second)) for first, second in pairs]
