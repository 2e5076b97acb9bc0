"""What a spoken answer to a clarification means. Pure; the words are the lexicon's.

The order: a choice word for word; silence; to hear it again; to decline; then, of a question with
choices, what is doubtful is unclear, and an answer that is nothing else is free text, which the
agent understands as it was said. A choice is never a guess: all that was said must name it or say
nothing by itself.
"""

from collections.abc import Sequence

from voicehermes.deciding.answer import CANCEL, FREE, REPEAT, UNCLEAR, Answer, chosen
from voicehermes.deciding.choices import consenting, doubting, naming
from voicehermes.deciding.choices.consenting import by_consent
from voicehermes.deciding.choices.mentions import Unit, mentions
from voicehermes.deciding.choices.negating import by_negation
from voicehermes.deciding.choices.options import Option, Tokens, options_of
from voicehermes.deciding.choices.resembling import resembling
from voicehermes.deciding.matching import made_of
from voicehermes.deciding.normalising import is_question, tokens
from voicehermes.deciding.numbers import read
from voicehermes.deciding.silence import is_nothing
from voicehermes.lexicon import choosing, numbers
from voicehermes.lexicon.answers import AnswerWords
from voicehermes.lexicon.choosing import ChoosingWords

__all__ = ["Answer", "of_clarification"]


def of_clarification(transcript: str, choices: Sequence[str], words: AnswerWords) -> Answer:
    """What the answer means: "Metti in staging." of staging, production is the choice staging."""
    ours, counting = choosing.load(words.language), numbers.load(words.language)
    options = options_of(choices, counting, ours)
    said = read(transcript, counting, is_spoken=True)
    asks = is_question(transcript)
    if found := naming.verbatim(transcript, options):
        return chosen(found)
    written = read(transcript, counting, is_spoken=False)
    if not asks and (found := naming.exactly(written, said, options, ours)):
        return chosen(found)
    if is_nothing(transcript, words):
        return UNCLEAR
    if doubting.asks_to_repeat(said, ours):
        return REPEAT
    if _declines(transcript, words):
        return _declined(said, options, ours)
    if not choices:
        return UNCLEAR if doubting.is_waiting(said, ours) else FREE
    return _of_choices(transcript, said, options, words, ours)


def _declines(transcript: str, words: AnswerWords) -> bool:
    """Whether the whole utterance declines to answer: "lascia stare, grazie"."""
    kinds = made_of(tokens(transcript), {"cancels": words.cancels, "fillers": words.fillers})
    return kinds is not None and "cancels" in kinds


def _declined(said: Tokens, options: Sequence[Option], words: ChoosingWords) -> Answer:
    """The choice to cancel, if there is one, or no answer at all."""
    parts = naming.part_of(said, mentions(said, options, words), options, words)
    if parts and parts.choice:
        return parts
    ways_out = consenting.cancelling(options, words)
    return chosen(next(iter(ways_out))) if len(ways_out) == 1 else CANCEL


def _of_choices(
    transcript: str,
    said: Tokens,
    options: Sequence[Option],
    answers: AnswerWords,
    words: ChoosingWords,
) -> Answer:
    if doubting.delegates(said, words):
        return FREE
    units = mentions(said, options, words)
    if doubting.refuses_all(said, words):
        return _none_of(said, units, options, words)
    asks = is_question(transcript)
    is_hedged = doubting.hesitates(said, words, has_mark=asks)
    if agreed := by_consent(transcript, said, units, options, answers, words, is_hedged=is_hedged):
        return agreed
    if doubting.is_doubtful(said, words, has_mark=asks) or doubting.waits(said, words):
        return UNCLEAR if len(said) <= doubting.SHORT else FREE
    if letter := naming.by_letter(said, options, words):
        return chosen(letter)
    return (
        by_negation(said, units, len(options), words)
        or _named(said, units, words)
        or naming.part_of(said, units, options, words)
        or _alike(said, units, options, words)
        or _anything_else(said, units, options, words)
    )


def _none_of(
    said: Tokens, units: Sequence[Unit], options: Sequence[Option], words: ChoosingWords
) -> Answer:
    """The choice that says so, if there is one: "né l'uno né l'altro" of "Nessuno dei due"."""
    found = [option.choice for option in options if doubting.refuses_all(option.tokens, words)]
    if len(found) == 1:
        return chosen(found[0])
    return naming.part_of(said, units, options, words) or FREE


def _named(said: Tokens, units: Sequence[Unit], words: ChoosingWords) -> Answer | None:
    """The choice that all mentions agree on, if nothing else is said."""
    named = [unit.choices for unit in units if unit.kind == "mention"]
    if not named or not _is_only_named(said, units, words):
        return None
    common = frozenset.intersection(*named)
    is_open = any(unit.kind == "alternative" for unit in units)
    if len(common) == 1 and not is_open:
        return chosen(next(iter(common)))
    is_joined = any(unit.kind == "addition" for unit in units)
    are_known = all(len(choices) == 1 for choices in named)
    return FREE if is_joined and are_known and not is_open and not common else UNCLEAR


def _is_only_named(said: Tokens, units: Sequence[Unit], words: ChoosingWords) -> bool:
    """Whether no word is left that could mean more: "piazzalo in staging" has none."""
    unknown = [unit for unit in units if unit.kind == "unknown"]
    if not unknown:
        return True
    telling = [unit for unit in units if unit.kind not in ("light", "carrier")]
    if [unit.kind for unit in telling] != ["unknown", "mention"]:
        return False
    verb, mention = telling
    is_name = said[mention.begin].number is None and said[mention.begin].place is None
    return is_name and said[verb.begin].place is None and said[verb.end].text in words.prepositions


def _alike(
    said: Tokens, units: Sequence[Unit], options: Sequence[Option], words: ChoosingWords
) -> Answer | None:
    """The choice that sounds like what was said."""
    heard = (resembling(content, options, words) for content in naming.contents(said, units))
    return next((answer for answer in heard if answer), None)


def _anything_else(
    said: Tokens, units: Sequence[Unit], options: Sequence[Option], words: ChoosingWords
) -> Answer:
    """Free text, unless it says nothing by itself or turns away something of a choice."""
    if all(unit.kind != "unknown" for unit in units):
        return UNCLEAR
    refuses = any(unit.kind == "negator" for unit in units)
    rest = [said[unit.begin] for unit in units if unit.kind == "unknown"]
    is_about_choice = any(option.has_any(rest) for option in options)
    return UNCLEAR if refuses and is_about_choice and len(said) <= doubting.SHORT else FREE
