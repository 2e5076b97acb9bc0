"""Answers that are none yet: a question, a hesitation, a wish to hear the choices again. Pure."""

from voicehermes.deciding.choices.heard import Heard
from voicehermes.deciding.choices.options import Tokens
from voicehermes.deciding.tokens import longest
from voicehermes.lexicon.choosing import ChoosingWords, Phrases

SHORT = 10
"""Words. A longer answer tells something, even if it asks or hesitates as well."""


def asks_to_repeat(said: Tokens, words: ChoosingWords) -> bool:
    """Whether it asks to hear the question again, and does nothing else.

    "Scusa, puoi ripetere le opzioni?" does; "Ripeti il test ogni giorno" does not.
    """
    if _is_made_of(said, words.whole_repeats, words):
        return True
    has_core, place = False, 0
    known = words.repeat_fillers | words.courtesies | words.noises | words.option_words
    while place < len(said):
        core, filler = longest(said, place, words.repeats), longest(said, place, known)
        is_counted = said[place].number is not None or said[place].place is not None
        length = max(len(phrase.split()) for phrase in (core or "", filler or ""))
        if not length and not (has_core and is_counted):
            return False
        has_core = has_core or (core is not None and len(core.split()) == length)
        place += length or 1
    return has_core


def delegates(said: Tokens, words: ChoosingWords) -> bool:
    """Whether it leaves the choice to the agent, and says nothing else: "come preferisci tu"."""
    return _is_made_of(said, words.delegations, words)


def refuses_all(said: Tokens, words: ChoosingWords) -> bool:
    """Whether it wants none of the choices: "nessuna delle due"."""
    return _is_made_of(said, words.neither, words)


def only_waits(said: Tokens, words: ChoosingWords) -> bool:
    """Whether it only asks for time: "un secondo, ci penso", "ehm"."""
    return _is_made_of(said, words.waits | words.noises, words)


def hesitates(heard: Heard) -> bool:
    """Whether it has a hedge or a question mark."""
    return heard.asks or _has(heard.said, heard.words.hedges)


def is_doubtful(heard: Heard) -> bool:
    """Whether it hesitates, is a question, or asks for time: "aspetta, la seconda"."""
    said, words = heard.said, heard.words
    return hesitates(heard) or _has(said, words.waits) or _asks(said, words)


def _has(said: Tokens, phrases: Phrases) -> bool:
    return any(longest(said, place, phrases) for place in range(len(said)))


def _asks(said: Tokens, words: ChoosingWords) -> bool:
    rest = _rest(said, words.courtesies | words.noises)
    return longest(rest, 0, words.interrogatives) is not None


def _is_made_of(said: Tokens, phrases: Phrases, words: ChoosingWords) -> bool:
    """Whether it is one or more of the phrases, with nothing but courtesies around them."""
    around = words.courtesies | words.noises
    return _rest(said, around | phrases) == () and _rest(said, around - phrases) != ()


def _rest(said: Tokens, phrases: Phrases) -> Tokens:
    """What comes from the first word on that is in none of the phrases."""
    place = 0
    while phrase := longest(said, place, phrases):
        place += len(phrase.split())
    return said[place:]
