"""Audio values and the arithmetic on them. Knows no device, file or codec.

All PCM here is signed 16-bit little-endian mono (s16le). What is recorded has RATE_HZ, what is
played has PLAY_RATE_HZ.
"""

import array
import enum
import math
import sys
from dataclasses import dataclass

RATE_HZ = 16_000
"""Of everything recorded. Recognisers and voice detectors work at this rate."""

PLAY_RATE_HZ = 24_000
"""Of everything played. edge-tts, behind hermes-webui's /api/tts, answers at this rate."""

SAMPLE_BYTES = 2

FRAME_SAMPLES = 512
"""One frame: 32 ms at RATE_HZ, the block that Silero's detector takes."""

FRAME_BYTES = FRAME_SAMPLES * SAMPLE_BYTES
FRAME_SECONDS = FRAME_SAMPLES / RATE_HZ

SILENCE_DBFS = -96.0
"""The level of digital silence: the floor of 16-bit samples."""


class UtteranceEnd(enum.Enum):
    """Why an utterance ended."""

    RELEASED = "released"
    """The key was let go, or pressed again in toggle mode."""
    TOO_LONG = "too long"
    """``[listen] max_seconds`` was reached: a lost key-up, or a very long speech."""
    FILE_ENDED = "file ended"
    """It is a sound file that was given whole."""
    DEVICE_LOST = "device lost"
    """The microphone went away; what it gave is kept."""
    SILENCE = "silence"
    """The speaker fell silent: it ended by itself."""
    NOTHING_SAID = "nothing said"
    """It ended by itself, since nobody spoke."""


class InputFault(enum.Enum):
    """What is wrong with what a microphone gives."""

    ZEROS = "zeros"
    """Nothing but zeros: it is muted in the system, or another source is meant."""
    TOO_QUIET = "too-quiet"
    """Nothing is loud enough to be speech: its level in the system is near the bottom."""
    CLIPPED = "clipped"
    """Speech is cut off at full scale: its level in the system, or its boost, is far too high."""


class EndsBy(enum.Enum):
    """What ends a recording, beside its greatest length."""

    STOP = "stop"
    """Only a stop: the user holds a key."""
    SILENCE = "silence"
    """The user has finished, as far as can be told: a message."""
    LONG_SILENCE = "long silence"
    """The user has surely finished: the answer to a decision, whose end may be a "no"."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """What the user said in one go, encoded and ready to upload."""

    data: bytes
    """The encoded file, whole."""
    suffix: str
    """Its file name suffix with the dot: ".ogg", ".wav" or ".flac". hermes-webui goes by it."""
    seconds: float
    """Length of the audio in ``data``; 0.0 = unknown."""
    end: UtteranceEnd


@dataclass(frozen=True, slots=True)
class Sound:
    """Something to play."""

    pcm: bytes
    """s16le mono at PLAY_RATE_HZ."""
    encoded_bytes: int = 0
    """Size of what the server sent for it; 0 when it was not received."""

    @property
    def seconds(self) -> float:
        """Length when played."""
        return len(self.pcm) / SAMPLE_BYTES / PLAY_RATE_HZ


def samples_in(seconds: float, rate_hz: int = RATE_HZ) -> int:
    """Number of samples in so many seconds, rounded to the nearest."""
    return round(seconds * rate_hz)


def to_samples(pcm: bytes) -> "array.array[int]":
    """The samples of s16le bytes as an array of signed 16-bit numbers."""
    samples = array.array("h", pcm)
    if sys.byteorder == "big":
        samples.byteswap()
    return samples


def to_pcm(samples: "array.array[int]") -> bytes:
    """s16le bytes of an array of signed 16-bit numbers."""
    if sys.byteorder == "big":
        samples = samples[:]
        samples.byteswap()
    return samples.tobytes()


def level_dbfs(pcm: bytes) -> float:
    """Root mean square level in dB below full scale: 0.0 is the loudest, SILENCE_DBFS none."""
    samples = to_samples(pcm)
    if not samples:
        return SILENCE_DBFS
    root_sum_square = math.hypot(*samples)  # less than half the time of a sum of squares
    if not root_sum_square:
        return SILENCE_DBFS
    root_mean_square = root_sum_square / math.sqrt(len(samples))
    return max(SILENCE_DBFS, 20 * math.log10(root_mean_square / 32768))
