"""Where an answer names a choice: by its words, its number, its place. Pure.

Every word of the answer goes into one unit, so that it is seen what else was said.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from voicehermes.deciding.choices.options import Option, Tokens
from voicehermes.deciding.tokens import Token, longest
from voicehermes.lexicon.choosing import ChoosingWords, Phrases

Kind = Literal[
    "mention",
    "option",
    "light",
    "carrier",
    "negator",
    "contrast",
    "alternative",
    "addition",
    "unknown",
]
"""What a unit does: "option" is a word like "numero"; "light" ones say nothing, "carriers" such as
"metti" nothing that tells one choice from another, unless a choice has them."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Some words of an answer."""

    kind: Kind
    begin: int
    end: int
    choices: frozenset[str] = frozenset()
    """What a mention may mean; none, when there is no such choice."""


def mentions(said: Tokens, options: Sequence[Option], words: ChoosingWords) -> tuple[Unit, ...]:
    """The answer as units: "metti in staging" -> light, light, mention of "staging"."""
    scanner, units = _Scanner(said, options, words), list[Unit]()
    begin = 0
    while begin < len(said):
        is_counted = bool(units) and units[-1].kind == "option"
        units.append(scanner.at(begin, is_counted=is_counted))
        begin = units[-1].end
    return _counting(_in_their_sense(units, said, words), said, options, words)


def _in_their_sense(units: list[Unit], said: Tokens, words: ChoosingWords) -> list[Unit]:
    """Ordinals that are none become unknown: the "prima" of "prima fai un backup"."""
    if len([unit for unit in units if unit.kind in ("mention", "unknown")]) < 2:
        return units
    read = list(units)
    for place, unit in enumerate(units):
        around = {other.kind for other in units[max(place - 1, 0) : place + 2] if other is not unit}
        is_bare = place == 0 or units[place - 1].kind not in ("light", "carrier", "option")
        if said[unit.begin].text in words.homographs and is_bare and "option" not in around:
            read[place] = Unit("unknown", unit.begin, unit.end)
    return read


def _counting(
    units: list[Unit], said: Tokens, options: Sequence[Option], words: ChoosingWords
) -> tuple[Unit, ...]:
    """The units with each "uno" that is the number as a mention.

    It is one where nothing else could be meant, "la uno", and where it is listed: "uno e tre".
    """
    is_alone = not any(unit.kind in ("mention", "unknown") for unit in units)
    is_list = any(unit.kind in ("addition", "alternative") for unit in units)
    counted = list(units)
    for place, unit in enumerate(units):
        before = units[place - 1].kind if place else "addition"
        is_listed = is_list and before in ("addition", "alternative", "option")
        is_one = unit.kind == "carrier" and said[unit.begin].text in words.pronouns - words.articles
        if is_one and (is_alone or is_listed):
            choices = _counted(said[unit.begin], options)
            counted[place] = Unit("mention", unit.begin, unit.end, choices)
    return tuple(counted)


def _counted(token: Token, options: Sequence[Option]) -> frozenset[str]:
    """The choice of that number or place, by count and by its own label."""
    place = token.number if token.place is None else token.place
    if place is None:
        return frozenset()
    index = place - 1 if place > 0 else len(options) + place
    by_count = {options[index].choice} if place and 0 <= index < len(options) else set()
    return frozenset(by_count | {o.choice for o in options if o.label and o.label.equals(token)})


class _Scanner:
    """Finds the unit that begins at a place."""

    def __init__(self, said: Tokens, options: Sequence[Option], words: ChoosingWords) -> None:
        self._said, self._options, self._words = said, options, words
        self._kinds: tuple[tuple[Kind, Phrases], ...] = (
            ("negator", words.negators | words.exclusions),
            ("contrast", words.contrasts),
            ("alternative", words.alternatives),
            ("addition", words.additions),
            ("option", words.option_words),
            ("light", words.courtesies | words.noises | words.articles),
            ("carrier", words.carriers | words.pronouns | words.separators),
        )

    def at(self, begin: int, *, is_counted: bool) -> Unit:
        """The unit there; ``is_counted`` after a word like "numero"."""
        named, phrase = self._named(begin), self._phrase(begin)
        if named and (phrase is None or named.end >= phrase.end):
            return self._with_count(named) if named.end == begin + 1 else named
        if phrase and not (is_counted and self._said[begin].number):
            return phrase
        return self._numbered(begin, is_counted=is_counted) or Unit("unknown", begin, begin + 1)

    def _named(self, begin: int) -> Unit | None:
        """The longest name of a choice that is there."""
        ends: dict[int, set[str]] = {}
        for option in self._options:
            for form in option.forms:
                end = self._end_of(form, begin)
                if end is not None:
                    ends.setdefault(end, set()).add(option.choice)
        if not ends:
            return None
        return Unit("mention", begin, max(ends), frozenset(ends[max(ends)]))

    def _end_of(self, form: Tokens, begin: int) -> int | None:
        """Where that name ends, articles between its words left aside."""
        is_letter = len(form) == 1 and len(form[0].text) == 1 and form[0].text.isalpha()
        if is_letter or all(token.text in self._words.negators for token in form):
            return None  # "a" is a word, too, and a "no" may be about what follows
        place = begin
        for wanted in form:
            while place > begin and place < len(self._said) and self._is_small(place, wanted):
                place += 1
            if place >= len(self._said) or not self._said[place].equals(wanted):
                return None
            place += 1
        return place

    def _is_small(self, place: int, wanted: Token) -> bool:
        token, small = self._said[place], self._words.articles | self._words.separators
        return token.text in small and not token.equals(wanted)

    def _with_count(self, named: Unit) -> Unit:
        """A name that is a number counts as well: "tre" of the choices 3, 4, 5."""
        token = self._said[named.begin]
        return Unit(
            "mention", named.begin, named.end, named.choices | _counted(token, self._options)
        )

    def _numbered(self, begin: int, *, is_counted: bool) -> Unit | None:
        token = self._said[begin]
        choices = _counted(token, self._options)
        if not (is_counted and token.number is not None):
            choices |= self._having(token)
        if is_counted and len(token.text) == 1 and token.number is None:
            return Unit("mention", begin, begin + 1)  # "opzione B", where no choice is called so
        is_number = token.number is not None or token.place is not None
        is_known = is_number or (choices and _is_time(token))
        return Unit("mention", begin, begin + 1, choices) if is_known else None

    def _having(self, token: Token) -> frozenset[str]:
        """The choices that have that number in their words, an ordinal as their first one."""
        having = (option for option in self._options if option.has_part([token]))
        if token.text in self._words.homographs:
            having = (option for option in having if option.forms[0][0].equals(token))
        return frozenset(option.choice for option in having)

    def _phrase(self, begin: int) -> Unit | None:
        """The longest phrase there, if it is one of those that we know."""
        if middle := longest(self._said, begin, self._words.middles):
            end = begin + len(middle.split())
            own = [o.choice for o in self._options if o.has_part(self._said[begin:end])]
            return Unit("mention", begin, end, frozenset(own) or _middle(self._options))
        found = [(kind, longest(self._said, begin, phrases)) for kind, phrases in self._kinds]
        lengths = [(kind, len(phrase.split())) for kind, phrase in found if phrase]
        if not lengths:
            return None
        kind, length = max(lengths, key=lambda known: known[1])
        return Unit(kind, begin, begin + length)


def _middle(options: Sequence[Option]) -> frozenset[str]:
    """The choice in the middle; an even number of them has none."""
    half, is_odd = divmod(len(options), 2)
    return frozenset({options[half].choice} if is_odd else ())


def _is_time(token: Token) -> bool:
    return any(":" in reading for reading in token.readings)
