"""What of the microphone's sound is ours."""

import math

import pytest

from voicehermes.audio import EndsBy
from voicehermes.hearing.own_sound import ECHO_TAIL_SECONDS, OwnSound

STOP, SILENCE, LONG_SILENCE = EndsBy


@pytest.mark.parametrize("ends_by", EndsBy)
def test_in_half_duplex_our_sound_and_its_echo_concern_everything(ends_by: EndsBy) -> None:
    own_sound = OwnSound(lambda: 7.0, is_half_duplex=True)
    assert own_sound.over_at(ends_by) == 7.0 + ECHO_TAIL_SECONDS


@pytest.mark.parametrize("ends_by", [STOP, SILENCE])
def test_where_there_is_no_echo_one_can_talk_over_us(ends_by: EndsBy) -> None:
    assert OwnSound(lambda: 7.0, is_half_duplex=False).over_at(ends_by) == -math.inf


def test_what_we_say_never_answers_though_there_is_no_echo() -> None:
    own_sound = OwnSound(lambda: 7.0, is_half_duplex=False)
    assert own_sound.over_at(LONG_SILENCE) == 7.0 + ECHO_TAIL_SECONDS


@pytest.mark.parametrize("ends_by", EndsBy)
def test_before_we_have_said_anything_nothing_is_ours(ends_by: EndsBy) -> None:
    assert OwnSound(lambda: None, is_half_duplex=True).over_at(ends_by) == -math.inf


@pytest.mark.parametrize("is_half_duplex", [True, False])
def test_the_guard_makes_it_half_duplex_with_twice_the_tail_and_says_so_once(
    is_half_duplex: bool, caplog: pytest.LogCaptureFixture
) -> None:
    own_sound = OwnSound(lambda: 7.0, is_half_duplex=is_half_duplex)
    own_sound.raise_guard()
    own_sound.raise_guard()
    assert own_sound.over_at(STOP) == 7.0 + 2 * ECHO_TAIL_SECONDS
    assert len(caplog.records) == 1
