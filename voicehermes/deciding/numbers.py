"""Numbers as people say them and as they are written, so that both are the same. Pure.

"Ventitré" and "23", "la seconda" and "2ª", "dieci e mezza" and "10:30", "venti per cento" and
"20%", "27/10" and "27 ottobre" come out with a reading in common.
"""

import re
from collections.abc import Sequence

from voicehermes.deciding.numerals import spelled
from voicehermes.deciding.times import clock, read_times
from voicehermes.deciding.tokens import Token, longest, word
from voicehermes.lexicon.folding import fold, pieces
from voicehermes.lexicon.numbers import NumberWords

_DATES = re.compile(
    r"\b(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})\b"
    r"|\b(?P<one>\d{1,2})/(?P<other>\d{1,2})/(?P<late_year>\d{4})\b"
    r"|(?<![/\d])(?P<first>\d{2})/(?P<second>\d{2})(?![/\d])"
)

_GROUPED = 3
"""Digits behind a mark that groups thousands."""

_LONGEST = 15
"""Digits and marks of a number; a longer one is only compared as it is."""


def read(text: str, words: NumberWords, *, is_spoken: bool) -> tuple[Token, ...]:
    """The tokens of a text, each with all that it may be read as.

    "Alle quindici" -> alle, quindici {"quindici", "15", "15:00"}. What is spoken may be
    either half of the day: "tre" has {"tre", "3", "3:00", "15:00"}, and in a choice {"tre", "3"}.
    """
    dated = _with_months(fold(text), words)
    tokens = _numbers(tuple(map(word, pieces(dated, words.ordinal_marks))), words)
    tokens = _decimals(tokens, words)
    tokens = read_times(tokens, words, is_spoken=is_spoken)
    return _signs(tokens, words)


def _with_months(text: str, words: NumberWords) -> str:
    """Dates in digits with the month's name: "27/10/2014" -> "27 ottobre 2014"."""

    def named(found: re.Match[str]) -> str:
        if found["year"]:
            day, month, year = found["day"], found["month"], found["year"]
        else:
            pair = found["one"] or found["first"], found["other"] or found["second"]
            day, month = pair if words.day_first else pair[::-1]
            year = found["late_year"] or ""
        if not (0 < int(month) <= len(words.months) and 0 < int(day) < 32):
            return found[0]
        return f"{int(day)} {words.months[int(month) - 1]} {year}".rstrip()

    return _DATES.sub(named, text)


def _numbers(tokens: Sequence[Token], words: NumberWords) -> tuple[Token, ...]:
    """Each number and ordinal as one token with its value."""
    read: list[Token] = []
    place = 0
    while place < len(tokens):
        token, length = _number_at(tokens, place, words)
        read.append(token)
        place += length
    return tuple(read)


def _number_at(tokens: Sequence[Token], place: int, words: NumberWords) -> tuple[Token, int]:
    token = tokens[place]
    if token.text[0].isdecimal():
        return _digits(token.text, words), 1
    if phrase := longest(tokens, place, words.ordinal_phrases):
        return _ordinal(phrase, words.ordinal_phrases[phrase]), len(phrase.split())
    if token.text in words.ordinals:
        return _ordinal(token.text, words.ordinals[token.text]), 1
    if found := spelled([other.text for other in tokens[place : place + 9]], words):
        value, length = found
        text = " ".join(other.text for other in tokens[place : place + length])
        return Token(text, frozenset({text, str(value)}), number=value), length
    return token, 1


def _ordinal(text: str, place: int) -> Token:
    return Token(text, frozenset({text, f"{place}°"}), place=place)


def _digits(text: str, words: NumberWords) -> Token:
    """A number in digits: "2a" is an ordinal; "15.00" is 15 and a time; "1.000" is 1000 (it)."""
    digits = text.rstrip("".join(words.ordinal_marks))
    if len(text) > _LONGEST:
        return word(text)
    if digits != text:
        return _ordinal(text, int(digits))
    if text.isdecimal():
        return Token(text, frozenset({str(int(text))}), number=int(text))
    marks = re.findall(r"[.,:]", text)
    if len(marks) > 1:
        return word(_without_groups(text, words).replace(",", ".").replace(":", "/"))
    return _two_parts(text, marks[0], words)


def _two_parts(text: str, mark: str, words: NumberWords) -> Token:
    whole, part = text.split(mark)
    if mark not in (":", words.decimal_mark) and len(part) == _GROUPED:
        return Token(text, frozenset({str(int(whole + part))}), number=int(whole + part))
    decimal = f"{int(whole)}.{part}"
    readings = {text.replace(":", "/") if mark == ":" else decimal}
    if mark == ",":
        readings.add(decimal.rstrip("0").rstrip("."))
    if int(whole) <= 24 and len(part) == 2 and int(part) < 60:
        readings.add(clock(int(whole), int(part)))
    if not part.strip("0"):
        readings.add(str(int(whole)))
    return Token(text, frozenset(readings))


def _without_groups(text: str, words: NumberWords) -> str:
    """ "1.234,50" -> "1234,50"; "1.234.567" -> "1234567"; "192.168.1.1" stays."""
    group = "," if words.decimal_mark == "." else "."
    whole, mark, part = text.partition(words.decimal_mark)
    groups = whole.split(group)
    if len(groups) > 1 and all(len(digits) == _GROUPED for digits in groups[1:]):
        return "".join(groups) + mark + part
    return text


def _decimals(tokens: Sequence[Token], words: NumberWords) -> tuple[Token, ...]:
    """ "dodici", "virgola", "cinque" -> 12.5; "3", "punto", "11" -> 3.11."""
    read: list[Token] = []
    for token in tokens:
        whole, mark = read[-2:] if len(read) > 1 else (None, None)
        if whole and mark and mark.text in words.points and _both_digits(whole, token):
            del read[-2:]
            read.append(_decimal(whole, mark, token))
        else:
            read.append(token)
    return tuple(read)


def _both_digits(whole: Token, part: Token) -> bool:
    return whole.number is not None and part.number is not None


def _decimal(whole: Token, mark: Token, part: Token) -> Token:
    text = f"{whole.text} {mark.text} {part.text}"
    return Token(text, frozenset({f"{whole.number}.{part.number}"}))


def _signs(tokens: Sequence[Token], words: NumberWords) -> tuple[Token, ...]:
    """Signs that were said, as they are written: "venti", "per cento" -> "venti", "%"."""
    read: list[Token] = []
    place = 0
    while place < len(tokens):
        phrase = longest(tokens, place, words.signs)
        read.append(_sign(phrase, words) if phrase else tokens[place])
        place += len(phrase.split()) if phrase else 1
    return tuple(read)


def _sign(phrase: str, words: NumberWords) -> Token:
    return Token(phrase, frozenset({phrase, words.signs[phrase]}))
