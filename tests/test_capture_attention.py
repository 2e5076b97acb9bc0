"""Capture: what is heard while nothing is recorded, on a virtual clock."""

import asyncio
import logging
import math

import pytest

from tests.capture_stage import PRE_ROLL_FRAMES, RELEASED, Stage, frames, on_stage
from tests.fakes.echo_canceller import FakeEchoCanceller
from tests.fakes.microphone import LoudDetector, loud, quiet
from tests.fakes.wake_words import FakeWakeWords
from voicehermes.attention import Attention
from voicehermes.audio import FRAME_SECONDS, EndsBy, UtteranceEnd
from voicehermes.hearing.ear_events import (
    EarEvent,
    HintGone,
    MicrophoneBack,
    MicrophoneLost,
    Recorded,
    SpeechBegan,
    SpeechHinted,
    VoiceBegan,
    WakeWordHeard,
)
from voicehermes.hearing.onset import Onset
from voicehermes.hearing.own_sound import ECHO_TAIL_SECONDS

WORD = [loud(mark) for mark in range(1, 21)]
CLICK = [loud(99)]
ONSET = Onset()
ENOUGH = next(count for count in range(1, 20) if ONSET.feed(is_speech=True) == "speech")
"""Frames of speech that are a word."""


def now() -> float:
    return asyncio.get_running_loop().time()


def attentive(stage: Stage) -> Stage:
    stage.capture.attend(Attention.SPEECH)
    return stage


def answering(stage: Stage, ends_by: EndsBy = EndsBy.SILENCE) -> Stage:
    """As a dialogue does it: what begins is recorded, and meanwhile nothing is attended to."""
    recordings = iter(range(1, 100))

    def then(event: EarEvent) -> None:
        match event:
            case VoiceBegan():
                stage.capture.start(next(recordings), ends_by=ends_by)
                stage.capture.attend(Attention.NOTHING)
            case Recorded():
                stage.capture.attend(Attention.SPEECH)
            case _:
                pass

    stage.then = then
    return attentive(stage)


def kinds(stage: Stage) -> list[type[EarEvent]]:
    return [type(event) for event in stage.said]


def voices(stage: Stage) -> list[VoiceBegan]:
    return [event for event in stage.said if isinstance(event, VoiceBegan)]


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


class CountingDetector(LoudDetector):
    """Counts what it was asked, and its resets."""

    def __init__(self) -> None:
        self.asked = 0
        self.resets = 0

    def is_speech(self, frame: bytes) -> bool:
        self.asked += 1
        return super().is_speech(frame)

    def reset(self) -> None:
        self.resets += 1


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


# What we say ourselves.


def test_in_half_duplex_our_own_sound_and_its_echo_are_not_attended_to() -> None:
    async def scene(stage: Stage) -> None:
        answering(stage)
        await frames(30)
        stage.microphone.hear(*[loud(99)] * 50, *WORD)
        # Until a quarter into the fifty-first frame it is ours.
        stage.own_sound_until = now() + 49.75 * FRAME_SECONDS - ECHO_TAIL_SECONDS
        await frames(150)

    stage = on_stage(scene)
    assert kinds(stage) == [SpeechHinted, VoiceBegan, SpeechBegan, Recorded]
    assert stage.marks() == list(range(2, 21))


def test_a_hint_is_taken_back_when_we_begin_to_sound() -> None:
    async def scene(stage: Stage) -> None:
        attentive(stage)
        await frames(30)
        stage.microphone.hear(*WORD)
        await frames(2)
        stage.own_sound_until = now() + 10
        await frames(60)

    assert kinds(on_stage(scene)) == [SpeechHinted, HintGone]


def test_the_detector_does_not_remember_our_own_sound() -> None:
    detector = CountingDetector()

    async def scene(stage: Stage) -> None:
        attentive(stage)
        await frames(30)
        asked = detector.asked
        stage.own_sound_until = now() + 1
        await frames(30)
        assert detector.asked == asked
        await frames(60)

    on_stage(scene, Stage(detector))
    assert detector.resets == 2


def test_where_there_is_no_echo_one_can_talk_over_it() -> None:
    async def scene(stage: Stage) -> None:
        answering(stage)
        await frames(30)
        stage.own_sound_until = now() + 1000
        stage.microphone.hear(*WORD)
        await frames(100)

    stage = on_stage(scene, Stage(is_half_duplex=False))
    assert kinds(stage) == [SpeechHinted, VoiceBegan, SpeechBegan, Recorded]
    assert stage.marks() == list(range(1, 21))


def test_what_we_say_never_answers_though_there_is_no_echo() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.microphone.hear(*WORD)
        await frames(9)
        stage.own_sound_until = now() - ECHO_TAIL_SECONDS
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE)
        await frames(100)

    assert on_stage(scene, Stage(is_half_duplex=False)).marks() == list(range(11, 21))


def test_the_guard_makes_it_deaf_while_we_sound_and_twice_as_long_after(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scene(stage: Stage) -> None:
        attentive(stage)
        await frames(30)
        stage.own_sound_until = now() + 1
        stage.capture.raise_guard()
        stage.microphone.hear(*[loud(1)] * 100)
        await frames(100)

    stage = on_stage(scene, Stage(is_half_duplex=False))
    [voice] = voices(stage)
    assert stage.own_sound_until is not None
    deaf_seconds = voice.at - stage.own_sound_until
    assert deaf_seconds == pytest.approx(2 * ECHO_TAIL_SECONDS, abs=FRAME_SECONDS)
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_a_cue_of_ours_is_not_the_first_word_and_a_word_over_it_is_kept() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1, ends_by=EndsBy.SILENCE)
        stage.own_sound_until = now() + 5 * FRAME_SECONDS
        stage.microphone.hear(*[loud(99)] * 5, *WORD)
        await frames(6)
        assert not stage.said
        await frames(100)

    stage = on_stage(scene)
    [began, recorded] = stage.said
    assert isinstance(began, SpeechBegan)
    assert isinstance(recorded, Recorded)
    assert stage.marks()[-20:] == list(range(1, 21))


def test_a_cue_after_the_first_word_takes_nothing_away() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1, ends_by=EndsBy.SILENCE)
        stage.microphone.hear(*WORD)
        await frames(3)
        stage.own_sound_until = now() + 1
        await frames(100)

    stage = on_stage(scene)
    assert stage.marks() == list(range(1, 21))
    [recorded] = stage.recorded()
    began = next(event for event in stage.said if isinstance(event, SpeechBegan))
    assert recorded.speech_ended_at == pytest.approx(began.at + 20 * FRAME_SECONDS)


def test_what_the_canceller_takes_away_is_neither_attended_to_nor_recorded() -> None:
    async def scene(stage: Stage) -> None:
        answering(stage)
        await frames(30)
        stage.microphone.hear(*[loud(99)] * 50)
        await frames(60)
        assert not stage.said
        stage.microphone.hear(*WORD, *[loud(99)] * 10, *WORD)
        await frames(100)

    stage = on_stage(scene, Stage(is_half_duplex=False, canceller=FakeEchoCanceller(loud(99))))
    assert stage.marks() == [*range(1, 21)] * 2


# Wake words.


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
