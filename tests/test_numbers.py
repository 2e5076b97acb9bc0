"""Numbers, ordinals, times and dates as people say them, beside how they are written."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicehermes.deciding.numbers import read
from voicehermes.lexicon import Language
from voicehermes.lexicon.folding import fold
from voicehermes.lexicon.numbers import load

UNITS = ["zero", "uno", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove"]
TEENS = ["dieci", "undici", "dodici", "tredici", "quattordici", "quindici"]
TEENS += ["sedici", "diciassette", "diciotto", "diciannove"]
TENS = ["venti", "trenta", "quaranta", "cinquanta", "sessanta", "settanta", "ottanta", "novanta"]


def spelled(number: int) -> str:
    """The number in Italian, below a million."""
    if number >= 1000:
        thousands = "mille" if number < 2000 else spelled(number // 1000) + "mila"
        return thousands + (spelled(number % 1000) if number % 1000 else "")
    if number >= 100:
        hundreds = "cento" if number < 200 else UNITS[number // 100] + "cento"
        return hundreds + (spelled(number % 100) if number % 100 else "")
    if number >= 20:
        ten, unit = TENS[number // 10 - 2], number % 10
        return (ten[:-1] if unit in (1, 8) else ten) + (UNITS[unit] if unit else "")
    return TEENS[number - 10] if number >= 10 else UNITS[number]


def readings(text: str, language: Language = "it", *, is_spoken: bool = True) -> set[str]:
    return {r for token in read(text, load(language), is_spoken=is_spoken) for r in token.readings}


@given(st.integers(0, 999_999))
def test_italian_numbers_are_read_from_their_spelling(number: int) -> None:
    tokens = read(spelled(number), load("it"), is_spoken=True)
    assert [token.number for token in tokens] == [number]


@pytest.mark.parametrize(
    ("text", "language", "numbers"),
    [
        ("ventitré", "it", [23]),
        ("Ventitre.", "it", [23]),
        ("VENTOTTO", "it", [28]),
        ("un'", "it", [1]),
        ("duecento cinquanta", "it", [250]),
        ("due tre", "it", [2, 3]),
        ("1.000", "it", [1000]),
        ("un milione", "it", [1_000_000]),
        ("twenty-three", "en", [23]),
        ("a hundred and five", "en", [105]),
        ("two thousand twenty six", "en", [2026]),
        ("two and three", "en", [2, 3]),
        ("1,000", "en", [1000]),
        ("seiva ottone centro", "it", []),
        ("someone often", "en", []),
    ],
)
def test_numbers_have_their_value(text: str, language: Language, numbers: list[int]) -> None:
    tokens = read(text, load(language), is_spoken=True)
    assert [token.number for token in tokens if token.number is not None] == numbers


@pytest.mark.parametrize(
    ("text", "language", "place"),
    [
        ("la seconda", "it", 2),
        ("il terzo", "it", 3),
        ("l'ultima", "it", -1),
        ("il penultimo", "it", -2),
        ("la 2ª", "it", 2),
        ("il 3°", "it", 3),
        ("la 2a", "it", 2),
        ("decima", "it", 10),
        ("the second", "en", 2),
        ("the 3rd", "en", 3),
        ("the last", "en", -1),
        ("the second to last", "en", -2),
    ],
)
def test_ordinals_have_their_place(text: str, language: Language, place: int) -> None:
    assert read(text, load(language), is_spoken=True)[-1].place == place


@pytest.mark.parametrize(
    ("said", "written", "language"),
    [
        ("alle quindici", "15:00", "it"),
        ("alle 15", "15:00", "it"),
        ("15.00", "15:00", "it"),
        ("alle quindici", "15.00", "it"),
        ("dieci e mezza", "10:30", "it"),
        ("dieci e mezza", "22:30", "it"),
        ("dieci e trenta", "10:30", "it"),
        ("dieci trenta", "10:30", "it"),
        ("le tre e un quarto", "15:15", "it"),
        ("le tre meno un quarto", "14:45", "it"),
        ("le tre meno dieci", "14:50", "it"),
        ("le cinque e cinque", "5:05", "it"),
        ("l'una", "13:00", "it"),
        ("le tre del pomeriggio", "15:00", "it"),
        ("mezzogiorno", "12:00", "it"),
        ("mezzanotte", "0:00", "it"),
        ("mezzogiorno e mezza", "12:30", "it"),
        ("ore 15 e 30", "15:30", "it"),
        ("half past ten", "10:30", "en"),
        ("quarter to three", "2:45", "en"),
        ("three pm", "15:00", "en"),
        ("3 p.m.", "15:00", "en"),
        ("ten thirty", "10:30", "en"),
        ("ten o'clock", "10:00", "en"),
        ("noon", "12:00", "en"),
        ("dodici virgola cinque", "12,5", "it"),
        ("dodici e mezzo", "12,5", "it"),
        ("tre punto undici", "3.11", "it"),
        ("three point eleven", "3.11", "en"),
        ("venti per cento", "20%", "it"),
        ("ventisette ottobre", "27/10/2014", "it"),
        ("primo", "1º", "it"),
        ("C più più", "C++", "it"),
        ("C sharp", "C#", "en"),
        ("milleduecentotrentaquattro", "1.234", "it"),
    ],
)
def test_what_is_said_equals_what_is_written(said: str, written: str, language: Language) -> None:
    heard = read(said, load(language), is_spoken=True)
    offered = read(written, load(language), is_spoken=False)
    assert heard[-1].equals(offered[-1]) or any(
        one.equals(other) for one in heard for other in offered
    )


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("le tre del pomeriggio", "3:00"),
        ("dieci e mezza", "10:00"),
        ("mezzanotte", "12:00"),
        ("mezzogiorno", "0:00"),
        ("tre", "15"),
        ("tre punto uno", "3.10"),
        ("12,5", "12,05"),
        ("due e tre", "2:03"),
    ],
)
def test_what_is_different_stays_different(said: str, other: str) -> None:
    assert not readings(said) & readings(other, is_spoken=False)


def test_a_bare_number_in_a_choice_is_no_time() -> None:
    assert readings("3 giorni", is_spoken=False) == {"3", "giorni"}


@pytest.mark.parametrize("language", ["it", "en"])
def test_the_words_of_numbers_are_kept_folded(language: Language) -> None:
    words = load(language)
    lists = (words.values, words.elided, words.ordinals, words.signs, words.minutes, words.hours)
    for text in (*chain(*lists), *words.at, *words.morning, *words.afternoon, *words.months):
        assert text == fold(text)


@given(st.sampled_from(("it", "en")), st.text(), st.booleans())
def test_any_text_can_be_read(language: Language, text: str, is_spoken: bool) -> None:
    for token in read(text, load(language), is_spoken=is_spoken):
        assert token.readings
        assert token.text == token.text.strip() != ""
