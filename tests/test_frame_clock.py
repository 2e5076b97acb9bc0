"""The frame clock: late frames are told from new ones."""

import pytest

from voicehermes.audio import FRAME_SECONDS
from voicehermes.hearing.frame_clock import FrameClock


def test_frames_that_come_in_time_ended_when_they_came() -> None:
    clock = FrameClock()
    for count in range(1, 200):
        assert clock.arrived(count * FRAME_SECONDS) == pytest.approx(count * FRAME_SECONDS)


def test_frames_of_a_burst_ended_one_after_the_other() -> None:
    clock = FrameClock()
    for count in range(1, 11):
        clock.arrived(count * FRAME_SECONDS)
    late = 20 * FRAME_SECONDS
    ended = [clock.arrived(late) for _ in range(10)]
    assert ended == pytest.approx([count * FRAME_SECONDS for count in range(11, 21)])


def test_a_late_first_frame_is_made_up_for_by_the_next() -> None:
    clock = FrameClock()
    clock.arrived(1.0)
    assert clock.arrived(1.0) == 1.0
    assert clock.arrived(1.0 + FRAME_SECONDS / 2) == 1.0 + FRAME_SECONDS / 2


def test_a_device_that_runs_slow_is_followed() -> None:
    clock = FrameClock()
    slow = FRAME_SECONDS * 1.0002  # 200 ppm: 0.7 s in an hour
    error = max(count * slow - clock.arrived(count * slow) for count in range(1, 110_000))
    assert error < 0.001


def test_lost_frames_are_forgotten_after_two_seconds() -> None:
    clock = FrameClock()
    now = 0.0
    for _ in range(100):
        now += FRAME_SECONDS
        clock.arrived(now)
    now += 1.0
    for _ in range(64):
        now += FRAME_SECONDS
        ended = clock.arrived(now)
    assert ended == pytest.approx(now)
