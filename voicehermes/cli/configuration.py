"""Finds and reads the configuration; knows where files of ours belong."""

import argparse
import os
from pathlib import Path

from voicehermes.config import Config, parse
from voicehermes.errors import ConfigError

CONFIG_VARIABLE = "VOICEHERMES_CONFIG"

MOST_BYTES = 4_000_000


def named_path(args: argparse.Namespace) -> Path | None:
    """The file that the user names with ``--config`` or VOICEHERMES_CONFIG, else None.

    Raises ConfigError for a ~ that cannot be resolved.
    """
    name = args.config or os.environ.get(CONFIG_VARIABLE)
    try:
        return Path(name).expanduser() if name else None
    except RuntimeError as error:
        raise ConfigError(f"{name}: whose home its ~ means is not known.") from error


def default_path() -> Path:
    """The file in the user's configuration folder."""
    import platformdirs

    return platformdirs.user_config_path("voicehermes", appauthor=False) / "config.toml"


def state_folder() -> Path:
    """The folder of what must outlive the process; it may not exist yet."""
    import platformdirs

    return platformdirs.user_state_path("voicehermes", appauthor=False)


def load(args: argparse.Namespace) -> Config:
    """The configuration for a command. Without any file it is the default.

    Raises ConfigError for a file that was named and is not there, or that cannot be used.
    """
    named = named_path(args)
    path = named or default_path()
    try:
        with path.open("rb") as file:  # which may be a pipe, or a device that never ends
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise ConfigError(f"{path}: this is too large for a configuration file.")
        text = data.decode("utf-8-sig")
    except FileNotFoundError as error:
        if named:
            raise ConfigError(
                f"{path}: there is no such file.",
                hint="`voicehermes config init` writes one.",
            ) from error
        text = ""
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: this is not UTF-8 text.") from error
    return parse(text, place=str(path), env=os.environ)


def timeline_path(config: Config) -> Path | None:
    """The file of the timeline, or None when none is kept."""
    match config.log.timeline:
        case "":
            return None
        case "default":
            return state_folder() / "timeline.jsonl"
        case name:
            return Path(name).expanduser()
