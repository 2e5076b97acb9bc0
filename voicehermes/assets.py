"""Where the files lie that come with the program: cues, demo clips, service and desktop files."""

from pathlib import Path

_INSTALLED = Path(__file__).with_name("assets")
"""Where the wheel puts them."""

_CHECKOUT = Path(__file__).parent.parent / "assets"


def asset(name: str) -> Path:
    """The path of an asset by its name in assets/, e.g. "cues/sent.wav". Looks at the disk."""
    folder = _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT
    return folder / name
