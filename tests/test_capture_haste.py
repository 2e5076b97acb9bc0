"""Capture: frames may come together while nobody waits for one, and nothing is lost by that."""

import asyncio

import pytest

from tests.capture_stage import RELEASED, Stage, frames, on_stage
from tests.fakes.microphone import loud
from voicehermes.attention import Attention
from voicehermes.audio import FRAME_SECONDS, EndsBy
from voicehermes.hearing.ear_events import EarEvent, HintGone, Recorded, SpeechHinted, VoiceBegan
from voicehermes.hearing.own_sound import ECHO_TAIL_SECONDS

TOGETHER = 8
WORD = [loud(mark) for mark in range(1, 21)]


def patient() -> Stage:
    """Frames come together where that is allowed."""
    stage = Stage()
    stage.microphone.together = TOGETHER
    return stage


def test_there_is_no_hurry_while_nobody_speaks() -> None:
    async def scene(stage: Stage) -> None:
        stage.capture.attend(Attention.SPEECH)
        await frames(2)
        assert not stage.microphone.is_hurried

    on_stage(scene, patient())


def test_from_the_first_hint_until_it_is_gone_each_frame_is_wanted_at_once() -> None:
    async def scene(stage: Stage) -> None:
        stage.capture.attend(Attention.SPEECH)
        hurried = {}

        def look(event: EarEvent) -> None:
            hurried[type(event)] = stage.microphone.is_hurried

        def then(event: EarEvent) -> None:
            asyncio.get_running_loop().call_soon(look, event)

        stage.then = then
        await frames(30)
        stage.microphone.hear(loud(1))
        await frames(30)
        assert hurried == {SpeechHinted: True, HintGone: False}

    on_stage(scene, patient())


@pytest.mark.parametrize("shift", range(TOGETHER))
def test_what_is_said_without_a_key_is_whole_though_its_first_frames_came_together(
    shift: int,
) -> None:
    def then(event: EarEvent) -> None:
        if isinstance(event, VoiceBegan):
            stage.capture.start(1, ends_by=EndsBy.SILENCE)
            stage.capture.attend(Attention.NOTHING)

    async def scene(stage: Stage) -> None:
        stage.capture.attend(Attention.SPEECH)
        await frames(30 + shift)
        stage.microphone.hear(*WORD)
        await frames(60)

    stage = patient()
    stage.then = then
    assert on_stage(scene, stage).marks() == list(range(1, 21))


@pytest.mark.parametrize("shift", range(TOGETHER))
def test_what_is_said_with_a_key_is_whole_and_ends_with_the_key(shift: int) -> None:
    async def scene(stage: Stage) -> None:
        await frames(30 + shift)
        stage.microphone.hear(*WORD)
        stage.capture.start(1)
        await frames(10)
        assert stage.microphone.is_hurried
        stage.capture.stop(1, RELEASED)
        await frames(1)
        assert [type(event) for event in stage.said][-1] is Recorded
        await frames(1)
        assert not stage.microphone.is_hurried

    marks = on_stage(scene, patient()).marks()
    assert marks in (list(range(1, 11)), list(range(1, 12)))


@pytest.mark.parametrize("shift", range(TOGETHER))
def test_our_own_sound_from_before_the_key_is_left_out_though_it_comes_after(shift: int) -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.microphone.hear(*[loud(99)] * (10 + shift), *WORD)
        stage.own_sound_until = asyncio.get_running_loop().time() + 10
        await asyncio.sleep((10 + shift) * FRAME_SECONDS)
        stage.capture.start(1)
        await frames(25)
        stage.capture.stop(1, RELEASED)
        await frames(2)

    # The frame in whose midst the key went down is kept, and all that follow are.
    assert on_stage(scene, patient()).marks() == list(range(1, 21))


def test_each_frame_is_wanted_while_the_assistant_sounds_since_one_may_talk_over_it() -> None:
    async def scene(stage: Stage) -> None:
        stage.capture.attend(Attention.SPEECH)
        await frames(30)
        stage.own_sound_until = asyncio.get_running_loop().time() + 1.0
        await frames(TOGETHER)
        assert stage.microphone.is_hurried
        await frames((1.0 + ECHO_TAIL_SECONDS) / FRAME_SECONDS)
        assert not stage.microphone.is_hurried

    on_stage(scene, patient())
