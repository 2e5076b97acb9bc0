"""What recognisers write when nobody spoke. Pure; the inventions are the lexicon's."""

import re
from collections.abc import Sequence

from voicehermes.deciding.transcripts import sentences
from voicehermes.lexicon.answers import AnswerWords
from voicehermes.lexicon.folding import Phrase, tokens

_BRACKETED = re.compile(r"\[[^\]]*\]|\([^)]*\)|\*[^*]*\*|<[^>]*>|[♪♫♬♩][^♪♫♬♩]*(?:[♪♫♬♩]|$)")

_SURELY_INVENTED = 3
"""An invention of so many words is not said by chance."""

_OFTEN = 4
"""So many times the same in a row is what a recogniser makes of noise."""


def is_nothing(transcript: str, words: AnswerWords) -> bool:
    """Whether nobody spoke: no word at all, what recognisers invent, or one thing over and over."""
    return is_invention(transcript, words) or is_repetition(tokens(transcript))


def is_nothing_said(transcript: str, words: AnswerWords, *, is_certain: bool) -> bool:
    """Whether it is no message: as ``is_nothing``, but with ``is_certain`` a key says that somebody
    spoke, and what people do say in one or two words is believed: "Grazie.", "Musica".
    """
    if not is_certain or is_repetition(tokens(transcript)):
        return is_nothing(transcript, words)
    said = sentences(_BRACKETED.sub(". ", transcript))
    is_short = bool(said) and sum(map(len, said)) < _SURELY_INVENTED
    return not is_short and is_invention(transcript, words)


def is_invention(transcript: str, words: AnswerWords) -> bool:
    """Whether it is what recognisers write for silence: "", "[Musica]", a credit of subtitles.

    Each sentence as a whole must be one: "Grazie a tutti, procedi" was said by somebody.
    """
    said = sentences(_BRACKETED.sub(". ", transcript))
    return all(is_invented(sentence, words) for sentence in said)


def is_invented(sentence: Phrase, words: AnswerWords) -> bool:
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
