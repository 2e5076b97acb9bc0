"""What is said to the assistant itself, and what is said to nobody. Pure; knows no language.

Only a whole utterance counts: "ripeti" is for the assistant, "ripeti la domanda al gruppo" is not.
"""

import re
from collections.abc import Collection

from voicehermes.deciding.matching import made_of
from voicehermes.events import LocalCommand
from voicehermes.lexicon.answers import Phrases
from voicehermes.lexicon.folding import Phrase, tokens
from voicehermes.lexicon.requests import RequestWords

_MOST_WORDS = 20
"""No command is longer, however politely it is asked for."""

_LAUGHTER = re.compile(r"h?([aeio])(?:h+\1)+h?")
"""One vowel over and over: "ahah", "hehehe". "Ehi" calls somebody."""


def local_command(
    text: str, words: RequestWords, allowed: Collection[LocalCommand]
) -> LocalCommand | None:
    """What the assistant itself is asked for; None: nothing, or what is not allowed.

    "Ok Hermes, ripeti per favore." -> "repeat". Who says two things at once means neither, but
    "zitto" before another one only makes room for it: "Basta, annulla." -> "cancel".
    """
    said = tokens(text)
    if len(said) > _MOST_WORDS:
        return None
    kinds: dict[str, Phrases] = {"": words.wrappings}
    kinds.update(words.commands.items())
    found = made_of(said, kinds) or ()
    asked = [command for command in words.commands if command in found]
    if len(asked) > 1 and "quiet" in asked:
        asked.remove("quiet")
    return asked[0] if len(asked) == 1 and asked[0] in allowed else None


def is_backchannel(text: str, words: RequestWords) -> bool:
    """Whether it only shows that somebody listens: "Mhm, sì sì.", "Ah, ho capito!", "Ahahah"."""
    said = tokens(text)
    if not 0 < len(said) <= _MOST_WORDS:
        return False
    return made_of(_without_laughter(said), {"": words.backchannels}) is not None


def _without_laughter(said: Phrase) -> Phrase:
    return tuple(word for word in said if not _LAUGHTER.fullmatch(word))
