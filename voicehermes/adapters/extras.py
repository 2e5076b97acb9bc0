"""What this program can do only with more packages, and how they come to where it is installed."""

import sys
from typing import Literal

Extra = Literal["aec", "demo", "desktop", "wake"]
"""Of pyproject.toml's ``optional-dependencies``, those that a user may miss."""


def how_to_install(extra: Extra) -> str:
    """The shell command that brings an extra into the environment that runs this."""
    return f'`{sys.executable} -m pip install "voicehermes[{extra}]"`'
