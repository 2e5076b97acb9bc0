"""An ear at the virtual speaker, that can be asked at any time what it has heard so far."""

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from tests.real.correlation import QUIET, Samples
from tests.real.sound_card import IN_TIME, SPEAKER, SoundCard

RATE_HZ = 24_000

_BLOCK_BYTES = 480 * 2


class Listener:
    """What came out of the speaker since it began, and when, by time.monotonic()."""

    def __init__(self) -> None:
        self._pcm = bytearray()
        self._began = float("inf")
        self._lock = threading.Lock()

    @property
    def samples(self) -> Samples:
        """All of it until now, at RATE_HZ."""
        with self._lock:
            return np.frombuffer(bytes(self._pcm), "<i2").astype(float)

    def time_of(self, sample: int) -> float:
        """When a sample came out, at most some 20 ms late."""
        return self._began + sample / RATE_HZ

    def sample_at(self, when: float) -> int:
        """The sample that came out at that time."""
        return round((when - self._began) * RATE_HZ)

    def sounds(self, seconds: float) -> bool:
        """Whether there was a sound within the last so many seconds."""
        newest = self.samples[-round(seconds * RATE_HZ) :]
        return bool(np.abs(newest).max(initial=0) > QUIET)

    def wait_for_sound(self, seconds: float = 10.0) -> None:
        """Return as soon as there is sound."""
        wait_until(lambda: self.sounds(0.05), "sound", seconds)

    def wait_for_first_sound(self, seconds: float = 10.0) -> None:
        """Return when there is or was any sound."""
        wait_until(lambda: self.sounds(len(self.samples) / RATE_HZ), "sound", seconds)

    def wait_for_silence(self, lasting: float, seconds: float = 20.0) -> None:
        """Return when there was no sound for so long."""
        wait_until(lambda: not self.sounds(lasting), "silence", seconds)

    def take(self, block: bytes) -> None:
        """A further piece has come."""
        now = time.monotonic()
        with self._lock:
            self._pcm += block
            # The block that was the quickest to come tells best when the first sample was.
            self._began = min(self._began, now - len(self._pcm) / 2 / RATE_HZ)


def wait_until(
    condition: Callable[[], object], what: str, seconds: float, every_seconds: float = 0.01
) -> None:
    """Return when the condition holds; a TimeoutError names what was waited for."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"no {what} within {seconds} s")
        time.sleep(every_seconds)


@contextmanager
def listening(card: SoundCard, source: str = f"{SPEAKER}.monitor") -> Iterator[Listener]:
    """Listen to the speaker, or to another source, while the block runs."""
    listener = Listener()
    parec = subprocess.Popen(
        [
            *(*IN_TIME, "parec", "-d", source, "--latency-msec=10", "--raw"),
            *(f"--rate={RATE_HZ}", "--channels=1", "--format=s16le"),
        ],
        env=card.env,
        stdout=subprocess.PIPE,
    )

    def listen() -> None:
        assert parec.stdout
        while block := parec.stdout.read(_BLOCK_BYTES):
            listener.take(block)

    thread = threading.Thread(target=listen, name="listener")
    thread.start()
    try:
        wait_until(lambda: len(listener.samples), "answer of the sound server", 10.0)
        yield listener
    finally:
        parec.terminate()
        thread.join(10)
        with parec:  # closes its pipe and waits
            pass
