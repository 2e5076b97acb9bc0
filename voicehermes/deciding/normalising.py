"""Transcripts as what is compared: folded words, sentence by sentence. Pure; knows no language.

A recogniser is free with capitals, accents, apostrophes and full stops, so none of them tells two
words apart: "Sì", "si" and "si'" are one word. What counts of the punctuation is the question
mark, the end of a sentence, and the signs of a quotation or of speech that was cut off.
"""

import re
import unicodedata

Phrase = tuple[str, ...]
"""Words as ``tokens`` gives them."""

_WORD = re.compile(r"[^\W\d_]+|\d+")
_SHORT_ENDING = re.compile(r"(?<=[^\W\d_])'(?=[^\W\d_]{1,2}(?![^\W\d_]))")
_DRAWLED = re.compile(r"([^\W\d_])\1{2,}")
_SENTENCE_END = re.compile(r"[.!?]+[\"')\]]*(?:\s+|$)|\n")
_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ`´′＇ʹ", "'"))
_SIMPLE = frozenset(" \t\n.,;:!?'-‐‑–—…")
_SINGLE_QUOTE = re.compile(r"(?<!\w)'\w")
_CUT_OFF = re.compile(r"^\W*\.\.|(?:\.\.|[,:;/\-‐‑‒–—―])\W*$")
_SPOKEN_DASH = re.compile(r"(?:^|\s)[\-–—―](?=\s)")


def tokens(text: str) -> Phrase:
    """The words and numbers of a text, folded.

    "Sì, perché c'è: 10 Nooo!" -> "si", "perche", "ce", "10", "no". An apostrophe parts words, but
    not a short ending from its word: "l'ultimo", "don't" -> "l", "ultimo", "dont".
    """
    words = _WORD.findall(_SHORT_ENDING.sub("", _folded(text)))
    return tuple(_DRAWLED.sub(r"\1", word) for word in words)


def sentences(text: str) -> tuple[Phrase, ...]:
    """The tokens of each sentence: "Perché? No, amara.org." -> ("perche",), ("no", "amara", "org").

    A phrase of several words does not reach over the end of a sentence.
    """
    parts = (tokens(part) for part in _SENTENCE_END.split(_folded(text)))
    return tuple(part for part in parts if part)


def _folded(text: str) -> str:
    """Lower case without accents and invisible characters; one kind of apostrophe."""
    plain = unicodedata.normalize("NFKD", text.translate(_APOSTROPHES)).casefold()
    return "".join(sign for sign in plain if unicodedata.category(sign) not in {"Mn", "Cf"})


def is_question(text: str) -> bool:
    """Whether there is a question mark anywhere, of whatever script."""
    return any("QUESTION MARK" in unicodedata.name(sign, "") or sign == "‽" for sign in text)


def is_plain(text: str) -> bool:
    """Whether it is words with simple punctuation, so that one person said it and in earnest.

    It is not where words are quoted, two speakers change, or any sign stands that may mean
    something: '"Sì"', "- Sì. - Vai.", "Sì (ride)", "S�".
    """
    signs = text.translate(_APOSTROPHES)
    if _SINGLE_QUOTE.search(signs) or len(_SPOKEN_DASH.findall(signs)) > 1:
        return False
    return all(sign.isalnum() or sign in _SIMPLE for sign in _composed(signs))


def is_cut_off(text: str) -> bool:
    """Whether something is missing at the beginning or the end: "...farlo", "Sì, ma-"."""
    return _CUT_OFF.search(_composed(text).strip()) is not None


def _composed(text: str) -> str:
    """Each letter with its accent as one, without invisible characters; "…" as three dots."""
    composed = unicodedata.normalize("NFKC", text)
    return "".join(sign for sign in composed if unicodedata.category(sign) != "Cf")
