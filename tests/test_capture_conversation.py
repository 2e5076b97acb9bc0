"""Capture: whatever is said and played, nothing is heard twice and nothing of ours is heard."""

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.capture_stage import Stage, frames, on_stage
from tests.fakes.microphone import loud, quiet
from voicehermes.attention import Attention
from voicehermes.audio import FRAME_SECONDS, EndsBy
from voicehermes.hearing.ear_events import (
    EarEvent,
    HintGone,
    Recorded,
    SpeechBegan,
    SpeechHinted,
    VoiceBegan,
)

OURS = 10_000
"""Marks from here on are sound of our own."""

ECHO = 6
"""Frames for which the room sounds after us."""


class Talk:
    """A conversation without a key. Each frame has a mark of its own."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._marks = iter(range(1, OURS))
        self._our_marks = iter(range(OURS, 2 * OURS))
        self.recording = 0
        self.is_recording = False
        stage.then = self._follow

    def _follow(self, event: EarEvent) -> None:
        match event:
            case VoiceBegan():
                self.begin()
            case Recorded():
                self.is_recording = False
                self._stage.capture.attend(Attention.SPEECH)
            case _:
                pass

    def begin(self, ends_by: EndsBy = EndsBy.SILENCE) -> None:
        self.recording += 1
        self.is_recording = True
        self._stage.capture.start(self.recording, ends_by=ends_by)
        self._stage.capture.attend(Attention.NOTHING)

    async def act(self, action: str, count: int) -> None:
        stage = self._stage
        match action:
            case "speak":
                stage.microphone.hear(*[loud(next(self._marks)) for _ in range(count)])
            case "pause":
                stage.microphone.hear(*[quiet()] * count)
            case "answer" if not self.is_recording:
                self.begin(EndsBy.LONG_SILENCE)
            case "sound" if not self.is_recording:
                sounding_frames = len(stage.microphone.to_hear) + count
                now = asyncio.get_running_loop().time()
                stage.own_sound_until = now + sounding_frames * FRAME_SECONDS
                stage.microphone.hear(*[loud(next(self._our_marks)) for _ in range(count + ECHO)])
            case "ask again":
                stage.capture.attend(Attention.NOTHING)
                if not self.is_recording:
                    stage.capture.attend(Attention.SPEECH)
            case _:
                return
        await asyncio.sleep((count // 2) * FRAME_SECONDS)  # what follows comes in the midst of it


ACTIONS = ["speak", "pause", "answer", "sound", "ask again"]
SCRIPT = st.lists(
    st.tuples(st.sampled_from(ACTIONS), st.sampled_from([1, 3, 8, 14, 20, 40])),
    min_size=4,
    max_size=12,
)


def play(script: list[tuple[str, int]]) -> tuple[Stage, int]:
    """The stage after the script, and how many recordings were begun."""
    begun = 0

    async def scene(stage: Stage) -> None:
        nonlocal begun
        talk = Talk(stage)
        stage.capture.attend(Attention.SPEECH)
        await frames(30)
        for action, count in script:
            await talk.act(action, count)
        await asyncio.sleep(12)
        begun = talk.recording

    return on_stage(scene, Stage(end_silence_seconds=0.4)), begun


@settings(max_examples=60)
@given(SCRIPT)
def test_what_is_recorded_is_what_the_user_said_in_order_and_once(
    script: list[tuple[str, int]],
) -> None:
    stage, begun = play(script)
    assert [recorded.recording for recorded in stage.recorded()] == list(range(1, begun + 1))
    heard = [
        mark
        for index, recorded in enumerate(stage.recorded())
        if recorded.utterance is not None
        for mark in stage.marks(index)
    ]
    assert heard == sorted(set(heard))
    assert all(mark < OURS for mark in heard)
    assert_hints_end(stage)


def assert_hints_end(stage: Stage) -> None:
    for event, following in zip(stage.said, stage.said[1:], strict=False):
        if isinstance(event, SpeechHinted):
            assert isinstance(following, VoiceBegan | HintGone)
        if isinstance(event, VoiceBegan):
            assert isinstance(following, SpeechBegan)
            assert following.at <= event.at + FRAME_SECONDS
