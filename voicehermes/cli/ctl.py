"""``voicehermes ctl``: tells the running daemon what to do."""

import argparse
from typing import Any

from voicehermes.adapters.triggers.control_client import COMMANDS


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the command."""
    command = commands.add_parser(
        "ctl",
        description="Tell the running daemon what to do: bind it to a shortcut or a button.\n\n"
        "  press, release   as the talk key going down and up\n"
        "  toggle           begin to talk, or end it\n"
        "  cancel           stop what the agent works on\n"
        "  mute, unmute     shut the microphone, or open it again\n"
        "  status           show what it does\n"
        "  quit             end it",
        epilog="example:\n  voicehermes ctl toggle",
    )
    command.add_argument("action", choices=COMMANDS, metavar="ACTION", help="one of those above")
    command.add_argument("--json", action="store_true", help="print the daemon's answer as JSON")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Send the command. Raises ConfigError, and TriggerError when no daemon obeys."""
    import json
    import os

    from voicehermes.adapters.triggers.control_client import request, socket_path
    from voicehermes.cli import configuration
    from voicehermes.cli.printable import one_line

    setting = configuration.load(args).control.socket
    path = socket_path(setting, os.environ, configuration.state_folder())
    answer = request(path, args.action)
    if args.json:
        print(json.dumps(answer, ensure_ascii=False))
    else:
        status = answer.get("status")
        for name, value in status.items() if isinstance(status, dict) else ():
            print(f"{name.replace('_', ' ')}: {one_line(_shown(value))}")
    return 0


def _shown(value: object) -> str:
    """True, None, 3 -> "yes", "none", "3"."""
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case _:
            return str(value)
