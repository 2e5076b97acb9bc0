"""A reply as written, in deltas, to what is spoken of it."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voicehermes.lexicon import Language, load
from voicehermes.speaking.clauses import Clause
from voicehermes.speaking.sentences import sentences_of
from voicehermes.speaking.speakable import SpeechText

DATA = Path(__file__).parent / "data" / "sentences"


def cases(*names: str) -> Iterator[Any]:
    for name in names:
        for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines():
            case = json.loads(line)
            yield pytest.param(case, id=f"{name}: {case['name']}")


def spoken(text: str, language: Language = "it", *, plain: bool = False) -> list[Clause]:
    return in_deltas([text], language, plain=plain)


def in_deltas(deltas: list[str], language: Language, *, plain: bool = False) -> list[Clause]:
    speech = SpeechText(load(language), plain=plain)
    return [clause for delta in deltas for clause in speech.feed(delta)] + speech.end()


@pytest.mark.parametrize("case", cases("examples"))
def test_an_example_is_spoken_as_one_expects(case: dict[str, Any]) -> None:
    sentences = sentences_of(spoken(case["md"], case["language"]))
    heard = "\n".join(sentences)
    if "sentences" in case:
        assert sentences == case["sentences"]
    assert all(part in heard for part in case.get("contains", []))
    assert not any(part in heard for part in case.get("never", []))
    assert len(sentences) >= case.get("min", 0)
