"""What C libraries print on the terminal when a device refuses, kept from the user's eyes."""

import logging
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager

log = logging.getLogger(__name__)

_at_it = threading.Lock()

_NOISE = ("Expression '", "ALSA lib ", "Cannot connect to server", "jack server", "JackShm")
"""How the lines of PortAudio, ALSA and JACK begin."""


@contextmanager
def without_noise() -> Iterator[None]:
    """Holds stderr back while the block runs; what is no such line is printed after it.

    All of the process is concerned, so keep it short. While one thread is at it, the block of
    another just runs.
    """
    if not _at_it.acquire(blocking=False):
        yield
        return
    try:
        with _held_back():
            yield
    finally:
        _at_it.release()


@contextmanager
def _held_back() -> Iterator[None]:
    with tempfile.TemporaryFile() as kept:
        sys.stderr.flush()
        terminal = os.dup(2)
        os.dup2(kept.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(terminal, 2)
            os.close(terminal)
            kept.seek(0)
            for line in kept.read().decode(errors="replace").splitlines():
                if line.lstrip().startswith(_NOISE):
                    log.debug("%s", line)
                else:
                    sys.stderr.write(f"{line}\n")
