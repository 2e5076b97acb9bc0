"""Text of others made fit for a terminal or a log."""

_CONTROLS = {n: None for n in (*range(0x20), *range(0x7F, 0xA0)) if n not in (0x09, 0x0A)}


def printable(text: str) -> str:
    """Without control characters but tab and line feed: it must not command the terminal."""
    return text.translate(_CONTROLS)


def one_line(text: str) -> str:
    """Printable, with single spaces for line feeds and the like: "a\\n b" → "a b"."""
    return " ".join(printable(text).split())
