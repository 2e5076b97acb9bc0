"""Where a sentence ends, and where a clause of it may."""

import json
from pathlib import Path
from typing import Any

import pytest

from voicehermes.lexicon import load
from voicehermes.speaking.sentences import sentences_of
from voicehermes.speaking.speakable import SpeechText

DATA = Path(__file__).parent / "data" / "sentences"
GOLDEN = [json.loads(line) for line in (DATA / "golden-it.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "markdown"])
@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["name"])
def test_the_golden_rules_of_italian_hold(case: dict[str, Any], plain: bool) -> None:
    speech = SpeechText(load("it"), plain=plain)
    assert sentences_of(speech.feed(case["md"]) + speech.end()) == case["sentences"]
