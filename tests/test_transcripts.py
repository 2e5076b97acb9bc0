"""What the signs of a transcript tell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicehermes.deciding.transcripts import is_cut_off, is_plain, is_question, sentences
from voicehermes.lexicon.folding import tokens


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
