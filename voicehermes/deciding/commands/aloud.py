"""A command in words, sign by sign: no character but a space between arguments goes unsaid.

Pure. Two commands that differ are read differently; only what ``spelling`` calls a blob is told
by its length and its ends.
"""

import re
from collections.abc import Iterable

from voicehermes.deciding.commands import spelling
from voicehermes.deciding.commands.characters import CODE, decoded
from voicehermes.deciding.commands.shell_tokens import COMMANDS_IN, Kind, Token
from voicehermes.deciding.commands.speech import Gap, Speech
from voicehermes.lexicon.commands import CommandWords

_REPEATED = 4
"""As many equal signs are counted, not repeated."""
_OPTION_LETTERS = 4
"""A longer word after one dash is one option, not a letter each: "-delete"."""
_LONG_OPTIONS = frozenset({"exec", "jar", "name", "not", "path", "perm", "size", "type", "user"})
"""Shorter ones that are one option too."""

_FINAL = frozenset({"&", "\n", ")", ";;", ";&", ";;&"})
"""Operators that end something; the others lead to what follows."""

_PIECE = re.compile(
    rf"(?P<CODE>{CODE})|(?P<WORD>[^\W_]+)|(?P<SPACE> +)|(?P<LINE>\n+)"
    r"|(?P<SIGN>(?s:(?P<one>.)(?P=one)*))"
)
_OPTION = re.compile(r"(--?)(?:(?<!--)([A-Za-z]+)(?=[0-9]*(?![^\W_])))?")
_CHANNEL = re.compile(r"(?:([0-9]+)|\{(\w+)\})?(.*?)(?:(?<=&)([0-9]+)?(-)?)?$")


def aloud(tokens: Iterable[Token], words: CommandWords) -> str:
    """The reading of a command that was cut.

    rm -rf /tmp/x -> "rm, meno r f, barra tmp barra x"
    """
    reader = _Reader(words)
    joined = _joined(tokens)
    while joined and joined[-1].kind in {Kind.SPACE, Kind.NEWLINE}:
        joined.pop()
    for token in joined:
        reader.token(token)
    return reader.speech.text


def _joined(tokens: Iterable[Token]) -> list[Token]:
    """Texts and escapes side by side are one text: "\\\\" and "x2f" are a code."""
    joined: list[Token] = []
    for token in tokens:
        if token.kind is Kind.ESCAPE:
            token = token._replace(kind=Kind.TEXT)
        last = joined[-1] if joined else token
        if joined and token.kind is Kind.TEXT is last.kind and token.within == last.within:
            joined[-1] = token._replace(text=last.text + token.text)
        else:
            joined.append(token)
    return joined


class _Reader:
    def __init__(self, words: CommandWords) -> None:
        self._words = words
        self.speech = Speech()
        self._is_start = True
        """Whether an option could begin here."""
        self._is_led = False
        """Whether an operator has just led to what comes next."""
        self._is_fresh = False
        """Whether a quotation has just begun."""
        self._is_line = False
        """Whether a line has just begun within quotes or a here-document."""

    def token(self, token: Token) -> None:
        """Read one token."""
        match token.kind:
            case Kind.SPACE if self._is_led:
                self._is_start = True  # "scrive in x", in one breath
            case Kind.SPACE:
                self._pause()
            case Kind.NEWLINE | Kind.OPERATOR:
                self._operator(token.text)
            case Kind.REDIRECT:
                self._redirect(token.text)
            case Kind.OPEN:
                self._open(token)
            case Kind.CLOSE:
                self._close(token)
            case Kind.COMMENT:
                self._say("comment")
                self._text(token.text[1:], is_spoken=True)
            case Kind.END:
                self._end(token.text)
            case Kind.BODY:
                self._is_line = True
                self._text(token.text, is_spoken=True)
            case _:
                self._text(token.text, is_spoken=token.within not in COMMANDS_IN)

    def _say(self, name: str, /, **fields: object) -> None:
        self._add(self._words.words[name].format(**fields))

    def _pause(self) -> None:
        self.speech.pause()
        self._is_start = True

    def _operator(self, operator: str) -> None:
        name = self._words.operators[operator]
        if operator == "\n" and self.speech.last == name:
            return  # an empty line
        self._pause()
        self._lead(name)
        if operator in _FINAL:
            self._pause()
            self._is_led = False

    def _redirect(self, sign: str) -> None:
        """ "2>" -> "scrive gli errori in", "3>&1" -> "canale 3 scrive in duplicato su 1"."""
        self._pause()
        redirects = self._words.redirects
        if sign in redirects:
            self._lead(redirects[sign])
            return
        match = _CHANNEL.match(sign)
        assert match is not None
        number, name, operator, to, closed = match.groups()
        if number or name:
            self._say("channel" if number else "named-channel", number=number, name=name)
        self._lead(redirects[operator])
        if to:
            self._say("to-channel", number=to)
        if closed:
            self._say("closed-channel")

    def _lead(self, name: str) -> None:
        self._add(name)
        self._is_led = self._is_start = True

    def _open(self, token: Token) -> None:
        self._add(self._words.opens[token.text])
        self._is_start = self._is_fresh = True

    def _close(self, token: Token) -> None:
        if self.speech.gap is Gap.SPACE:
            self._say("space")
        if not self._is_fresh:
            self.speech.pause()
        self._add(self._words.closes["(" if token.within == "((" else token.within])

    def _end(self, text: str) -> None:
        self._pause()
        self._say("end-lines")
        self._text(text, is_spoken=True)

    def _text(self, text: str, *, is_spoken: bool) -> None:
        """Characters that stand for themselves. ``is_spoken``: a space is one between words."""
        at, searched = 0, 0
        while at < len(text):
            if self._is_start and (option := _OPTION.match(text, at)):
                self._option(*option.groups())
                at = option.end()
                continue
            if at >= searched and (blob := spelling.BLOB.match(text, at)):
                searched = blob.end()
                if kind := spelling.blob_kind(blob[0]):
                    self._add(spelling.blob(blob[0], kind, self._words))
                    at = blob.end()
                    continue
            piece = _PIECE.match(text, at)
            assert piece is not None
            self._piece(piece, is_spoken=is_spoken)
            at = piece.end()

    def _piece(self, piece: re.Match[str], *, is_spoken: bool) -> None:
        match piece.lastgroup:
            case "CODE":
                self._code(piece[0])
            case "WORD":
                self._word(piece[0])
            case "SPACE":
                self._space(len(piece[0]), is_spoken=is_spoken)
            case "LINE":
                self._line(len(piece[0]))
            case _:
                self._sign(piece[0])

    def _add(self, piece: str, *, is_plain: bool = False) -> None:
        self.speech.add(piece, is_plain=is_plain)
        self._is_start = self._is_fresh = self._is_line = self._is_led = False

    def _option(self, dashes: str, name: str | None) -> None:
        """ "-" "rf" -> "meno r f"; "--" -> "meno meno"; what follows is read as any text."""
        for _ in dashes:
            self._add(self._words.words["option"])
        if not name:
            return
        if len(name) > _OPTION_LETTERS or name in _LONG_OPTIONS:
            self._word(name)
            return
        for letter in name:
            self._add(spelling.letter(letter, self._words))

    def _word(self, text: str) -> None:
        before = self.speech.last if self.speech.gap is Gap.NONE else ""
        for piece, is_plain in spelling.word(text, self._words, before):
            self._add(piece, is_plain=is_plain)

    def _sign(self, run: str) -> None:
        name = spelling.named(run[0], self._words)
        if len(run) >= _REPEATED:
            self._add(self._words.words["times"].format(count=len(run), name=name))
        else:
            for _ in run:
                self._add(name)

    def _space(self, count: int, *, is_spoken: bool) -> None:
        if self._is_line:
            self._add(self._words.words["indent"].format(count=count))
            self.speech.pause()
        elif count > 1:
            self._add(self._words.words["spaces"].format(count=count))
        elif is_spoken and not self._is_fresh:
            self.speech.space()
        else:
            self._add(self._words.words["space"])
        self._is_start = is_spoken

    def _line(self, count: int) -> None:
        name = self._words.operators["\n"]
        self.speech.pause()
        self._add(self._words.words["times"].format(count=count, name=name) if count > 1 else name)
        self._pause()
        self._is_line = True

    def _code(self, code: str) -> None:
        """ "\\x2f" -> "codice x 2 f cioè barra"."""
        letters = spelling.letters(code[1:], self._words)
        character = decoded(code)
        if not character:
            self._add(self._words.words["code"].format(letters=letters))
            return
        is_word = character.isascii() and character.isalnum()
        name = spelling.letter(character, self._words) if is_word else ""
        name = name or spelling.named(character, self._words)
        self._add(self._words.words["code-is"].format(letters=letters, name=name))
