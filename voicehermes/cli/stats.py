"""``voicehermes stats``: how long each stage of the last turns took."""

import argparse
from typing import TYPE_CHECKING, Any

from voicehermes.cli.arguments import count

if TYPE_CHECKING:
    from pathlib import Path

    from voicehermes.statistics import Spread, Stage


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the command."""
    command = commands.add_parser(
        "stats",
        description="Print the median and the 95th percentile of each stage of the last turns.",
        epilog="example:\n  voicehermes stats --turns 20",
    )
    command.add_argument(
        "--turns", type=count, default=50, metavar="N", help="how many turns (default: 50)"
    )
    command.add_argument("--json", action="store_true", help="as JSON, in seconds")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the table. Raises ConfigError and StoreError."""
    import dataclasses
    import json

    from voicehermes.adapters.journal import older
    from voicehermes.cli import configuration
    from voicehermes.errors import ConfigError, StoreError
    from voicehermes.statistics import read, spreads, turns_of

    path = configuration.timeline_path(configuration.load(args))
    if path is None:
        raise ConfigError("No timeline is kept.", hint='Set [log] timeline = "default".')
    lines = _lines(older(path)) + _lines(path)
    records, broken = read(lines)
    turns = turns_of(records)[-args.turns :]
    if not turns and not args.json:
        raise StoreError(f"There is no turn in {path} yet.", hint="Talk to it first.")
    found = spreads(turns)
    if args.json:
        stages = {stage: dataclasses.asdict(spread) for stage, spread in found.items()}
        print(json.dumps({"turns": len(turns), "broken_lines": broken, "stages": stages}))
        return 0
    print("\n".join(table(found, len(turns))))
    if broken:
        print(f"Broken lines that were skipped: {broken}.")
    return 0


def table(found: "dict[Stage, Spread]", turns: int) -> list[str]:
    """The lines of the table; stages that no turn had are dashes."""
    from voicehermes.statistics import STAGES

    names: dict[Stage, str] = {
        "upload": "release → upload begins",
        "transcription": "transcription",
        "first_delta": "submit → first text",
        "request": "first sentence → request",
        "audio": "request → audio",
        "sound": "audio → sound",
        "first_sound": "release → first sound",
        "own_share": "of that, our own share",
    }
    lines = [f"{f'last {turns} turns':<26}{'p50':>10}{'p95':>10}{'turns':>7}"]
    for stage in STAGES:
        spread = found.get(stage)
        numbers = (
            f"{_time(spread.p50_seconds):>10}{_time(spread.p95_seconds):>10}{spread.turns:>7}"
            if spread
            else f"{'-':>10}{'-':>10}{0:>7}"
        )
        lines.append(f"{names[stage]:<26}{numbers}")
    return lines


def _time(seconds: float) -> str:
    """0.0123 → "12 ms"."""
    return f"{seconds * 1000:,.0f} ms"


def _lines(path: "Path") -> list[str]:
    from voicehermes.errors import StoreError

    try:
        return path.read_text("utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StoreError(f"Cannot read {path}: {error.strerror}.") from error
