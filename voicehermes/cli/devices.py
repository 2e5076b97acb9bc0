"""``voicehermes devices``: microphones and speakers, and what the microphone hears."""

import argparse
from typing import TYPE_CHECKING, Any

from voicehermes.cli.arguments import seconds

if TYPE_CHECKING:
    from voicehermes.adapters.sound.names import DeviceInfo
    from voicehermes.config import Config


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
        "--meter",
        action="store_true",
        help="show how loud the microphone and the room are, and what is taken for speech",
    )
    command.add_argument("--input", metavar="NAME", help="microphone, in place of [audio] input")
    command.add_argument(
        "--seconds", type=seconds, metavar="N", help="end --meter after N seconds, not at Ctrl+C"
    )
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """List the devices or show the level. Raises ConfigError and AudioError."""
    import dataclasses
    import json

    from voicehermes.adapters.sound.devices import list_devices
    from voicehermes.cli import configuration
    from voicehermes.errors import ConfigError

    config = configuration.load(args)
    if args.meter:
        name = config.audio.input if args.input is None else _microphone(args.input)
        _show_meter(config, name, args.seconds)
        return 0
    if args.input is not None or args.seconds is not None:
        raise ConfigError("--input and --seconds are for --meter.")
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


def _microphone(name: str) -> str:
    """The argument, checked as its key is. Raises ConfigError."""
    import json

    from voicehermes.config import parse

    text = f"[audio]\ninput = {json.dumps(name, ensure_ascii=False)}"
    return parse(text, place="--input", env={}).audio.input


def _show_meter(config: "Config", microphone: str, seconds: float | None) -> None:
    import asyncio

    from voicehermes import lexicon
    from voicehermes.adapters.sound.detectors import open_detector
    from voicehermes.adapters.sound.devices import open_microphone
    from voicehermes.cli import meter

    words = lexicon.load(config.ui.language)
    detector = open_detector(config.listen.vad)
    asyncio.run(meter.show(open_microphone(microphone), detector, words, seconds))
