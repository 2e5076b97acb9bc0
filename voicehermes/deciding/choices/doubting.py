"""Answers that are none yet: a question, a hesitation, a wish to hear the choices again. Pure."""

from voicehermes.deciding.choices.options import Tokens
from voicehermes.deciding.tokens import longest
from voicehermes.lexicon.choosing import ChoosingWords, Phrases

SHORT = 10
"""Words. A longer answer tells something, even if it asks or hesitates as well."""


def asks_to_repeat(said: Tokens, words: ChoosingWords) -> bool:
    """Whether it asks to hear the question again, and does nothing else.

    "Scusa, puoi ripetere le opzioni?" does; "Ripeti il test ogni giorno" does not.
    """
    has_core, place = False, 0
    known = words.repeat_fillers | words.courtesies | words.option_words
    while place < len(said):
        core, filler = longest(said, place, words.repeats), longest(said, place, known)
        is_counted = said[place].number is not None or said[place].place is not None
        length = max(len(phrase.split()) for phrase in (core or "", filler or ""))
        if not length and not is_counted:
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


def is_waiting(said: Tokens, words: ChoosingWords) -> bool:
    """Whether it only asks for time or hesitates: "un secondo, ci penso", "ehm"."""
    return _is_made_of(said, words.waits, words) or _rest(said, words.courtesies) == ()


def is_doubtful(said: Tokens, words: ChoosingWords, *, has_mark: bool) -> bool:
    """Whether it is a question, with a question mark or without, or a hesitation."""
    hesitates = any(longest(said, place, words.hedges | words.waits) for place in range(len(said)))
    return has_mark or hesitates or _asks(said, words)


def _asks(said: Tokens, words: ChoosingWords) -> bool:
    begin = 0
    while courtesy := longest(said, begin, words.courtesies):
        begin += len(courtesy.split())
    return longest(said, begin, words.interrogatives) is not None


def _is_made_of(said: Tokens, phrases: Phrases, words: ChoosingWords) -> bool:
    """Whether it is one or more of the phrases, with nothing but courtesies around them."""
    rest = _rest(said, words.courtesies | phrases)
    return rest == () and _rest(said, words.courtesies) != ()


def _rest(said: Tokens, phrases: Phrases) -> Tokens:
    """What comes from the first word on that is in none of the phrases."""
    place = 0
    while phrase := longest(said, place, phrases):
        place += len(phrase.split())
    return said[place:]
