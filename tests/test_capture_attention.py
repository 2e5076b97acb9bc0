"""Capture: what is heard while nothing is recorded, on a virtual clock."""

import asyncio
import math

import pytest

from tests.capture_stage import (
    PRE_ROLL_FRAMES,
    RELEASED,
    Stage,
    answering,
    attentive,
    frames,
    kinds,
    on_stage,
    voices,
)
from tests.fakes.microphone import CountingDetector, loud, quiet
from voicehermes.attention import Attention
from voicehermes.audio import FRAME_SECONDS, UtteranceEnd
from voicehermes.hearing.ear_events import (
    HintGone,
    MicrophoneBack,
    MicrophoneLost,
    Recorded,
    SpeechBegan,
    SpeechHinted,
    VoiceBegan,
)
from voicehermes.hearing.onset import Onset

WORD = [loud(mark) for mark in range(1, 21)]
CLICK = [loud(99)]
ONSET = Onset()
ENOUGH = next(
    count for count in range(1, 20) if ONSET.feed(is_speech=True, is_sure=True) == "speech"
)
"""Frames of speech that are a word."""


# Somebody begins to speak.


def test_speech_is_hinted_at_its_first_frame_and_told_when_there_is_enough_of_it() -> None:
    async def scene(stage: Stage) -> None:
        attentive(stage)
        await frames(30)
        stage.microphone.hear(*WORD)
        await frames(1)
        assert kinds(stage) == [SpeechHinted]
        await asyncio.sleep((ENOUGH - 2) * FRAME_SECONDS)
        assert kinds(stage) == [SpeechHinted]
        await frames(100)

    stage = on_stage(scene)
    assert kinds(stage) == [SpeechHinted, VoiceBegan]
    told = stage.said_at[1] - voices(stage)[0].at
    assert told == pytest.approx(ENOUGH * FRAME_SECONDS)


def test_a_click_is_a_hint_that_goes_away() -> None:
    async def scene(stage: Stage) -> None:
        attentive(stage)
        await frames(30)
        stage.microphone.hear(*CLICK)
        await frames(100)

    assert kinds(on_stage(scene)) == [SpeechHinted, HintGone]


def test_nothing_is_told_unless_it_is_attended_to() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.microphone.hear(*WORD)
        await frames(100)

    assert on_stage(scene).said == []


def test_while_a_key_is_held_no_voice_begins() -> None:
    async def scene(stage: Stage) -> None:
        attentive(stage)
        await frames(30)
        stage.capture.start(1)
        stage.microphone.hear(*WORD)
        await frames(60)
        stage.capture.stop(1, RELEASED)
        await frames(60)

    assert kinds(on_stage(scene)) == [SpeechBegan, Recorded]


def test_a_voice_that_nobody_records_begins_once() -> None:
    async def scene(stage: Stage) -> None:
        attentive(stage)
        await frames(30)
        stage.microphone.hear(*WORD * 5)
        await frames(200)
        stage.microphone.hear(*WORD)
        await frames(60)

    assert kinds(on_stage(scene)) == [SpeechHinted, VoiceBegan] * 2


def test_levels_are_not_told_while_nothing_is_recorded() -> None:
    async def scene(stage: Stage) -> None:
        attentive(stage)
        stage.microphone.hear(*WORD)
        await frames(60)

    assert on_stage(scene).levels == []


# What begins then is recorded from its first word on.


def test_the_recording_begins_with_the_first_word_and_ends_by_itself() -> None:
    async def scene(stage: Stage) -> None:
        answering(stage)
        await frames(30)
        stage.microphone.hear(*WORD)
        await frames(100)

    stage = on_stage(scene)
    assert kinds(stage) == [SpeechHinted, VoiceBegan, SpeechBegan, Recorded]
    [recorded] = stage.recorded()
    assert recorded.end is UtteranceEnd.SILENCE
    assert stage.marks() == list(range(1, 21))
    [voice] = voices(stage)
    began = next(event for event in stage.said if isinstance(event, SpeechBegan))
    assert began.at == pytest.approx(voice.at)


def test_the_pre_roll_reaches_back_before_the_first_evidence_however_old_that_is() -> None:
    """A soft beginning: the detector is sure of a frame here and there."""
    soft = [loud(50), *[quiet(7)] * 6, loud(51), *[quiet(7)] * 6, *WORD]
    before = [quiet(at) for at in range(100, 100 + PRE_ROLL_FRAMES)]

    async def scene(stage: Stage) -> None:
        answering(stage)
        await frames(30)
        stage.microphone.hear(*before, *soft)
        await frames(150)

    stage = on_stage(scene)
    [recorded] = stage.recorded()
    assert recorded.utterance is not None
    assert recorded.utterance.data.startswith(b"".join([*before, *soft]))


def test_the_detector_hears_each_frame_once() -> None:
    detector = CountingDetector()

    async def scene(stage: Stage) -> None:
        answering(stage)
        await frames(60)
        stage.microphone.hear(*WORD)
        await frames(139)

    stage = on_stage(scene, Stage(detector))
    assert len(stage.recorded()) == 1
    assert detector.asked == 200
    assert detector.resets == 1


def test_what_one_utterance_has_is_not_in_the_next() -> None:
    again = [loud(mark) for mark in range(41, 61)]
    pause = [quiet()] * (PRE_ROLL_FRAMES - 2)

    async def scene(stage: Stage) -> None:
        answering(stage)
        await frames(30)
        stage.microphone.hear(*WORD, *pause, *again)
        await frames(150)

    stage = on_stage(scene, Stage(end_silence_seconds=0.4))
    assert [stage.marks(0), stage.marks(1)] == [list(range(1, 21)), list(range(41, 61))]


def test_speech_that_is_too_long_goes_on_in_the_next_where_it_was_cut() -> None:
    speech = [loud(1 + at % 90) for at in range(700)]

    async def scene(stage: Stage) -> None:
        answering(stage)
        await frames(30)
        stage.microphone.hear(*speech)
        await frames(800)

    stage = on_stage(scene)
    assert [recorded.end for recorded in stage.recorded()] == [
        UtteranceEnd.TOO_LONG,
        UtteranceEnd.SILENCE,
    ]
    assert stage.marks(0) + stage.marks(1) == [1 + at % 90 for at in range(700)]


def test_the_silence_before_a_voice_is_counted_in_sound() -> None:
    async def scene(stage: Stage) -> None:
        answering(stage)
        await frames(30)
        stage.microphone.hear(*WORD, *[quiet()] * 40, *WORD)
        await frames(55)
        stage.microphone.hang()
        await asyncio.sleep(3)
        stage.microphone.flow()
        await frames(100)

    first, second = voices(on_stage(scene))
    assert first.silence_seconds == math.inf
    assert second.silence_seconds == pytest.approx(40 * FRAME_SECONDS)


def test_silence_begins_anew_with_speech_that_nobody_recorded() -> None:
    async def scene(stage: Stage) -> None:
        attentive(stage)
        stage.microphone.hear(*WORD, *[quiet()] * 30, *CLICK, *[quiet()] * 30, *WORD)
        await frames(150)

    _, second = voices(on_stage(scene))
    assert second.silence_seconds == pytest.approx(61 * FRAME_SECONDS)


def test_a_key_that_is_pressed_in_the_first_word_has_all_of_it() -> None:
    async def scene(stage: Stage) -> None:
        attentive(stage)
        await frames(30)
        stage.microphone.hear(*WORD)
        await frames(ENOUGH - 2)
        stage.capture.start(1)
        await frames(60)
        stage.capture.stop(1, RELEASED)
        await frames(2)

    stage = on_stage(scene)
    assert kinds(stage) == [SpeechHinted, HintGone, SpeechBegan, Recorded]
    assert stage.marks() == list(range(1, 21))


# Attention changes.


def test_attending_to_the_same_again_changes_nothing() -> None:
    async def scene(stage: Stage) -> None:
        attentive(stage)
        await frames(30)
        stage.microphone.hear(*WORD)
        for _ in range(10):
            await frames(0.5)
            attentive(stage)

    assert kinds(on_stage(scene)) == [SpeechHinted, VoiceBegan]


@pytest.mark.parametrize("end", ["attend", "mute", "lose"])
def test_a_hint_is_taken_back_when_it_is_attended_to_no_longer(end: str) -> None:
    async def scene(stage: Stage) -> None:
        attentive(stage)
        await frames(30)
        stage.microphone.hear(*WORD)
        await frames(2)
        match end:
            case "attend":
                stage.capture.attend(Attention.NOTHING)
            case "mute":
                stage.capture.mute()
            case "lose":
                stage.microphone.lose()
        await frames(1)

    told = [kind for kind in kinds(on_stage(scene)) if kind is not MicrophoneLost]
    assert told == [SpeechHinted, HintGone]


def test_what_was_heard_before_is_no_evidence() -> None:
    async def scene(stage: Stage) -> None:
        attentive(stage)
        await frames(30)
        stage.microphone.hear(*WORD[: ENOUGH - 1], quiet(), quiet(), *WORD[: ENOUGH - 1])
        await frames(ENOUGH)
        stage.capture.attend(Attention.NOTHING)
        stage.capture.attend(Attention.SPEECH)
        await frames(30)

    assert not voices(on_stage(scene))


def test_after_muting_it_attends_again_and_knows_of_no_speech_before() -> None:
    async def scene(stage: Stage) -> None:
        attentive(stage)
        stage.microphone.hear(*WORD)
        await frames(30)
        stage.capture.mute()
        await asyncio.sleep(10)
        stage.capture.unmute()
        await frames(30)
        stage.microphone.hear(*WORD)
        await frames(30)

    stage = on_stage(scene)
    assert kinds(stage) == [SpeechHinted, VoiceBegan] * 2
    assert [voice.silence_seconds for voice in voices(stage)] == [math.inf] * 2


def test_a_microphone_that_is_back_is_attended_to_again() -> None:
    async def scene(stage: Stage) -> None:
        attentive(stage)
        await frames(30)
        stage.microphone.lose()
        await asyncio.sleep(5)
        stage.microphone.hear(*WORD)
        await frames(30)

    told = kinds(on_stage(scene))
    assert told == [MicrophoneLost, MicrophoneBack, SpeechHinted, VoiceBegan]
