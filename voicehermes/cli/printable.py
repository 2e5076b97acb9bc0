"""Text of others made fit for a terminal or a log."""

_CONTROLS = {n: None for n in (*range(0x20), *range(0x7F, 0xA0)) if n not in (0x09, 0x0A)}


def printable(text: str) -> str:
    """Without control characters but tab and line feed: it must not command the terminal."""
    return text.translate(_CONTROLS)


def one_line(text: str) -> str:
    """Printable, with single spaces for line feeds and the like: "a\\n b" → "a b"."""
    return " ".join(printable(text).split())


def with_nothing_hidden(text: str) -> str:
    """On one line, with every character that cannot be seen named: "rm a\n" → "rm a<U+000A>"."""
    return "".join(_seen(letter) for letter in text)


def _seen(letter: str) -> str:
    is_blank = any(ord(letter) in blank for blank in _BLANK)
    return f"<U+{ord(letter):04X}>" if is_blank or not letter.isprintable() else letter


_BLANK = (
    *(range(n, n + 1) for n in (0x034F, 0x2800, 0x3164, 0xFFA0)),
    *(range(0x115F, 0x1161), range(0x17B4, 0x17B6), range(0x180B, 0x1810)),
    *(range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0)),
)
"""Characters that Unicode calls letters, marks or symbols, and that leave no ink."""
