"""Where log lines go, and which."""

import logging
import sys
from typing import TextIO

_CHATTY = ("httpx", "httpcore", "asyncio")
"""Libraries that log each request, with its cookie at their lowest level: warnings only."""


class _StandardError(logging.StreamHandler[TextIO]):
    """Writes to what ``sys.stderr`` is at that moment: a live display puts itself in between."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:  # type: ignore[override]
        return sys.stderr


def set_up(level: str) -> None:
    """Log from ``level`` (as in ``[log] level``) to standard error. May be called again."""
    logging.basicConfig(
        level=level.upper(),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        handlers=[_StandardError()],
        force=True,
    )
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
