"""``voicehermes verbalize``: how commands are read aloud before they are allowed."""

import argparse
from typing import Any


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the command."""
    command = commands.add_parser(
        "verbalize",
        description="Read shell commands from standard input, one a line, and print how each is\n"
        "read aloud when the agent asks whether it may run it, one a line. A long one is\n"
        "summarised first; --full prints what is read when all of it is asked for.",
        epilog="example:\n  echo 'rm -rf /tmp/x' | voicehermes verbalize",
    )
    command.add_argument("--full", action="store_true", help="the whole of it, however long")
    command.add_argument("--language", choices=("it", "en"), help="instead of [ui] language")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the readings, each as soon as its command is there. Raises ConfigError."""
    import sys

    from voicehermes.cli import configuration
    from voicehermes.cli.lines import lines
    from voicehermes.deciding.commands.reading import read_command
    from voicehermes.lexicon import commands

    words = commands.load(args.language or configuration.load(args).ui.language)
    for command in lines(sys.stdin.buffer):  # a carriage return is part of it, and read
        reading = read_command(command, words)
        print(reading.full if args.full else reading.text, flush=True)
    return 0
