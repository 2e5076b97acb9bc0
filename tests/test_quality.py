"""What is wrong with what a microphone gave."""

import array
import random

import pytest

from voicehermes.audio import FRAME_SAMPLES, InputFault, to_pcm
from voicehermes.hearing.quality import OnlyZeros, Quality

SECOND = 32
"""Frames, and a little more than a second."""


def frame(*samples: int) -> bytes:
    """A frame that has these samples over and over."""
    return to_pcm(array.array("h", [samples[at % len(samples)] for at in range(FRAME_SAMPLES)]))


def fault_of(*frames: tuple[bytes, bool]) -> InputFault | None:
    quality = Quality()
    for pcm, is_speech in frames:
        quality.feed(pcm, is_speech=is_speech)
    return quality.fault


def noise(peak: int) -> bytes:
    rng = random.Random(1)
    return to_pcm(array.array("h", [rng.randint(-peak, peak) for _ in range(FRAME_SAMPLES)]))


ZEROS, QUIET, ROOM, SPEECH = frame(0), noise(60), noise(400), noise(9_000)
CLIPPED = frame(32767, 32767, -32768, 100)
"""Three quarters of it."""


@pytest.mark.parametrize(
    ("heard", "fault"),
    [
        (ZEROS, InputFault.ZEROS),
        (QUIET, InputFault.TOO_QUIET),
        (ROOM, None),
        (SPEECH, None),
        (CLIPPED, InputFault.CLIPPED),
    ],
)
def test_a_second_without_speech_tells_what_is_wrong(
    heard: bytes, fault: InputFault | None
) -> None:
    assert fault_of(*[(heard, False)] * SECOND) is fault
    assert fault_of(*[(heard, False)] * (SECOND - 2)) is None


def test_one_frame_of_a_sound_is_enough_for_a_microphone_that_works() -> None:
    assert fault_of(*[(ZEROS, False)] * SECOND, (ROOM, False)) is None


def test_speech_is_understood_however_quiet_it_is() -> None:
    assert fault_of(*[(ZEROS, False)] * SECOND, (QUIET, True)) is None


def test_speech_that_is_clipped_is_a_fault_and_a_bang_beside_it_is_none() -> None:
    assert fault_of(*[(SPEECH, True)] * 5, *[(CLIPPED, True)] * 10) is InputFault.CLIPPED
    assert fault_of(*[(SPEECH, True)] * 10, *[(CLIPPED, True)] * 5) is None
    assert fault_of(*[(SPEECH, True)] * 5, *[(CLIPPED, False)] * 50) is None


def test_only_zeros_are_told_once_after_five_seconds_of_them() -> None:
    zeros = OnlyZeros()
    told = [zeros.feed(ZEROS) for _ in range(1000)]
    assert told.index(True) == 156
    assert told.count(True) == 1


def test_a_source_that_gave_anything_else_is_not_one_of_zeros() -> None:
    zeros = OnlyZeros()
    zeros.feed(frame(1))
    assert not any(zeros.feed(ZEROS) for _ in range(1000))
