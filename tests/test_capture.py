"""Capture: what becomes of what the microphone hears, on a virtual clock."""

import asyncio
import weakref

import pytest

from tests.capture_stage import PRE_ROLL_FRAMES, RELEASED, Stage, frames, on_stage
from tests.fakes.microphone import loud, quiet
from voicehermes.audio import FRAME_BYTES, FRAME_SECONDS, UtteranceEnd
from voicehermes.hearing.ear_events import (
    InputFaulty,
    MicrophoneBack,
    MicrophoneLost,
    Recorded,
    SpeechBegan,
)
from voicehermes.hearing.own_sound import ECHO_TAIL_SECONDS


def test_what_is_said_between_start_and_stop_is_an_utterance() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1)
        stage.microphone.hear(*map(loud, range(1, 11)))
        await frames(20)
        stage.capture.stop(1, RELEASED)
        await frames(2)

    stage = on_stage(scene)
    assert stage.marks() == list(range(1, 11))
    recorded = stage.recorded()[0]
    assert recorded.recording == 1
    assert recorded.end is RELEASED
    assert recorded.utterance is not None
    assert recorded.utterance.suffix == ".wav"
    assert recorded.utterance.seconds == pytest.approx(
        len(recorded.utterance.data) / FRAME_BYTES * FRAME_SECONDS
    )


def test_words_said_before_the_key_went_down_are_in_it() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.microphone.hear(*map(loud, range(1, 31)))
        await frames(20)
        stage.capture.start(1)
        await frames(20)
        stage.capture.stop(1, RELEASED)
        await frames(2)

    # Twenty frames were heard before the start; the ring holds the newest sixteen of them.
    assert on_stage(scene).marks() == list(range(21 - PRE_ROLL_FRAMES, 31))


def test_pre_roll_never_reaches_back_into_sound_of_our_own() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.microphone.hear(*map(loud, range(1, 31)))
        await frames(10)
        stage.own_sound_until = asyncio.get_running_loop().time() - ECHO_TAIL_SECONDS
        await frames(5)
        stage.capture.start(1)
        await frames(30)
        stage.capture.stop(1, RELEASED)
        await frames(2)

    # Ten and a half frames were ours: the eleventh, half of it, goes too.
    assert on_stage(scene).marks() == list(range(12, 31))


def test_what_comes_after_the_start_is_kept_even_when_sound_of_our_own_has_not_died_away() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.microphone.hear(*map(loud, range(1, 31)))
        await frames(10)
        stage.own_sound_until = asyncio.get_running_loop().time()
        stage.capture.start(1)
        await frames(30)
        stage.capture.stop(1, RELEASED)
        await frames(2)

    assert on_stage(scene).marks() == list(range(11, 31))


def test_a_stop_waits_for_the_frame_that_covers_its_instant() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1)
        stage.microphone.hear(*map(loud, range(1, 31)))
        await frames(10)
        stage.capture.stop(1, RELEASED)
        assert not stage.recorded()
        await frames(5)

    stage = on_stage(scene)
    assert stage.marks() == list(range(1, 12))


def test_frames_that_come_late_in_a_burst_are_all_in_it() -> None:
    """The loop was busy: the key-up is handled before the frames from before it."""

    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1)
        stage.microphone.hear(*map(loud, range(1, 31)))
        stage.microphone.hang()
        await asyncio.sleep(5 * FRAME_SECONDS)
        stage.capture.stop(1, RELEASED)
        stage.microphone.flow()  # now it gives the five at once
        await frames(8)

    assert on_stage(scene).marks()[:5] == [1, 2, 3, 4, 5]


def test_a_stop_does_not_wait_for_ever_for_a_device_that_hangs() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1)
        stage.microphone.hear(*map(loud, range(1, 5)))
        await frames(4)
        stage.microphone.hang()
        stage.capture.stop(1, RELEASED)
        before = asyncio.get_running_loop().time()
        await asyncio.sleep(1)
        assert stage.said_at[-1] - before < 0.25

    assert on_stage(scene).marks() == [1, 2, 3, 4]


def test_start_and_stop_may_come_twice() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1)
        stage.microphone.hear(*map(loud, range(1, 11)))
        await frames(5)
        stage.capture.start(1)
        await frames(10)
        stage.capture.stop(1, RELEASED)
        stage.capture.stop(1, UtteranceEnd.TOO_LONG)
        await frames(2)
        stage.capture.stop(1, RELEASED)
        stage.capture.start(1)
        await frames(20)

    stage = on_stage(scene)
    assert [recorded.end for recorded in stage.recorded()] == [RELEASED]
    assert stage.marks() == list(range(1, 11))


def test_a_stop_for_another_recording_does_nothing() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(2)
        stage.capture.stop(1, RELEASED)
        stage.capture.drop(1)
        stage.microphone.hear(*map(loud, range(1, 11)))
        await frames(15)
        stage.capture.stop(2, RELEASED)
        await frames(2)

    assert on_stage(scene).marks() == list(range(1, 11))


def test_a_press_right_after_a_release_loses_neither_utterance() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1)
        stage.microphone.hear(*map(loud, range(1, 21)))
        await frames(10)
        stage.capture.stop(1, RELEASED)
        stage.capture.start(2)
        await frames(20)
        stage.capture.stop(2, RELEASED)
        await frames(2)

    stage = on_stage(scene)
    assert [recorded.recording for recorded in stage.recorded()] == [1, 2]
    assert stage.marks(0)[:10] == list(range(1, 11))
    assert stage.marks(1)[-10:] == list(range(11, 21))


def test_the_wait_for_the_end_of_one_recording_does_not_end_the_next() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1)
        await frames(5)
        stage.microphone.hang()
        stage.capture.stop(1, RELEASED)
        stage.capture.start(2)
        await asyncio.sleep(1)
        stage.microphone.flow()
        stage.microphone.hear(*map(loud, range(1, 11)))
        await frames(50)
        stage.capture.stop(2, UtteranceEnd.TOO_LONG)
        await frames(2)

    stage = on_stage(scene)
    assert [recorded.end for recorded in stage.recorded()] == [RELEASED, UtteranceEnd.TOO_LONG]
    assert stage.marks() == list(range(1, 11))


def test_silence_and_a_click_are_no_utterance() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1)
        stage.microphone.hear(quiet(), loud(1), quiet())
        await frames(30)
        stage.capture.stop(1, RELEASED)
        await frames(2)

    stage = on_stage(scene)
    assert stage.recorded()[0].utterance is None
    assert not stage.encoders[0].is_finished


def test_the_beginning_of_speech_is_told_once_with_its_time() -> None:
    began: list[float] = []

    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(7)
        await frames(10)
        began.append(asyncio.get_running_loop().time())
        stage.microphone.hear(loud(1), quiet(), loud(2), loud(3))
        await frames(10)
        stage.capture.stop(7, RELEASED)
        await frames(2)

    stage = on_stage(scene)
    told = [event for event in stage.said if isinstance(event, SpeechBegan)]
    assert [event.recording for event in told] == [7]
    assert told[0].at == pytest.approx(began[0], abs=1.01 * FRAME_SECONDS)
    recorded = stage.recorded()[0]
    assert recorded.speech_ended_at == pytest.approx(told[0].at + 4 * FRAME_SECONDS)


def test_a_long_pause_is_kept_and_encoded_bit_by_bit_when_speech_goes_on() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1)
        stage.microphone.hear(loud(1), loud(2), *[quiet()] * 200, loud(3))
        await frames(203)
        assert len(stage.encoders[0].written) < 50 * FRAME_BYTES
        await frames(1)
        stage.capture.stop(1, RELEASED)
        await frames(2)

    stage = on_stage(scene)
    assert stage.marks() == [1, 2, 3]
    utterance = stage.recorded()[0].utterance
    assert utterance is not None
    assert utterance.seconds > 203 * FRAME_SECONDS


def test_levels_are_told_while_recording_only() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        assert stage.levels == []
        stage.capture.start(1)
        stage.microphone.hear(loud(1))
        await frames(10)
        stage.capture.drop(1)
        await frames(10)

    stage = on_stage(scene)
    assert len(stage.levels) == 10
    assert max(stage.levels) == pytest.approx(-10.3, abs=0.1)


def test_a_dropped_recording_is_never_heard_of() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1)
        stage.microphone.hear(*map(loud, range(1, 11)))
        await frames(15)
        stage.capture.stop(1, RELEASED)
        stage.capture.drop(1)
        await frames(20)

    assert on_stage(scene).recorded() == []


def test_a_microphone_that_goes_away_ends_the_utterance_and_keeps_what_it_gave() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1)
        stage.microphone.hear(*map(loud, range(1, 31)))
        await frames(10)
        stage.microphone.lose()
        await frames(2)

    stage = on_stage(scene)
    assert stage.marks() == list(range(1, 11))
    assert stage.recorded()[0].end is UtteranceEnd.DEVICE_LOST
    assert isinstance(stage.said[-1], MicrophoneLost)


def test_a_lost_microphone_is_told_once_and_tried_again_until_it_is_back() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.microphone.refusals = 5
        stage.microphone.lose()
        await asyncio.sleep(30)
        stage.capture.start(1)
        stage.microphone.hear(*map(loud, range(1, 11)))
        await frames(20)
        stage.capture.stop(1, RELEASED)
        await frames(2)

    stage = on_stage(scene)
    others = SpeechBegan | InputFaulty
    told = [type(event) for event in stage.said if not isinstance(event, others)]
    assert told == [MicrophoneLost, MicrophoneBack, Recorded]
    assert stage.microphone.openings == 7
    assert stage.marks() == list(range(1, 11))


def test_a_microphone_missing_at_the_start_is_waited_for() -> None:
    async def scene(stage: Stage) -> None:
        stage.microphone.refusals = 1
        await asyncio.sleep(3)

    assert [type(event) for event in on_stage(scene).said] == [MicrophoneLost, MicrophoneBack]


def test_a_recording_while_there_is_no_microphone_still_ends() -> None:
    async def scene(stage: Stage) -> None:
        stage.microphone.refusals = 100
        await asyncio.sleep(3)
        stage.capture.start(1)
        await asyncio.sleep(1)
        stage.capture.stop(1, RELEASED)
        await asyncio.sleep(0.3)

    [recorded] = on_stage(scene).recorded()
    assert (recorded.utterance, recorded.end) == (None, RELEASED)
    assert recorded.device_seconds == pytest.approx(0.2)


def test_muting_closes_the_microphone_and_forgets_what_was_heard() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1)
        stage.microphone.hear(*map(loud, range(1, 11)))
        await frames(10)
        stage.capture.mute()
        await frames(1)
        assert not stage.microphone.is_open
        await asyncio.sleep(10)
        assert not stage.microphone.is_open
        stage.capture.unmute()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert stage.microphone.is_open
        stage.capture.start(2)
        stage.microphone.hear(*map(loud, range(50, 60)))
        await frames(20)
        stage.capture.stop(2, RELEASED)
        await frames(2)

    stage = on_stage(scene)
    assert [recorded.recording for recorded in stage.recorded()] == [2]
    assert stage.marks() == list(range(50, 60))


def test_muting_ends_the_tries_to_open_a_missing_microphone() -> None:
    async def scene(stage: Stage) -> None:
        stage.microphone.refusals = 1000
        await asyncio.sleep(20)
        stage.capture.mute()
        await asyncio.sleep(0)
        openings = stage.microphone.openings
        await asyncio.sleep(60)
        assert stage.microphone.openings == openings

    on_stage(scene)


def test_the_encoder_of_a_recording_ends_with_the_capture() -> None:
    async def scene(stage: Stage) -> None:
        stage.capture.start(1)
        await frames(3)

    stage = on_stage(scene)
    encoder = weakref.ref(stage.encoders.pop())
    assert encoder() is None
