"""What is said and shown when a decision is wanted. Pure: decisions in, parts of speech out.

Each prompt that names what may be answered ends with the refusal: should the end of what we say
ever be taken for the user's answer, it refuses.
"""

from collections.abc import Sequence
from typing import assert_never

from voicehermes import lexicon
from voicehermes.deciding.commands.characters import revealed
from voicehermes.deciding.commands.describing import describe
from voicehermes.deciding.judging import is_risky, is_summarised, offered, reading_of
from voicehermes.deciding.rules import DecisionRules
from voicehermes.events import Approval, ApprovalChoice, Clarification, Decision
from voicehermes.lexicon import Lexicon, commands
from voicehermes.speaking.clauses import text_of
from voicehermes.speaking.parts import Part
from voicehermes.speaking.speakable import SpeechText

GROUP = 5
"""So many choices are read at a time."""

_COMMON = (
    "clarification-asked",
    "approved-once",
    "denied",
    "confirm-risky",
    "confirm-word",
    "decision-silence",
    "decision-unclear",
    "approved-session",
    "answered",
)


def question(
    decision: Decision, rules: DecisionRules, *, in_full: bool = False, group: int = 0
) -> tuple[Part, ...]:
    """The whole question, and what may be answered."""
    words = lexicon.load(rules.language)
    match decision:
        case Approval():
            return _approval(decision, rules, words, in_full=in_full)
        case Clarification():
            return _clarification(decision, words, group)
        case _:
            assert_never(decision)


def again(decision: Decision, rules: DecisionRules) -> tuple[Part, ...]:
    """What may be answered, to somebody who knows the question."""
    words = lexicon.load(rules.language)
    match decision:
        case Approval():
            return (_offer(decision, rules, words),)
        case Clarification(choices=()):
            return (_ours(words, "clarification-again-free"),)
        case Clarification():
            return (_ours(words, "clarification-again"),)
        case _:
            assert_never(decision)


def confirmation(
    approval: Approval, grant: ApprovalChoice, rules: DecisionRules
) -> tuple[Part, ...]:
    """Why a second confirmation is wanted, and which word it is."""
    words = lexicon.load(rules.language)
    if grant == "always":
        why = "confirm-always"
    elif is_risky(approval, rules):
        why = "confirm-risky"
    elif is_summarised(approval, rules):
        why = "confirm-summary"
    else:
        why = "confirm-plain"
    return _ours(words, why), _ours(words, "confirm-word")


def read_back(text: str, rules: DecisionRules) -> tuple[Part, ...]:
    """The user's own words, to be confirmed."""
    words = lexicon.load(rules.language)
    said = Part(words.say("read-back", text=text.rstrip(".")), is_fixed=False)
    return said, _ours(words, "read-back-ask")


def notice(phrase: str, rules: DecisionRules) -> Part:
    """A sentence of ours that comes before a prompt."""
    return _ours(lexicon.load(rules.language), phrase)


def fixed(rules: DecisionRules) -> tuple[str, ...]:
    """What is said of ours around most decisions; its sound should be at hand."""
    words = lexicon.load(rules.language)
    approval = Approval("", "", "", allow_permanent=False)
    offers = (_offer(approval, rules, words, with_details=is_long) for is_long in (False, True))
    return (
        words.say("approval-asked"),
        *(offer.text for offer in offers),
        *map(words.say, _COMMON),
    )


def shown(decision: Decision, rules: DecisionRules) -> str:
    """What is to be decided, for the eye, on one line: nothing in it is invisible."""
    words = lexicon.load(rules.language)
    match decision:
        case Approval(command=command, description=description):
            text = words.say("approval-shown", command=command, description=description)
        case Clarification(question=asked, choices=choices):
            numbered = (f"{number}. {choice}" for number, choice in enumerate(choices, 1))
            text = " / ".join((asked, *numbered))
        case _:
            assert_never(decision)
    return revealed(text)


def has_more(clarification: Clarification, group: int) -> bool:
    """Whether further choices come after that group."""
    return len(clarification.choices) > (group + 1) * GROUP


def _approval(
    approval: Approval, rules: DecisionRules, words: Lexicon, *, in_full: bool
) -> tuple[Part, ...]:
    reading = reading_of(approval, rules)
    is_whole = in_full or reading.is_whole
    named = words.say(
        "approval-command" if is_whole else "approval-summary",
        command=reading.full if in_full else reading.text,
    )
    why = describe(approval.description, commands.load(rules.language))
    told = " ".join(filter(None, (f"{_capital(why)}." if why else "", _capital(named))))
    offer = _offer(approval, rules, words, with_details=not is_whole)
    return _ours(words, "approval-asked"), Part(told, is_fixed=False), offer


def _offer(
    approval: Approval, rules: DecisionRules, words: Lexicon, *, with_details: bool = False
) -> Part:
    grants: list[str] = list(offered(approval, rules))
    names = [*grants, "details"] if with_details else grants
    if not names:
        return _ours(words, "approval-offer-none")
    answers = ", ".join(words.say(f"answer-{name}") for name in names)
    return Part(words.say("approval-offer", answers=answers), is_fixed=True)


def _clarification(clarification: Clarification, words: Lexicon, group: int) -> tuple[Part, ...]:
    begin = group * GROUP
    choices = [
        words.say("clarification-choice", number=_capital(_number(place, words)), choice=choice)
        for place, choice in enumerate(clarification.choices, 1)
    ]
    read = " ".join(choices[begin : begin + GROUP])
    if not group:
        read = " ".join(filter(None, (spoken(clarification.question, words), read)))
    parts = [Part(read, is_fixed=False)]
    if not group:
        parts.insert(0, _ours(words, "clarification-asked"))
    if not clarification.choices:
        parts.append(_ours(words, "clarification-free"))
    elif has_more(clarification, group):
        parts.append(_ours(words, "clarification-more"))
    return tuple(parts)


def spoken(text: str, words: Lexicon) -> str:
    """The agent's Markdown as it is read aloud: "Quale **ramo**?" becomes "Quale ramo?"."""
    speech = SpeechText(words)
    return text_of((*speech.feed(text), *speech.end()))


def _number(place: int, words: Lexicon) -> str:
    names: Sequence[str] = words.phrases["counting"].split()
    return names[place - 1] if place <= len(names) else str(place)


def _ours(words: Lexicon, phrase: str) -> Part:
    return Part(words.say(phrase), is_fixed=True)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
