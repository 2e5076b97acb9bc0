"""What C libraries print on the terminal when a device refuses, kept from the user's eyes."""

import logging
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

_log = logging.getLogger(__name__)

_NOISE = ("Expression '", "ALSA lib ", "Cannot connect to server", "jack server", "JackShm")
"""How the lines of PortAudio, ALSA and JACK begin."""


@contextmanager
def without_noise() -> Iterator[None]:
    """Holds stderr back while the block runs; what is no such line is printed after it.

    All of the process is concerned, so keep it short and use it by one thread at a time.
    """
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
                    _log.debug("%s", line)
                else:
                    sys.stderr.write(f"{line}\n")
