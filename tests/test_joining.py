"""Clips lose their quiet ends and nothing else."""

import math
import random
from array import array
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicehermes.adapters.sound.codecs import decode
from voicehermes.audio import PLAY_RATE_HZ, Sound
from voicehermes.speaking.joining import (
    CLAUSE_PAUSE_SECONDS,
    EDGE_SECONDS,
    SENTENCE_PAUSE_SECONDS,
    faded,
    trimmed,
    with_pause,
)

DATA = Path(__file__).parent / "data" / "sound"


def _tone(seconds: float, amplitude: float = 0.3, hertz: float = 220.0) -> "array[int]":
    return array(
        "h",
        (
            round(32767 * amplitude * math.sin(2 * math.pi * hertz * n / PLAY_RATE_HZ))
            for n in range(round(seconds * PLAY_RATE_HZ))
        ),
    )


def _noise(seconds: float, decibels: float) -> "array[int]":
    draw = random.Random(1)
    loudest = 32767 * 10 ** (decibels / 20)
    return array(
        "h", (round(draw.uniform(-loudest, loudest)) for _ in range(round(seconds * PLAY_RATE_HZ)))
    )


def _silence(seconds: float) -> "array[int]":
    return array("h", bytes(2 * round(seconds * PLAY_RATE_HZ)))


def _sound(*pieces: "array[int]") -> Sound:
    return Sound(b"".join(piece.tobytes() for piece in pieces), encoded_bytes=7)


def test_quiet_at_both_ends_goes_but_for_an_edge() -> None:
    short = trimmed(_sound(_silence(0.3), _tone(1.0), _silence(0.8)))
    assert 1.0 <= short.seconds <= 1.0 + 2 * EDGE_SECONDS + 0.01
    assert short.encoded_bytes == 7


def test_faint_noise_at_the_ends_counts_as_quiet() -> None:
    short = trimmed(_sound(_noise(0.3, -70), _tone(1.0), _noise(0.8, -70)))
    assert short.seconds < 1.0 + 2 * EDGE_SECONDS + 0.01


def test_a_soft_consonant_at_the_end_stays_whole() -> None:
    # A final s lies some 35 dB below the vowels.
    whole = trimmed(_sound(_silence(0.2), _tone(0.5), _noise(0.12, -45), _silence(0.5)))
    assert whole.seconds >= 0.5 + 0.12


def test_a_soft_consonant_at_the_begin_stays_whole() -> None:
    whole = trimmed(_sound(_silence(0.2), _noise(0.1, -45), _tone(0.5), _silence(0.5)))
    assert whole.seconds >= 0.5 + 0.1


def test_a_burst_after_its_closure_stays() -> None:
    # The t of "est": 80 ms of closure, then a faint burst.
    parts = (_tone(0.5), _silence(0.08), _noise(0.015, -42), _silence(0.5))
    assert trimmed(_sound(*parts)).seconds >= 0.5 + 0.08 + 0.015


def test_a_click_far_from_the_speech_goes() -> None:
    parts = (_noise(0.005, -42), _silence(0.4), _tone(0.5), _silence(0.1))
    assert trimmed(_sound(*parts)).seconds < 0.55


def test_a_quiet_voice_is_measured_by_its_own_peak() -> None:
    parts = (_silence(0.2), _tone(0.5, amplitude=0.01), _silence(0.2))
    assert 0.5 <= trimmed(_sound(*parts)).seconds < 0.55


@pytest.mark.parametrize("sound", [_sound(_silence(3.0)), _sound(_noise(3.0, -80)), Sound(b"")])
def test_a_clip_that_is_all_silence_becomes_short(sound: Sound) -> None:
    assert trimmed(sound).seconds <= EDGE_SECONDS


def test_trimming_twice_is_trimming_once_but_for_the_fades() -> None:
    once = trimmed(_sound(_silence(0.3), _tone(0.5), _silence(0.3)))
    assert trimmed(once).seconds == pytest.approx(once.seconds, abs=0.006)


def test_what_is_within_the_clip_is_untouched() -> None:
    inner = _tone(0.2).tobytes() + _silence(0.6).tobytes() + _tone(0.2).tobytes()
    short = trimmed(Sound(_silence(0.1).tobytes() + inner + _silence(0.1).tobytes()))
    assert inner[400:-400] in short.pcm


@given(st.binary(max_size=4000).map(lambda data: data[: len(data) // 2 * 2]))
def test_any_clip_gets_shorter_and_begins_and_ends_at_zero(pcm: bytes) -> None:
    short = trimmed(Sound(pcm))
    assert len(short.pcm) <= len(pcm)
    assert short.pcm[:2] in (b"", b"\0\0")
    assert short.pcm[-2:] in (b"", b"\0\0")


def test_a_pause_is_silence_behind_the_clip() -> None:
    tone = _sound(_tone(0.1))
    paused = with_pause(tone, SENTENCE_PAUSE_SECONDS)
    assert paused.seconds == pytest.approx(0.1 + SENTENCE_PAUSE_SECONDS)
    assert paused.pcm.startswith(tone.pcm)
    assert not any(paused.pcm[len(tone.pcm) :])


def test_a_fade_ramps_the_ends_and_leaves_the_middle() -> None:
    flat = array("h", [10_000] * 1000)
    samples = array("h", faded(flat.tobytes(), rising=True, falling=True))
    assert samples[0] == samples[-1] == 0
    assert list(samples[:120]) == sorted(samples[:120])
    assert set(samples[120:-120]) == {10_000}


@pytest.mark.parametrize("name", ["elsa.mp3", "diego.mp3"])
def test_mp3s_join_without_a_click_and_with_no_hole_but_the_pause(name: str) -> None:
    clip = with_pause(trimmed(decode((DATA / name).read_bytes())), CLAUSE_PAUSE_SECONDS)
    joined = array("h", clip.pcm + clip.pcm)
    joint = len(clip.pcm) // 2
    around = joined[joint - 1440 - 120 : joint + 120]
    assert max(abs(b - a) for a, b in pairwise(around)) < 200
    quiet = longest = 0
    for sample in joined[joint - 4800 : joint + 4800]:
        quiet = quiet + 1 if abs(sample) < 60 else 0
        longest = max(longest, quiet)
    assert longest / PLAY_RATE_HZ < CLAUSE_PAUSE_SECONDS + 2 * EDGE_SECONDS + 0.06
