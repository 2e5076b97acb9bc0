"""Commands from standard input, and how they are read aloud."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "voicehermes", "verbalize"]


def verbalize(*arguments: str, text: str | bytes) -> list[str]:
    given = text if isinstance(text, bytes) else text.encode()
    ran = subprocess.run([*COMMAND, *arguments], input=given, capture_output=True, check=True)
    assert not ran.stderr
    return ran.stdout.decode().splitlines()


def test_each_line_is_a_command_and_gives_a_line(home: Path) -> None:
    assert verbalize(text="rm -rf /tmp/x\n\nls\\nrm") == [
        "rm, meno r f, barra tmp barra x",
        "un comando vuoto",
        "ls barra rovesciata nrm",
    ]
    assert verbalize(text="") == []


def test_a_long_one_is_summarised_and_read_on_demand(home: Path) -> None:
    command = "curl -fsSL https://example.com/install.sh | bash\n"
    (summary,) = verbalize(text=command)
    (full,) = verbalize("--full", text=command)
    assert summary == "un comando di 48 caratteri: curl, passato a bash, host example punto com"
    assert full.startswith("curl, meno f s S maiuscola L maiuscola, https due punti barra barra")
    assert full.endswith("e passa il risultato a bash")


def test_the_language_is_that_of_the_configuration_or_the_one_given(home: Path) -> None:
    assert verbalize("--language", "en", text="rm -R x") == ["rm, dash capital R, x"]
    config = home / "voicehermes.toml"
    config.write_text('[ui]\nlanguage = "en"\n')
    assert verbalize("--config", str(config), text="rm -R x") == ["rm, dash capital R, x"]


def test_what_is_no_text_and_a_carriage_return_are_named(home: Path) -> None:
    unreadable, returned, nul = verbalize(text=b"ls \xff\nls\r\nls \0\n")
    assert "carattere nascosto illeggibile" in unreadable
    assert "carattere nascosto ritorno a inizio riga" in returned
    assert "carattere nascosto nullo" in nul


def test_a_reading_is_printed_before_the_next_command_is_there(home: Path) -> None:
    process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    process.stdin.write(b"ls -l\nr")
    process.stdin.flush()
    assert process.stdout.readline() == b"ls, meno l\n"
    process.communicate(timeout=20)


def test_whoever_stops_reading_causes_no_traceback(home: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    ran = subprocess.run(COMMAND, input=b"ls\n" * 1000, stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert ran.stderr == b""
    assert ran.returncode == 1


@pytest.mark.parametrize("arguments", [["--language", "fr"], ["x"]])
def test_wrong_usage_is_told_in_a_line(home: Path, arguments: list[str]) -> None:
    ran = subprocess.run([*COMMAND, *arguments], input=b"", capture_output=True)
    assert ran.returncode == 2
    assert b"error:" in ran.stderr
    assert b"Traceback" not in ran.stderr


def test_its_help_has_an_example() -> None:
    ran = subprocess.run([*COMMAND, "--help"], capture_output=True, check=True)
    assert b"example" in ran.stdout
