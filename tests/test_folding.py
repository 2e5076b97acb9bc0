"""Text folded to what is compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicehermes.lexicon.folding import fold, pieces, tokens


@pytest.mark.parametrize(
    "text", ["Sì, perché!", "si' perche'", "SI PERCHÉ", "si\u0300 perche\u0301", "s\u200bì… perché"]
)
def test_accents_capitals_and_signs_make_no_difference(text: str) -> None:
    assert tokens(text) == ("si", "perche")


def test_an_apostrophe_parts_words_but_not_a_short_ending() -> None:
    assert tokens("dell'ultimo, d’accordo") == ("dell", "ultimo", "d", "accordo")
    assert tokens("Don't! I’m c'è po'") == ("dont", "im", "ce", "po")
    assert tokens("'sì'") == ("si",)


def test_numbers_are_words_and_drawled_letters_are_one() -> None:
    assert tokens("Alle 10:30, nooo, 1000!") == ("alle", "10", "30", "no", "1000")
    assert tokens("[...] ♪ — 👎 _") == ()


@given(st.text())
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert tokens(" ".join(tokens(text))) == tokens(text)


def test_pieces_are_words_numbers_and_telling_signs() -> None:
    assert pieces(fold("L'opzione v2: 12,5 % (la 2ª)!"), ("a", "°")) == (
        *("l", "opzione", "v", "2", "12,5", "%", "la", "2a"),
    )
    assert pieces(fold("Alle 10:30, ver\u00adsione C++ — 1.000 €")) == (
        *("alle", "10:30", "versione", "c", "+", "+", "1.000", "€"),
    )


def test_an_ordinal_mark_ends_its_number() -> None:
    assert pieces("2a 2ab 2", ("a",)) == ("2a", "2", "ab", "2")
