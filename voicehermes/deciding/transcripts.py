"""What a transcript's signs tell: where sentences end, and whether it was asked, quoted or cut off.

Pure; knows no language. The words themselves are compared without any signs, see
``lexicon.folding``.
"""

import re
import unicodedata

from voicehermes.lexicon.folding import APOSTROPHES, Phrase, fold, tokens

_SENTENCE_END = re.compile(r"[.!?]+[\"')\]]*(?:\s+|$)|\n")
_SIMPLE = frozenset(" \t\n.,;:!?'-‐‑–—…")
_SINGLE_QUOTE = re.compile(r"(?<!\w)'\w")
_CUT_OFF = re.compile(r"^\W*\.\.|(?:\.\.|[,:;/\-‐‑‒–—―])\W*$")
_SPOKEN_DASH = re.compile(r"(?:^|\s)[\-–—―](?=\s)")


def sentences(text: str) -> tuple[Phrase, ...]:
    """The tokens of each sentence: "Perché? No, amara.org." -> ("perche",), ("no", "amara", "org").

    A phrase of several words does not reach over the end of a sentence.
    """
    parts = (tokens(part) for part in _SENTENCE_END.split(fold(text)))
    return tuple(part for part in parts if part)


def is_question(text: str) -> bool:
    """Whether there is a question mark anywhere, of whatever script."""
    return any("QUESTION MARK" in unicodedata.name(sign, "") or sign == "‽" for sign in text)


def is_plain(text: str) -> bool:
    """Whether it is words with simple punctuation, so that one person said it and in earnest.

    It is not where words are quoted, two speakers change, or any sign stands that may mean
    something: '"Sì"', "- Sì. - Vai.", "Sì (ride)", "S�".
    """
    signs = text.translate(APOSTROPHES)
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
