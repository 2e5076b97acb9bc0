"""A synthesiser whose sound tells what it spoke; keeps hermes-webui's limiter."""

import asyncio
from array import array
from collections import deque
from itertools import groupby

from voicehermes.audio import Sound
from voicehermes.errors import RateLimitedError, VoicehermesError

CHARACTERS_PER_SECOND = 15

_SHAPE = 240
"""Samples per character value in the sound."""


class FakeSynthesizer:
    """Speaks after 0.35 s and 4 ms a character, as many at a time as are asked for.

    Asserts that no text reaches it that has nothing to say in it.
    """

    def __init__(
        self, name: str = "server", *, window_seconds: float = 2.0, max_characters: int = 5000
    ) -> None:
        self.name = name
        self.window_seconds = window_seconds
        self.max_characters = max_characters
        self.rate_percent = 0
        self.latency_seconds = 0.35
        self.is_hanging = False
        self.faults: deque[VoicehermesError | None] = deque()
        """What the next requests raise, None = nothing; accepted or not."""
        self.always: VoicehermesError | None = None
        """What every request raises."""
        self.asked: list[tuple[float, str]] = []
        """(time, text) of each request that came."""
        self.spoken: list[str] = []
        self.refusals = 0
        """Requests that came too early."""
        self.occupied_until = float("-inf")
        """Another client's request was accepted so that the window is shut until then."""

    async def synthesize(self, text: str) -> Sound:
        assert any(map(str.isalnum, text)), f"nothing to say in {text!r}"
        assert text == text.strip()
        assert len(text) <= self.max_characters
        loop = asyncio.get_running_loop()
        self.asked.append((loop.time(), text))
        if loop.time() < self.occupied_until - 1e-6:
            self.refusals += 1
            raise RateLimitedError("Too early.")
        self.occupied_until = loop.time() + self.window_seconds
        if self.is_hanging:
            await asyncio.sleep(10_000)
        await asyncio.sleep(self.latency_seconds + 0.004 * len(text))
        if self.always:
            raise self.always
        if self.faults and (fault := self.faults.popleft()):
            raise fault
        self.spoken.append(text)
        return Sound(voiced(self.name, text), encoded_bytes=10 * len(text))


def voiced(name: str, text: str) -> bytes:
    """A sound that says which text this is: two samples a character, each held a while.

    Input "Ciao.", output that many steps of its letters' numbers, never 0, and twice as loud
    by another engine than "server".
    """
    factor = 10 if name == "server" else 20
    held = round(24_000 / CHARACTERS_PER_SECOND)
    samples = array("h")
    for character in text:
        samples.extend([factor * (ord(character) % 256 + 1)] * held)
    return samples.tobytes()


def heard(pcm: bytes, *, factor: int = 10) -> list[str]:
    """The texts in what was played, in order; fades and silence between them are passed over."""
    held = round(24_000 / CHARACTERS_PER_SECOND)
    samples = array("h", pcm)
    texts: list[str] = []
    for is_silent, run in groupby(samples, key=lambda sample: sample == 0):
        if is_silent:
            continue
        voice = list(run)
        letters = [voice[at] for at in range(held // 2, len(voice), held)]
        if all(letter % factor == 0 for letter in letters):
            texts.append("".join(chr(letter // factor - 1) for letter in letters))
    return texts
