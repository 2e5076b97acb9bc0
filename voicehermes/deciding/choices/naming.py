"""A choice by its own words: all of them, or enough that no other one has. Pure."""

from collections.abc import Sequence
from itertools import pairwise

from voicehermes.deciding.choices.answer import FREE, UNCLEAR, Answer, chosen
from voicehermes.deciding.choices.heard import Heard
from voicehermes.deciding.choices.options import Option, Tokens, bare
from voicehermes.deciding.tokens import Token, all_equal
from voicehermes.lexicon.choosing import ChoosingWords


def exactly(heard: Heard) -> Answer | None:
    """The choice that the whole answer is; None if there is none, or two that sound the same.

    "alle quindici" -> "Alle 15:00"; "type script" -> "TypeScript". "Alle nove" is neither of 9:00
    and 21:00. With a question mark it must be the choice letter for letter.
    """
    text = heard.transcript.strip()
    for option in heard.options:
        if text and option.choice.strip() == text:
            return chosen(option.choice)
    found = set() if heard.asks else _whole(heard.written, heard)
    found |= _whole(heard.said, heard) if found else set()
    return chosen(found.pop()) if len(found) == 1 and not _is_another(found, heard) else None


def _is_another(found: set[str], heard: Heard) -> bool:
    """Whether it counts another choice: "la prima" of "Dopo", "Prima"."""
    unit = heard.units[-1]
    is_counting = heard.said[0].text in heard.words.determiners and unit.kind == "mention"
    return is_counting and not unit.choices <= found


def by_letter(heard: Heard) -> Answer | None:
    """The choice that is one letter or is labelled with it: "la bi" of "A) Roma", "B) Milano"."""
    words = heard.words
    skipped = words.option_words | words.courtesies | words.determiners
    texts = [token.text for token in heard.said]
    letters = {*texts} if len(texts) == 1 else {text for text in texts if text not in skipped}
    if len(letters) != 1:
        return None
    text = letters.pop()
    letter = words.letters.get(text, text)
    found = {option.choice for option in heard.options if letter in _letters(option, words)}
    return chosen(found.pop()) if len(letter) == len(found) == 1 else None


def by_mention(heard: Heard) -> Answer | None:
    """The choice that all mentions agree on, if nothing else is said.

    Two that are both wanted are free text: "la prima e la terza". Two that are not, or a number
    that no choice has, are unclear.
    """
    named = [unit.choices for unit in heard.units if unit.kind == "mention"]
    if not named:
        return None
    common, is_open = frozenset.intersection(*named), heard.has("alternative")
    if not (_is_only_named(heard) or _is_described(heard, common)):
        return None
    if _is_qualified(heard) or _is_spelled(heard):
        return UNCLEAR
    if len(common) == 1 and not is_open:
        return chosen(next(iter(common)))
    are_known = all(len(choices) == 1 for choices in named)
    is_set = heard.has("addition") and are_known and not common
    return FREE if is_set and not is_open else UNCLEAR


def by_part(heard: Heard) -> Answer | None:
    """The one choice that has all the words which say something; unclear if several have.

    "quella nuova" of "Usa il database nuovo", "Usa quello vecchio" -> the first. What another
    choice has too, but turns away, tells neither: "i log" of "Con i log", "Senza i log".
    """
    for content in heard.contents():
        for is_loose in (False, True):
            having = [o for o in heard.options if o.has_part(content, is_loose=is_loose)]
            if all(token.text in heard.words.alls for token in content):
                having = [option for option in having if option.tokens[0].equals(content[0])]
            if found := {option.choice for option in having}:
                is_told = len(found) == 1 and not _is_of_another(content, found, heard)
                return chosen(found.pop()) if is_told else UNCLEAR
    return None


def _is_of_another(content: Tokens, found: set[str], heard: Heard) -> bool:
    """Whether a choice that was not found has these words behind a "non", or the verb said."""
    others = [option for option in heard.options if option.choice not in found]
    own = [option for option in heard.options if option.choice in found]
    verbs = [[heard.said[unit.begin]] for unit in heard.units if unit.kind == "carrier"]
    return any(option.has_words(content) for option in others) or any(
        any(option.has_part(verb) for option in others)
        and not any(option.has_part(verb) for option in own)
        for verb in verbs
    )


def by_parts(heard: Heard) -> Answer | None:
    """Unclear if every word that says something is of another choice: "npm o yarn"."""
    unknown = heard.unknown()
    having = [_having(token, heard.options) for token in unknown]
    if len(having) < 2 or not all(having) or frozenset.intersection(*having):
        return None
    return FREE if heard.has("addition") and not heard.has("alternative") else UNCLEAR


def _having(token: Token, options: Sequence[Option]) -> frozenset[str]:
    return frozenset(option.choice for option in options if option.has_part([token]))


def _is_described(heard: Heard, common: frozenset[str]) -> bool:
    """Whether what else is said is of the same choice: "la prima, quella nuova".

    A number may be part of what is said: "due giorni" is not the second choice.
    """
    named = (heard.said[unit.begin] for unit in heard.units if unit.kind == "mention")
    return all(token.number is None for token in named) and any(
        o.has_part(heard.unknown()) for o in heard.options if {o.choice} == common
    )


def _is_qualified(heard: Heard) -> bool:
    """Whether it takes back something of what it begins with: "sì, ma solo il primo"."""
    kinds = [unit.kind for unit in heard.units]
    return "contrast" in kinds[1:] and "negator" not in kinds


def _is_spelled(heard: Heard) -> bool:
    """Whether numbers follow each other, and may be parts of one: "ottanta ottanta" of 8080."""
    counted = [
        unit.kind == "mention" and heard.said[unit.begin].number is not None for unit in heard.units
    ]
    return any(one and other for one, other in pairwise(counted))


def _is_only_named(heard: Heard) -> bool:
    """Whether no word is left that could mean more: "piazzalo in staging" has none."""
    if not heard.unknown():
        return True
    telling = [unit for unit in heard.units if unit.kind not in ("light", "carrier")]
    if [unit.kind for unit in telling] != ["unknown", "mention"]:
        return False
    verb, mention = heard.said[telling[0].begin], heard.said[telling[1].begin]
    is_counted = any(token.number or token.place for token in (verb, mention))
    return not is_counted and heard.said[telling[0].end].text in heard.words.prepositions


def _whole(said: Tokens, heard: Heard) -> set[str]:
    """The choices of which it has every word, in the strictest way that there are any."""
    words = heard.words
    small = bare(said, (words.articles | words.separators) - words.negators)
    named = [option for option in heard.options if option.tokens]
    for found in (
        {option.choice for option in named if all_equal(said, option.tokens)},
        {option.choice for option in named if all_equal(small, option.forms[0])},
        {option.choice for option in named if _joined(said) == _joined(option.tokens)},
    ):
        if found:
            return found
    return set()


def _joined(tokens: Tokens) -> str:
    return "".join(token.text for token in tokens)


def _letters(option: Option, words: ChoosingWords) -> set[str]:
    """The letter that it is, as "A", or ends in, as "Opzione A", and that of its label."""
    ends = [token.text for token in option.tokens[-1:] if len(token.text) == 1]
    texts = [token.text for token in option.tokens if token.text not in words.option_words]
    labels = [option.label.text] if option.label else []
    return {text for text in (*texts[: len(texts) == 1], *ends, *labels) if text.isalpha()}
