"""A shell command as the simple commands it would run, those within substitutions too.

Pure. Knows no program, and does not expand anything.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from voicehermes.deciding.commands.shell_tokens import (
    COMMANDS_IN,
    Cut,
    Kind,
    Token,
    cut,
    cut_lines,
    literal,
)

_WHOLE_REDIRECT = re.compile(r"&(?:[0-9]+-?|-)$")
"""One that leads to no file: "2>&1"."""
_NESTED = 20
"""Here-documents within each other that are read; no honest command has more."""
_QUOTES = frozenset({"'", '"', "$'", '$"'})


@dataclass(frozen=True, slots=True)
class Word:
    """One argument."""

    raw: str
    """As it is written."""
    value: str
    """Without quotes; what is expanded stays as it is written: '"$HOME"/x' -> "$HOME/x"."""
    is_quoted: bool = False
    """Some of it is quoted or escaped."""
    is_dynamic: bool = False
    """Some of it is only known when it runs: a variable or a substitution."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """Where a command reads from or writes to."""

    sign: str
    """"2>", "<<" …"""
    target: Word

    @property
    def writes(self) -> bool:
        """Whether it is for writing: ">", "2>>", "<>" …, and "2>&1", which has no target."""
        return ">" in self.sign


@dataclass(frozen=True, slots=True)
class Simple:
    """A simple command: its words and what is redirected."""

    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]
    after: str
    """What stands before it: an operator, a newline, what opens a substitution; "" at the start."""
    depth: int
    """How many substitutions and groups it stands in."""
    lines: str | None = None
    """What a here-document gives it to read; None if there is none."""


@dataclass(frozen=True, slots=True)
class Script:
    """A whole command."""

    commands: tuple[Simple, ...]
    """In the order in which they end."""
    tokens: tuple[Token, ...]
    is_broken: bool
    """Something was never closed, or closed and never opened."""


def parse(command: str) -> Script:
    """The simple commands of a command; any text has some, or none.

    "a | b > c; $(d)" -> a, b (after "|", to c), d (after "$(", depth 1), $(d) (after ";")
    """
    tokens = cut(command)
    return _Parser(tokens).run()


@dataclass(slots=True)
class _Part:
    """A simple command while it is read, and the word that is being read."""

    after: str
    depth: int
    opening: str = ""
    """What opened the substitution or group that it stands in."""
    begun: int = 0
    """Where in the command that was."""
    words: list[Word] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    raw: str = ""
    value: str = ""
    is_quoted: bool = False
    is_dynamic: bool = False
    sign: str = ""
    lines: list[str] = field(default_factory=list)

    def end_word(self) -> None:
        if self.raw:
            word = Word(self.raw, self.value, self.is_quoted, self.is_dynamic)
            if self.sign:
                self.redirects.append(Redirect(self.sign, word))
                self.sign = ""
            else:
                self.words.append(word)
        self.raw = self.value = ""
        self.is_quoted = self.is_dynamic = False

    def simple(self) -> Simple:
        lines = "".join(self.lines) if self.lines else None
        return Simple(tuple(self.words), tuple(self.redirects), self.after, self.depth, lines)


class _Parser:
    def __init__(self, cut: Cut, depth: int = 0) -> None:
        self._cut = cut
        self._text = "".join(token.text for token in cut.tokens)
        self._depth = depth
        """In how many here-documents the text stands."""
        self._done: list[_Part | Simple] = []
        self._parts = [_Part("", depth)]
        self._waiting: list[_Part] = []
        """Those whose here-documents have not come."""
        self._is_broken = cut.is_broken

    def run(self) -> Script:
        self._read(self._cut.tokens)
        while self._parts:
            self._end_part("")
            self._parts.pop()
        commands = (part if isinstance(part, Simple) else part.simple() for part in self._done)
        return Script(tuple(commands), self._cut.tokens, self._is_broken)

    def _read(self, tokens: Iterable[Token]) -> None:
        at = 0
        for token in tokens:
            self._token(token, at)
            at += len(token.text)

    def _token(self, token: Token, at: int) -> None:
        part = self._parts[-1]
        match token.kind:
            case Kind.SPACE:
                part.end_word()
            case Kind.NEWLINE | Kind.OPERATOR:
                self._end_part(token.text)
            case Kind.REDIRECT:
                self._redirect(token.text)
            case Kind.TEXT | Kind.ESCAPE:
                part.raw += token.text
                part.value += token.text if token.within == "$'" else literal(token)
                part.is_quoted |= token.kind is Kind.ESCAPE
                part.is_dynamic |= "$" in token.text and token.within not in {"'", "$'"}
            case Kind.OPEN:
                self._open(token, at)
            case Kind.CLOSE:
                self._close(token, at)
            case Kind.BODY:
                self._body(token)
            case Kind.END | Kind.COMMENT:
                pass

    def _redirect(self, sign: str) -> None:
        part = self._parts[-1]
        part.end_word()
        if _WHOLE_REDIRECT.search(sign):
            part.redirects.append(Redirect(sign, Word("", "")))
            return
        part.sign = sign
        if sign.endswith(("<<", "<<-")):
            self._waiting.append(part)

    def _open(self, token: Token, at: int) -> None:
        part = self._parts[-1]
        if token.text in COMMANDS_IN:
            self._parts.append(_Part(token.text, part.depth + 1, token.text, at))
            return
        part.raw += token.text
        part.is_quoted |= token.text in _QUOTES
        if token.text == "${":
            part.value += token.text
            part.is_dynamic = True

    def _close(self, token: Token, at: int) -> None:
        part = self._parts[-1]
        if token.text not in {")", "`"}:
            part.raw += token.text
            part.value += token.text if token.text == "}" else ""
            return
        while token.text == "`" and self._parts[-1].opening != "`":
            self._leave()
        inner = self._leave()
        outer = self._parts[-1]
        if inner.opening == "(" and not outer.raw:
            return  # a group, not a part of a word
        written = self._text[inner.begun : at + 1]
        outer.raw += written
        outer.value += written
        outer.is_dynamic = True

    def _leave(self) -> _Part:
        self._end_part("")
        return self._parts.pop()

    def _end_part(self, operator: str) -> None:
        """The command that is being read is at its end; another begins in the same place."""
        part = self._parts[-1]
        part.end_word()
        self._is_broken |= bool(part.sign)
        if part.words or part.redirects:
            self._done.append(part)
        elif operator in {"\n", ""} and part.after:
            operator = (
                part.after
            )  # an empty line: what stood before it still stands before the next
        self._parts[-1] = _Part(operator, part.depth, part.opening, part.begun)

    def _body(self, token: Token) -> None:
        self._waiting.pop(0).lines.append(token.text)
        if token.within != '"':
            return
        if self._depth == _NESTED:
            self._is_broken = True
            return
        script = _Parser(cut_lines(token.text), self._depth + 1).run()
        self._is_broken |= script.is_broken
        self._done += [simple for simple in script.commands if simple.depth > self._depth + 1]
