"""A reply as written, in deltas, to what is spoken of it."""

import json
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.spoken import sentences_of
from voicehermes.lexicon import Language, load
from voicehermes.speaking.clauses import Clause
from voicehermes.speaking.speakable import SpeechText

DATA = Path(__file__).parent / "data" / "sentences"


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]


ALL = [
    case
    for name in ("golden-it", "prose-it", "prose-it-later", "prose-en", "markdown", "examples")
    for case in cases(name)
]
PIECES = (
    "Ciao¦ ¦\n¦\n\n¦. ¦! ¦? ¦... ¦Sig. ¦ecc. ¦a.C. ¦J. ¦1. ¦- ¦* ¦**¦*¦_¦`¦```¦```py\n¦[¦](¦]¦"
    "http://a.b/c¦ https://Www.X.it/q?¦|¦ | a | b |\n|---|---|\n¦# ¦> ¦<b>¦<br>¦<!--¦-->¦&amp;¦"
    '&nbsp;¦$¦\\¦"¦«¦»¦(¦)¦mondo¦,¦, ¦: ¦; ¦ – ¦3,5¦10:30¦🎉¦★¦1️⃣¦é¦A¦Il ¦la ¦    ¦\t¦~~~¦[^1]¦'
    "[^1]: ¦[x]: http://a.b\n¦<think>¦</think>¦$$\n¦【1】¦…¦。¦[1]¦![a](b)¦<¦=¦==¦~¦\u200b¦\r\n¦"
    "a) ¦[ ] ¦'¦’¦`npm i`¦\ud800¦\U000f0041¦&#1;¦&#12;¦una parola dopo l'altra senza fine "
)
MARKDOWN = st.lists(st.sampled_from(PIECES.split("¦")), max_size=25).map("".join)


def spoken(
    text: str, language: Language = "it", *, plain: bool = False, size: int = 0
) -> list[Clause]:
    """The clauses of a text, fed whole or ``size`` characters at a time."""
    speech = SpeechText(load(language), plain=plain)
    deltas = [text[at : at + size] for at in range(0, len(text), size)] if size else [text]
    return [clause for delta in deltas for clause in speech.feed(delta)] + speech.end()


def in_cuts(text: str, cuts: list[int], language: Language, *, plain: bool) -> list[Clause]:
    speech = SpeechText(load(language), plain=plain)
    edges = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    parts = [text[a:b] for a, b in pairwise(edges)]
    return [clause for part in parts for clause in speech.feed(part)] + speech.end()


def characters_until_first(text: str) -> int:
    """How much of a text must have come before something of it is given out."""
    speech = SpeechText(load("it"))
    return next(at for at, character in enumerate(text, 1) if speech.feed(character))


@pytest.mark.parametrize("case", cases("examples"), ids=lambda case: case["name"])
def test_an_example_is_spoken_as_one_expects(case: dict[str, Any]) -> None:
    sentences = sentences_of(spoken(case["md"], case["language"]))
    heard = "\n".join(sentences)
    if "sentences" in case:
        assert sentences == case["sentences"]
    assert all(part in heard for part in case.get("contains", []))
    assert not any(part in heard for part in case.get("never", []))
    assert len(sentences) >= case.get("min", 0)


@pytest.mark.parametrize("case", cases("markdown"), ids=lambda case: case["name"])
def test_markdown_becomes_speech(case: dict[str, Any]) -> None:
    assert sentences_of(spoken(case["md"], case["language"])) == case["sentences"]


@pytest.mark.parametrize("case", ALL, ids=lambda case: case["name"])
def test_single_characters_give_what_the_whole_gives(case: dict[str, Any]) -> None:
    language, text = case["language"], case["md"]
    assert spoken(text, language, size=1) == spoken(text, language)
    assert spoken(text, language, size=1, plain=True) == spoken(text, language, plain=True)


@given(st.sampled_from(ALL), st.lists(st.integers(0, 10_000), max_size=12), st.booleans())
def test_the_cuts_of_a_reply_change_nothing(
    case: dict[str, Any], cuts: list[int], plain: bool
) -> None:
    whole = spoken(case["md"], case["language"], plain=plain)
    assert in_cuts(case["md"], cuts, case["language"], plain=plain) == whole


@given(
    MARKDOWN | st.text(max_size=80), st.lists(st.integers(0, 10_000), max_size=12), st.booleans()
)
@settings(max_examples=300)
def test_no_text_breaks_it_and_no_cut_changes_it(text: str, cuts: list[int], plain: bool) -> None:
    clauses = spoken(text, plain=plain)
    assert in_cuts(text, cuts, "it", plain=plain) == clauses
    index = 0
    for clause in clauses:
        assert clause.text == clause.text.strip()
        assert any(character.isalnum() for character in clause.text)
        assert clause.sentence == index
        index += clause.ends_sentence
    assert index == len(sentences_of(clauses))


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("Ecco fatto. ", 12),
        ("Certo! Subito", 8),
        ("Il Wi-Fi è attivo, il PC no. Ora", 30),
        ("# Titolo\n", 9),
        ("- pane\n", 7),
        ("```py\n", 6),
        ("Ho controllato tutti i file, e non", 30),
        ("[Un sito](https://a.b/c). Poi", 26),
        ("**Attenzione.** Il", 16),
    ],
)
def test_a_sentence_is_given_out_as_soon_as_it_is_certain(text: str, after: int) -> None:
    assert characters_until_first(text) == after


def test_a_table_row_is_given_out_at_the_end_of_its_line() -> None:
    speech = SpeechText(load("it"))
    assert speech.feed("| Città | Gradi |\n|---|---|\n| Roma | 21 |") == []
    assert sentences_of(speech.feed("\n")) == ["Città: Roma, Gradi: 21."]


@pytest.mark.parametrize(
    "opened", ["[", "`", "<b ", "**", "(", '"', "$x ", "![", "| ", "# ", "<!--"]
)
def test_what_is_never_closed_holds_speech_back_for_a_while_only(opened: str) -> None:
    text = f"Prima {opened}" + "parola per parola. " * 200
    assert characters_until_first(text) < 500 or opened == "<!--"
    assert len(spoken(text, size=4)) > 150


def test_after_the_end_the_next_reply_goes_on_counting() -> None:
    speech = SpeechText(load("it"))
    assert sentences_of(speech.feed("Controllo\n```\n") + speech.end()) == [
        "Controllo",
        "Segue un blocco di codice.",
    ]
    again = speech.feed("Fatto. Ecco") + speech.end()
    assert [(clause.text, clause.sentence) for clause in again] == [("Fatto.", 2), ("Ecco", 3)]


def test_plain_text_is_taken_as_it_is() -> None:
    text = "Il *segno* `a_b` e [x](y). # Non è un titolo."
    assert sentences_of(spoken(text, plain=True)) == [
        "Il *segno* `a_b` e [x](y).",
        "# Non è un titolo.",
    ]


@pytest.mark.parametrize(
    "unit",
    [
        "\n\n".join(case["md"] for case in cases("markdown")),
        "[a ",
        "<b ",
        "`a ",
        "─",
        '"(',
        "漢字。",
        "x",
    ],
    ids=["replies", "brackets", "tags", "code", "boxes", "quotes", "no spaces", "one word"],
)
def test_a_long_reply_takes_no_more_than_its_length(unit: str) -> None:
    text = (unit * (100_000 // len(unit) + 1))[:100_000]
    began = time.process_time()
    clauses = spoken(text, size=4)
    assert time.process_time() - began < 10.0  # a second or so; quadratic work takes minutes
    assert all(len(clause.text) <= 1_000 for clause in clauses)


def test_a_tag_that_is_only_mentioned_does_not_silence_the_rest() -> None:
    text = "Ecco:\n<think> è un tag. Serve ai modelli.\n\nPoi altro."
    for size in range(len(text) + 1):
        assert sentences_of(spoken(text, size=size)) == [
            *("Ecco:", "è un tag.", "Serve ai modelli.", "Poi altro."),
        ]
    assert sentences_of(spoken("<think>Penso.\n\nAncora.</think>Ciao.")) == ["Ciao."]
    assert sentences_of(spoken("<think>\nPenso. Ancora.")) == []


def test_a_table_needs_no_pipes_at_its_edges() -> None:
    text = "I gradi:\n\nCittà | Gradi\n:-- | --:\nRoma | 21\nMilano | 15\n\nFine."
    for size in range(len(text) + 1):
        assert sentences_of(spoken(text, size=size)) == [
            "I gradi:",
            *("Città Gradi", "Città: Roma, Gradi: 21.", "Città: Milano, Gradi: 15."),
            "Fine.",
        ]
    assert sentences_of(spoken("Usa a | b.\n---\nRoma | 21")) == ["Usa a b.", "Roma 21"]
