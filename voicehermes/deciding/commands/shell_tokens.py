"""A shell command cut into tokens, of which none is lost: their texts joined are the command.

Pure. Knows how a POSIX shell and bash see quotes, substitutions, redirections and here-documents;
knows no program. Whatever it is given it cuts, and says whether something was never closed.
"""

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple


class Kind(Enum):
    """What a token is."""

    SPACE = auto()
    """Between words."""
    NEWLINE = auto()
    """That ends a command."""
    OPERATOR = auto()
    """Between commands: ``|``, ``&&``, ``;`` …, and a ``)`` that closes nothing."""
    REDIRECT = auto()
    """``2>``, ``>>``, ``2>&1``, ``<<`` …, without what it leads to."""
    TEXT = auto()
    """Literal characters, within quotes or not; a ``$`` before a name among them."""
    ESCAPE = auto()
    """A backslash and the character whose meaning it takes away."""
    OPEN = auto()
    """The beginning of a quotation, a substitution or a group."""
    CLOSE = auto()
    """Its end. The text is that of the end."""
    COMMENT = auto()
    """From ``#`` to the line's end."""
    BODY = auto()
    """The lines of a here-document."""
    END = auto()
    """The line that ends a here-document."""


class Token(NamedTuple):
    """A stretch of the command."""

    kind: Kind
    text: str
    within: str = ""
    """The innermost that was open before it, as it was opened: ``"``, ``'``, ``$(`` …; "" none.
    For BODY and END it is ``'`` if nothing in the lines is expanded, otherwise ``"``."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A command in tokens."""

    tokens: tuple[Token, ...]
    is_broken: bool
    """Something was never closed, or closed and never opened: no shell would run this as it is."""


COMMANDS_IN = frozenset({"", "$(", "<(", ">(", "(", "((", "`"})
"""What is open where commands stand; ``((`` is a group that may be arithmetic."""

_QUOTED = '"${'
"""An expansion that is open within double quotes."""
_PARENTHESES = COMMANDS_IN - {"", "`"}
_REDIRECTION = r"&>>|&>|<<<|<<-|<<|>>|>\||<>|[<>]&(?:[0-9]+-?|-)?|>|<"
_COMMAND = re.compile(
    r"(?P<NEWLINE>\n)|(?P<SPACE>[ \t]+)"
    r"|(?P<OPEN>\$\(|[<>]\(|\$\{|\$'|\$\"|[`'\"(])|(?P<CLOSE>\))"
    rf"|(?P<REDIRECT>{_REDIRECTION})"
    r"|(?P<OPERATOR>&&|\|\||\|&|;;&|;;|;&|[;&|])"
    r"|(?P<ESCAPE>\\(?s:.)?)"
    r"|(?P<TEXT>(?:[^ \t\n\\'\"`$<>|&;()]|\$(?![({'\"]))+)"
)
_NUMBERED = re.compile(rf"(?:[0-9]+|\{{\w+\}})(?:{_REDIRECTION})(?!\()")
_DOUBLE = re.compile(
    r"(?P<OPEN>\$\(|\$\{|`)|(?P<CLOSE>\")|(?P<ESCAPE>\\[$`\"\\\n])"
    r"|(?P<TEXT>(?:[^\\\"`$]|\\(?![$`\"\\\n])|\$(?![({]))+)"
)
_PARAMETER = re.compile(
    r"(?P<OPEN>\$\(|\$\{|\$'|\$\"|[`'\"])|(?P<CLOSE>\})|(?P<ESCAPE>\\(?s:.)?)"
    r"|(?P<TEXT>(?:[^}\\'\"`$]|\$(?![({'\"]))+)"
)
_QUOTED_PARAMETER = re.compile(
    r"(?P<OPEN>\$\(|\$\{|\$\"|[`\"])|(?P<CLOSE>\})|(?P<ESCAPE>\\(?s:.)?)"
    r"|(?P<TEXT>(?:[^}\\\"`$]|\$(?![({\"]))+)"
)
"""Within double quotes, where single ones quote nothing."""
_LINES = re.compile(
    r"(?P<OPEN>\$\(|\$\{|`)|(?P<ESCAPE>\\[$`\\\n])"
    r"|(?P<TEXT>(?:[^\\`$]|\\(?![$`\\\n])|\$(?![({]))+)"
)
_SINGLE_END = {"'": re.compile(r"[^']*"), "$'": re.compile(r"(?:[^'\\]|\\(?s:.))*")}
_COMMENT = re.compile(r"#[^\n`]*")
_SPECIAL_FIRST = frozenset("#{0123456789")
"""What a comment and a numbered redirection begin with, where a word could."""
_BOUNDARIES = frozenset({Kind.SPACE, Kind.NEWLINE, Kind.OPERATOR, Kind.REDIRECT, Kind.END})
_KINDS = {kind.name: kind for kind in Kind}


def cut(command: str) -> Cut:
    """The tokens of a command; any text is one.

    "rm -r 'a b'" -> TEXT rm, SPACE, TEXT -r, SPACE, OPEN ', TEXT "a b", CLOSE '
    """
    return _Cutter(command).run()


def cut_lines(lines: str) -> Cut:
    """The same for a here-document's lines, in which substitutions are made."""
    return _Cutter(lines, _LINES).run()


def _word_value(tokens: list[Token]) -> str:
    """The text of a word without its quotes: "E'O'F" -> "EOF"."""
    return "".join(literal(token) for token in tokens)


def literal(token: Token) -> str:
    """What a token puts into its word: "\\;" -> ";"."""
    if token.kind is Kind.ESCAPE:
        return token.text[1:].removeprefix("\n")
    return token.text if token.kind is Kind.TEXT else ""


class _Cutter:
    def __init__(self, command: str, outermost: re.Pattern[str] = _COMMAND) -> None:
        self._command = command
        self._outermost = outermost
        self._at = 0
        self._open: list[str] = []
        self._top = ""
        """The innermost that is open."""
        self._tokens: list[Token] = []
        self._is_broken = False
        self._here: list[int] = []
        """Where the here-documents are asked for whose lines have not come."""

    def run(self) -> Cut:
        while self._at < len(self._command):
            self._step()
        is_broken = self._is_broken or bool(self._open) or bool(self._here)
        return Cut(tuple(self._tokens), is_broken)

    def _add(self, kind: Kind, text: str) -> None:
        self._tokens.append(Token(kind, text, "${" if self._top == _QUOTED else self._top))
        self._at += len(text)

    def _step(self) -> None:
        pattern = self._pattern()
        character = self._command[self._at]
        if pattern is _COMMAND and character in _SPECIAL_FIRST and self._is_word_start():
            kind, whole = (
                (Kind.COMMENT, _COMMENT) if character == "#" else (Kind.REDIRECT, _NUMBERED)
            )
            if match := whole.match(self._command, self._at):
                self._take(kind, match[0])
                return
        match = pattern.match(self._command, self._at)
        assert match is not None
        assert match.lastgroup is not None
        self._take(_KINDS[match.lastgroup], match[0])

    def _pattern(self) -> re.Pattern[str]:
        if not self._open:
            return self._outermost
        if self._top in COMMANDS_IN:
            return _COMMAND
        if self._top == '"':
            return _DOUBLE
        return _QUOTED_PARAMETER if self._top == _QUOTED else _PARAMETER

    def _is_word_start(self) -> bool:
        """Whether a word would begin here, not go on."""
        if not self._tokens:
            return True
        last = self._tokens[-1]
        return last.kind in _BOUNDARIES or (last.kind is Kind.OPEN and last.text in COMMANDS_IN)

    def _take(self, kind: Kind, text: str) -> None:
        if kind is Kind.TEXT or kind is Kind.SPACE:
            self._add(kind, text)
            return
        if kind is Kind.REDIRECT and self._top == "((":
            kind = Kind.TEXT  # a comparison or a shift
        if kind is Kind.OPEN:
            self._opened(text)
        elif kind is Kind.CLOSE:
            self._closed(text)
        elif kind is Kind.ESCAPE and len(text) == 1:
            self._add(kind, text)
            self._is_broken = True
        else:
            self._add(kind, text)
        if kind is Kind.REDIRECT:
            self._redirected()
        elif kind is Kind.NEWLINE:
            self._read_here()

    def _opened(self, text: str) -> None:
        if text == "`" and "`" in self._open:
            self._is_broken |= self._top != "`"
            del self._open[self._open.index("`") + 1 :]
            self._top = "`"
            self._closed(text)
            return
        last = self._tokens[-1] if self._tokens else None
        is_second = bool(last and last.kind is Kind.OPEN and last.text in {"(", "$("})
        self._add(Kind.OPEN, text)
        if text == "(" and is_second:
            text = "(("
        elif text == "${" and self._is_quoted():
            text = _QUOTED
        self._top = '"' if text == '$"' else text
        self._open.append(self._top)
        if text in _SINGLE_END:
            self._single(text)

    def _is_quoted(self) -> bool:
        """Whether double quotes, or the lines of a here-document, are the innermost open."""
        return self._top in {'"', _QUOTED} or (not self._open and self._outermost is _LINES)

    def _single(self, opening: str) -> None:
        match = _SINGLE_END[opening].match(self._command, self._at)
        assert match is not None
        if match[0]:
            self._add(Kind.TEXT, match[0])
        if self._at < len(self._command):
            self._closed(self._command[self._at])

    def _closed(self, text: str) -> None:
        if text == ")" and self._top not in _PARENTHESES:
            self._add(Kind.OPERATOR, text)
            self._is_broken = True
            return
        self._add(Kind.CLOSE, text)
        self._open.pop()
        self._top = self._open[-1] if self._open else ""

    def _redirected(self) -> None:
        text = self._tokens[-1].text.lstrip("0123456789")
        if text in {"<<", "<<-"}:
            self._here.append(len(self._tokens))

    def _read_here(self) -> None:
        """The lines of the here-documents that were asked for before this line's end."""
        asked, self._here = self._here, []
        for at in asked:
            word = self._word_after(at)
            is_literal = any(token.kind is not Kind.TEXT for token in word)
            self._lines(self._tokens[at - 1].text, _word_value(word), "'" if is_literal else '"')

    def _word_after(self, at: int) -> list[Token]:
        word: list[Token] = []
        for token in self._tokens[at:]:
            if token.kind is Kind.SPACE and not word:
                continue
            if token.kind in _BOUNDARIES:
                break
            word.append(token)
        return word

    def _lines(self, sign: str, delimiter: str, within: str) -> None:
        tabs = r"\t*" if sign.endswith("-") else ""
        end = re.compile(rf"^{tabs}{re.escape(delimiter)}$", re.MULTILINE)
        match = end.search(self._command, self._at)
        stop = match.start() if match else len(self._command)
        self._is_broken |= match is None
        self._tokens.append(Token(Kind.BODY, self._command[self._at : stop], within))
        self._at = stop
        if match:
            self._tokens.append(Token(Kind.END, match[0], within))
            self._at = match.end()
