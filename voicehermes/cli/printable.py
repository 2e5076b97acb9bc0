"""Text of others made fit for a terminal or a log."""

_CONTROLS = {n: None for n in (*range(0x20), *range(0x7F, 0xA0)) if n not in (0x09, 0x0A)}


def printable(text: str) -> str:
    """Without control characters but tab and line feed: it must not command the terminal."""
    return text.translate(_CONTROLS)


def one_line(text: str) -> str:
    """Printable, with single spaces for line feeds and the like: "a\\n b" → "a b"."""
    return " ".join(printable(text).split())


def with_nothing_hidden(text: str) -> str:
    """On one line, with each character numbered that is not seen or passes for another.

    "rm a\u200b\n" → "rm a<U+200B><U+000A>", with a Cyrillic а: "раypal" → "<U+0440><U+0430>ypal"
    """
    from voicehermes.deciding.characters import hidden_in, lookalikes_in

    doubtful = {"\n", "\t", *hidden_in(text), *lookalikes_in(text)}
    return "".join(f"<U+{ord(c):04X}>" if c in doubtful else c for c in text)
