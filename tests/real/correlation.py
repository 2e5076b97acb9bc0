"""Where a known sound lies in a recording, by normalised cross-correlation.

Samples are floats at the scale of 16-bit ones, mono; times are counted in samples.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
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
    return without_quiet(samples)


def without_quiet(samples: Samples) -> Samples:
    """The samples from the first sound to the last."""
    loud = np.flatnonzero(np.abs(samples) > QUIET)
    return samples[loud[0] : loud[-1] + 1]


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
    assert len(found) == 1, f"found {len(found)} times: {found}; " + (
        f"by its parts it begins at {_places_of_parts(piece, heard)}"
    )
    return found[0]


def find_like(piece: Samples, heard: Samples) -> Found:
    """The one place of another rendering of the same words, by what frequencies sound when.

    eSpeak's noises and the phase of its voice are not the same twice. The same words come to
    0.98, other words to 0.65.
    """
    own, whole = _bands(piece), _bands(heard)
    own -= own.mean()
    fits = np.zeros(len(whole) - len(own) + 1)
    for at in range(len(fits)):
        other = whole[at : at + len(own)] - whole[at : at + len(own)].mean()
        norm = np.sqrt(np.sum(own * own) * np.sum(other * other))
        fits[at] = np.sum(own * other) / norm if norm else 0.0
    at = int(np.argmax(fits))
    fit = float(fits[at])
    fits[max(0, at - len(own) // 2) : at + len(own) // 2] = 0
    assert fit > 0.85 > fits.max(), f"fits with {fit:.2f}, elsewhere with {fits.max():.2f}"
    return Found(at * _HOP, at * _HOP + len(piece), fit)


_HOP = 240

_WINDOW = 512


def _bands(samples: Samples) -> Samples:
    """Loudness in some twenty bands of frequency, every _HOP samples."""
    windows = np.lib.stride_tricks.sliding_window_view(samples, _WINDOW)[::_HOP]
    spectrum = np.abs(np.fft.rfft(windows * np.hanning(_WINDOW), axis=1))
    edges = np.unique(np.geomspace(3, _WINDOW // 2, 25).astype(int))
    bands = [spectrum[:, low:high].mean(axis=1) for low, high in pairwise(edges)]
    loudness: Samples = np.log1p(np.stack(bands, axis=1) / 500)
    return loudness


def _places_of_parts(piece: Samples, heard: Samples) -> list[list[int]]:
    """For each tenth of the piece, where the piece begins if that part is where it was found."""
    size = len(piece) // 10
    found = [find_all(piece[n * size : (n + 1) * size], heard) for n in range(10)]
    return [[place.at - n * size for place in places] for n, places in enumerate(found)]


def unexplained(heard: Samples, places: Sequence[Found], slack: int) -> Samples:
    """What was heard beside these places, each widened by ``slack`` samples."""
    rest = heard.copy()
    for place in places:
        rest[max(0, place.at - slack) : place.end + slack] = 0
    return rest


def is_quiet(heard: Samples) -> bool:
    """Whether nothing is heard."""
    return not len(heard) or float(np.abs(heard).max()) <= QUIET


@dataclass(frozen=True, slots=True)
class Interrupted:
    """Where a sound that was interrupted once stopped, and where it went on."""

    began: int
    stopped: int
    resumed: int
    ended: int


def find_interrupted(piece: Samples, heard: Samples, rate_hz: int) -> Interrupted:
    """Where ``piece`` lies, which stood still once. Of it nothing may be lost or heard twice.

    A fade-out of 5 ms at the stop, heard again in a fade-in of 5 ms, is neither.
    """
    edge = round(0.4 * rate_hz)
    began = find_once(piece[:edge], heard).at
    ended = find_once(piece[-edge:], heard).end
    pause = ended - began - len(piece)
    assert pause > 0, f"it did not stand still, but for {pause} samples"
    before, after = heard[began : began + len(piece)], heard[ended - len(piece) : ended]

    block = round(0.005 * rate_hz)
    count = len(piece) // block
    own = _power(piece, block, count)
    misses_before = _power(piece - before, block, count)
    misses_after = _power(piece - after, block, count)
    costs = np.concatenate(([0.0], np.cumsum(misses_before - misses_after)))
    split = int(np.argmin(costs))  # until here it fits what was heard before, then what came after
    misses = np.concatenate((misses_before[:split], misses_after[split:]))
    lost = np.flatnonzero((misses > own / 2) & (own > own.max() / 1000))
    assert len(lost) <= 3, f"lost at {lost * 5} ms, stopped at {split * 5} ms"
    stopped, resumed = began + split * block, began + split * block + pause
    assert is_quiet(heard[stopped + 3 * block : resumed - 3 * block]), "heard while it stood still"
    return Interrupted(began, stopped, resumed, ended)


def find_halves(piece: Samples, heard: Samples, size: int) -> tuple[Found, Found]:
    """Where the two parts of a sound lie that stood still once, each of its words once.

    Not as exact as ``find_interrupted``, to ``size`` samples, but the sound may have been lower.
    """
    edge = 2 * size
    began = find_once(piece[:edge], heard).at
    ended = find_once(piece[-edge:], heard).end
    resumed = ended - len(piece)
    pieces = range(0, len(piece) - size, size)
    before = [_lies_at(piece[n : n + size], heard, began + n) for n in pieces]
    after = [_lies_at(piece[n : n + size], heard, resumed + n) for n in pieces]
    whole = before.index(False)
    assert not any(before[whole:]), "what was heard after it was heard before"
    assert not any(after[:whole]), "what was heard before it was heard after"
    assert all(after[whole + 1 :]), "something of it was not heard"
    split = (whole + after[whole]) * size  # somewhere in the piece that is in neither
    return (Found(began, began + whole * size, 1.0), Found(resumed + split, ended, 1.0))


def _lies_at(piece: Samples, heard: Samples, at: int) -> bool:
    """Whether that is heard at that place, or very near."""
    slack = 8
    return bool(find_all(piece, heard[max(0, at - slack) : at + len(piece) + slack]))


def _power(samples: Samples, block: int, count: int) -> Samples:
    power: Samples = np.square(samples[: count * block].reshape(count, block)).sum(axis=1)
    return power
