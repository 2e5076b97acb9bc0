"""The command line's edge: which command runs, and how its failure is said and counted.

Importing this and asking for ``--help`` loads argparse and nothing heavier: a command imports
what it needs when it runs.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from voicehermes import __version__

FAMILIES = (
    "transcribe",
    "login",
    "sessions",
    "devices",
    "config",
    "speakable",
    "stats",
    "simulator",
)
"""Modules of this package, in the order of ``--help``. Each has ``add_parser(subparsers)``,
which sets the default ``run``: from the parsed arguments to the exit code."""

DONE, FAILED, MISUSED, INTERRUPTED = 0, 1, 2, 130
"""Exit codes: done, failed (server, audio), wrong usage or configuration, Ctrl+C."""

_EXAMPLE = """\
examples:
  voicehermes demo                     a whole conversation, without server or microphone
  voicehermes config init              write a configuration to edit
  voicehermes login                    log in to hermes-webui
  voicehermes run                      hold the key, speak, hear the answer
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


def parser() -> CommandParser:
    """The parser of the whole command line."""
    program = CommandParser(
        prog="voicehermes",
        description="Talk to your Hermes agent, and hear the answer while it is still written.",
        epilog=_EXAMPLE,
    )
    program.set_defaults(config=None)
    program.add_argument("--version", action="version", version=f"voicehermes {__version__}")
    commands = program.add_subparsers(metavar="COMMAND", required=True, title="commands")
    for family in FAMILIES:
        importlib.import_module(f"voicehermes.cli.{family}").add_parser(commands)
    return program


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code. Anything but our own errors is a bug and raised."""
    parsed = parser().parse_args(arguments)

    from voicehermes.cli import logs
    from voicehermes.errors import ConfigError, VoicehermesError

    logs.set_up("warning")
    code = DONE
    try:
        code = parsed.run(parsed)
        sys.stdout.flush()
    except* VoicehermesError as group:
        error = _first(group)
        print(f"voicehermes: {error}", file=sys.stderr)
        code = MISUSED if isinstance(error, ConfigError) else FAILED
    except* KeyboardInterrupt:
        code = INTERRUPTED
    except* BrokenPipeError:
        # Whoever read our output has seen enough. Nothing more is to be flushed into the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = FAILED
    return code


def _first(error: BaseException) -> BaseException:
    """The first error in a group of groups: those of a command's tasks."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
