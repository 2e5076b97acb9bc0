"""What the microphone hears while somebody says something: a room, an utterance in it, the room.

Levels are those of people who use such things: speech at -26 dBFS, from afar or into a quiet
microphone at -46; noise so much below it that a listener still follows.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tests.bench import rooms, said
from tests.bench.said import Said, Samples
from voicehermes.audio import FRAME_BYTES, RATE_HZ

CONDITIONS = ("quiet", "low level", "pink", "babble", "clicks", "music")
PAUSES = (0.3, 0.5, 0.8, 1.2)

BEFORE_SECONDS = 2.0
AFTER_SECONDS = 3.2
"""Longer than any silence that ends an utterance."""

_HUSH_DBFS = -66.0
_LOW_LEVEL_DB = -20.0
_BELOW_SPEECH_DB = {"pink": 10.0, "babble": 20.0, "music": 10.0}


@dataclass(frozen=True)
class Scene:
    """An utterance in a room."""

    said: Said
    pause: float
    """Length of the pause that was put into it, in seconds; 0.0 = none."""
    condition: str
    pcm: bytes
    """s16le mono at RATE_HZ, in whole frames."""
    words: tuple[tuple[int, int], ...]
    """First sample and end, in ``pcm``, of what is said in one go."""

    @property
    def ends_at(self) -> float:
        """When the last word ends, in seconds."""
        return self.words[-1][1] / RATE_HZ

    @property
    def seconds(self) -> float:
        """Length."""
        return len(self.pcm) / 2 / RATE_HZ


def scenes() -> Iterator[Scene]:
    """All of them: each utterance whole and with each pause, in one condition after another."""
    number = 0
    for sentence in said.sentences():
        for pause in (0.0, *PAUSES):
            spoken = sentence.with_pause(pause) if pause else sentence
            assert spoken is not None
            yield _scene(spoken, pause, number)
            number += 1
    for word in said.short_words():
        yield _scene(word, 0.0, number)
        number += 1


def frames_of(pcm: bytes) -> list[bytes]:
    """The whole frames in it."""
    return [pcm[at : at + FRAME_BYTES] for at in range(0, len(pcm) - FRAME_BYTES + 1, FRAME_BYTES)]


def _scene(spoken: Said, pause: float, number: int) -> Scene:
    condition = CONDITIONS[number % len(CONDITIONS)]
    before = round(BEFORE_SECONDS * RATE_HZ)
    length = before + len(spoken.samples) + round(AFTER_SECONDS * RATE_HZ)
    length -= length % (FRAME_BYTES // 2)
    sound = np.zeros(length)
    sound[before : before + len(spoken.samples)] = spoken.samples
    if condition == "low level":
        sound *= 10 ** (_LOW_LEVEL_DB / 20)
    sound += _room(condition, number, length)
    words = tuple((before + first, before + end) for first, end in spoken.words)
    pcm = np.rint(np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes()
    return Scene(spoken, pause, condition, pcm, words)


@functools.cache
def _sound(name: str, number: int) -> Samples:
    """Minutes of a room, at any level."""
    if name == "babble":
        return said.babble(240.0)
    if name == "music" and number % 2 and (recorded := said.music(240.0)) is not None:
        return recorded
    return np.frombuffer(rooms.minute(name, number), "<i2") / 32768


def _room(condition: str, number: int, length: int) -> Samples:
    """What is heard of the room, which differs from scene to scene."""
    random = np.random.default_rng(number)
    hush = random.standard_normal(length) * 10 ** (_HUSH_DBFS / 20)
    if condition in ("quiet", "low level"):
        return hush
    sound = _sound(condition, number // len(CONDITIONS) % 4)
    at = int(random.integers(0, len(sound) - length))
    piece = sound[at : at + length]
    if condition == "clicks":
        return piece
    dbfs = said.SPEECH_DBFS - _BELOW_SPEECH_DB[condition]
    return np.asarray(hush + piece * 10 ** (dbfs / 20) / np.sqrt(np.mean(piece**2)))
