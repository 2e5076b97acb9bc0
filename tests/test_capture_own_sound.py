"""Capture: what we say ourselves is neither attended to nor recorded, on a virtual clock."""

import logging
from collections.abc import Sequence

import pytest

from tests.capture_stage import Stage, answering, attentive, frames, kinds, now, on_stage, voices
from tests.fakes.echo_canceller import FakeEchoCanceller
from tests.fakes.microphone import CountingDetector, LoudDetector, loud
from voicehermes.audio import FRAME_SECONDS, EndsBy
from voicehermes.hearing.ear_events import HintGone, Recorded, SpeechBegan, SpeechHinted, VoiceBegan
from voicehermes.hearing.own_sound import ECHO_TAIL_SECONDS
from voicehermes.ports import VoiceDetector

WORD = [loud(mark) for mark in range(1, 21)]


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


CUE = loud(99)


class KnowsCues(LoudDetector):
    """It is never sure of a cue."""

    def is_speech(self, frame: bytes) -> bool:
        is_speech = super().is_speech(frame)
        self.is_sure = is_speech and frame != CUE
        return is_speech


class KnowsNoDegrees(LoudDetector):
    """It is sure of nothing."""

    def is_speech(self, frame: bytes) -> bool:
        is_speech = super().is_speech(frame)
        self.is_sure = None
        return is_speech


def spoken_in_a_cue(
    detector: VoiceDetector, words: Sequence[bytes], ends_by: EndsBy = EndsBy.SILENCE
) -> Stage:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1, ends_by=ends_by)
        stage.own_sound_until = now() + 7 * FRAME_SECONDS
        stage.microphone.hear(*[CUE] * 7, *words)
        await frames(400)

    return on_stage(scene, Stage(detector))


def test_a_short_word_in_the_echo_of_a_cue_is_kept_by_who_knows_it_from_the_cue() -> None:
    stage = spoken_in_a_cue(KnowsCues(), WORD[:8])
    assert stage.marks()[-8:] == list(range(1, 9))
    assert spoken_in_a_cue(KnowsCues(), []).recorded()[0].utterance is None


@pytest.mark.parametrize(
    ("detector", "ends_by"),
    [
        pytest.param(KnowsNoDegrees(), EndsBy.SILENCE, id="it cannot tell"),
        pytest.param(KnowsCues(), EndsBy.LONG_SILENCE, id="an answer to a decision"),
    ],
)
def test_else_what_is_said_in_the_echo_of_a_cue_is_nothing(
    detector: VoiceDetector, ends_by: EndsBy
) -> None:
    assert spoken_in_a_cue(detector, WORD[:8], ends_by).recorded()[0].utterance is None


def test_a_cue_of_ours_is_not_the_first_word_and_a_word_over_it_is_kept() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1, ends_by=EndsBy.SILENCE)
        stage.own_sound_until = now() + 5 * FRAME_SECONDS
        stage.microphone.hear(*[loud(99)] * 5, *WORD)
        await frames(6)
        assert not stage.said
        await frames(100)

    stage = on_stage(scene, Stage(KnowsNoDegrees()))
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


def test_while_the_canceller_learns_nobody_is_heard_to_begin() -> None:
    canceller = FakeEchoCanceller(CUE)

    async def scene(stage: Stage) -> None:
        answering(stage)
        await frames(30)
        canceller.is_learning = True
        stage.microphone.hear(*WORD)
        await frames(40)
        assert not stage.said
        canceller.is_learning = False
        stage.microphone.hear(*WORD)
        await frames(100)

    stage = on_stage(scene, Stage(is_half_duplex=False, canceller=canceller))
    assert len(voices(stage)) == 1


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
