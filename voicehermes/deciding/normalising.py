"""Transcripts as what is compared: folded words, sentence by sentence. Pure; knows no language.

A recogniser is free with capitals, accents, apostrophes and full stops, so none of them tells two
words apart: "Sì", "si" and "si'" are one word. What counts of the punctuation is the question
mark, the end of a sentence, and the signs of a quotation or of speech that was cut off.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from voicehermes.lexicon.answers import AnswerWords

Phrase = tuple[str, ...]
"""Words as ``tokens`` gives them."""

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|\d+")
_DRAWLED = re.compile(r"([^\W\d_])\1{2,}")
_SENTENCE_END = re.compile(r"[.!?]+[\"')\]]*(?:\s+|$)|\n")
_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ`´′＇ʹ", "'"))
_QUOTES = frozenset('"“”„‟«»‹›〝〞＂「」『』')
_SINGLE_QUOTE = re.compile(r"(?<!\w)'\w")
_CUT_OFF = re.compile(r"^\W*\.\.|(?:\.\.|[,:;/\-‐‑‒–—―])\W*$")
_SPOKEN_DASH = re.compile(r"(?:^|\s)[\-–—―](?=\s)")
_BRACKETED = re.compile(r"\[[^\]]*\]|\([^)]*\)|\*[^*]*\*|<[^>]*>|[♪♫♬♩][^♪♫♬♩]*(?:[♪♫♬♩]|$)")

_OFTEN = 4
"""So many times the same in a row is what a recogniser makes of noise."""


def tokens(text: str) -> Phrase:
    """The words and numbers of a text, folded.

    "Sì, perché c'è: 10 Nooo!" -> "si", "perche", "ce", "10", "no".
    """
    words = _WORD.findall(_folded(text))
    return tuple(_DRAWLED.sub(r"\1", word.replace("'", "")) for word in words)


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


def is_quoting(text: str) -> bool:
    """Whether somebody's words are quoted, or two speakers change: '"Sì"', "- Sì. - Vai."."""
    single = _SINGLE_QUOTE.search(text.translate(_APOSTROPHES))
    return bool(single) or not _QUOTES.isdisjoint(text) or len(_SPOKEN_DASH.findall(text)) > 1


def is_cut_off(text: str) -> bool:
    """Whether something is missing at the beginning or the end: "...farlo", "Sì, ma-"."""
    return _CUT_OFF.search(unicodedata.normalize("NFKC", text).strip()) is not None


def is_nothing(transcript: str, words: "AnswerWords") -> bool:
    """Whether nobody spoke: no word at all, what recognisers invent, or one thing over and over."""
    return is_invention(transcript, words) or is_repetition(tokens(transcript))


def is_invention(transcript: str, words: "AnswerWords") -> bool:
    """Whether it is what recognisers write for silence: "", "[Musica]", a credit of subtitles.

    Each sentence as a whole must be one: "Grazie a tutti, procedi" was said by somebody.
    """
    said = sentences(_BRACKETED.sub(". ", transcript))
    return all(is_invented(sentence, words) for sentence in said)


def is_invented(sentence: Phrase, words: "AnswerWords") -> bool:
    """Whether a sentence is one that recognisers invent: a known one, or any credit of subtitles.

    "sottotitoli e revisione a cura di qtss" is a credit: all words are those of credits, and one
    of them stands in no other kind of talk.
    """
    if sentence in words.inventions:
        return True
    known = words.credits | words.credit_marks
    is_credit = all(word.isdigit() or (word,) in known for word in sentence)
    return is_credit and any((word,) in words.credit_marks for word in sentence)


def is_repetition(said: Sequence[str]) -> bool:
    """Whether it is one word or phrase four times or more, the last perhaps unfinished.

    "sì sì sì sì" and "va bene va bene va bene va bene va" are; "no no no" is not.
    """
    return any(
        all(word == said[at % length] for at, word in enumerate(said))
        for length in range(1, len(said) // _OFTEN + 1)
    )
