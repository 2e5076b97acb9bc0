"""What a spoken answer to an approval means. Pure; the words are the lexicon's.

Refusal is the default. The order is: deny, wait, repeat and details, unclear, and only then a
grant. A refusal counts wherever it stands. A grant is a short whole utterance made of known words
alone, so that whatever is not known, a hedge, a condition, somebody else's talk, allows nothing.
"""

from typing import Final, Literal

from voicehermes.deciding.matching import before, contains, ends_in, is_only, made_of, without
from voicehermes.deciding.silence import is_invented, is_repetition
from voicehermes.deciding.transcripts import is_cut_off, is_plain, is_question, sentences
from voicehermes.lexicon.answers import AnswerWords
from voicehermes.lexicon.folding import Phrase, tokens

Grant = Literal["once", "session", "always"]
ApprovalMeaning = Grant | Literal["deny", "repeat", "details", "wait", "unclear"]

GRANTS: Final[tuple[Grant, ...]] = ("once", "session", "always")
"""What may be granted."""

LONGEST_GRANT: Final = 10
"""Words. "Sì, approva pure per tutta la durata della sessione, grazie" has ten."""

_OFTEN: Final = 4
"""A grant says no word so many times; a recogniser that repeats itself heard noise."""


def of_approval(transcript: str, words: AnswerWords) -> ApprovalMeaning:
    """What the whole utterance means: "Ok, no, aspetta." is deny, "Sì, ma che cosa fa?" details."""
    spoken = [part for part in sentences(transcript) if not is_invented(part, words)]
    said = [without(part, words.idioms) for part in spoken]
    asks = is_question(transcript)
    if any(_refuses(part, words, asks=asks) for part in said):
        return "deny"
    if is_repetition(tokens(transcript)):
        return "unclear"
    if any(_asks_to_wait(part, words) for part in said):
        return "wait"
    if any(_asks_to_repeat(part, words) for part in said):
        return "repeat"
    if any(_asks_for_details(part, words, asks=asks) for part in said):
        return "details"
    if asks or not is_plain(transcript) or is_cut_off(transcript):
        return "unclear"
    if contains(tokens(transcript), words.idioms | words.echoes):
        return "unclear"
    if ends_in(tokens(transcript), words.hanging) or _takes_note(tokens(transcript), words):
        return "unclear"
    return _granted(tokens(transcript), words)


def is_confirmation(transcript: str, words: AnswerWords) -> bool:
    """Whether the utterance is the confirming word and nothing else: "Confermo.", but not "Sì"."""
    is_said = is_plain(transcript) and not is_question(transcript) and not is_cut_off(transcript)
    return is_said and tokens(transcript) in words.confirmation


def _refuses(said: Phrase, words: AnswerWords, *, asks: bool) -> bool:
    """Whether a sentence refuses, be it with a consent beside: "va bene, no, fermati".

    The negatives of "non ho capito" and of "se non cancella niente" refuse nothing.
    """
    rest = without(said, words.waits | words.repeats | words.details)
    beside = words.fillers | words.consents
    if contains(rest, words.refusals) or is_only(rest, words.whole_refusals, beside):
        return True
    stated = before(rest, words.conditions)
    told = before(stated, words.interrogatives)
    return contains(told, words.stops) or contains(told if asks else stated, words.negatives)


def _asks_to_wait(said: Phrase, words: AnswerWords) -> bool:
    return contains(said, words.waits) or is_only(
        said, words.whole_waits, words.fillers | words.consents
    )


def _asks_to_repeat(said: Phrase, words: AnswerWords) -> bool:
    return contains(said, words.repeats) or is_only(said, words.whole_repeats, words.fillers)


def _asks_for_details(said: Phrase, words: AnswerWords, *, asks: bool) -> bool:
    """Whether a sentence asks about the command: "Quale file cancella", "Sì, ma perché?"."""
    if contains(said, words.details):
        return True
    asked = contains(said, words.interrogatives)
    return asked and (asks or not before(said, words.interrogatives))


def _takes_note(said: Phrase, words: AnswerWords) -> bool:
    """Whether it only says that something was heard: "Ah, ok.", but not "Ah, ok, procedi."."""
    return is_only(said, words.acknowledgments, words.nods)


def _granted(said: Phrase, words: AnswerWords) -> ApprovalMeaning:
    """The grant that consists of these words, if they are one. Two different ones are unclear."""
    if len(said) > LONGEST_GRANT or any(said.count(word) >= _OFTEN for word in said):
        return "unclear"
    grants = {
        "consents": words.consents, "followers": words.followers, "fillers": words.fillers,
        "once": words.once, "limits": words.limits,
        "session": words.session, "always": words.always,
    }  # fmt: skip
    kinds = [kind for kind in made_of(said, grants) or () if kind != "fillers"]
    if not kinds or kinds[0] == "followers" or set(kinds) == {"limits"}:
        return "unclear"
    named = {"once" if kind == "limits" else kind for kind in kinds}
    granted: list[Grant] = [grant for grant in GRANTS if grant in named] or ["once"]
    return granted[0] if len(granted) == 1 else "unclear"
