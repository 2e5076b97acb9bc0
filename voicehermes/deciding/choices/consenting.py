"""Choices that are a yes and a no, and the answers that are one without naming the choice. Pure."""

from voicehermes.deciding.approving import of_approval
from voicehermes.deciding.choices.answer import FREE, UNCLEAR, Answer, chosen
from voicehermes.deciding.choices.doubting import hesitates
from voicehermes.deciding.choices.heard import Heard
from voicehermes.deciding.choices.naming import by_part
from voicehermes.deciding.choices.options import Option, is_one_of
from voicehermes.lexicon.answers import AnswerWords
from voicehermes.lexicon.choosing import Phrases

_STEM = 5
"""Letters that a verb keeps in all its forms: "annullare" is "annulla"."""


def cancelling(heard: Heard) -> frozenset[str]:
    """The choices that stop or cancel, and are no plain no."""
    negators = heard.words.negators
    plain = (o for o in heard.options if o.tokens and o.tokens[0].text in negators)
    return _those(heard, heard.words.refusing) - {option.choice for option in plain}


def by_consent(heard: Heard, answers: AnswerWords) -> Answer | None:
    """The yes or the no among the choices; None if they are no such list, or it is neither.

    "certo" of "Sì", "No" -> "Sì"; "sì... anzi no" -> "No"; of "Procedi", "Annulla" -> "Annulla".
    A refusal that says more is for the agent to read: "no, prima fai un backup". What has the
    words of one choice alone is that choice, and no refusal: "elimina" of "Sì, elimina", "No".
    """
    yes, no = (_those(heard, phrases) for phrases in (heard.words.consenting, heard.words.refusing))
    named = {choice for unit in heard.units if unit.kind == "mention" for choice in unit.choices}
    if not (yes and no) or named - yes - no:
        return None
    match of_approval(heard.transcript, answers):
        case "once":
            return UNCLEAR if named - yes else _only(yes)
        case "deny" if hesitates(heard) or _is_turned_away(heard, no):
            return UNCLEAR
        case "deny" if _is_partial(heard, answers):
            return FREE
        case "deny" if _is_contradicted(heard, yes):
            return UNCLEAR
        case "deny":
            return by_part(heard) or (_only(no) if _says_no_more(heard, answers) else FREE)
        case _:
            return None


def _only(choices: frozenset[str]) -> Answer:
    return chosen(next(iter(choices))) if len(choices) == 1 else UNCLEAR


def _is_turned_away(heard: Heard, no: frozenset[str]) -> bool:
    """Whether it is the refusing choice that is refused: "non annullare" of "Annulla".

    So is "non voglio tenerlo" of "Sì, elimina", "No, tenere"; "non voglio, no" is a plain no.
    """
    forms = [(option.choice in no, form) for option in heard.options for form in option.forms]
    stems = {token.text[:_STEM] for is_no, form in forms for token in form if is_no}
    stems -= {token.text[:_STEM] for is_no, form in forms for token in form if not is_no}
    refused = False
    for place, unit in enumerate(heard.units):
        text = " ".join(token.text for token in heard.said[unit.begin : unit.end])
        if unit.kind in ("negator", "contrast"):
            if refused and heard.units[place - 1].kind == "negator" and text[:_STEM] in stems:
                return True  # "non no"
            refused = text in heard.words.nots
        elif refused and any(t.text[:_STEM] in stems for t in heard.said[unit.begin : unit.end]):
            return True
    return False


def _is_contradicted(heard: Heard, yes: frozenset[str]) -> bool:
    """Whether a plain no is followed by what is done after a yes: "no, elimina"."""
    telling = [unit for unit in heard.units if unit.kind in ("negator", "mention")]
    return [unit.kind for unit in telling[-2:]] == ["negator", "mention"] and bool(
        telling[-1].choices & yes
    )


def _is_partial(heard: Heard, answers: AnswerWords) -> bool:
    """Whether it allows, and refuses only something: "sì, ma non tutti", but not "sì, ma no"."""
    for place, turn in enumerate(heard.units):
        if heard.said[turn.begin].text not in heard.words.contrasts:
            continue
        first = " ".join(token.text for token in heard.said[: turn.begin])
        empty = {"negator"} if turn.kind == "negator" else {"negator", "light"}
        is_telling = any(unit.kind not in empty for unit in heard.units[place + 1 :])
        if is_telling and of_approval(first, answers) == "once":
            return True
    return False


def _says_no_more(heard: Heard, answers: AnswerWords) -> bool:
    """Whether every word refuses, allows, or is what a "non" refuses: "no, non farlo"."""
    known = answers.refusals | answers.negatives | answers.stops | answers.whole_refusals
    known |= answers.consents | answers.fillers | answers.once
    single = {word for phrase in known for word in phrase}
    is_refused = False
    for unit in heard.units:
        if unit.kind == "unknown" and heard.said[unit.begin].text not in single:
            if not is_refused:
                return False
            is_refused = False
        is_refused = is_refused or unit.kind == "negator"
    return True


def _those(heard: Heard, phrases: Phrases) -> frozenset[str]:
    return frozenset(option.choice for option in heard.options if _is(option, phrases))


def _is(option: Option, phrases: Phrases) -> bool:
    return any(is_one_of(form, phrases) for form in (option.tokens, *option.forms))
