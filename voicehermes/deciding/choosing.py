"""What a spoken answer to a clarification means. Pure; the words are the lexicon's.

The order: a choice word for word; silence; to hear it again; to decline; then, of a question with
choices, what is doubtful is unclear, and an answer that is nothing else is free text, which the
agent understands as it was said. A choice is never a guess: all that was said must name it or say
nothing by itself.
"""

from collections.abc import Sequence

from voicehermes.deciding.choices import doubting, naming
from voicehermes.deciding.choices.answer import CANCEL, FREE, REPEAT, UNCLEAR, Answer, chosen
from voicehermes.deciding.choices.consenting import by_consent, cancelling
from voicehermes.deciding.choices.heard import Heard, hear
from voicehermes.deciding.choices.negating import by_negation
from voicehermes.deciding.choices.resembling import by_sound
from voicehermes.deciding.matching import is_only
from voicehermes.deciding.silence import is_nothing
from voicehermes.lexicon.answers import AnswerWords
from voicehermes.lexicon.folding import tokens

__all__ = ["Answer", "asks_for_more", "of_clarification"]

_SCRAP = 2
"""Letters."""


def of_clarification(transcript: str, choices: Sequence[str], words: AnswerWords) -> Answer:
    """What the answer means: "Metti in staging." of staging, production is the choice staging."""
    heard = hear(transcript, choices, words.language)
    if exact := naming.exactly(heard):
        return exact
    if is_nothing(transcript, words):
        return UNCLEAR
    if doubting.asks_to_repeat(heard.said, heard.words):
        return REPEAT
    if _declines(transcript, words):
        return _declined(heard)
    if not choices:
        return UNCLEAR if doubting.only_waits(heard.said, heard.words) else FREE
    return _among_choices(heard, words)


def asks_for_more(transcript: str, words: AnswerWords) -> bool:
    """Whether it asks for the next choices and nothing else: "Le altre, per favore"."""
    return is_only(tokens(transcript), words.more, words.fillers | words.consents)


def _declines(transcript: str, words: AnswerWords) -> bool:
    """Whether it declines to answer and nothing else: "lascia stare, grazie"."""
    return is_only(tokens(transcript), words.cancels, words.fillers)


def _declined(heard: Heard) -> Answer:
    """The choice to cancel, if there is one, or no answer at all."""
    part = naming.by_part(heard)
    if part and part.choice:
        return part
    ways_out = cancelling(heard)
    return chosen(next(iter(ways_out))) if len(ways_out) == 1 else CANCEL


def _among_choices(heard: Heard, answers: AnswerWords) -> Answer:
    """What an answer to a question with choices means."""
    if doubting.delegates(heard.said, heard.words):
        return FREE
    if doubting.refuses_all(heard.said, heard.words):
        return _none_of(heard)
    if agreed := by_consent(heard, answers):
        return agreed
    if doubting.is_doubtful(heard):
        return UNCLEAR if len(heard.said) <= doubting.SHORT else FREE
    return (
        naming.by_letter(heard)
        or by_negation(heard)
        or naming.by_mention(heard)
        or naming.by_part(heard)
        or naming.by_parts(heard)
        or by_sound(heard)
        or _anything_else(heard)
    )


def _none_of(heard: Heard) -> Answer:
    """The choice that says so, if there is one: "né l'uno né l'altro" of "Nessuno dei due"."""
    found = [o.choice for o in heard.options if doubting.refuses_all(o.tokens, heard.words)]
    if len(found) == 1:
        return chosen(found[0])
    return naming.by_part(heard) or FREE


def _anything_else(heard: Heard) -> Answer:
    """Free text, unless it says nothing by itself or turns away something of a choice."""
    unknown = heard.unknown()
    if not unknown or (len(heard.said) == 1 and _is_scrap(heard.said[0].text)):
        return UNCLEAR
    is_about_choice = any(option.has_any(unknown) for option in heard.options)
    is_turned_away = heard.has("negator") and is_about_choice
    return UNCLEAR if is_turned_away and len(heard.said) <= doubting.SHORT else FREE


def _is_scrap(word: str) -> bool:
    """Whether it is so short a word that it was cut off, or misheard: "se" for "sì"."""
    return word.isalpha() and len(word) <= _SCRAP
