"""Sentences from standard input."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from voicehermes.cli.speakable import deltas

TEXT = "# Titolo\n\nPrima **frase**, così. Seconda frase.\n\nTerza"


def speakable(*arguments: str, text: str = TEXT) -> list[str]:
    ran = subprocess.run(
        [sys.executable, "-m", "voicehermes", "speakable", *arguments],
        input=text.encode(), capture_output=True, check=True,
    )  # fmt: skip
    return [json.loads(line)["text"] for line in ran.stdout.decode().splitlines()]


@pytest.mark.parametrize("arguments", [[], ["--delta", "1"], ["--delta", "7"]])
def test_each_sentence_is_a_line_however_the_text_comes(home: Path, arguments: list[str]) -> None:
    assert [s.rstrip(".") for s in speakable(*arguments)] == [
        "Titolo",
        "Prima frase, così",
        "Seconda frase",
        "Terza",
    ]


def test_plain_text_is_taken_as_it_is(home: Path) -> None:
    assert "**frase**" not in " ".join(speakable())
    assert "# " not in " ".join(speakable())
    assert speakable("--plain", text="Ho 2 file_uno_due.") == ["Ho 2 file_uno_due."]


def test_the_language_can_be_given(home: Path) -> None:
    text = "```python\nx = 1\n```\n"
    assert speakable(text=text) != speakable("--language", "en", text=text)


def test_a_sentence_is_printed_before_the_text_is_at_its_end(home: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "voicehermes", "speakable"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin
    assert process.stdout
    process.stdin.write(b"Prima frase. Seconda ")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["text"] == "Prima frase."
    process.communicate(timeout=20)


def test_text_is_cut_at_every_so_many_characters() -> None:
    pieces = ["perché".encode()[:6], "perché".encode()[6:] + b"xy", b"z"]
    assert list(deltas(iter(pieces), 4)) == ["perc", "héxy", "z"]
    assert list(deltas(iter(pieces), None)) == ["perch", "éxy", "z"]


def test_bytes_that_are_no_text_do_not_stop_it() -> None:
    assert "".join(deltas(iter([b"a\xff", b"b"]), None)) == "a\ufffdb"
