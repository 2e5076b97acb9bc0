"""What the words so far tell of whether the user has finished. Pure; knows no language."""

from collections.abc import Sequence

from voicehermes.lexicon.wording import Phrases, WordingWords, Words, words_of

_QUESTION_WORDS = 3
_SENTENCE_WORDS = 5
"""Shorter ones may be the beginning of anything: "il mio amico"."""

_CONTINUED = (",", "…", "...", ":", ";", "-", "–", "—")
"""What a recogniser ends with where it hears that something follows. A full stop proves nothing:
recognisers put one behind whatever they are given."""

_LONGEST_PHRASE = 4


def sounds_finished(text: str, words: WordingWords) -> bool | None:
    """Whether it could end here; None = no idea.

    "Che tempo fa domani a Milano?" -> True; "Vorrei che" -> False; "Il mio amico" -> None.
    """
    said = words_of(text)
    if not said:
        return None
    if text.rstrip().endswith(_CONTINUED) or _ends_with(said, words.hanging):
        return False
    is_marked = text.rstrip().endswith("?")
    if is_marked or _begins_with(said, words.interrogatives):
        is_whole = is_marked and len(said) >= _QUESTION_WORDS
    elif _ends_with(said, words.hanging_unless_asked):
        return False
    else:
        is_whole = len(said) >= _SENTENCE_WORDS and not _begins_with(said, words.openings)
    return True if is_whole else None


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
    is_open = part[0].islower() or goes_on != part or sounds_finished(text, words) is False
    if not is_open or not goes_on:
        return f"{text} {part}"
    first = words_of(goes_on)[:1]
    if first in words.hanging or first in words.hanging_unless_asked:
        goes_on = goes_on[0].lower() + goes_on[1:]
    return f"{text.rstrip('.… ')} {goes_on}"


def _ends_with(said: Words, phrases: Phrases) -> bool:
    return any(said[-length:] in phrases for length in range(1, _LONGEST_PHRASE + 1))


def _begins_with(said: Words, phrases: Phrases) -> bool:
    return any(said[:length] in phrases for length in range(1, _LONGEST_PHRASE + 1))
