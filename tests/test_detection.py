"""The detector hears one frame after another."""

from tests.fakes.microphone import LoudDetector, loud, quiet
from voicehermes.audio import FRAME_SECONDS
from voicehermes.hearing.detection import Detection
from voicehermes.hearing.past import Past


class Noting(LoudDetector):
    """Remembers what it was told since its reset."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []

    def is_speech(self, frame: bytes) -> bool:
        self.heard.append(frame)
        return super().is_speech(frame)

    def reset(self) -> None:
        self.heard.clear()


class Room:
    def __init__(self) -> None:
        self.past = Past(1.0)
        self.detector = Noting()
        self.detection = Detection(self.detector, self.past)

    def hear(self, frame: bytes, *, judged: bool = True) -> bool | None:
        self.past.push(frame, max(0.0, self.past.newest_ended_at) + FRAME_SECONDS)
        return self.detection.judge(frame) if judged else None

    def judge_newest(self, count: int) -> list[bool]:
        return self.detection.judge_all(self.past.since(0.0, count))


def test_frames_in_a_row_are_heard_in_a_row() -> None:
    room = Room()
    assert [room.hear(quiet()), room.hear(loud(1)), room.hear(loud(2))] == [False, True, True]
    assert room.detector.heard == [quiet(), loud(1), loud(2)]


def test_after_a_gap_the_detector_begins_anew() -> None:
    room = Room()
    room.hear(loud(1))
    room.hear(loud(2), judged=False)
    room.hear(loud(3))
    assert room.detector.heard == [loud(3)]


def test_what_was_judged_is_not_heard_again() -> None:
    room = Room()
    for frame in (loud(1), quiet(), loud(2)):
        room.hear(frame)
    assert room.judge_newest(2) == [False, True]
    room.hear(loud(3))
    assert room.detector.heard == [loud(1), quiet(), loud(2), loud(3)]


def test_where_one_was_not_judged_all_are_heard_in_order_and_nothing_before_them() -> None:
    room = Room()
    room.hear(loud(1))
    room.hear(loud(2), judged=False)
    room.hear(quiet(3))
    room.hear(loud(4))
    assert room.judge_newest(3) == [True, False, True]
    room.hear(loud(5))
    assert room.detector.heard == [loud(2), quiet(3), loud(4), loud(5)]


def test_where_there_are_none_the_detector_knows_of_nothing() -> None:
    room = Room()
    room.hear(loud(1))
    assert room.judge_newest(0) == []
    assert room.detector.heard == []
