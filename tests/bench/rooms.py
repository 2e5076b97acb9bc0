"""What the microphone hears while nobody speaks: four rooms, for as long as one likes.

Each minute of a room differs from the others and is the same in every run.
"""

from typing import Any

import numpy as np

from voicehermes.audio import RATE_HZ

Samples = np.ndarray[Any, np.dtype[np.float64]]

ROOMS = ("quiet", "pink", "clicks", "music")

_HUSH_DBFS = -66.0
"""A quiet room through a microphone: never the zeros of a muted one."""

_MINUTE = 60 * RATE_HZ


def minute(room: str, number: int) -> bytes:
    """That minute of a room, s16le mono at RATE_HZ."""
    random = np.random.default_rng([ROOMS.index(room), number])
    sound = _at(_HUSH_DBFS, _pink(random))
    match room:
        case "pink":
            sound = _at(-35.0, sound)
        case "clicks":
            sound = sound + _clicks(random)
        case "music":
            sound = sound + _at(-30.0, _music(random))
    return np.rint(np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes()


def _at(dbfs: float, sound: Samples) -> Samples:
    """The sound at that level."""
    return np.asarray(sound * 10 ** (dbfs / 20) / np.sqrt(np.mean(sound**2)))


def _pink(random: np.random.Generator) -> Samples:
    """Noise whose power falls with the frequency, as that of a fan."""
    spectrum = np.fft.rfft(random.standard_normal(_MINUTE))
    spectrum[0] = 0
    spectrum[1:] /= np.sqrt(np.arange(1, len(spectrum)))
    return np.fft.irfft(spectrum, _MINUTE)


def _clicks(random: np.random.Generator) -> Samples:
    """Somebody types: about six keys a second, in bursts with pauses between them."""
    sound = np.zeros(_MINUTE)
    at = 0.0
    while at < 59.5:
        length = round(random.uniform(0.008, 0.03) * RATE_HZ)
        click = random.standard_normal(length) * np.exp(-5 * np.arange(length) / length)
        first = round(at * RATE_HZ)
        sound[first : first + length] += click * random.uniform(0.03, 0.2)
        at += random.uniform(0.08, 0.25) if random.random() < 0.95 else random.uniform(0.5, 3.0)
    return sound


def _music(random: np.random.Generator) -> Samples:
    """Chords of tones with overtones, struck and dying away, two or three a second."""
    sound = np.zeros(_MINUTE)
    at = 0.0
    while at < 58.0:
        times = np.arange(round(random.uniform(0.6, 1.8) * RATE_HZ)) / RATE_HZ
        root = 110.0 * 2 ** (random.integers(0, 24) / 12)
        for interval in (1.0, 1.26, 1.5):
            for overtone in range(1, 6):
                wave = np.sin(2 * np.pi * root * interval * overtone * times)
                first = round(at * RATE_HZ)
                sound[first : first + len(times)] += wave * np.exp(-2.5 * times) / overtone**1.5
        at += random.uniform(0.3, 0.5)
    return sound
