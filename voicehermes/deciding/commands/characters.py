"""What kind of character one is: plain, hidden, or of another script than it may seem.

Pure. Knows Unicode, and no shell and no language.
"""

import re
import unicodedata
from enum import Enum, auto
from functools import cache

_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufffc\ufffd")
"""Drawn as nothing or as what could not be read, though Unicode counts them as visible."""
CODE = r"\\(?:x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|0[0-7]{1,3}|[0-7]{2,3})"
"""A character written as a code. One digit is none: in sed it is what a group found, and what it
would be elsewhere is no letter and no sign."""
_CODE = re.compile(CODE)
_LIKE = (
    ("аеорсухіјѕһԁԛԝАВЕКМНОРСТУХІЈЅԌӏ", "aeopcyxijshdqwABEKMHOPCTYXIJSGl"),
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοαινυρκτγω", "ABEZHIKMNOPTYXoaivupktyw"),
    ("գոսցհօ", "qnugho"),
    ("ıȷǃ", "ij!"),
)
_LOOKALIKES = {one: other for letters in _LIKE for one, other in zip(*letters, strict=True)}
"""Letters, Cyrillic, Greek and Armenian, that are drawn like one of ASCII's."""


class Sort(Enum):
    """What a character is to somebody who only hears the command."""

    PLAIN = auto()
    """A letter of a Latin alphabet, a digit, or ASCII punctuation: it is what it seems."""
    HIDDEN = auto()
    """Not seen, or a space that is none, or one that changes how others are seen."""
    FOREIGN = auto()
    """A letter or digit of another script, or a Latin one in a form that ASCII has too."""
    SYMBOL = auto()
    """Anything else: emoji, typographic marks."""


@cache
def sort_of(character: str) -> Sort:
    """The sort of one character; ASCII's space is plain, a newline and a tab are too."""
    if " " <= character <= "~" or character in "\t\n":
        return Sort.PLAIN
    category = unicodedata.category(character)
    if category[0] in "CZM" or character in _BLANK:
        return Sort.HIDDEN
    if category[0] in "LN":
        return Sort.PLAIN if _is_latin(character) else Sort.FOREIGN
    return Sort.SYMBOL


def _is_latin(character: str) -> bool:
    return (
        "\u00c0" <= character <= "\u024f"
        and unicodedata.normalize("NFKC", character) == character
        and character not in "ıȷĸƖǀǁǂǃƽƄƅ"
    )


@cache
def script_of(character: str) -> str:
    """The first word of its Unicode name: "а" -> "CYRILLIC"; "" if it has no name."""
    return unicodedata.name(character, "").partition(" ")[0].partition("-")[0]


@cache
def latin_of(character: str) -> str:
    """The ASCII letter or digit that it is drawn like; "" if there is none."""
    folded = unicodedata.normalize("NFKC", character)
    if len(folded) == 1 and folded.isascii():
        return folded
    return _LOOKALIKES.get(character, "")


def hidden_in(text: str) -> list[str]:
    """The characters that are not seen, in order, each as often as it is there."""
    if text.isascii() and text.isprintable():
        return []
    return [character for character in text if sort_of(character) is Sort.HIDDEN]


def lookalikes_in(text: str) -> list[str]:
    """The letters that pass for others, in order.

    All of another script's in a word that has Latin ones too, or none that looks foreign:
    "раypal" -> ["р", "а"], "привет" -> []
    """
    if text.isascii():
        return []
    return [c for word in re.findall(r"[^\W_]+", text) for c in lookalikes_in_word(word)]


def lookalikes_in_word(word: str) -> list[str]:
    """The same for one word of letters and digits."""
    foreign = [c for c in word if sort_of(c) is Sort.FOREIGN]
    is_mixed = len(foreign) < len(word)
    return foreign if is_mixed or all(latin_of(c) for c in foreign) else []


def codes_in(text: str) -> list[str]:
    r"""The characters that are written as codes: r"\x72m" -> ["\x72"]."""
    return _CODE.findall(text)


def decoded(code: str) -> str:
    r"""The character of a code; "" if there is none: r"\x2f" -> "/", r"\057" -> "/"."""
    digits, base = (code[2:], 16) if code[1] in "xuU" else (code[1:], 8)
    number = int(digits, base)
    return chr(number) if number < 0x110000 else ""


def revealed(text: str) -> str:
    """On one line, with each character numbered that is not seen or passes for another.

    "rm a\u200b\n" -> "rm a<U+200B><U+000A>", with a Cyrillic а: "раypal" -> "<U+0440><U+0430>ypal"
    """
    doubtful = {"\n", "\t", *hidden_in(text), *lookalikes_in(text)}
    return "".join(f"<U+{ord(c):04X}>" if c in doubtful else c for c in text)
