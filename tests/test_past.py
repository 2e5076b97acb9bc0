"""The last seconds that were heard."""

import pytest

from tests.fakes.microphone import quiet
from voicehermes.audio import FRAME_SECONDS
from voicehermes.hearing.past import Past


def past_of(count: int, seconds: float = 10 * FRAME_SECONDS) -> Past:
    """Frames marked 1, 2 …, the first of which ended at FRAME_SECONDS."""
    past = Past(seconds)
    for mark in range(1, count + 1):
        past.push(quiet(mark), mark * FRAME_SECONDS)
    return past


def test_the_newest_frames_are_there_oldest_first_each_with_its_time() -> None:
    heard = past_of(7).since(0.0, 3)
    assert [frame for frame, _, _ in heard] == [quiet(5), quiet(6), quiet(7)]
    times = [ended_at / FRAME_SECONDS for _, ended_at, _ in heard]
    assert times == pytest.approx([5, 6, 7])


def test_the_oldest_fall_out() -> None:
    assert [heard.frame for heard in past_of(30).since(0.0, 99)] == list(map(quiet, range(21, 31)))


def test_a_frame_that_began_before_a_time_is_left_out_with_all_before_it() -> None:
    past = past_of(7)
    assert [heard.frame for heard in past.since(4 * FRAME_SECONDS, 99)] == [
        quiet(5),
        quiet(6),
        quiet(7),
    ]
    assert [heard.frame for heard in past.since(4.1 * FRAME_SECONDS, 99)] == [quiet(6), quiet(7)]
    assert past.since(7 * FRAME_SECONDS, 99) == []


def test_a_verdict_belongs_to_the_newest_frame() -> None:
    past = Past(1.0)
    for mark, is_speech in [(1, True), (2, None), (3, False)]:
        past.push(quiet(mark), mark * FRAME_SECONDS)
        if is_speech is not None:
            past.judge(is_speech=is_speech)
    assert [heard.is_speech for heard in past.since(0.0, 99)] == [True, None, False]


def test_what_follows_a_frame_that_was_not_judged_is_known() -> None:
    past = past_of(1)
    assert not past.follows_a_judged_frame
    past.judge(is_speech=False)
    past.push(quiet(2), 2 * FRAME_SECONDS)
    assert past.follows_a_judged_frame
    past.push(quiet(3), 3 * FRAME_SECONDS)
    assert not past.follows_a_judged_frame


def test_silence_is_counted_in_frames_from_the_newest_words() -> None:
    past = past_of(3)
    assert past.silent_frames == float("inf")
    past.silent_frames = 0
    for _ in range(5):
        past.push(quiet(), 1.0)
    assert past.silent_frames == 5


def test_what_is_forgotten_was_never_heard() -> None:
    past = past_of(7)
    past.silent_frames = 0
    past.clear()
    assert past.since(0.0, 99) == []
    assert past.silent_frames == float("inf")
