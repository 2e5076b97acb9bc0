"""The words of spoken answers: both languages have all lists, and no word is on both sides."""

from dataclasses import fields

import pytest

from voicehermes.deciding.matching import contains
from voicehermes.lexicon import Language
from voicehermes.lexicon.answers import AnswerWords, load, phrases

LANGUAGES: tuple[Language, ...] = ("it", "en")


def test_alternatives_in_brackets_stand_for_all_phrases() -> None:
    assert phrases(["per (la|questa) chat"]) == {("per", "la", "chat"), ("per", "questa", "chat")}
    assert phrases(["(solo|) sì"]) == {("solo", "si"), ("si",)}
    assert phrases(["(a|b) (c|d)"]) == {("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [field.name for field in fields(AnswerWords)])
def test_every_list_has_phrases_and_none_is_empty(language: Language, name: str) -> None:
    listed = getattr(load(language), name)
    assert listed
    assert all(listed)
    assert all("(" not in word and "|" not in word for phrase in listed for word in phrase)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_allows_has_no_word_that_refuses_or_asks(language: Language) -> None:
    words = load(language)
    allowing = words.consents | words.followers | words.once | words.session | words.always
    hindering = (
        words.refusals | words.negatives | words.stops | words.idioms
        | words.waits | words.repeats | words.details | words.interrogatives
    )  # fmt: skip
    assert not [phrase for phrase in allowing | words.fillers if contains(phrase, hindering)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_grants_have_no_phrase_in_common(language: Language) -> None:
    words = load(language)
    assert not words.once & words.session
    assert not (words.once | words.session) & words.always
    assert not (words.once | words.session | words.always) & (words.consents | words.fillers)
    assert not words.followers & words.consents


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_of_credits_stand_alone(language: Language) -> None:
    words = load(language)
    assert all(len(phrase) == 1 for phrase in words.credits | words.credit_marks)
    assert not words.credit_marks & words.credits


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_counts_wherever_it_stands_is_not_listed_to_count_alone(language: Language) -> None:
    words = load(language)
    for alone, anywhere in (
        (words.whole_refusals, words.refusals),
        (words.whole_waits, words.waits),
        (words.whole_repeats, words.repeats),
    ):
        assert not [phrase for phrase in alone if contains(phrase, anywhere)]
