"""What the words so far tell of whether the user has finished. Pure; knows no language."""

from collections.abc import Sequence

from voicehermes.lexicon.wording import MOST_WORDS, Phrases, WordingWords, Words, words_of

_QUESTION_WORDS = 3
_SENTENCE_WORDS = 5
"""Shorter ones may be the beginning of anything: "il mio amico"."""

_CONTINUED = (",", "…", "...", ":", ";", "-", "–", "—")
"""What a recogniser ends with where it hears that something follows. A full stop proves nothing:
recognisers put one behind whatever they are given."""


def sounds_finished(text: str, words: WordingWords) -> bool | None:
    """Whether it could end here; None = no idea.

    "Che tempo fa domani a Milano?" -> True; "Vorrei che" -> False; "Il mio amico" -> None.
    """
    said = words_of(text)
    if not said:
        return None
    if text.rstrip().endswith(_CONTINUED) or _ends_with(said, words.hanging):
        return False
    if text.rstrip().endswith("?"):
        return True if len(said) >= _QUESTION_WORDS else None
    is_asked = _begins_with(said, words.interrogatives)
    if _ends_with(said, words.hanging_unless_asked) and not is_asked:
        return False
    if len(said) < _SENTENCE_WORDS or _begins_with(said, words.openings):
        return None
    return True


def joined(parts: Sequence[str], words: WordingWords) -> str:
    """The transcripts of consecutive parts as one text.

    The stop that a recogniser put where the user only paused goes, and so does the capital letter
    of a word that is surely no name:
    "Vorrei un tavolo per.", "Domani e.", "Il giorno dopo." -> "Vorrei un tavolo per Domani e il
    giorno dopo."
    """
    text = ""
    for part in filter(None, (part.strip() for part in parts)):
        text = _continued(text, part, words) if text else part
    return text


def _continued(text: str, part: str, words: WordingWords) -> str:
    goes_on = part.lstrip(".… ")
    if not goes_on:
        return text
    is_open = part[0].islower() or goes_on != part or sounds_finished(text, words) is False
    if not is_open:
        return f"{text} {part}"
    first = words_of(goes_on)[:1]
    if first in words.hanging or first in words.hanging_unless_asked:
        goes_on = goes_on[0].lower() + goes_on[1:]
    return f"{text.rstrip('.… ')} {goes_on}"


def _ends_with(said: Words, phrases: Phrases) -> bool:
    return any(said[-length:] in phrases for length in range(1, MOST_WORDS + 1))


def _begins_with(said: Words, phrases: Phrases) -> bool:
    return any(said[:length] in phrases for length in range(1, MOST_WORDS + 1))
