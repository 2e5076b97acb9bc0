"""Where a sentence ends, and where a clause of it may."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.spoken import sentences_of
from voicehermes.lexicon import Language, load
from voicehermes.speaking.clauses import Clause, text_of
from voicehermes.speaking.sentences import CLAUSE_SIZE, RUN_SIZE
from voicehermes.speaking.speakable import SpeechText

DATA = Path(__file__).parent / "data" / "sentences"


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]


PROSE = cases("prose-it") + cases("prose-it-later") + cases("prose-en")


def clauses_of(text: str, language: Language = "it", *, plain: bool = True) -> list[Clause]:
    speech = SpeechText(load(language), plain=plain)
    return speech.feed(text) + speech.end()


def cut(text: str) -> list[str]:
    return [clause.text for clause in clauses_of(text)]


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "markdown"])
@pytest.mark.parametrize("case", cases("golden-it"), ids=lambda case: case["name"])
def test_the_golden_rules_of_italian_hold(case: dict[str, Any], plain: bool) -> None:
    assert sentences_of(clauses_of(case["md"], plain=plain)) == case["sentences"]


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "markdown"])
@pytest.mark.parametrize("case", PROSE, ids=lambda case: case["name"])
def test_prose_is_cut_where_a_reader_would(case: dict[str, Any], plain: bool) -> None:
    assert sentences_of(clauses_of(case["md"], case["language"], plain=plain)) == case["sentences"]


@pytest.mark.parametrize("case", cases("prose-it"), ids=lambda case: case["name"])
def test_clauses_joined_give_their_sentence(case: dict[str, Any]) -> None:
    clauses = clauses_of(case["md"])
    assert " ".join(clause.text for clause in clauses) == " ".join(case["sentences"])


def test_a_long_sentence_is_cut_at_its_clauses() -> None:
    assert cut(
        "Ho letto il contratto che mi hai mandato, e non ci sono problemi: puoi firmare."
    ) == [
        "Ho letto il contratto che mi hai mandato,",
        "e non ci sono problemi: puoi firmare.",
    ]
    assert cut("Il treno per Milano delle otto – quello veloce – parte da qui.") == [
        "Il treno per Milano delle otto –",
        "quello veloce – parte da qui.",
    ]


def test_no_clause_but_the_last_is_short() -> None:
    for case in cases("prose-it"):
        for clause in clauses_of(case["md"]):
            assert clause.ends_sentence or len(clause.text) >= CLAUSE_SIZE - 1


def test_numbers_times_and_brackets_are_not_cut() -> None:
    for text in (
        "La casa in cui abitavano costava 1.234.567,50 € nel 2019.",
        "Ci vediamo davanti alla stazione centrale alle 10:30 precise.",
        "I gruppi (mele rosse grandi, pere mature e dolci, uva bianca) pesano.",
        "La partita di ieri sera finì 2 – 1 ai rigori.",
    ):
        assert cut(text) == [text]


def test_a_quotation_holds_back_one_sentence_and_no_more() -> None:
    speech = SpeechText(load("it"))
    assert speech.feed('Disse: "Vengo. ') == []
    assert speech.feed("Aspettami") == []
    assert sentences_of(speech.feed('. Porto il pane." Poi')) == [
        'Disse: "Vengo.',
        "Aspettami.",
        'Porto il pane."',
    ]


def test_a_run_without_an_end_is_cut_at_a_space() -> None:
    clauses = clauses_of("parola " * 400)
    assert len(clauses) > 5
    assert all(len(clause.text) <= RUN_SIZE + 10 for clause in clauses)
    assert {word for clause in clauses for word in clause.text.split()} == {"parola"}


def test_sentences_without_a_letter_or_digit_are_not_spoken() -> None:
    assert cut("... ! — ?\n\n«»\n\nFine.") == ["Fine."]


def test_what_is_synthesised_at_once_is_heard_as_separate_sentences() -> None:
    clauses = clauses_of(
        "## Ricetta\n\n- pane\n- latte, uova\n\nTutto qui: ciao! Bene", plain=False
    )
    assert text_of(clauses) == "Ricetta. pane. latte, uova. Tutto qui: ciao! Bene."
    assert text_of(clauses_of("Ho letto il contratto che hai, va bene")[:1]) == (
        "Ho letto il contratto che hai,"
    )
