"""Transcripts folded to what is compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicehermes.deciding.normalising import is_cut_off, is_plain, is_question, sentences, tokens


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


@given(st.text())
def test_sentences_are_all_the_tokens(text: str) -> None:
    assert sum(sentences(text), ()) == tokens(text)


def test_a_sentence_ends_where_a_sign_and_a_space_follow() -> None:
    assert sentences("Perché? No, amara.org.") == (("perche",), ("no", "amara", "org"))
    assert sentences("Sì... anzi\nno.") == (("si",), ("anzi",), ("no",))
    assert sentences("...") == ()


@pytest.mark.parametrize("text", ["Sì?", "¿Sí", "Sì？", "sì⁉", "Sì? Vai.", "sì‽"])
def test_a_question_mark_of_any_script_is_found(text: str) -> None:
    assert is_question(text)
    assert not is_question("Sì. Vai!")


@pytest.mark.parametrize(
    "text", ['"Sì"', "«Sì»", "'Sì'", "- Sì. - Vai.", "Sì (ride)", "♪ Sì", "S\ufffd", "sì/no"]
)
def test_what_is_quoted_sung_or_unreadable_is_not_plain(text: str) -> None:
    assert not is_plain(text)


@pytest.mark.parametrize(
    "text", ["Sì, d'accordo: vai!", "si’", "- Sì.", "Ok — procedi…", "perche\u0301"]
)
def test_simple_punctuation_is_plain(text: str) -> None:
    assert is_plain(text)


def test_speech_that_was_cut_off_is_told_by_its_first_or_last_sign() -> None:
    for text in ("...farlo", "… farlo", "Sì...", "Sì…", "Sì, ma-", "Sì,", "Sì ma —", "Proc-"):
        assert is_cut_off(text)
    for text in ("Sì.", "Sì... vai.", "- Sì.", "Ok — procedi", ""):
        assert not is_cut_off(text)
