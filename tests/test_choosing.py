"""What is chosen by voice: cases of what people say, and what holds for any text."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicehermes.deciding.choosing import Answer, asks_for_more, of_clarification
from voicehermes.lexicon import Language
from voicehermes.lexicon.answers import load

DATA = Path(__file__).parent / "data" / "answers"

FILES: tuple[tuple[Language, str], ...] = (
    ("it", "known_clarifications.tsv"),
    ("it", "clarifications_it.tsv"),
    ("en", "clarifications_en.tsv"),
    ("it", "clarifications_people_it.tsv"),
    ("en", "clarifications_people_en.tsv"),
)


def cases() -> Iterator[tuple[Language, str, str, str]]:
    for language, name in FILES:
        for line in (DATA / name).read_text("utf-8").splitlines():
            if line and not line.startswith("#"):
                choices, expected, transcript = line.split("\t")
                yield language, choices, expected, transcript


def expected_answer(choices: list[str], expected: str) -> Answer:
    if expected in choices:
        return Answer("choice", expected)
    meanings = {
        "FREE": Answer("free"),
        "REPEAT": Answer("repeat"),
        "UNCLEAR": Answer("unclear"),
        "CANCEL": Answer("cancel"),
    }
    return meanings[expected]


@pytest.mark.parametrize(("language", "choices", "expected", "transcript"), list(cases()))
def test_what_people_say_is_understood(
    language: Language, choices: str, expected: str, transcript: str
) -> None:
    offered = choices.split("|") if choices else []
    answer = of_clarification(transcript, offered, load(language))
    assert answer in [expected_answer(offered, one) for one in expected.split(" / ")]


def test_there_are_many_cases_of_both_languages() -> None:
    languages = [language for language, *_ in cases()]
    assert languages.count("it") > 400
    assert languages.count("en") > 70


LANGUAGES = st.sampled_from(("it", "en"))
VOCABULARY = """
    staging production Roma Nord Milano non no sì anzi ma e o la il prima seconda terzo ultima
    penultimo due tre 2 10:30 15.00 alle dieci mezza tutto tranne né nessuna metti vai ? forse
    ripeti annulla opzione numero uno una sei secondo senza backup quello di mezzo yes not the
    second one or and last middle option two
"""
TALK = st.lists(st.sampled_from(VOCABULARY.split()), max_size=10).map(" ".join)
CHOICES = st.lists(st.one_of(TALK, st.text(max_size=20)), max_size=7)
TRANSCRIPTS = st.one_of(TALK, st.text(max_size=60))


@given(LANGUAGES, TRANSCRIPTS, CHOICES)
def test_an_answer_is_one_of_the_choices_or_none(
    language: Language, transcript: str, choices: list[str]
) -> None:
    answer = of_clarification(transcript, choices, load(language))
    assert (answer.choice in choices) if answer.meaning == "choice" else answer.choice is None
    assert of_clarification(transcript, choices, load(language)) == answer


@given(LANGUAGES, CHOICES, st.data())
def test_a_choice_word_for_word_is_that_choice(
    language: Language, choices: list[str], data: st.DataObject
) -> None:
    choices = [choice for choice in choices if choice.strip()] or ["staging"]
    choice = data.draw(st.sampled_from(choices))
    answer = of_clarification(choice, choices, load(language))
    assert answer.meaning == "choice"
    assert answer.choice is not None
    assert answer.choice.strip() == choice.strip()


@given(LANGUAGES, CHOICES, st.data())
def test_a_not_before_a_choice_never_gives_that_choice(
    language: Language, choices: list[str], data: st.DataObject
) -> None:
    choices = [choice for choice in choices if any(map(str.isalnum, choice))] or ["staging"]
    choice = data.draw(st.sampled_from(choices))
    negation = "non" if language == "it" else "not"
    answer = of_clarification(f"{negation} {choice}", choices, load(language))
    assert answer.choice != choice


@pytest.mark.parametrize("choices", [["non"], ["Non", "Sì"], ["no", "sì"], ["senza"]])
def test_two_negations_are_no_choice_of_one(choices: list[str]) -> None:
    assert of_clarification(f"non {choices[0]}", choices, load("it")).choice != choices[0]


@given(LANGUAGES, TRANSCRIPTS)
def test_without_choices_nothing_is_chosen(language: Language, transcript: str) -> None:
    assert of_clarification(transcript, [], load(language)).meaning != "choice"


def test_the_next_choices_are_asked_for_alone() -> None:
    for said in ("Altre.", "le altre", "Sì, le altre, per favore.", "ALTRE", "Ce ne sono altre?"):
        assert asks_for_more(said, load("it"))
    for said in ("", "Sì.", "Le altre due.", "La prima, non le altre", "Un'altra cosa"):
        assert not asks_for_more(said, load("it"))
    assert asks_for_more("The others, please.", load("en"))
