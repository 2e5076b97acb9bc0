"""The command line's edge: exit codes, one line per failure, a light start."""

import argparse
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from voicehermes import __version__, cli
from voicehermes.cli.main import COMMANDS, CommandParser, main, parse, parser_of
from voicehermes.errors import ConfigError, UnreachableError

HEAVY = {
    "asyncio", "httpx", "markdown_it", "miniaudio", "numpy", "platformdirs", "pydantic", "pynput",
    "rich", "sounddevice", "soundfile", "voicehermes.config",
}  # fmt: skip


def parts_of(parser: CommandParser) -> dict[str, CommandParser]:
    """The commands that a parser offers, with their parts, by what is typed for them."""
    found: dict[str, CommandParser] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, child in action.choices.items():
                found[name] = child
                found |= {f"{name} {part}": p for part, p in parts_of(child).items()}
    return found


@pytest.fixture
def run_as(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], int]], int]:
    """Runs the command `stats` with another function in its place."""

    def run(command: Callable[[], int]) -> int:
        monkeypatch.setattr("voicehermes.cli.stats.run", lambda _args: command())
        return main(["stats"])

    return run


def raising(error: BaseException) -> Callable[[], int]:
    def command() -> int:
        raise error

    return command


def test_the_command_says_its_exit_code(run_as: Callable[..., int]) -> None:
    assert run_as(lambda: 7) == 7


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (
            UnreachableError("No server.", hint="Start it."),
            1,
            "voicehermes: No server. Start it.\n",
        ),
        (UnreachableError("No \x1b[31mserver."), 1, "voicehermes: No [31mserver.\n"),
        (ConfigError("a.toml: no."), 2, "voicehermes: a.toml: no.\n"),
        (BaseExceptionGroup("tasks", [ConfigError("No.")]), 2, "voicehermes: No.\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_a_failure_is_one_line_and_an_exit_code(
    error: BaseException,
    code: int,
    line: str,
    run_as: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_as(raising(error)) == code
    assert capsys.readouterr().err == line


def test_a_bug_is_not_hidden(run_as: Callable[..., int]) -> None:
    with pytest.raises(ZeroDivisionError):
        run_as(raising(ZeroDivisionError()))
    with pytest.raises(ExceptionGroup):
        run_as(raising(ExceptionGroup("tasks", [ZeroDivisionError(), ConfigError("No.")])))


@pytest.mark.parametrize("arguments", [[], ["walk"], ["stats", "--turns", "0"], ["stats", "x"]])
def test_wrong_usage_ends_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: voicehermes" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_table_is_there(command: str) -> None:
    assert command in parts_of(parser_of(command))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_shows_an_example_of_its_command(command: str) -> None:
    for name, part in parts_of(parser_of(command)).items():
        assert f"voicehermes {name}" in part.format_help().partition("\nexample")[2]


def test_every_module_with_commands_is_in_the_table() -> None:
    folder = Path(cli.__path__[0])
    having = {p.stem for p in folder.glob("*.py") if "\ndef add_parser(" in p.read_text("utf-8")}
    assert having == {module for module, _ in COMMANDS.values()}


def test_the_help_of_the_program_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    assert all(f"\n  {command} " in text for command in COMMANDS)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--config", "x.toml", "config", "check"],
        ["config", "--config", "x.toml", "check"],
        ["config", "check", "--config", "x.toml"],
    ],
)
def test_config_is_taken_wherever_it_stands(arguments: list[str]) -> None:
    assert parse(arguments).config == "x.toml"


def test_without_config_there_is_none() -> None:
    assert parse(["config", "check"]).config is None


def start(*arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | variables,
    )


def test_the_module_and_the_script_both_run() -> None:
    script = Path(sys.executable).with_name("voicehermes")
    for command in ([sys.executable, "-m", "voicehermes"], [str(script)]):
        ran = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
        assert ran.stdout == f"voicehermes {__version__}\n"


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys, json, voicehermes.cli.main as m\n"
        "try: m.main(['--help'])\n"
        "except SystemExit: print(json.dumps(sorted(sys.modules)), file=sys.stderr)\n"
    )
    ran = start("-c", code)
    assert ran.stdout.startswith("usage: voicehermes")
    assert not HEAVY & set(json.loads(ran.stderr))


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    code = "import sys; from voicehermes.cli.main import main; sys.exit(main(['config', 'show']))"
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(
        [sys.executable, "-c", code], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (ran.returncode, ran.stderr) == (1, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_disk_that_is_full_is_one_sentence() -> None:
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "voicehermes", "config", "show"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    said = "voicehermes: the output cannot be written: No space left on device.\n"
    assert (ran.returncode, ran.stderr) == (1, said)


def test_text_that_the_terminal_cannot_show_is_no_traceback() -> None:
    ran = start("-m", "voicehermes", "speakable", "--help", PYTHONIOENCODING="ascii")
    assert (ran.returncode, ran.stderr) == (0, "")


def test_ctrl_c_before_the_command_is_at_work_ends_with_130(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(_module: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("importlib.import_module", interrupted)
    assert main(["stats"]) == 130


def test_without_a_command_only_the_command_is_said_to_be_missing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([])
    assert capsys.readouterr().err.endswith("the following arguments are required: COMMAND\n")


def test_ctrl_c_ends_with_130_and_without_a_traceback() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "voicehermes", "speakable"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin
    assert process.stdout
    process.stdin.write(b"Prima frase. Seconda frase.\n\nTerza.")
    process.stdin.flush()
    process.stdout.readline()  # it is at work
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (130, b"")
