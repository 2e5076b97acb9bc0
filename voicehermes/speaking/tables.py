"""A Markdown table, line by line, to one sentence a row. Knows no other block."""

import re
from collections.abc import Callable
from itertools import zip_longest

from voicehermes.speaking.inline import shield

_NOT_A_BORDER = re.compile(r"`[^`]*`|\\\|")
_RULE = re.compile(r"[\s|:-]*-[\s|:-]*$")
_YES = re.compile("[\\s✅✔☑✓👍🟢]+")
_NO = re.compile("[\\s❌✖✗✘👎🔴]+")
_PIPE = shield("|")
_LETTER = re.compile(r"[^\W_]")


class Table:
    """The table that is being read, if one is."""

    def __init__(self, inline: Callable[[str], str], *, yes: str, no: str) -> None:
        self._inline = inline
        self._yes = yes
        self._no = no
        self._header: list[str] = []
        self._is_ruled = False
        """Whether the rule under the header has come."""
        self._is_read = False
        """Whether a row was read, and the header with it."""

    @property
    def is_open(self) -> bool:
        """Whether a table has begun and not ended."""
        return bool(self._header)

    def begin(self, header: str, rule: str) -> bool:
        """Whether these two lines begin a table; its header has been read as a line of text.

        So without pipes at its edges: "Città | Gradi", "--- | ---" -> True.
        """
        cells = self._cells(header)
        if "|" not in rule or not _RULE.match(rule.strip()) or len(cells) != len(_parts(rule)):
            return False
        self._header, self._is_ruled, self._is_read = cells, True, True
        return True

    def take(self, line: str) -> list[str]:
        """The sentences that are certain with this line.

        "| Città | Gradi |", "|---|---|", "| Roma | 21 |" -> [], [], ["Città: Roma, Gradi: 21."]
        """
        if not self._header:
            self._header = self._cells(line)
            return []
        if not self._is_ruled:
            self._is_ruled = True
            if _RULE.match(line):
                return []
            first, self._header = self._header, [""]
            return [*_sentence(first), *_sentence(self._cells(line))]
        self._is_read = True
        pairs = zip_longest(self._header, self._cells(line), fillvalue="")
        return _sentence([f"{head}: {cell}" if head and cell else cell for head, cell in pairs])

    def close(self) -> list[str]:
        """The sentences that were still owed: the header of a table without rows."""
        owed = [] if self._is_read else _sentence(self._header)
        self._header, self._is_ruled, self._is_read = [], False, False
        return owed

    def _cells(self, line: str) -> list[str]:
        masked = _NOT_A_BORDER.sub(lambda m: m[0].lstrip("\\").replace("|", _PIPE), line)
        return [self._cell(cell) for cell in _parts(masked)]

    def _cell(self, raw: str) -> str:
        if not raw.strip():
            return ""
        if _YES.fullmatch(raw):
            return self._yes
        if _NO.fullmatch(raw):
            return self._no
        spoken = re.sub(r"\s*[\n\f]\s*", ", ", self._inline(raw.strip()).strip())
        spoken = spoken if spoken.endswith("...") else spoken.rstrip(" .,;:")
        return spoken if _LETTER.search(spoken) else ""


def _parts(row: str) -> list[str]:
    return row.strip().removeprefix("|").removesuffix("|").split("|")


def _sentence(cells: list[str]) -> list[str]:
    spoken = [cell for cell in cells if cell]
    return [", ".join(spoken) + "."] if spoken else []
