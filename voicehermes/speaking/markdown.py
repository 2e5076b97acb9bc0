"""A reply as it is written, Markdown or plain, to words, line ends and block ends as spoken.

Works on what is certain: a word when the space after it has come, a heading, table row or fence
when its line is complete. Knows nothing of sentences; what it finds it tells a ``Speech``.
"""

import re
from collections.abc import Callable
from typing import Protocol

from voicehermes.lexicon import Lexicon
from voicehermes.speaking.inline import DECORATION, HELD_TARGET, clean, inline, is_open
from voicehermes.speaking.tables import Table

SHORT_LINE = 60
"""Characters. Nobody wraps a text narrower than this: a shorter line ended because it was over."""
WORD_LIMIT = 400
"""Characters. A longer run without a space is taken apart."""
HEAD_LIMIT = 300
"""Characters without a word after which a line is read like any text."""
LINE_LIMIT = 2000
"""Characters after which a heading or table row is read like any text."""

_LETTER = re.compile(r"[^\W_]")
_CLOSING_MARKS = re.compile(r"[.,;:!?…)»”\"]+")
_GAP = re.compile(r"[。！？]|\s")
_OPENING = re.compile(r"[*_~\"'“”„«»‘’(\[{—–=-]*(?:[^\W_]|[`\U000f0000])")
_HEAD = re.compile(r"(?:[^\w\n]|_)*(?:\n|[^\W_]\S*\s)")
"""A line up to the space after its first word: enough to know what kind of line it is."""
_WANTS_LINE = re.compile(r"[ \t]*(?:`{3}|~{3}|#{1,6}[ \t]|\||\$\$|\\\[|\[[^\]]+\]:[ \t]|\[!\w)")
"""The kinds that are known only when their line is complete."""

_FENCE = re.compile(r"[ \t]*(`{3,}(?!.*`)|~{3,})[ \t]*([^\s{,:]*)")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]+(.*?)[ \t#]*$")
_ALERT = re.compile(r"[ \t]*\[!\w+\][ \t]*$")
_DEFINITION = re.compile(r"[ \t]*\[[^\]^]+\]:[ \t]+<?\S*[./#]\S*(?:[ \t]+[\"'(].*)?$")
_FORMULA = re.compile(r"[ \t]*(?:\$\$|\\\[)[ \t]*$")
_QUOTE = re.compile(r"[ \t]*>(?!=)[ \t]?")
_BULLET = re.compile(r"[ \t]*[-*+•‣◦∙·▪●○][ \t]+")
_NUMBER = re.compile(r"[ \t]*(\d{1,3}[.)]|[a-zA-Z]\))[ \t]+")
_BOX = re.compile(r"[ \t]*\[[ xX]\][ \t]+")
_NOTE = re.compile(r"[ \t]*\[\^[^\]\s]+\]:[ \t]+")
_INDENTED = re.compile(r" {4}| {0,3}\t")
_DECORATED = re.compile(f"[ \t]*[{DECORATION}—–]")
_BOLD = re.compile(r"[ \t]*(?:\*\*|__)")
_UNSPOKEN = re.compile(r"[ \t]*<(?:(!--)|(think|thinking|script|style)\b[^<>\n]*>)", re.IGNORECASE)
_END_OF_FORMULA = re.compile(r"\$\$|\\\]|\n\n")
_END_OF_COMMENT = re.compile(r"-->|\n\n")
_LONGEST_END = 12

_LANGUAGES = {
    "cpp": "C++",
    "cs": "C#",
    "csharp": "C#",
    "js": "JavaScript",
    "javascript": "JavaScript",
    "md": "Markdown",
    "py": "Python",
    "rb": "Ruby",
    "rs": "Rust",
    "sh": "shell",
    "ts": "TypeScript",
    "typescript": "TypeScript",
    "yml": "YAML",
} | {
    name.lower(): name
    for name in ("CSS", "HTML", "INI", "JSON", "PHP", "SQL", "TOML", "XML", "YAML")
}
_NO_LANGUAGE = {"text", "txt", "plain", "plaintext", "output", "console"}


def opening(text: str) -> str:
    """The marks before the first letter, and that letter; empty while it is not certain.

    What it says of a beginning stays true of the whole: '"**Ci' -> '"**C', '"**' -> "".
    A code mark counts as a letter, neither capital nor small.
    """
    match = _OPENING.match(text)
    return match[0] if match else ""


class Speech(Protocol):
    """Who is told what a reply is spoken with, in order."""

    def opening(self, text: str) -> None:
        """The next word begins so: told as soon as it is known, before the word is whole."""

    def word(self, text: str) -> None:
        """A word with its punctuation."""

    def attach(self, marks: str) -> None:
        """Punctuation of the word before, from which a decoration kept it apart."""

    def line(self, *, short: bool) -> None:
        """A line ends, and its sentence perhaps; more likely so where the line is short."""

    def stop(self) -> None:
        """A block ends, and every sentence with it."""


class Reader:
    """Reads a reply in deltas; what it tells ``speech`` depends on the text, not on the cuts."""

    def __init__(self, lexicon: Lexicon, speech: Speech, *, plain: bool = False) -> None:
        self._reading = lexicon.reading
        self._speech = speech
        self._plain = plain
        self._table = Table(self._inline, yes=self._reading["yes"], no=self._reading["no"])
        self._restart()

    def _restart(self) -> None:
        self._buffer = ""
        self._at = 0
        """Where in the buffer that begins which was not told yet."""
        self._scanned = 0
        """Up to where the buffer was searched for the end of a word."""
        self._step: Callable[[], bool] = self._begin_line
        """Takes the next piece from the buffer; False when it needs more text."""
        self._then = self._step
        """The step after the rest of a line was passed over."""
        self._line_size = 0
        self._line = ""
        """This line of text, as far as it was told and if it is short enough for a table's."""
        self._line_before = ""
        """The line of text before, if it may be the header of a table."""
        self._after_short = True
        """Whether the line before was short."""
        self._in_item = False
        """Whether this line began as a list item."""
        self._in_list = False
        """Whether indented text is still the list's."""
        self._after_blank = True
        self._closing = re.compile("")
        """What ends that which is being passed over."""
        self._is_kept = False
        """Whether that is read after all when its end never comes."""
        self._fence = ""
        """The marks that opened the code block."""

    def feed(self, delta: str) -> None:
        """Take the next piece of the reply."""
        self._buffer = self._buffer[self._at :] + clean(delta)
        self._scanned -= self._at
        self._at = 0
        while self._step():
            pass
        if self._step == self._words:
            self._speech.opening(opening(self._buffer[self._at : self._at + HEAD_LIMIT]))

    def end(self) -> None:
        """Tell the rest. What is fed afterwards begins a new block."""
        if self._step == self._pass_over and self._is_kept:  # a tag that was only mentioned
            self._next_line(self._at)
            self._step = self._begin_words
        self.feed("\n")
        self._end_table()
        self._speech.stop()
        self._restart()

    def _inline(self, raw: str) -> str:
        return inline(raw, image=self._reading["image"])

    def _tell(self, raw: str) -> None:
        """Tell the words of a stretch of text."""
        start = opening(raw)
        self._speech.opening(start)
        spoken = raw if self._plain else self._inline(raw)
        if spoken is raw:
            self._tell_words(raw)
            return
        if not _LETTER.search(spoken):
            if start and start[-1].isalnum():
                spoken = raw  # a word was promised, and comes
            elif spoken[:1] != raw[0] and _CLOSING_MARKS.fullmatch(spoken):
                self._speech.attach(spoken)
                return
        for piece in re.split(r"([\n\f])", spoken):
            if piece == "\n":
                self._speech.line(short=True)
            elif piece == "\f":
                self._speech.stop()
            else:
                self._tell_words(piece)

    def _tell_words(self, text: str) -> None:
        for word in text.split():
            for at in range(0, len(word), WORD_LIMIT):
                self._speech.word(word[at : at + WORD_LIMIT])

    def _say(self, sentences: list[str]) -> None:
        """Tell sentences of our own making, each a block."""
        for sentence in sentences:
            self._speech.stop()
            self._tell_words(sentence)
            self._speech.stop()

    def _next_line(self, at: int) -> None:
        self._at = self._scanned = at
        self._line_size = 0
        self._line = self._line_before = ""
        self._in_item = False
        self._step = self._begin_line

    # Each step returns whether it took something, which depends only on text that cannot change.

    def _begin_line(self) -> bool:
        """Find out what kind of line begins, and take what marks it."""
        text, at = self._buffer, self._at
        if self._plain:
            return self._begin_plain_line()
        head = _HEAD.match(text, at, at + HEAD_LIMIT)
        if not head:
            return len(text) - at >= HEAD_LIMIT and self._begin_words()
        start = head[0]
        if start.isspace():
            self._end_table()
            self._speech.stop()
            self._after_blank = True
            self._next_line(head.end())
            return True
        if quote := _QUOTE.match(start):
            self._at += quote.end()
            return True
        if _WANTS_LINE.match(start) or self._table.is_open:
            end = text.find("\n", at, at + LINE_LIMIT)
            if end < 0 and len(text) - at < LINE_LIMIT:
                return False
            if end >= 0 and (step := self._take_line(text[at:end])):
                self._next_line(end + 1)
                self._step = step
                return True
        self._end_table()
        if unspoken := _UNSPOKEN.match(start):
            tag = unspoken[2]
            self._pass_over_to(re.compile(f"</{tag}>", re.IGNORECASE) if tag else _END_OF_COMMENT)
            self._at = self._scanned = self._at + unspoken.end()
            self._is_kept = bool(tag) and "\n" not in start[unspoken.end() :]
            return True
        if _INDENTED.match(start) and self._after_blank and not (self._in_list or self._in_item):
            self._say([self._reading["code"]])
            self._step = self._indented_code
            return True
        if not _LETTER.search(start):
            if self._line_before and self._table.begin(self._line_before, start):
                self._speech.stop()
                self._next_line(head.end())
                return True
            self._speech.stop()
            self._next_line(head.end())
            return True
        return self._begin_item(start) or self._begin_words(start)

    def _begin_plain_line(self) -> bool:
        line = self._buffer[self._at :].lstrip(" \t")
        if line.startswith("\n"):
            self._speech.stop()
            self._next_line(len(self._buffer) - len(line) + 1)
            return True
        return bool(line) and self._begin_words()

    def _take_line(self, line: str) -> Callable[[], bool] | None:
        """Take a line that is understood only as a whole; returns the step after it, if it is."""
        if fence := _FENCE.match(line):
            self._fence = fence[1]
            self._end_table()
            self._say([self._announce(fence[2])])
            return self._code
        if _FORMULA.match(line):
            self._say([self._reading["formula"]])
            self._closing, self._is_kept = _END_OF_FORMULA, False
            return self._pass_over
        if heading := _HEADING.match(line):
            self._end_table()
            self._speech.stop()
            if heading[1]:
                self._tell(heading[1])
            self._speech.stop()
            return self._begin_line
        if line.lstrip().startswith("|") or (self._table.is_open and "|" in line):
            if not self._table.is_open:
                self._speech.stop()
            self._say(self._table.take(line))
            return self._begin_line
        return self._begin_line if _DEFINITION.match(line) or _ALERT.match(line) else None

    def _begin_item(self, start: str) -> bool:
        """Take the mark of a list item, a task or a footnote."""
        mark = _BULLET.match(start) or _NUMBER.match(start) or _NOTE.match(start)
        if mark:
            self._speech.stop()
            if mark.re is _NUMBER:
                self._speech.word(mark[1])
            self._in_item = self._in_list = True
        elif self._in_item:
            mark = _BOX.match(start)
        if mark:
            self._at += mark.end()
            self._line_size += mark.end()
        return bool(mark)

    def _begin_words(self, start: str = "") -> bool:
        if not self._in_item:
            self._in_list = self._in_list and start[:1].isspace()
            if _DECORATED.match(start) or (_BOLD.match(start) and self._after_short):
                self._speech.stop()
        self._scanned = self._at
        self._step = self._words
        return True

    def _words(self) -> bool:
        text, limit = self._buffer, self._scanned + WORD_LIMIT
        gap = _GAP.search(text, self._scanned, limit)
        if gap:
            end, after = gap.span() if gap[0].isspace() else (gap.end(), gap.end())
        elif len(text) >= limit:
            end = after = limit
        else:
            return False
        raw = text[self._at : end]
        ends_line = text[end:after] == "\n"
        if not (ends_line or self._plain) and (is_open(raw) or (not gap and _is_in_url(raw))):
            self._scanned = after
            return True
        self._at = self._scanned = after
        self._line_size += after - end + len(raw)
        if self._line_size <= LINE_LIMIT:
            self._line += text[end - len(raw) : after]
        if raw:
            self._tell(raw)
        if ends_line:
            self._end_line()
        return True

    def _end_line(self) -> None:
        self._after_short = short = self._line_size <= SHORT_LINE
        if self._in_item and short:
            self._speech.stop()
        else:
            self._speech.line(short=short)
        self._after_blank = False
        header = self._line if "|" in self._line else ""
        self._next_line(self._at)
        self._line_before = header

    def _end_table(self) -> None:
        if self._table.is_open:
            self._say(self._table.close())

    def _announce(self, info: str) -> str:
        name = info.lower()
        if not name.replace("-", "").isalnum() or name in _NO_LANGUAGE:
            return self._reading["code"]
        language = _LANGUAGES.get(name, name.capitalize())
        return self._reading["code-language"].format(language=language)

    def _code(self) -> bool:
        """Pass over a line of a code block, or take the fence that closes it."""
        line = self._buffer[self._at :].lstrip(" \t")
        if self._fence.startswith(line):
            return False
        if not line.startswith(self._fence):
            return self._pass_over_line(self._code)
        end = self._buffer.find("\n", self._at)
        if end < 0:
            return False
        closes = not self._buffer[self._at : end].strip().strip(self._fence[0])
        self._next_line(end + 1)
        self._step = self._begin_line if closes else self._code
        return True

    def _indented_code(self) -> bool:
        line = self._buffer[self._at :].lstrip(" \t")
        if not line:
            return False
        if line.startswith("\n") or _INDENTED.match(self._buffer, self._at):
            return self._pass_over_line(self._indented_code)
        self._step = self._begin_line
        return True

    def _pass_over_line(self, then: Callable[[], bool]) -> bool:
        self._step, self._then = self._rest_of_line, then
        return True

    def _rest_of_line(self) -> bool:
        end = self._buffer.find("\n", self._at)
        self._at = self._scanned = end + 1 if end >= 0 else len(self._buffer)
        if end >= 0:
            self._step = self._then
        return end >= 0

    def _pass_over_to(self, closing: re.Pattern[str]) -> None:
        self._speech.stop()
        self._closing = closing
        self._step = self._pass_over

    def _pass_over(self) -> bool:
        closing = self._closing.search(self._buffer, self._scanned)
        if closing:
            self._next_line(closing.end())
        else:
            self._scanned = max(self._scanned, len(self._buffer) - _LONGEST_END)
            self._at = self._at if self._is_kept else self._scanned
        return bool(closing)


def _is_in_url(raw: str) -> bool:
    return len(raw) <= HELD_TARGET and bool(re.search(r"://\S*$", raw))
