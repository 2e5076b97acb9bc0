"""Volume and ducking move what is played without a click, and come back to where they were."""

from array import array
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicehermes.speaking.loudness import DUCKED, Loudness

HEIGHT = 20_000
MILLISECOND = 24


def _played(loudness: Loudness, samples: int) -> list[int]:
    pcm = array("h", [HEIGHT] * samples).tobytes()
    return array("h", loudness.scaled(pcm, samples)).tolist()


def test_a_duck_is_15_db_softer_within_20_ms() -> None:
    loudness = Loudness(1.0)
    assert _played(loudness, 10) == [HEIGHT] * 10
    loudness.duck()
    falling = _played(loudness, 30 * MILLISECOND)
    assert falling == sorted(falling, reverse=True)
    assert falling[0] > 0.99 * HEIGHT
    assert falling[20 * MILLISECOND] == pytest.approx(HEIGHT * 0.178, rel=0.01)
    assert falling[-1] == falling[20 * MILLISECOND]


def test_it_comes_back_more_slowly_and_to_every_bit() -> None:
    loudness = Loudness(1.0)
    loudness.duck()
    _played(loudness, 100 * MILLISECOND)
    loudness.unduck()
    rising = _played(loudness, 200 * MILLISECOND)
    assert rising == sorted(rising)
    assert rising[100 * MILLISECOND] < 0.8 * HEIGHT
    assert rising[150 * MILLISECOND :] == [HEIGHT] * (50 * MILLISECOND)


def test_a_duck_that_is_taken_back_at_once_turns_where_it_is() -> None:
    loudness = Loudness(1.0)
    loudness.duck()
    before = _played(loudness, 10 * MILLISECOND)
    loudness.unduck()
    after = _played(loudness, 200 * MILLISECOND)
    assert 0 < after[0] - before[-1] < HEIGHT * 0.001
    assert after[-1] == HEIGHT


def test_time_passes_in_silence_too() -> None:
    loudness = Loudness(1.0)
    loudness.duck()
    assert loudness.scaled(b"", 30 * MILLISECOND) == b""
    assert _played(loudness, 1) == [int(HEIGHT * DUCKED)]


def test_a_volume_changed_while_ducked_counts_once_the_duck_is_over() -> None:
    loudness = Loudness(1.0)
    loudness.duck()
    loudness.set_volume(0.5)
    assert _played(loudness, 100 * MILLISECOND)[-1] == pytest.approx(HEIGHT * 0.5 * DUCKED, abs=1)
    loudness.unduck()
    assert _played(loudness, 200 * MILLISECOND)[-1] == HEIGHT // 2


def test_what_would_be_too_loud_is_clipped() -> None:
    loudness = Loudness(2.0)
    pcm = array("h", [20_000, -20_000]).tobytes()
    assert array("h", loudness.scaled(pcm, 2)).tolist() == [32_767, -32_768]


@given(
    st.lists(
        st.tuples(st.sampled_from(["duck", "unduck", "louder", "softer"]), st.integers(0, 6_000))
    )
)
def test_no_step_is_large_enough_to_click_and_the_end_is_where_it_should_be(
    story: list[tuple[str, int]],
) -> None:
    loudness = Loudness(1.0)
    played = _played(loudness, 1)
    for what, samples in story:
        if what == "duck":
            loudness.duck()
        elif what == "unduck":
            loudness.unduck()
        else:
            loudness.set_volume(1.0 if what == "louder" else 0.4)
        played += _played(loudness, samples)
    steps = [abs(a - b) for a, b in pairwise(played)]
    assert max(steps, default=0) <= HEIGHT * 0.0025
    aim = loudness.volume * (DUCKED if loudness.is_ducked else 1.0)
    assert _played(loudness, 200 * MILLISECOND)[-1] == int(HEIGHT * aim)
