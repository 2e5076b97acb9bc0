"""The words for commands."""

import dataclasses
import string

import pytest

from voicehermes.lexicon import Language
from voicehermes.lexicon.commands import CommandWords, load

LANGUAGES: tuple[Language, Language] = ("it", "en")


def test_both_languages_name_the_same_things() -> None:
    one, other = (load(language) for language in LANGUAGES)
    for field in dataclasses.fields(CommandWords):
        mine, theirs = getattr(one, field.name), getattr(other, field.name)
        if isinstance(mine, dict) and field.name != "descriptions":
            assert mine.keys() == theirs.keys(), field.name


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sign_of_ascii_has_a_name_of_its_own(language: Language) -> None:
    symbols = load(language).symbols
    assert set(string.punctuation) <= symbols.keys()
    assert len(set(symbols.values())) == len(symbols)
    hidden = load(language).hidden
    assert len(set(hidden.values())) == len(hidden)


@pytest.mark.parametrize("language", LANGUAGES)
def test_templates_have_the_same_fields_in_both_languages(language: Language) -> None:
    words, reference = load(language), load("it")
    for name in ("words", "summary", "describing"):
        for key, template in getattr(words, name).items():
            fields = {field for _, field, _, _ in string.Formatter().parse(template) if field}
            other = getattr(reference, name)[key]
            assert fields == {f for _, f, _, _ in string.Formatter().parse(other) if f}, key


def test_small_numbers_are_words() -> None:
    assert load("it").count(3) == "tre"
    assert load("it").count(40) == "40"
    assert load("en").plural(("one", "{count} of them"), 1) == "one"
    assert load("en").plural(("one", "{count} of them"), 2) == "two of them"
