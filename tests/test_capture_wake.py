"""Capture: wake words, on a virtual clock."""

import asyncio

import pytest

from tests.capture_stage import Stage, frames, now, on_stage, voices
from tests.fakes.microphone import loud, quiet
from tests.fakes.wake_words import FakeWakeWords
from voicehermes.attention import Attention
from voicehermes.audio import FRAME_SECONDS, EndsBy
from voicehermes.hearing.ear_events import EarEvent, StillSilent, WakeWordHeard

WORD = [loud(mark) for mark in range(1, 21)]


def test_a_wake_word_is_told_and_begins_nothing_by_itself() -> None:
    words = FakeWakeWords(hey_jarvis=loud(3))

    async def scene(stage: Stage) -> None:
        stage.capture.attend(Attention.WAKE_WORD)
        await frames(30)
        stage.microphone.hear(*WORD)
        await frames(60)

    stage = on_stage(scene, Stage(wake_words=words))
    assert stage.said == [WakeWordHeard("hey_jarvis")]
    assert words.resets == 1


def test_wake_words_are_asked_while_they_are_attended_to_alone() -> None:
    words = FakeWakeWords()

    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.attend(Attention.SPEECH)
        await frames(30)
        stage.capture.attend(Attention.WAKE_WORD)
        stage.capture.start(1)
        stage.microphone.hear(*WORD)
        await frames(30)
        stage.capture.drop(1)
        assert not words.asked
        await frames(10)
        assert words.asked

    assert not voices(on_stage(scene, Stage(wake_words=words)))


def test_wake_words_know_what_they_follow_and_what_was_said_before_is_none() -> None:
    words = FakeWakeWords(hey_jarvis=loud(20))

    async def scene(stage: Stage) -> None:
        stage.microphone.hear(*[quiet(7)] * 10, *WORD, *[quiet(8)] * 20)
        await frames(40)
        stage.capture.attend(Attention.WAKE_WORD)
        await frames(9)

    assert on_stage(scene, Stage(wake_words=words)).said == []
    assert words.asked == [quiet(7)] * 2 + WORD + [quiet(8)] * 20


def test_in_half_duplex_our_own_sound_has_no_wake_word_and_is_not_remembered() -> None:
    words = FakeWakeWords(hey_jarvis=loud(3))

    async def scene(stage: Stage) -> None:
        stage.capture.attend(Attention.WAKE_WORD)
        await frames(30)
        stage.own_sound_until = now() + 30 * FRAME_SECONDS
        stage.microphone.hear(*WORD)
        await frames(60)
        assert words.resets == 2

    assert on_stage(scene, Stage(wake_words=words)).said == []


def test_what_is_recorded_after_a_wake_word_is_what_comes_behind_it() -> None:
    words = FakeWakeWords(hey_jarvis=loud(10))

    async def scene(stage: Stage) -> None:
        stage.capture.attend(Attention.WAKE_WORD)

        def then(event: EarEvent) -> None:
            if isinstance(event, WakeWordHeard):
                stage.capture.start(1, ends_by=EndsBy.SILENCE)
                stage.capture.attend(Attention.NOTHING)

        stage.then = then
        await frames(30)
        stage.microphone.hear(*WORD)
        await frames(100)

    assert on_stage(scene, Stage(wake_words=words)).marks() == list(range(11, 21))


def answered_by_a_recording(behind: list[bytes], own_sound_seconds: float) -> Stage:
    """Behind a wake word that is said; a sound of ours follows a silence there."""
    words = FakeWakeWords(hey_jarvis=loud(20))

    async def scene(stage: Stage) -> None:
        stage.capture.attend(Attention.WAKE_WORD)

        def then(event: EarEvent) -> None:
            match event:
                case WakeWordHeard():
                    stage.capture.start(1, ends_by=EndsBy.SILENCE)
                    stage.capture.attend(Attention.NOTHING)
                case StillSilent():
                    stage.own_sound_until = now() + own_sound_seconds
                case _:
                    pass

        stage.then = then
        await frames(30)
        stage.microphone.hear(*WORD, *behind)
        await frames(150)

    return on_stage(scene, Stage(wake_words=words))


@pytest.mark.parametrize("pause_frames", [0, 2, 8])
def test_a_short_word_in_one_breath_with_the_wake_word_is_kept(pause_frames: int) -> None:
    stage = answered_by_a_recording([quiet()] * pause_frames + [loud(50)] * 8, 0.2)
    assert stage.marks() == [50] * 8
    assert StillSilent(1) not in stage.said


def test_behind_a_wake_word_silence_is_told_once_and_words_are_kept_all_the_same() -> None:
    stage = answered_by_a_recording([quiet()] * 50 + [loud(50)] * 8, 0.2)
    assert stage.said.count(StillSilent(1)) == 1
    told_at = stage.said_at[stage.said.index(StillSilent(1))]
    woken_at = stage.said_at[stage.said.index(WakeWordHeard("hey_jarvis"))]
    assert told_at - woken_at == pytest.approx(0.4, abs=FRAME_SECONDS)
    assert stage.marks() == [50] * 8


def test_after_a_wake_word_nobody_need_speak_at_once() -> None:
    words = FakeWakeWords(hey_jarvis=loud(20))

    async def scene(stage: Stage) -> None:
        stage.capture.attend(Attention.WAKE_WORD)
        await frames(30)
        stage.microphone.hear(*WORD)
        await frames(20)
        stage.capture.start(1, ends_by=EndsBy.SILENCE)
        await asyncio.sleep(5)
        assert not stage.recorded()
        stage.microphone.hear(*[loud(50)] * 10)
        await frames(60)

    assert on_stage(scene, Stage(wake_words=words)).marks() == [50] * 10
