"""Capture: parts are told while the user speaks on, and words help to decide the end."""

import pytest

from tests.capture_stage import RELEASED, Stage, frames, on_stage
from tests.fakes.microphone import loud, quiet
from voicehermes.audio import FRAME_BYTES, FRAME_SECONDS, EndsBy
from voicehermes.hearing.ear_events import PartRecorded

SPEECH = [loud(mark) for mark in range(1, 41)]
PAUSE = [quiet()] * 12


def parts(stage: Stage) -> list[PartRecorded]:
    return [event for event in stage.said if isinstance(event, PartRecorded)]


def test_a_part_is_told_in_the_pause_and_the_rest_at_the_end() -> None:
    async def scene(stage: Stage) -> None:
        stage.capture.start(1)
        stage.microphone.hear(*SPEECH, *PAUSE, loud(50), loud(51), loud(52))
        await frames(51)
        assert len(parts(stage)) == 1
        await frames(10)
        stage.capture.stop(1, RELEASED)
        await frames(2)

    stage = on_stage(scene, Stage(part_seconds=1.0))
    [part] = parts(stage)
    [recorded] = stage.recorded()
    assert part.recording == 1
    assert recorded.utterance is not None
    assert recorded.rest is not None
    assert part.part.data + recorded.rest.data == recorded.utterance.data
    assert stage.marks() == [*range(1, 41), 50, 51, 52]


def test_a_third_part_waits_for_the_words_of_the_first() -> None:
    async def scene(stage: Stage) -> None:
        stage.capture.start(1)
        stage.microphone.hear(*(SPEECH + PAUSE) * 4)
        await frames(3 * 52)
        assert len(parts(stage)) == 2
        stage.capture.note_words(1, "così")
        await frames(52)
        assert len(parts(stage)) == 3

    stage = on_stage(scene, Stage(part_seconds=1.0))
    assert len(parts(stage)[2].part.data) > 2 * len(SPEECH) * FRAME_BYTES


def test_words_of_another_recording_count_for_nothing() -> None:
    async def scene(stage: Stage) -> None:
        stage.capture.note_words(1, "così")
        stage.capture.start(2)
        stage.microphone.hear(*(SPEECH + PAUSE) * 4)
        await frames(2 * 52)
        stage.capture.note_words(1, "così")
        await frames(3 * 52)

    assert len(parts(on_stage(scene, Stage(part_seconds=1.0)))) == 2


@pytest.mark.parametrize(("text", "is_sooner"), [("Che ore sono!", True), ("Che ore", False)])
def test_words_that_sound_finished_end_it_sooner(text: str, is_sooner: bool) -> None:
    async def scene(stage: Stage) -> None:
        stage.capture.start(1, ends_by=EndsBy.SILENCE)
        stage.microphone.hear(*SPEECH)
        await frames(40 + 11)
        stage.capture.note_words(1, text)
        await frames(100)

    stage = on_stage(scene, Stage(part_seconds=1.0))
    [recorded] = stage.recorded()
    assert recorded.rest is None
    [ended_at] = [
        at for said, at in zip(stage.said, stage.said_at, strict=True) if said is recorded
    ]
    silence = ended_at - len(SPEECH) * FRAME_SECONDS
    assert (silence < 0.5) is is_sooner
