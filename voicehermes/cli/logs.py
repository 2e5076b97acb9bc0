"""Where log lines go, and which."""

import logging
import os
import sys
from functools import cache
from typing import TextIO

_CHATTY = ("httpx", "httpcore", "asyncio")
"""Libraries that log each request, with its cookie at their lowest level: warnings only."""


class _StandardError(logging.StreamHandler[TextIO]):
    """Writes to what ``sys.stderr`` is at that moment: a live display puts itself in between.

    Where nothing does, it has a descriptor of its own. C libraries write their lines piece by
    piece to number 2, which is held back while a device is opened: a line of ours between two
    pieces would be taken for theirs and lost.
    """

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:  # type: ignore[override]
        return _own_stream() if sys.stderr is sys.__stderr__ else sys.stderr


@cache
def _own_stream() -> TextIO:
    return os.fdopen(os.dup(2), "w", buffering=1, errors="backslashreplace")


def set_up(level: str) -> None:
    """Log from ``level`` (as in ``[log] level``) to standard error. May be called again."""
    if sys.stderr is not None and sys.stderr is sys.__stderr__:
        _own_stream()  # now, while number 2 is the terminal for certain
    logging.basicConfig(
        level=level.upper(),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        handlers=[_StandardError()],
        force=True,
    )
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
