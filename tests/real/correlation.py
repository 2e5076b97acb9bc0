"""Where a known sound lies in a recording, by normalised cross-correlation.

Samples are floats at the scale of 16-bit ones, mono; times are counted in samples.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import soxr

Samples = np.ndarray[Any, np.dtype[np.float64]]

FULL_SCALE = 32768.0

FIT = 0.8
"""Least likeness of a sound that was found; other speech gets to 0.3."""

QUIET = 100.0
"""No sample of silence is louder: -50 dBFS, and no synthesiser's sound is softer for long."""


@dataclass(frozen=True, slots=True)
class Found:
    """One place at which a sound was found."""

    at: int
    end: int
    fit: float
    """1.0 is the same, at the same loudness."""


def decoded(data: bytes | Path, rate_hz: int) -> Samples:
    """The samples of a file, at that rate, without the quiet at its ends."""
    samples, own_rate_hz = soundfile.read(io.BytesIO(data) if isinstance(data, bytes) else data)
    samples = samples * FULL_SCALE
    if own_rate_hz != rate_hz:
        samples = soxr.resample(samples, own_rate_hz, rate_hz)
    loud = np.flatnonzero(np.abs(samples) > QUIET)
    trimmed: Samples = samples[loud[0] : loud[-1] + 1]
    return trimmed


def find_all(piece: Samples, heard: Samples, least: float = FIT) -> list[Found]:
    """Every place at which ``piece`` lies in ``heard``, in order."""
    if len(heard) < len(piece):
        return []
    size = 1 << (len(piece) + len(heard)).bit_length()
    product = np.fft.irfft(np.fft.rfft(heard, size) * np.conj(np.fft.rfft(piece, size)), size)
    product = product[: len(heard) - len(piece) + 1]
    power = np.concatenate(([0.0], np.cumsum(heard * heard)))
    norms = np.sqrt(np.maximum(0, power[len(piece) :] - power[: -len(piece)]))
    own = float(np.sqrt(piece @ piece))
    fits = product / (own * np.maximum(norms, own / 2))  # a faint trace of it is not it
    found = []
    while fits[at := int(np.argmax(fits))] >= least:
        found.append(Found(at, at + len(piece), float(fits[at])))
        fits[max(0, at - len(piece) // 2) : at + len(piece) // 2] = 0
    return sorted(found, key=lambda place: place.at)


def find_once(piece: Samples, heard: Samples, least: float = FIT) -> Found:
    """The one place at which ``piece`` lies; it must be there, and not twice."""
    found = find_all(piece, heard, least)
    assert len(found) == 1, f"found {len(found)} times: {found}"
    return found[0]


def unexplained(heard: Samples, places: Sequence[Found], slack: int) -> Samples:
    """What was heard beside these places, each widened by ``slack`` samples."""
    rest = heard.copy()
    for place in places:
        rest[max(0, place.at - slack) : place.end + slack] = 0
    return rest


def is_quiet(heard: Samples) -> bool:
    """Whether nothing is heard."""
    return not len(heard) or float(np.abs(heard).max()) <= QUIET
