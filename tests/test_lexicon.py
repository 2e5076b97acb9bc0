"""The words of both languages: the same sets, in the shape that their readers expect."""

import ast
import dataclasses
import re
import string
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import cache
from importlib import resources
from pathlib import Path
from typing import get_args

import pytest

import voicehermes
from voicehermes.dialogue.state import State
from voicehermes.lexicon import Language, Lexicon, answers, choosing, commands, load
from voicehermes.lexicon.numbers import NumberWords

LANGUAGES: tuple[Language, ...] = ("it", "en")


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_both_languages_have_the_same_phrases_with_the_same_fields() -> None:
    italian, english = load("it"), load("en")
    for one, other in ((italian.phrases, english.phrases), (italian.reading, english.reading)):
        assert one.keys() == other.keys()
        assert {k: fields(v) for k, v in one.items()} == {k: fields(v) for k, v in other.items()}


def test_every_phrase_is_used_somewhere() -> None:
    states = {f"state-{state.__name__.lower()}" for state in get_args(State)}
    lexicon = load("it")
    assert not unused({*lexicon.phrases, *lexicon.reading} - states)


def test_everything_that_is_said_of_a_command_is_used_somewhere() -> None:
    words = commands.load("it")
    assert not unused({*words.words, *words.warnings, *words.summary, *words.describing})


@pytest.mark.parametrize(
    "kind",
    [Lexicon, answers.AnswerWords, choosing.ChoosingWords, commands.CommandWords, NumberWords],
)
def test_every_list_of_words_is_used_somewhere(kind: type[Lexicon]) -> None:
    read = {node.attr for node in nodes() if isinstance(node, ast.Attribute)}
    assert not {field.name for field in dataclasses.fields(kind)} - read


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_list_of_the_answers_file_is_read(language: Language) -> None:
    read = {field.name for field in dataclasses.fields(answers.AnswerWords)} - {"language"}
    assert word_lists(f"answers_{language}.toml").keys() == read


@cache
def nodes() -> list[ast.AST]:
    """All of the package's code."""
    paths = Path(voicehermes.__file__).parent.rglob("*.py")
    return [node for path in paths for node in ast.walk(ast.parse(path.read_text("utf-8")))]


def unused(names: set[str]) -> set[str]:
    """Those that the code has neither as a text nor as one that it makes."""
    code = nodes()
    texts = {node.value for node in code if isinstance(node, ast.Constant)}
    made = [made_names(node) for node in code if is_made(node)]
    return {name for name in names - texts if not any(re.fullmatch(m, name) for m in made)}


def is_made(node: ast.AST) -> bool:
    """Whether it is a text that begins with a word and a hyphen and goes on with a field."""
    if not isinstance(node, ast.JoinedStr):
        return False
    first = node.values[0]
    return isinstance(first, ast.Constant) and bool(re.fullmatch("[a-z-]+-", str(first.value)))


def made_names(node: ast.AST) -> str:
    """The pattern of the names that it may make: f"answer-{name}" -> "answer-[a-z0-9]+"."""
    assert isinstance(node, ast.JoinedStr)
    return "".join(
        str(v.value) if isinstance(v, ast.Constant) else "[a-z0-9]+" for v in node.values
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_phrase_is_empty(language: Language) -> None:
    lexicon = load(language)
    assert all(text.strip() for text in (*lexicon.phrases.values(), *lexicon.reading.values()))


@pytest.mark.parametrize("language", LANGUAGES)
def test_abbreviations_are_lower_case_and_end_in_a_dot(language: Language) -> None:
    lexicon = load(language)
    for word in (
        lexicon.abbreviations | lexicon.soft_abbreviations | lexicon.ambiguous_abbreviations
    ):
        assert word == word.lower()
        assert re.fullmatch(r"[^\W\d_].*\.", word)
        assert " " not in word


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_abbreviation_of_one_kind_is_not_of_another(language: Language) -> None:
    lexicon = load(language)
    assert not lexicon.soft_abbreviations & lexicon.abbreviations
    assert not lexicon.soft_abbreviations & lexicon.ambiguous_abbreviations


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_starter_is_one_lower_case_word(language: Language) -> None:
    lexicon = load(language)
    for word in lexicon.starters | lexicon.name_particles:
        assert re.fullmatch(r"[^\W\d_]+'?[^\W\d_]*", word)
        assert word == word.lower()


def test_a_phrase_is_said_with_its_fields() -> None:
    assert load("it").reading["code-language"].format(language="Python") == (
        "Segue un blocco di codice Python."
    )
    assert load("en").say("error") == "Something went wrong."
    with pytest.raises(KeyError):
        load("en").say("no such phrase")


WORD_LISTS = [
    (f"{name}_{language}.toml", phrases)
    for name, phrases in (("answers", answers.phrases), ("choosing", choosing.phrases))
    for language in LANGUAGES
]


@pytest.mark.parametrize(("file", "phrases"), WORD_LISTS)
def test_every_entry_of_a_word_list_has_a_phrase_that_no_other_has(
    file: str, phrases: Callable[[list[str]], frozenset[object]]
) -> None:
    superfluous = []
    for written in word_lists(file).values():
        counts = Counter(phrase for entry in written for phrase in phrases([entry]))
        superfluous += [
            entry for entry in written if all(counts[phrase] > 1 for phrase in phrases([entry]))
        ]
    assert not superfluous


@pytest.mark.parametrize("file", [file for file, _ in WORD_LISTS])
def test_word_lists_are_sorted_so_that_a_word_is_found_in_them(file: str) -> None:
    for name, written in word_lists(file).items():
        if name not in IN_GROUPS:
            assert written == sorted(written, key=sorted_as), name


IN_GROUPS = {"carriers"}
"""Lists with headings between their entries."""


def word_lists(file: str) -> dict[str, list[str]]:
    """The lists of words and phrases that a file has."""
    table = tomllib.loads(resources.files("voicehermes.lexicon").joinpath(file).read_text("utf-8"))
    lists = {name: value for name, value in table.items() if isinstance(value, list)}
    return {name: value for name, value in lists.items() if all(isinstance(v, str) for v in value)}


def sorted_as(entry: str) -> tuple[str, str]:
    """Without what is no letter: "(lo|la) faccio" stands at "lola faccio"."""
    decomposed = unicodedata.normalize("NFKD", entry.casefold())
    letters = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
    return re.sub(r"[^\w ]", "", letters), entry
