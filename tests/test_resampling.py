"""Resampling: any rate and channel count becomes 16 kHz mono, without a seam between blocks."""

import numpy as np
import pytest

from voicehermes.adapters.sound.resampling import Framer, ToMono16k
from voicehermes.audio import FRAME_BYTES, RATE_HZ


def tone(rate_hz: int, channels: int = 1, seconds: float = 1.0, hz: float = 440.0) -> bytes:
    times = np.arange(round(rate_hz * seconds)) / rate_hz
    mono = np.rint(12_000 * np.sin(2 * np.pi * hz * times)).astype("<i2")
    return np.repeat(mono, channels).tobytes()


def convert(pcm: bytes, rate_hz: int, channels: int, block_samples: int) -> np.ndarray:
    converter = ToMono16k(rate_hz, channels)
    size = block_samples * channels * 2
    blocks = [pcm[at : at + size] for at in range(0, len(pcm), size)]
    joined = b"".join(converter.feed(block) for block in blocks) + converter.finish()
    return np.frombuffer(joined, "<i2").astype(float)


@pytest.mark.parametrize("channels", [1, 2, 6])
@pytest.mark.parametrize("rate_hz", [8_000, 22_050, 44_100, 48_000])
def test_a_tone_stays_a_clean_tone_of_the_same_length(rate_hz: int, channels: int) -> None:
    got = convert(tone(rate_hz, channels), rate_hz, channels, round(rate_hz * 0.032))
    assert len(got) == pytest.approx(RATE_HZ, abs=2)
    wanted = np.frombuffer(tone(RATE_HZ), "<i2").astype(float)
    inside = slice(800, 15_200)  # a tone that begins and ends at once rings at its ends
    error = got[inside] - wanted[inside]
    # 60 dB below the tone: a click at any joint would be far above.
    assert np.abs(error).max() < 12


@pytest.mark.parametrize("block_samples", [64, 441, 1_411, 44_100])
def test_the_result_does_not_depend_on_how_it_is_cut_into_blocks(block_samples: int) -> None:
    pcm = tone(44_100, 2)
    whole = convert(pcm, 44_100, 2, len(pcm))
    # soxr dithers, so that the last bit or two is chance.
    assert np.abs(convert(pcm, 44_100, 2, block_samples) - whole).max() <= 4


def test_channels_are_averaged() -> None:
    left_and_right = np.array([[1_000, 3_000], [-2_000, -4_000], [32_767, 32_767]], "<i2")
    got = convert(left_and_right.tobytes(), RATE_HZ, 2, 3)
    assert list(got) == [2_000, -3_000, 32_767]


def test_what_is_16_khz_mono_already_is_left_alone() -> None:
    assert ToMono16k(RATE_HZ, 1).feed(b"\x01\x02\x03\x04") == b"\x01\x02\x03\x04"


def test_little_is_held_back() -> None:
    for rate_hz in (44_100, 48_000):
        converter = ToMono16k(rate_hz, 1)
        given = len(converter.feed(bytes(rate_hz * 2))) / 2 / RATE_HZ
        assert 1 - given < 0.03


def test_frames_are_cut_in_order_whatever_the_blocks() -> None:
    framer = Framer()
    pcm = bytes(range(256)) * 17
    got = [frame for at in range(0, len(pcm), 100) for frame in framer.feed(pcm[at : at + 100])]
    assert {len(frame) for frame in got} == {FRAME_BYTES}
    assert b"".join(got) == pcm[: len(pcm) - len(pcm) % FRAME_BYTES]
