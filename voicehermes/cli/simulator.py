"""``voicehermes simulator``: the embedded server by itself."""

import argparse
from typing import Any

from voicehermes.cli.arguments import port


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the command."""
    command = commands.add_parser(
        "simulator",
        description="Run a scripted hermes-webui on this machine, until Ctrl+C.",
        epilog="example:\n  voicehermes simulator --port 8787 --scenario scenario.toml",
    )
    command.add_argument("--port", type=port, required=True, metavar="N", help="0 = any free one")
    command.add_argument(
        "--scenario", metavar="FILE", help="TOML script of what it says (default: some Italian)"
    )
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted. Raises ConfigError."""
    from pathlib import Path

    from voicehermes.errors import ConfigError
    from voicehermes.simulator.scenario import Scenario
    from voicehermes.simulator.server import Simulator

    if args.scenario is None:
        scenario = Scenario.italian()
    else:
        path = Path(args.scenario)
        try:
            scenario = Scenario.parse(path.read_text("utf-8"))
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise ConfigError(f"{path}: this is not UTF-8 text.") from error
        except ConfigError as error:
            raise ConfigError(f"{path}: {error}") from error
    try:
        simulator = Simulator(scenario, port=args.port)
    except OSError as error:
        raise ConfigError(
            f"Port {args.port} cannot be listened on: {error.strerror}.",
            hint="`--port 0` takes any free one.",
        ) from error
    print(f"A scripted hermes-webui listens at {simulator.url}; Ctrl+C ends it.", flush=True)
    simulator.serve_forever()
    return 0
