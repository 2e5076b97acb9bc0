"""``voicehermes config check | show | init``."""

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voicehermes.config import Config


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the command and its three parts."""
    command = commands.add_parser(
        "config",
        description="Check, show or write the configuration.",
        epilog="example:\n  voicehermes config check --config ~/other.toml",
    )
    parts = command.add_subparsers(metavar="PART", required=True)
    check = parts.add_parser(
        "check",
        help="say whether the configuration can be used",
        description="Say whether the configuration can be used; exit code 2 when not. What "
        "`voicehermes run` loads for it is tried; devices and server are not.",
        epilog="example:\n  voicehermes config check",
    )
    check.set_defaults(run=_check)
    show = parts.add_parser(
        "show",
        help="print what holds, after file and variables",
        description="Print the configuration that holds after defaults, file and variables.",
        epilog="example:\n  VOICEHERMES_UI__LANGUAGE=en voicehermes config show",
    )
    show.add_argument("--json", action="store_true", help="as JSON instead of TOML")
    show.set_defaults(run=_show)
    init = parts.add_parser(
        "init",
        help="write a commented file to edit",
        description="Write a file with every key, its default and a comment.",
        epilog="example:\n  voicehermes config init",
    )
    init.add_argument("--force", action="store_true", help="replace a file that is there")
    init.set_defaults(run=_init)


def _check(args: argparse.Namespace) -> int:
    from voicehermes.cli import configuration

    config = configuration.load(args)
    _try(config)
    path = configuration.named_path(args) or configuration.default_path()
    print(f"{path}: OK" if path.exists() else f"{path}: OK (no file: the defaults hold)")
    return 0


def _try(config: "Config") -> None:
    """Raises what `run` would raise for the configuration alone."""
    from voicehermes import app
    from voicehermes.adapters.sound.detectors import open_detector
    from voicehermes.adapters.sound.encoders import open_encoders
    from voicehermes.adapters.triggers.keys import parse

    for name in ("hotkey", "cancel_hotkey"):
        if keys := getattr(config.talk, name):
            parse(keys, f"[talk] {name}")
    open_detector(config.listen.vad)
    open_encoders(config.listen.upload_format)
    app.open_canceller(config)
    app.open_wake_words(config)


def _show(args: argparse.Namespace) -> int:
    from voicehermes.cli import configuration
    from voicehermes.cli.example import toml_of

    config = configuration.load(args)
    print(config.model_dump_json(indent=2) if args.json else toml_of(config).rstrip())
    return 0


def _init(args: argparse.Namespace) -> int:
    from voicehermes.cli import configuration
    from voicehermes.cli.example import example
    from voicehermes.errors import ConfigError

    path = configuration.named_path(args) or configuration.default_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w" if args.force else "x", encoding="utf-8") as file:
            file.write(example())
    except FileExistsError as error:
        raise ConfigError(
            f"{path}: this file is there already.", hint="`--force` replaces it."
        ) from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}.") from error
    print(path)
    return 0
