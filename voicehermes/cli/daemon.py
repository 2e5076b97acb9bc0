"""``voicehermes run``: the daemon."""

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voicehermes.config import Config


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the command."""
    command = commands.add_parser(
        "run",
        description="Listen for the talk key, the control socket or, hands-free, for you, and "
        "converse, until Ctrl+C.",
        epilog="example:\n  voicehermes run",
    )
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Converse until SIGINT, SIGTERM or ``ctl quit``."""
    import asyncio
    import sys

    from voicehermes.cli import configuration, logs

    config = configuration.load(args)
    has_screen = sys.stdout.isatty() and sys.stderr.isatty()
    logs.set_up("warning" if has_screen and config.log.level == "info" else config.log.level)
    asyncio.run(_converse(config))
    return 0


async def _converse(config: "Config") -> None:
    import asyncio
    import os
    import signal

    from voicehermes import app
    from voicehermes.adapters.triggers.control_client import socket_path
    from voicehermes.cli import configuration
    from voicehermes.cli.screen import screen

    state = configuration.state_folder()
    control_path = socket_path(config.control.socket, os.environ, state)
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    journal = configuration.timeline_path(config)
    with screen(config) as display:
        async with (
            app.open_setting(config, state=state, journal=journal, display=display) as setting,
            app.open_daemon(setting, control_path, stop.set),
        ):
            await stop.wait()
