"""Phrases among words."""

from hypothesis import given
from hypothesis import strategies as st

from voicehermes.deciding.matching import before, contains, is_only, made_of, without
from voicehermes.lexicon.answers import phrases

ONCE = phrases(["una volta", "una volta sola"])
YES = phrases(["sì", "va bene"])


def test_a_phrase_is_found_anywhere_but_only_whole() -> None:
    assert contains(("si", "va", "bene"), YES)
    assert contains(("poi", "una", "volta"), ONCE)
    assert not contains(("una", "sola", "volta", "va"), ONCE)
    assert not contains((), ONCE)


def test_what_comes_before_the_first_phrase() -> None:
    assert before(("ma", "va", "bene", "si"), YES) == ("ma",)
    assert before(("ma", "che"), YES) == ("ma", "che")


def test_a_phrase_is_blanked_so_that_its_neighbours_do_not_meet() -> None:
    assert without(("una", "si", "volta"), YES) == ("una", "", "volta")
    assert without(("una", "volta", "sola"), ONCE) == ("",)


def test_words_are_made_of_phrases_or_are_not() -> None:
    kinds = {"yes": YES, "once": ONCE}
    assert made_of(("si", "una", "volta", "sola"), kinds) == ("yes", "once")
    assert made_of(("si", "una", "volta", "domani"), kinds) is None
    assert made_of((), kinds) == ()


def test_words_are_only_phrases_where_one_is_there_and_nothing_else_but_others() -> None:
    assert is_only(("si", "una", "volta"), ONCE, beside=YES)
    assert not is_only(("si",), ONCE, beside=YES)
    assert not is_only(("si", "una", "volta", "domani"), ONCE, beside=YES)
    assert not is_only((), ONCE, beside=YES)


def test_a_shorter_phrase_is_taken_where_the_longer_one_leaves_a_word_over() -> None:
    kinds = {"long": phrases(["a b"]), "short": phrases(["a", "b c"])}
    assert made_of(("a", "b", "c"), kinds) == ("short", "short")


@given(st.lists(st.sampled_from(sorted(YES | ONCE)), max_size=2000))
def test_any_number_of_phrases_is_taken_apart(said: list[tuple[str, ...]]) -> None:
    kinds = made_of(sum(said, ()), {"yes": YES, "once": ONCE})
    assert kinds is not None
