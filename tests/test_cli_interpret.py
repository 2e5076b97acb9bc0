"""Transcripts from standard input, and what they mean."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

COMMAND = [sys.executable, "-m", "voicehermes", "interpret"]


def interpret(*arguments: str, text: str | bytes) -> list[dict[str, Any]]:
    given = text if isinstance(text, bytes) else text.encode()
    ran = subprocess.run([*COMMAND, *arguments], input=given, capture_output=True, check=True)
    assert not ran.stderr
    return [json.loads(line) for line in ran.stdout.decode().splitlines()]


def test_each_line_is_an_answer_to_an_approval_and_an_empty_one_is_silence(home: Path) -> None:
    assert interpret("approval", text="Sì.\n\nPer la sessione\r\nOk, no.") == [
        {"transcript": "Sì.", "meaning": "once"},
        {"transcript": "", "meaning": "unclear"},
        {"transcript": "Per la sessione", "meaning": "session"},
        {"transcript": "Ok, no.", "meaning": "deny"},
    ]
    assert interpret("approval", text="") == []


def test_a_grant_that_is_not_offered_is_unclear(home: Path) -> None:
    said = "sì\nper la sessione\nsempre\nno\naspetta\n"
    meanings = [
        line["meaning"] for line in interpret("approval", "--choices", "once|deny", text=said)
    ]
    assert meanings == ["once", "unclear", "unclear", "deny", "wait"]


def test_a_choice_is_printed_as_it_was_given(home: Path) -> None:
    lines = interpret("clarify", "--choices", "staging|Produzione", text="La seconda.\nRipeti\n\n")
    assert lines == [
        {"transcript": "La seconda.", "meaning": "choice", "choice": "Produzione"},
        {"transcript": "Ripeti", "meaning": "repeat", "choice": None},
        {"transcript": "", "meaning": "unclear", "choice": None},
    ]


def test_without_choices_any_answer_is_free_text(home: Path) -> None:
    (line,) = interpret("clarify", text="Chiamalo relazione trimestrale.\n")
    assert line["meaning"] == "free"
    assert line["choice"] is None


def test_the_language_is_that_of_the_configuration_or_the_one_given(home: Path) -> None:
    (line,) = interpret("approval", "--language", "en", text="Go ahead.\n")
    assert line["meaning"] == "once"
    config = home / "voicehermes.toml"
    config.write_text('[ui]\nlanguage = "en"\n')
    (line,) = interpret("approval", "--config", str(config), text="Sure thing.\n")
    assert line["meaning"] == "once"


def test_bytes_that_are_no_text_allow_nothing(home: Path) -> None:
    lines = interpret("approval", text=b"S\xec.\nS\xc3\xac\xff\nNo\xff\n")
    assert [line["meaning"] for line in lines] == ["unclear", "unclear", "deny"]


def test_an_answer_is_printed_before_the_next_one_is_there(home: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "approval"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write("Sì.\nN".encode())
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["meaning"] == "once"
    process.communicate(timeout=20)


def test_whoever_stops_reading_causes_no_traceback(home: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    ran = subprocess.run(
        [*COMMAND, "approval"], input=b"no\n" * 1000, stdout=write, stderr=subprocess.PIPE
    )
    os.close(write)
    assert ran.stderr == b""
    assert ran.returncode == 1


@pytest.mark.parametrize(
    "arguments", [[], ["approval", "--choices", "sesion"], ["clarify", "--language", "fr"]]
)
def test_wrong_usage_is_told_in_a_line(home: Path, arguments: list[str]) -> None:
    ran = subprocess.run([*COMMAND, *arguments], input=b"", capture_output=True)
    assert ran.returncode == 2
    assert b"error:" in ran.stderr
    assert b"Traceback" not in ran.stderr


@pytest.mark.parametrize("arguments", [[], ["approval"], ["clarify"]])
def test_its_help_has_an_example(arguments: list[str]) -> None:
    ran = subprocess.run([*COMMAND, *arguments, "--help"], capture_output=True, check=True)
    assert b"example" in ran.stdout
