"""Capture: a microphone that gives nothing to make anything of, on a virtual clock."""

import array
import asyncio

from tests.capture_stage import RELEASED, Stage, frames, on_stage
from tests.fakes.microphone import loud, quiet
from voicehermes.audio import FRAME_SAMPLES, EndsBy, InputFault, to_pcm
from voicehermes.hearing.ear_events import InputFaulty

CLIPPED = to_pcm(array.array("h", [32767, -32768] * (FRAME_SAMPLES // 2)))


def faults(stage: Stage) -> list[InputFault]:
    """What was told of it, in order."""
    return [event.fault for event in stage.said if isinstance(event, InputFaulty)]


async def record(stage: Stage, recording: int, *heard: bytes) -> None:
    stage.capture.start(recording)
    stage.microphone.hear(*heard)
    await frames(max(len(heard), 60))
    stage.capture.stop(recording, RELEASED)
    await frames(2)


def test_a_source_of_zeros_is_told_once() -> None:
    async def scene(stage: Stage) -> None:
        await asyncio.sleep(4.9)
        assert not faults(stage)
        await asyncio.sleep(10)
        stage.microphone.lose()
        await asyncio.sleep(30)

    assert faults(on_stage(scene)) == [InputFault.ZEROS]


def test_silence_that_is_not_all_zeros_is_no_fault_of_the_device() -> None:
    async def scene(stage: Stage) -> None:
        stage.microphone.hear(quiet(1))
        await asyncio.sleep(30)

    assert faults(on_stage(scene)) == []


def test_a_source_that_is_muted_later_is_told_of_at_the_next_recording() -> None:
    async def scene(stage: Stage) -> None:
        await record(stage, 1, *[loud(1)] * 20)
        await asyncio.sleep(30)
        assert not faults(stage)
        await record(stage, 2)
        await record(stage, 3)

    stage = on_stage(scene)
    assert faults(stage) == [InputFault.ZEROS]
    assert [recorded.fault for recorded in stage.recorded()] == [None, *[InputFault.ZEROS] * 2]
    assert stage.recorded()[1].utterance is None


def test_what_is_clipped_is_not_handed_out() -> None:
    async def scene(stage: Stage) -> None:
        stage.microphone.hear(quiet(1))
        await record(stage, 1, *[CLIPPED] * 20)
        await record(stage, 2, *[loud(1)] * 20)
        await record(stage, 3, *[CLIPPED] * 20)

    stage = on_stage(scene)
    assert [recorded.fault for recorded in stage.recorded()] == [
        InputFault.CLIPPED,
        None,
        InputFault.CLIPPED,
    ]
    assert [recorded.utterance is None for recorded in stage.recorded()] == [True, False, True]
    assert faults(stage) == [InputFault.CLIPPED]


def test_each_fault_is_told_of_by_itself() -> None:
    async def scene(stage: Stage) -> None:
        await record(stage, 1, *[CLIPPED] * 20)
        await record(stage, 2, *[quiet(10)] * 60)

    assert faults(on_stage(scene)) == [InputFault.CLIPPED, InputFault.TOO_QUIET]


def test_silence_is_never_handed_out() -> None:
    async def scene(stage: Stage) -> None:
        stage.microphone.hear(quiet(1))
        for recording, ends_by in enumerate(EndsBy):
            stage.capture.start(recording, ends_by=ends_by)
            stage.microphone.hear(*[quiet(300), quiet(-300)] * 200)
            await asyncio.sleep(10)
            stage.capture.stop(recording, RELEASED)
            await frames(2)

    stage = on_stage(scene)
    assert [(r.utterance, r.rest) for r in stage.recorded()] == [(None, None)] * 3
    assert not any(encoder.is_finished for encoder in stage.encoders)
