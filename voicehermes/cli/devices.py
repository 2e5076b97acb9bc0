"""``voicehermes devices``: microphones and speakers, and how loud the microphone is."""

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voicehermes.adapters.sound.names import DeviceInfo


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the command."""
    command = commands.add_parser(
        "devices",
        description="List microphones and speakers; part of a name is enough for [audio] input\n"
        "and output.",
        epilog="example:\n  voicehermes devices --meter",
    )
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="as JSON")
    form.add_argument(
        "--meter", action="store_true", help="show the level of [audio] input, until Ctrl+C"
    )
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """List the devices or show the level. Raises ConfigError and AudioError."""
    import asyncio
    import dataclasses
    import json

    from voicehermes.adapters.sound.devices import list_devices
    from voicehermes.cli import configuration

    config = configuration.load(args)
    if args.meter:
        asyncio.run(_meter(config.audio.input))
        return 0
    devices = list_devices()
    if args.json:
        entries = [dataclasses.asdict(device) for device in devices]
        print(json.dumps(entries, ensure_ascii=False, indent=2))
    else:
        print("\n".join(describe(device) for device in devices))
    return 0


def describe(device: "DeviceInfo") -> str:
    """A device as one line: "Blue Yeti  [ALSA]  microphone (default), speaker"."""
    from voicehermes.cli.printable import one_line

    kinds = [
        f"{kind} (default)" if is_default else kind
        for kind, channels, is_default in (
            ("microphone", device.inputs, device.is_default_input),
            ("speaker", device.outputs, device.is_default_output),
        )
        if channels
    ]
    return f"{one_line(device.name)}  [{device.system}]  {', '.join(kinds)}"


async def _meter(name: str) -> None:
    """Show the loudest level of each tenth of a second."""
    import sys

    from voicehermes.adapters.sound.devices import open_microphone
    from voicehermes.audio import SILENCE_DBFS, level_dbfs
    from voicehermes.cli.screen import meter

    frames_shown, end = (3, "\r") if sys.stdout.isatty() else (31, "\n")
    loudest, count = SILENCE_DBFS, 0
    async with open_microphone(name).open() as frames:
        async for frame in frames:
            loudest, count = max(loudest, level_dbfs(frame)), count + 1
            if count == frames_shown:
                print(f"{meter(loudest)} {loudest:6.1f} dBFS", end=end, flush=True)
                loudest, count = SILENCE_DBFS, 0
