"""Somebody who speaks for a while: Italian sentences one after another, with natural pauses.

The sentences are those of ``said``: real speech where Debian's asterisk-core-sounds-it-wav is
installed, espeak's otherwise. The pauses between them are as long as a speaker's breath, and
shorter than any silence that ends an utterance; inside a sentence they are its own.
"""

import random
from dataclasses import dataclass

import numpy as np

from tests.bench import said
from tests.bench.said import Said, Samples
from voicehermes.audio import FRAME_BYTES, FRAME_SAMPLES, RATE_HZ

BEFORE_SECONDS = 1.0
"""Room before the first word; after the last one it is silent for as long as it takes."""

AFTER_SECONDS = 3.0
PAUSES = (0.3, 0.45, 0.6, 0.8)

_TOLERANCE_SECONDS = 0.5
_HUSH_DBFS = -66.0
_TRIES = 5000


@dataclass(frozen=True)
class Talk:
    """What the microphone hears of it."""

    frames: tuple[bytes, ...]
    sentences: tuple[str, ...]
    """Their names, in order."""
    seconds: float
    """From the first sound to the last."""
    ends_at: float
    """When the last sound ends, in seconds from the first frame."""


def talk(seconds: float, number: int, sentences: tuple[Said, ...]) -> Talk:
    """One of about that length; another one for each number."""
    chance = random.Random(f"{seconds} {number}")
    for _ in range(_TRIES):
        chosen = _choose(seconds, chance, sentences)
        if chosen:
            return _talk(chosen, chance)
    raise ValueError(f"no sentences make {seconds} s together")


def sentences() -> tuple[Said, ...]:
    """What is said: real where it is installed."""
    if said.missing() is None:
        return tuple(spoken for spoken in said.sentences() if not spoken.name.startswith("espeak"))
    return tuple(said.synthetic()) * 2  # for a minute of speech each is said twice


def joined(chosen: list[Said], chance: random.Random) -> Samples:
    """The sentences with pauses between them."""
    pieces = [chosen[0].samples]
    for spoken in chosen[1:]:
        pieces += [np.zeros(round(chance.choice(PAUSES) * RATE_HZ)), spoken.samples]
    return np.concatenate(pieces)


def frames_of(samples: Samples) -> tuple[bytes, ...]:
    """The frames of a sound in a quiet room, s16le."""
    hush = np.random.default_rng(1).normal(0, 10 ** (_HUSH_DBFS / 20), len(samples))
    pcm = (np.clip(samples + hush, -1, 1) * 32767).astype("<i2").tobytes()
    return tuple(
        pcm[at : at + FRAME_BYTES]
        for at in range(0, len(pcm) // FRAME_BYTES * FRAME_BYTES, FRAME_BYTES)
    )


def _choose(seconds: float, chance: random.Random, sentences: tuple[Said, ...]) -> list[Said]:
    """Sentences that last about so long together; none when chance did not give any."""
    chosen: list[Said] = []
    length = 0.0
    for spoken in chance.sample(sentences, len(sentences)):
        length += len(spoken.samples) / RATE_HZ + (0.4 if chosen else 0.0)
        chosen.append(spoken)
        if length > seconds - _TOLERANCE_SECONDS:
            return chosen if length < seconds + _TOLERANCE_SECONDS else []
    return []


def _talk(chosen: list[Said], chance: random.Random) -> Talk:
    spoken = joined(chosen, chance)
    before = np.zeros(round(BEFORE_SECONDS * RATE_HZ))
    after = np.zeros(round(AFTER_SECONDS * RATE_HZ) // FRAME_SAMPLES * FRAME_SAMPLES)
    return Talk(
        frames_of(np.concatenate((before, spoken, after))),
        tuple(sentence.name for sentence in chosen),
        len(spoken) / RATE_HZ,
        BEFORE_SECONDS + len(spoken) / RATE_HZ,
    )
