"""Text as it is compared: folded, and cut into words. Pure; knows no language.

A recogniser is free with capitals, accents and apostrophes, so none of them tells two words apart:
"Sì", "si" and "si'" are one word. What the lexicon lists and what was said are folded alike.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

Phrase = tuple[str, ...]
"""Words as ``tokens`` gives them."""

APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ`´′＇ʹ", "'"))
"""One kind of apostrophe for all."""

_WORD = re.compile(r"[^\W\d_]+|\d+")
_SHORT_ENDING = re.compile(r"(?<=[^\W\d_])'(?=[^\W\d_]{1,2}(?![^\W\d_]))")
_DRAWLED = re.compile(r"([^\W\d_])\1{2,}")


def fold(text: str) -> str:
    """Lower case without accents and invisible characters: "Ventitré" -> "ventitre".

    Each letter has one form, and so has the apostrophe.
    """
    plain = unicodedata.normalize("NFKD", text.translate(APOSTROPHES)).casefold()
    return "".join(sign for sign in plain if unicodedata.category(sign) not in {"Mn", "Cf"})


def tokens(text: str) -> Phrase:
    """The words and numbers of a text, folded; what is compared word by word.

    "Sì, perché c'è: 10 Nooo!" -> "si", "perche", "ce", "10", "no". An apostrophe parts words, but
    not a short ending from its word: "l'ultimo", "don't" -> "l", "ultimo", "dont".
    """
    words = _WORD.findall(_SHORT_ENDING.sub("", fold(text)))
    return tuple(_DRAWLED.sub(r"\1", word) for word in words)


def pieces(folded: str, ordinal_marks: Iterable[str] = ()) -> Phrase:
    """The words, numbers and telling signs of a folded text; what numbers are read from.

    Digits stay together with their separators and ordinal marks, every apostrophe parts words:
    "l'opzione v2: 12,5 % (la 2a)!" -> l, opzione, v, 2, 12,5, %, la, 2a.
    """
    return tuple(_pattern(tuple(sorted(ordinal_marks))).findall(folded))


@cache
def _pattern(marks: tuple[str, ...]) -> re.Pattern[str]:
    numbers = r"\d+(?:[.,:]\d+)*"
    if marks:
        numbers = rf"\d+(?:{'|'.join(map(re.escape, marks))})(?!\w)|{numbers}"
    return re.compile(rf"{numbers}|[^\W\d_]+|[+#%€$*]")
