"""Choices that are a yes and a no, and the answers that are one without naming the choice. Pure."""

from collections.abc import Sequence
from itertools import pairwise

from voicehermes.deciding.answer import FREE, UNCLEAR, Answer, chosen
from voicehermes.deciding.answers import of_approval
from voicehermes.deciding.choices.mentions import Unit
from voicehermes.deciding.choices.options import Option, Tokens, is_one_of
from voicehermes.lexicon.answers import AnswerWords
from voicehermes.lexicon.choosing import ChoosingWords, Phrases

_STEM = 5
"""Letters that a verb keeps in all its forms: "annullare" is "annulla"."""


def refusing(options: Sequence[Option], words: ChoosingWords) -> frozenset[str]:
    """The choices that are a no, or stop and cancel."""
    return frozenset(option.choice for option in options if _is(option, words.refusing))


def cancelling(options: Sequence[Option], words: ChoosingWords) -> frozenset[str]:
    """The choices that stop or cancel, and are no plain no."""
    no = (option for option in options if option.tokens and option.tokens[0].text in words.negators)
    return refusing(options, words) - {option.choice for option in no}


def consenting(options: Sequence[Option], words: ChoosingWords) -> frozenset[str]:
    """The choices that allow or go on."""
    return frozenset(option.choice for option in options if _is(option, words.consenting))


def by_consent(
    transcript: str,
    said: Tokens,
    units: Sequence[Unit],
    options: Sequence[Option],
    answers: AnswerWords,
    words: ChoosingWords,
    *,
    is_hedged: bool,
) -> Answer | None:
    """The yes or the no among the choices; None if they are no such list, or it is neither.

    "certo" of "Sì", "No" -> "Sì"; "sì... anzi no" -> "No"; of "Procedi", "Annulla" -> "Annulla".
    A refusal that says more is for the agent to read: "no, prima fai un backup".
    """
    yes, no = consenting(options, words), refusing(options, words)
    named = {choice for unit in units if unit.kind == "mention" for choice in unit.choices}
    if not (yes and no) or named - yes - no:
        return None
    match of_approval(transcript, answers):
        case "once":
            return _only(yes)
        case "deny" if is_hedged or _is_turned_away(said, options, no, words):
            return UNCLEAR
        case "deny":
            return _only(no) if _says_no_more(said, units, answers) else FREE
        case _:
            return None


def _only(choices: frozenset[str]) -> Answer:
    return chosen(next(iter(choices))) if len(choices) == 1 else UNCLEAR


def _is_turned_away(
    said: Tokens, options: Sequence[Option], no: frozenset[str], words: ChoosingWords
) -> bool:
    """Whether it is the refusing choice that is refused: "non annullare" of "Annulla"."""
    stems = {
        token.text[:_STEM]
        for option in options
        if option.choice in no
        for token in option.tokens
        if len(token.text) >= _STEM
    }
    return any(
        before.text in words.negators and token.text[:_STEM] in stems
        for before, token in pairwise(said)
    )


def _says_no_more(said: Tokens, units: Sequence[Unit], answers: AnswerWords) -> bool:
    """Whether every word refuses, allows, or is what a "non" refuses: "no, non farlo"."""
    known = answers.refusals | answers.negatives | answers.stops | answers.whole_refusals
    known |= answers.consents | answers.fillers | answers.once
    single = {word for phrase in known for word in phrase}
    is_refused = False
    for unit in units:
        text = said[unit.begin].text
        if unit.kind == "unknown" and text not in single:
            if not is_refused:
                return False
            is_refused = False
        is_refused = is_refused or unit.kind == "negator"
    return True


def _is(option: Option, phrases: Phrases) -> bool:
    return any(is_one_of(form, phrases) for form in (option.tokens, *option.forms))
