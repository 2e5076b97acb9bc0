"""Capture: recordings that end by themselves, on a virtual clock."""

import asyncio
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.capture_stage import RELEASED, Stage, frames, on_stage
from tests.fakes.microphone import LoudDetector, loud, quiet
from voicehermes.audio import FRAME_SECONDS, EndsBy, UtteranceEnd
from voicehermes.hearing.capture import ANSWER_PATIENCE_SECONDS
from voicehermes.hearing.ear_events import MicrophoneBack, MicrophoneLost, Recorded
from voicehermes.hearing.own_sound import ECHO_TAIL_SECONDS as TAIL

SILENCE, NOTHING_SAID = UtteranceEnd.SILENCE, UtteranceEnd.NOTHING_SAID
DEVICE_LOST = UtteranceEnd.DEVICE_LOST

SILENCE_FRAMES = 38
"""The stage's 1.2 s, which end an answer."""

WORD = [loud(mark) for mark in range(1, 11)]


def now() -> float:
    return asyncio.get_running_loop().time()


def only(stage: Stage) -> Recorded:
    [recorded] = stage.recorded()
    return recorded


def test_silence_after_a_word_ends_it() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE)
        stage.microphone.hear(*[quiet()] * 20, *WORD)
        await frames(30 + SILENCE_FRAMES - 1)
        assert not stage.recorded()
        await frames(1)
        assert stage.recorded()
        stage.capture.stop(1, RELEASED)
        await frames(300)

    stage = on_stage(scene)
    assert (only(stage).recording, only(stage).end) == (1, SILENCE)
    assert stage.marks() == list(range(1, 11))


def test_a_pause_inside_an_answer_is_not_its_end() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE)
        stage.microphone.hear(*WORD, *[quiet()] * (SILENCE_FRAMES - 1), loud(50), loud(51))
        await frames(100)

    assert on_stage(scene).marks() == [*range(1, 11), 50, 51]


def test_silence_is_counted_in_sound_and_not_in_time() -> None:
    """The loop was busy, or the device stuttered, while the user spoke on."""

    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE)
        stage.microphone.hear(*WORD, *[quiet()] * 5, *WORD)
        await frames(12)
        stage.microphone.hang()
        await asyncio.sleep(1.5)
        assert not stage.recorded()
        stage.microphone.flow()
        await frames(60)

    assert on_stage(scene).marks() == [*range(1, 11)] * 2


def test_where_nobody_speaks_it_ends_when_patience_does() -> None:
    began: list[float] = []

    async def scene(stage: Stage) -> None:
        await frames(30)
        began.append(now())
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE)
        await asyncio.sleep(ANSWER_PATIENCE_SECONDS + 1)

    stage = on_stage(scene)
    assert (only(stage).utterance, only(stage).end) == (None, NOTHING_SAID)
    waited = stage.said_at[-1] - began[0]
    assert waited == pytest.approx(ANSWER_PATIENCE_SECONDS, abs=FRAME_SECONDS)
    assert not stage.encoders[0].is_finished


def test_patience_can_be_longer() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE, patience_seconds=15)
        await asyncio.sleep(14)
        assert not stage.recorded()
        stage.microphone.hear(*WORD)
        await asyncio.sleep(2)

    assert on_stage(scene).marks() == list(range(1, 11))


def test_clicks_do_not_end_it_and_are_no_utterance_together() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE)
        for _ in range(5):
            stage.microphone.hear(loud(1))
            await asyncio.sleep(1.2)
        await asyncio.sleep(4)

    stage = on_stage(scene)
    assert (only(stage).utterance, only(stage).end) == (None, NOTHING_SAID)


def test_an_answer_that_does_not_end_is_cut() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE)
        stage.microphone.hear(*[loud(1)] * 1000)
        await asyncio.sleep(25)

    stage = on_stage(scene)
    assert only(stage).end is UtteranceEnd.TOO_LONG
    assert len(stage.marks()) == 20 / FRAME_SECONDS


def test_an_answer_that_began_before_the_microphone_opened_is_whole() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.microphone.hear(*WORD)
        await frames(12)
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE)
        await frames(40)

    stage = on_stage(scene)
    assert only(stage).end is SILENCE
    assert stage.marks() == list(range(1, 11))


# What we say ourselves is no answer.


def test_our_own_sound_in_the_pre_roll_is_left_out() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.microphone.hear(*map(loud, range(1, 31)))
        await frames(10)
        stage.own_sound_until = now() - TAIL
        await frames(5)
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE)
        await frames(60)

    # Ten and a half frames were ours: the eleventh, half of it, goes too.
    assert on_stage(scene).marks() == list(range(12, 31))


def test_our_own_sound_that_has_not_died_away_is_left_out() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.microphone.hear(*map(loud, range(1, 31)))
        await frames(10)
        stage.own_sound_until = now() + 9.75 * FRAME_SECONDS - TAIL
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE)
        await frames(60)

    # Until a quarter into the twenty-first frame it is ours.
    assert on_stage(scene).marks() == list(range(22, 31))


def test_our_own_words_alone_are_nothing_said_and_patience_begins_behind_them() -> None:
    silent_from: list[float] = []

    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.microphone.hear(*[loud(1)] * 100)
        await frames(10)
        silent_from.append(now() + 90 * FRAME_SECONDS)
        stage.own_sound_until = silent_from[0] - TAIL
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE)
        await asyncio.sleep(20)

    stage = on_stage(scene)
    assert (only(stage).utterance, only(stage).end) == (None, NOTHING_SAID)
    assert only(stage).speech_ended_at is None
    waited = stage.said_at[-1] - silent_from[0]
    assert waited == pytest.approx(ANSWER_PATIENCE_SECONDS, abs=1.5 * FRAME_SECONDS)


class MindfulDetector(LoudDetector):
    """Remembers what it was given since its reset."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []

    def is_speech(self, frame: bytes) -> bool:
        self.heard.append(frame)
        return super().is_speech(frame)

    def reset(self) -> None:
        self.heard.clear()


def test_the_detector_knows_nothing_of_our_own_sound() -> None:
    detector = MindfulDetector()

    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1)
        stage.microphone.hear(*map(loud, range(1, 31)))
        await asyncio.sleep(10 * FRAME_SECONDS)
        stage.capture.stop(1, RELEASED)
        await asyncio.sleep(2 * FRAME_SECONDS)
        stage.own_sound_until = now() + 9 * FRAME_SECONDS - TAIL
        stage.capture.start(2, ends_by=EndsBy.LONG_SILENCE)
        await asyncio.sleep(18 * FRAME_SECONDS)

    on_stage(scene, Stage(detector))
    assert detector.heard == [loud(mark) for mark in range(23, 31)]


# A key takes the recording over, or ends it.


def test_kept_open_it_ends_by_stop_alone() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE)
        stage.microphone.hear(*WORD)
        await frames(20)
        stage.capture.keep_open(1)
        await asyncio.sleep(30)
        stage.microphone.hear(loud(99))
        await frames(5)
        assert not stage.recorded()
        stage.capture.stop(1, RELEASED)
        await frames(2)

    stage = on_stage(scene)
    assert only(stage).end is RELEASED
    assert stage.marks() == [*range(1, 11), 99]


def test_kept_open_it_still_has_nothing_of_our_own_sound() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.microphone.hear(*map(loud, range(1, 31)))
        await frames(10)
        stage.own_sound_until = now() + 10 * FRAME_SECONDS - TAIL
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE)
        stage.capture.keep_open(1)
        await frames(30)
        stage.capture.stop(1, RELEASED)
        await frames(2)

    assert on_stage(scene).marks() == list(range(22, 31))


def test_keeping_another_recording_open_does_nothing() -> None:
    async def scene(stage: Stage) -> None:
        stage.capture.keep_open(1)
        await frames(30)
        stage.capture.start(2, ends_by=EndsBy.LONG_SILENCE)
        stage.capture.keep_open(1)
        await asyncio.sleep(10)
        stage.capture.keep_open(2)
        await asyncio.sleep(10)

    assert only(on_stage(scene)).end is NOTHING_SAID


def test_stop_ends_it_and_says_why() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE)
        stage.microphone.hear(*WORD)
        await frames(10 + SILENCE_FRAMES - 1)
        stage.capture.stop(1, RELEASED)  # in the frame that would end it
        assert not stage.recorded()
        await frames(300)

    assert only(on_stage(scene)).end is RELEASED


def test_after_stop_no_silence_ends_it_before_the_sound_of_that_instant_is_there() -> None:
    """The loop was busy: the stop is handled before the frames from before it."""

    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE)
        stage.microphone.hear(*WORD, *[quiet()] * SILENCE_FRAMES, *WORD)
        await frames(20)
        stage.microphone.hang()
        await frames(SILENCE_FRAMES)
        stage.capture.stop(1, RELEASED)
        stage.microphone.flow()
        await frames(2)

    assert on_stage(scene).marks() == [*range(1, 11)] * 2


def test_the_next_recording_ends_it() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE)
        stage.microphone.hear(*WORD)
        await frames(12)
        stage.capture.start(2)
        await asyncio.sleep(20)
        stage.capture.stop(2, RELEASED)
        await frames(2)

    stage = on_stage(scene)
    assert [recorded.end for recorded in stage.recorded()] == [RELEASED, RELEASED]
    assert stage.marks(0) == list(range(1, 11))


def test_dropped_it_is_never_heard_of() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE)
        stage.microphone.hear(*WORD)
        await frames(12)
        stage.capture.drop(1)
        stage.microphone.hang()
        await asyncio.sleep(30)

    assert on_stage(scene).said[1:] == []  # the speech that began


# A microphone that gives nothing.


def test_a_microphone_that_goes_away_ends_it_and_what_it_gave_is_kept() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE)
        stage.microphone.hear(*map(loud, range(1, 31)))
        await frames(10)
        stage.microphone.lose()
        await frames(2)

    stage = on_stage(scene)
    assert only(stage).end is DEVICE_LOST
    assert stage.marks() == list(range(1, 11))


def test_a_microphone_that_is_missing_ends_it() -> None:
    async def scene(stage: Stage) -> None:
        stage.microphone.refusals = 1000
        await asyncio.sleep(30)
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE)
        await asyncio.sleep(ANSWER_PATIENCE_SECONDS)

    stage = on_stage(scene)
    assert (only(stage).utterance, only(stage).end) == (None, DEVICE_LOST)


def test_a_microphone_that_hangs_ends_it_and_is_told() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE)
        stage.microphone.hear(*WORD)
        await frames(10)
        stage.microphone.hang()
        await asyncio.sleep(ANSWER_PATIENCE_SECONDS)
        assert [type(event) for event in stage.said[1:]] == [Recorded, MicrophoneLost]
        stage.microphone.flow()
        await frames(2)

    stage = on_stage(scene)
    assert only(stage).end is DEVICE_LOST
    assert stage.marks() == list(range(1, 11))
    assert isinstance(stage.said[-1], MicrophoneBack)


def test_started_while_muted_it_ends_and_no_microphone_is_called_lost() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.mute()
        await frames(1)
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE)
        await asyncio.sleep(ANSWER_PATIENCE_SECONDS)

    stage = on_stage(scene)
    assert (only(stage).utterance, only(stage).end) == (None, DEVICE_LOST)
    assert stage.said == [only(stage)]


def test_kept_open_it_outlasts_a_microphone_that_hangs() -> None:
    async def scene(stage: Stage) -> None:
        await frames(30)
        stage.capture.start(1, ends_by=EndsBy.LONG_SILENCE)
        stage.microphone.hear(*WORD)
        await frames(5)
        stage.capture.keep_open(1)
        stage.microphone.hang()
        await asyncio.sleep(20)
        assert not stage.recorded()
        stage.microphone.flow()
        await frames(10)
        stage.capture.stop(1, RELEASED)
        await frames(2)

    assert on_stage(scene).marks() == list(range(1, 11))


# Whatever happens: every recording ends once.


@dataclass
class Ledger:
    """Which recordings were started, and which of them nobody may hear of."""

    started: list[int] = field(default_factory=list)
    forgotten: set[int] = field(default_factory=set)
    without_key: set[int] = field(default_factory=set)

    def act(self, action: str, stage: Stage) -> None:
        capture, newest = stage.capture, self.started[-1] if self.started else 0
        match action:
            case "start" | "answer" | "answer later":
                self.started.append(newest + 1)
                self._start(action, newest + 1, stage)
            case "stop":
                capture.stop(newest, RELEASED)
            case "keep open":
                capture.keep_open(newest)
                self.without_key.discard(newest)
            case "drop":
                self._forget(newest, stage)
                capture.drop(newest)
            case "mute":
                self._forget(newest, stage)
                capture.mute()
            case "unmute":
                capture.unmute()
            case "lose":
                stage.microphone.lose()
            case "refuse":
                stage.microphone.refusals = 3
            case "hang":
                stage.microphone.hang()
            case "flow":
                stage.microphone.flow()
            case "speak":
                stage.microphone.hear(*WORD)

    def _start(self, action: str, recording: int, stage: Stage) -> None:
        if action == "start":
            stage.capture.start(recording)
            return
        self.without_key.add(recording)
        if action == "answer later":
            stage.own_sound_until = now() + 0.5
        stage.capture.start(recording, ends_by=EndsBy.LONG_SILENCE)

    def _forget(self, recording: int, stage: Stage) -> None:
        if recording not in [recorded.recording for recorded in stage.recorded()]:
            self.forgotten.add(recording)


ACTIONS = ["start", "answer", "answer later", "stop", "keep open", "drop", "mute", "unmute"]
ACTIONS += ["lose", "refuse", "hang", "flow", "speak"]


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(ACTIONS), st.sampled_from([0, 1, 20, 120])), max_size=20))
def test_every_recording_ends_in_exactly_one_recorded(script: list[tuple[str, int]]) -> None:
    ledger = Ledger()

    async def scene(stage: Stage) -> None:
        for action, pause in script:
            ledger.act(action, stage)
            if pause:
                await frames(pause)
        if ledger.started and ledger.started[-1] not in ledger.without_key:
            stage.capture.stop(ledger.started[-1], RELEASED)
        await asyncio.sleep(25)

    heard_of = [recorded.recording for recorded in on_stage(scene).recorded()]
    assert heard_of == [id_ for id_ in ledger.started if id_ not in ledger.forgotten]
