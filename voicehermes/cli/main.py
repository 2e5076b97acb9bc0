"""The command line's edge: which command runs, and how its failure is said and counted.

Importing this and asking for ``--help`` loads argparse and nothing heavier: a command imports
what it needs when it runs.
"""

import argparse
import errno
import importlib
import io
import os
import sys
from collections.abc import Sequence

from voicehermes import __version__

COMMANDS = {
    "run": ("daemon", "converse: hold the key, speak, hear the answer"),
    "ctl": ("ctl", "tell the running daemon what to do"),
    "ask": ("talk", "type a question; its answer is printed and spoken"),
    "say": ("talk", "speak a text"),
    "listen": ("talk", "record one utterance and print its transcript"),
    "retry": ("talk", "send what could not be sent"),
    "demo": ("demo", "a whole conversation with the embedded server"),
    "transcribe": ("transcribe", "print what is said in sound files"),
    "login": ("login", "log in to hermes-webui"),
    "logout": ("login", "end the login"),
    "sessions": ("sessions", "list the conversations, begin one, or choose one"),
    "devices": ("devices", "list microphones and speakers"),
    "config": ("config", "check, show or write the configuration"),
    "speakable": ("speakable", "show what of a text would be spoken"),
    "interpret": ("interpret", "show how a spoken answer would be understood"),
    "verbalize": ("verbalize", "show how a command would be read aloud"),
    "stats": ("stats", "print how long each stage of the last turns took"),
    "simulator": ("simulator", "run the embedded, scripted server"),
}
"""Each command, the module of this package that has it, and what ``--help`` says of it.

The module has ``add_parser(subparsers)``, which adds its commands, each with the default ``run``:
from the parsed arguments to the exit code.
"""

DONE, FAILED, MISUSED, INTERRUPTED = 0, 1, 2, 130
"""Exit codes: done, failed (server, audio), wrong usage or configuration, Ctrl+C."""

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
"""What a full disk, or a broken one, says to a program that prints; our own files are ours."""

_EXAMPLE = """\
example:
  voicehermes demo
"""


class CommandParser(argparse.ArgumentParser):
    """A parser of the program or of one command; each takes ``--config``, wherever it stands."""

    def __init__(self, **options: object) -> None:
        options.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(**options)  # type: ignore[arg-type]
        self.add_argument(
            "--config",
            metavar="PATH",
            default=argparse.SUPPRESS,
            help="configuration file instead of the default one",
        )


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line's arguments, ``run`` among them. SystemExit for ``--help`` and misuse."""
    listing = "\n".join(f"  {name:<11} {text}" for name, (_, text) in COMMANDS.items())
    program = CommandParser(
        prog="voicehermes",
        usage="voicehermes [-h] [--config PATH] [--version] COMMAND ...",
        description="Talk to your Hermes agent, and hear the answer while it is still written.\n\n"
        f"commands (each has a --help):\n{listing}",
        epilog=_EXAMPLE,
    )
    program.set_defaults(config=None)
    program.add_argument("--version", action="version", version=f"voicehermes {__version__}")
    program.add_argument("command", choices=COMMANDS, metavar="COMMAND", help=argparse.SUPPRESS)
    rest = program.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    rest.required = False  # or it is said to be missing where the command is
    given = program.parse_args(arguments)
    return parser_of(given.command).parse_args([given.command, *given.rest], given)


def parser_of(command: str) -> CommandParser:
    """The parser of one command; the modules of the others are not imported."""
    module, _ = COMMANDS[command]
    parser = CommandParser(prog="voicehermes")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    importlib.import_module(f"voicehermes.cli.{module}").add_parser(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code. Anything but our own errors is a bug and raised."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # no terminal is too poor for our text
        sys.stdout.reconfigure(errors="replace")
    try:
        return _run(arguments)
    except KeyboardInterrupt:  # before the command was at work
        return INTERRUPTED


def _run(arguments: Sequence[str] | None) -> int:
    parsed = parse(arguments)

    from voicehermes.cli import logs
    from voicehermes.cli.printable import printable
    from voicehermes.errors import ConfigError, VoicehermesError

    logs.set_up("warning")
    code = DONE
    try:
        code = parsed.run(parsed)
        sys.stdout.flush()
    except* VoicehermesError as group:
        error = _first(group)
        print(f"voicehermes: {printable(str(error))}", file=sys.stderr)
        code = MISUSED if isinstance(error, ConfigError) else FAILED
    except* KeyboardInterrupt:
        code = INTERRUPTED
    except* BrokenPipeError:
        _drop_output()  # whoever read it has seen enough
        code = FAILED
    except* OSError as group:
        full = _first(group)
        if not isinstance(full, OSError) or full.errno not in _FULL:
            raise
        _drop_output()
        print(f"voicehermes: the output cannot be written: {full.strerror}.", file=sys.stderr)
        code = FAILED
    return code


def _drop_output() -> None:
    """Nothing more is to be flushed to where it cannot go."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _first(error: BaseException) -> BaseException:
    """The first error in a group of groups: those of a command's tasks."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
