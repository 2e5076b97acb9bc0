"""Kinds of characters."""

import sys

import pytest

from voicehermes.deciding.commands.characters import (
    Sort,
    codes_in,
    decoded,
    hidden_in,
    latin_of,
    lookalikes_in,
    sort_of,
)


@pytest.mark.parametrize(
    ("characters", "sort"),
    [
        ("aZ0 ~è\n\tß", Sort.PLAIN),
        ("\u200b\u200d\u202e\u2066\u00ad\ufeff\ufe0f\u00a0\u3000\U000e0061", Sort.HIDDEN),
        ("\0\x1b\r\x7f\u0085", Sort.HIDDEN),
        ("\u2028\u3164\u2800\u115f\u0301\ud800\ue000\ufffd", Sort.HIDDEN),
        ("аοａ漢ıª²𝐚٣", Sort.FOREIGN),
        ("€’–😀→", Sort.SYMBOL),
    ],
)
def test_each_character_is_of_a_sort(characters: str, sort: Sort) -> None:
    assert {sort_of(character) for character in characters} == {sort}


def test_every_character_has_a_sort_and_none_beyond_latin_is_plain() -> None:
    for code in range(0x250, sys.maxunicode, 7):
        assert sort_of(chr(code)) is not Sort.PLAIN


def test_letters_that_pass_for_others_are_found_in_their_words() -> None:
    assert lookalikes_in("раypal и привет") == ["р", "а"]
    assert lookalikes_in("аре") == ["а", "р", "е"]
    assert lookalikes_in("caffè") == []
    assert [latin_of(c) for c in "аοａ𝐚ıж"] == ["a", "o", "a", "a", "i", ""]


def test_hidden_ones_are_found_in_order() -> None:
    assert hidden_in("a\u200bb c\u202e") == ["\u200b", "\u202e"]


def test_codes_are_found_and_decoded() -> None:
    assert codes_in(r"\x72\155 \u0041\57\0101") == [r"\x72", r"\155", r"\u0041", r"\57", r"\0101"]
    assert [decoded(c) for c in (r"\x2f", r"\057", r"\u002F", r"\UFFFFFFFF")] == ["/", "/", "/", ""]


def test_what_a_group_of_sed_found_is_no_code() -> None:
    assert codes_in(r"sed -E 's/(a+)b/\1c/; s/x/[\0]/'") == []
