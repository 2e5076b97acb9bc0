"""``voicehermes stats``: how long each stage of the last turns took, and what was not sent."""

import argparse
from typing import TYPE_CHECKING, Any

from voicehermes.cli.arguments import count

if TYPE_CHECKING:
    from pathlib import Path

    from voicehermes.statistics import NotSent, Spread, Stage


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the command."""
    command = commands.add_parser(
        "stats",
        description="Print the median and the 95th percentile of each stage of the last turns, "
        "and how many utterances were not sent meanwhile, and why. The end is when the key was let "
        "go, or of the last word where none was held.",
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
    from voicehermes.statistics import not_sent, read, spreads, turns_of

    path = configuration.timeline_path(configuration.load(args))
    if path is None:
        raise ConfigError("No timeline is kept.", hint='Set [log] timeline = "default".')
    lines = _lines(older(path)) + _lines(path)
    records, broken = read(lines)
    turns = turns_of(records)[-args.turns :]
    unsent = not_sent(records, args.turns)
    if not turns and not any(unsent.values()) and not args.json:
        raise StoreError(f"There is no turn in {path} yet.", hint="Talk to it first.")
    found = spreads(turns)
    if args.json:
        stages = {stage: dataclasses.asdict(spread) for stage, spread in found.items()}
        found_all = {"turns": len(turns), "broken_lines": broken, "stages": stages}
        print(json.dumps({**found_all, "not_sent": unsent}))
        return 0
    print("\n".join([*table(found, len(turns)), *tally(unsent)]))
    if broken:
        print(f"Broken lines that were skipped: {broken}.")
    return 0


def table(found: "dict[Stage, Spread]", turns: int) -> list[str]:
    """The lines of the table; stages that no turn had are dashes."""
    from voicehermes.statistics import STAGES

    names: dict[Stage, str] = {
        "upload": "end → upload begins",
        "transcription": "transcription",
        "first_delta": "submit → first text",
        "request": "first sentence → request",
        "audio": "request → audio",
        "sound": "audio → sound",
        "first_sound": "end → first sound",
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


def tally(unsent: "dict[NotSent, int]") -> list[str]:
    """The lines of what was not sent, and why; none where everything was."""
    names: dict[NotSent, str] = {
        "no speech": "no speech in it",
        "not understood": "no words understood",
        "not speech": "made up by the recogniser",
        "own words": "the assistant's own words",
        "backchannel": "only followed (mhm, ok)",
        "local command": "for the assistant itself",
    }
    counted = [f"{names[reason]:<26}{count:>10}" for reason, count in unsent.items() if count]
    return [f"{'not sent to the agent':<26}{sum(unsent.values()):>10}", *counted] if counted else []


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
