"""Which events are new, and how long to wait."""

from voicehermes.adapters.hermes.cursor import LONGEST_WAIT_SECONDS, MOST_FAILURES, StreamCursor


def test_an_event_is_new_once() -> None:
    cursor = StreamCursor("run")
    assert cursor.is_new("token", "run:1")
    assert cursor.is_new("token", "run:2")
    assert not cursor.is_new("token", "run:2")
    assert not cursor.is_new("token", "run:1")
    assert cursor.last_seq == 2


def test_numbers_of_different_streams_are_not_compared() -> None:
    cursor = StreamCursor("run")
    assert cursor.is_new("token", "run:7")
    assert cursor.is_new("token", "other:1")
    assert not cursor.is_new("token", "other:1")
    assert cursor.last_seq == 7


def test_an_event_without_a_usable_number_is_always_new() -> None:
    cursor = StreamCursor("run")
    for event_id in ("", "run", "run:", "run:x", "run:-1", "run:²", "run:" + "9" * 5000):
        assert cursor.is_new("token", event_id)
        assert cursor.is_new("token", event_id)
    assert cursor.last_seq == 0


def test_a_cancel_under_the_number_of_the_event_before_it_is_new() -> None:
    cursor = StreamCursor("run")
    assert cursor.is_new("token", "run:7")
    assert cursor.is_new("cancel", "run:7")


def test_an_end_does_not_move_the_cursor_for_another_may_follow_under_its_number() -> None:
    cursor = StreamCursor("run")
    assert cursor.is_new("token", "run:7")
    assert cursor.is_new("apperror", "run:8")
    assert cursor.last_seq == 7
    assert cursor.is_new("cancel", "run:8")


def test_waits_grow_to_a_limit_and_then_it_is_time_to_give_up() -> None:
    cursor = StreamCursor("run")
    waits = [cursor.next_wait(1.0) for _ in range(MOST_FAILURES)]
    assert waits[:6] == [0.5, 1.0, 2.0, 4.0, 8.0, LONGEST_WAIT_SECONDS]
    assert waits[-1] == LONGEST_WAIT_SECONDS
    assert cursor.next_wait(1.0) is None


def test_jitter_takes_off_up_to_half_of_a_wait() -> None:
    assert StreamCursor("run").next_wait(0.0) == 0.25


def test_a_new_event_makes_the_next_wait_short_again() -> None:
    cursor = StreamCursor("run")
    for _ in range(5):
        cursor.next_wait(1.0)
    assert cursor.is_new("token", "run:1")
    assert cursor.failures == 0
    assert cursor.next_wait(1.0) == 0.5
