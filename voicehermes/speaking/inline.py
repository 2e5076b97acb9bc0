"""Inline Markdown to the words that are spoken. Knows one stretch of a line, and no blocks.

What must reach the ear as it is written (inline code, an escaped mark, a formula) is *shielded*:
its punctuation and spaces are moved to private code points, so that no rule after it, here or in
the sentences, takes them for a mark, a stop or a gap. ``unshield`` gives them back.
"""

import html
import re

CODE = "\U000f0000"
"""Stands before shielded inline code; ``unshield`` drops it."""

_SHIELDED = {i: 0xF0000 + i for i in range(32, 127) if not chr(i).isalnum()}
_PLAIN = {shielded: plain for plain, shielded in _SHIELDED.items()} | {ord(CODE): None}

_JUNK = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\r\xad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u20e3\ufe00-\ufe0f\ufeff\ufff9-\uffff\ud800-\udfff\ue000-\uf8ff"
    "\U000e0000-\U0010ffff]"
)
_LINE_ENDS = re.compile("[\x0b\x0c\x85\u2028\u2029]")

DECORATION = (
    "\u2020\u2021\u2022\u2023\u2043\u2190-\u21ff\u2300-\u23ff\u2500-\u27bf\u2800-\u28ff\u2900-\u297f"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff\U0001fb00-\U0001fbff"
)
"""A character class of what is drawn and not said: arrows, boxes, dingbats, emoji."""

_TAGS = (
    "abbr|article|aside|audio|a|blockquote|body|br|button|b|center|cite|code|dd|del|details|div|"
    "dl|dt|em|figcaption|figure|font|footer|form|h[1-6]|header|head|hr|html|iframe|img|input|ins|"
    "i|kbd|label|li|main|mark|nav|ol|option|path|picture|pre|p|q|samp|script|section|select|small|"
    "source|span|strike|strong|style|sub|summary|sup|svg|s|table|tbody|td|tfoot|thead|think|th|tr|"
    "tt|ul|u|var|video|wbr"
)
_BLOCK_TAGS = re.compile(
    r"</?(?:blockquote|dd|details|div|dl|dt|h[1-6]|hr|li|ol|p|section|summary|table|tr|ul)\b",
    re.IGNORECASE,
)
_TITLE = r"""(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*"""
_TARGET = rf"\(\s*(<[^<>]*>|(?:[^()\s]|\([^()\s]*\))*){_TITLE}\)"

_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_IMAGE = re.compile(rf"!\[([^\[\]]*)\]{_TARGET}")
_LINK = re.compile(rf"\[([^\[\]]*)\]{_TARGET}")
_REFERENCE = re.compile(r"(?<!\w)\[([^\[\]^]+)\]\[[^\[\]]*\]")
_NOTE = re.compile(r"\[\^[^\[\]\s]+\]|(?<=[.,;:!?)»”\"])(?:\[\d{1,3}\])+(?!\()|【[^【】]*】")
_COMMENT = re.compile(r"<!--.*?-->")
_AUTOLINK = re.compile(r"<((?:https?|ftp)://[^<>\s]+|(?:mailto:)?[^<>\s@]+@[^<>\s@]+)>")
_BREAK_TAG = re.compile(r"<br\s*/?>", re.IGNORECASE)
_TAG = re.compile(rf"</?(?:{_TAGS})\b[^<>]*>", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"<([^\W\d_][\w-]*)>")
_URL = re.compile(
    r"(?:https?|ftp)://[^\s<>\"»”]+|(?<![\w.@-])www\.[^\s<>\"»”]+|\bmailto:(?=\S)", re.IGNORECASE
)
_MATH = re.compile(r"(?<![\w$\\])(\$\$?)(?!\s|\$)([^$\n]+?)(?<!\s)\1(?![\w$])")
_MARKS = re.compile(r"\*+|_+|~~+|(?<!=)==(?!=)")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,31});")
_DRAWN = re.compile(r"(?<!\S)(?:[-=]{1,3}>|<[-=]{1,3}|-{3,}|\|+|·|[:;]-?[()DP])(?!\S)")
_DECORATIONS = re.compile(f"[{DECORATION}]")

_SPECIAL = re.compile(
    r"[^\w\s.,;:!?'’\"«»“”()%°€…–/+&-]|_|://|www\.|mailto:|---|->|&\w|[:;]-?[()DP]", re.IGNORECASE
)
_OPENERS = re.compile(r"[\[`<$]")
_OPEN_TARGET = re.compile(r"\]\((?:[^()]|\([^()]*\))*$")
_OPEN_TAG = re.compile(rf"<(?:/?(?:{_TAGS})\b|https?:\S*$)[^>]*$", re.IGNORECASE)
_OPEN_MATH = re.compile(r"(?<![\w$\\])\$\$?[A-Za-z\\({|][^$]*$")

HELD = 300
"""Characters for which an open bracket, tag or code mark holds the text back; a link's target,
which is not spoken, may be longer."""
HELD_TARGET = 2000


def clean(text: str) -> str:
    """The text without control, zero-width and private characters, its line ends all newlines."""
    return _JUNK.sub("", _LINE_ENDS.sub("\n", text))


def shield(text: str) -> str:
    """The text with its ASCII punctuation and spaces out of every rule's sight."""
    return text.translate(_SHIELDED)


def unshield(text: str) -> str:
    """What ``shield`` was given."""
    return text.translate(_PLAIN) if text and max(text) >= CODE else text


def is_open(raw: str) -> bool:
    """Whether a link, code span, tag or formula begun in ``raw`` may still be closed after it."""
    if not _OPENERS.search(raw):
        return False
    if len(raw) > HELD:
        return len(raw) <= HELD_TARGET and bool(_OPEN_TARGET.search(raw))
    text = _ESCAPE.sub("", _CODE_SPAN.sub("", raw))
    return (
        "`" in text
        or text.count("[") > text.count("]")
        or text.rfind("<!--") > text.rfind("-->")
        or bool(_OPEN_TARGET.search(text) or _OPEN_MATH.search(text))
        or bool("<" in text and _OPEN_TAG.match(text, text.rindex("<")))
    )


def inline(raw: str, *, image: str) -> str:
    """The words that ``raw``, part of a line bounded by white space, is spoken with.

    A newline in it is a line break, a form feed the end of a block. ``image`` is said for an
    image without a text.

        "**Vedi** [la guida](https://example.org)," -> "Vedi la guida,"
    """
    if not _SPECIAL.search(raw):
        return raw
    text = raw
    if "`" in text:
        text = _CODE_SPAN.sub(lambda m: CODE + shield(m[2].strip()), text).replace("`", "")
    if "\\" in text:
        text = _ESCAPE.sub(lambda m: shield(m[1]), text).rstrip("\\")
    if "[" in text or "【" in text:
        text = _IMAGE.sub(lambda m: m[1] or image, text)
        text = _LINK.sub(lambda m: m[1] or m[2], text)
        text = _REFERENCE.sub(r"\1", _NOTE.sub("", text))
    if "<" in text:
        text = _AUTOLINK.sub(r"\1", _COMMENT.sub("", text))
        text = _TAG.sub(_tag, _BREAK_TAG.sub("\n", text))
        text = _PLACEHOLDER.sub(r"\1", text)
    if "$" in text:
        text = _MATH.sub(_formula, text)
    text = _URL.sub(_host, text)
    text = _unmarked(text)
    if "&" in text:
        text = _ENTITY.sub(lambda m: clean(html.unescape(m[0])), text)
    return _DECORATIONS.sub("", _DRAWN.sub("", text))


def _tag(match: re.Match[str]) -> str:
    return "\f" if _BLOCK_TAGS.match(match[0]) else ""


def _host(match: re.Match[str]) -> str:
    """ "https://www.example.org/a?b=c." -> "example.org." """
    url = match[0]
    if url.lower() == "mailto:":
        return ""
    body = url.rstrip(".,;:!?'’)]}*_~…")
    if "(" in body and url[len(body) :].startswith(")"):
        body += ")"
    scheme, mark, rest = body.partition("://")
    host = re.split(r"[/?#\\]", rest if mark else scheme, maxsplit=1)[0].rsplit("@", 1)[-1]
    if mark:
        host = host.removeprefix("www.")
    return shield(host or body) + url[len(body) :]


def _formula(match: re.Match[str]) -> str:
    r""" "$\frac{a}{b}$" -> "a/b"; "$5 and 6$", which may be money, stays."""
    tex = match[2]
    if tex[0].isdigit() and not re.search(r"[=^\\_]", tex):
        return match[0]
    tex = re.sub(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}", r"\1/\2", tex)
    tex = re.sub(r"\\(?:times|cdot)\b", "×", tex)
    tex = re.sub(r"\\(?:text|math\w+)\{([^{}]*)\}", r"\1", tex)
    return shield(re.sub(r"[\\{}]", "", tex).strip())


def _unmarked(text: str) -> str:
    """Without emphasis marks: "2*3 is *not* snake_case" -> "2*3 is not snake_case"."""
    open_marks = 0

    def mark(match: re.Match[str]) -> str:
        nonlocal open_marks
        run = match[0]
        before = text[match.start() - 1] if match.start() else " "
        after = text[match.end()] if match.end() < len(text) else " "
        if before.isspace() and after.isspace():
            return run if run in {"*", "=="} else ""
        if (before.isalnum() or before == ")") and (after.isalnum() or after == "("):
            if run[0] == "_":
                return run
            if not open_marks and (len(run) == 1 or run[0] == "=" or before.isdigit()):
                return run
        open_marks = 0 if open_marks and not before.isspace() else 1
        return ""

    return _MARKS.sub(mark, text)
