"""The rule by which an utterance ends without a key."""

import pytest

from voicehermes.audio import FRAME_SECONDS, UtteranceEnd
from voicehermes.hearing.endpoint import Endpoint, EndpointRules

RULES = EndpointRules(
    end_silence_seconds=10 * FRAME_SECONDS,
    min_speech_seconds=3 * FRAME_SECONDS,
    patience_seconds=40 * FRAME_SECONDS,
    max_seconds=100 * FRAME_SECONDS,
)


def end_of(heard: str, pre_roll: str = "") -> tuple[int, UtteranceEnd] | None:
    """At which frame it is over and why; "s" is a frame with speech, "." one without."""
    endpoint = Endpoint(RULES, len(pre_roll))
    for mark in pre_roll:
        endpoint.feed(mark == "s")
    for number, mark in enumerate(heard, 1):
        if end := endpoint.feed(mark == "s"):
            return number, end
    return None


@pytest.mark.parametrize(
    ("heard", "expected"),
    [
        ("sss" + 10 * ".", (13, UtteranceEnd.SILENCE)),
        (20 * "." + "sss" + 20 * ".", (33, UtteranceEnd.SILENCE)),
        ("sss" + 9 * ".", None),
        ("sss" + 9 * "." + "s" + 9 * ".", None),
        ("s..s..s" + 10 * ".", (17, UtteranceEnd.SILENCE)),
    ],
    ids=["a word", "a word later", "a pause", "two pauses", "a broken word"],
)
def test_silence_after_speech_ends_it(
    heard: str, expected: tuple[int, UtteranceEnd] | None
) -> None:
    assert end_of(heard) == expected


def test_a_click_ends_nothing() -> None:
    assert end_of("ss" + 37 * ".") is None
    assert end_of("ss" + 12 * "." + "sss" + 10 * ".") == (27, UtteranceEnd.SILENCE)


def test_clicks_do_not_add_up_to_speech() -> None:
    assert end_of(3 * ("s" + 12 * ".") + 20 * ".") == (40, UtteranceEnd.NOTHING_SAID)


def test_without_a_word_it_ends_when_patience_does() -> None:
    assert end_of(100 * ".") == (40, UtteranceEnd.NOTHING_SAID)


def test_a_word_that_begins_while_patience_ends_is_heard_out() -> None:
    assert end_of(39 * "." + "ssss" + 10 * ".") == (53, UtteranceEnd.SILENCE)


def test_a_click_while_patience_ends_is_no_word() -> None:
    assert end_of(39 * "." + "s" + 20 * ".") == (50, UtteranceEnd.NOTHING_SAID)


def test_no_speech_is_longer_than_the_longest() -> None:
    assert end_of(200 * "s") == (100, UtteranceEnd.TOO_LONG)
    assert end_of(50 * "s...") == (100, UtteranceEnd.TOO_LONG)


def test_patience_and_length_begin_behind_the_pre_roll() -> None:
    assert end_of(100 * ".", pre_roll=16 * ".") == (40, UtteranceEnd.NOTHING_SAID)
    assert end_of(200 * "s", pre_roll=16 * "s") == (100, UtteranceEnd.TOO_LONG)


def test_a_word_in_the_pre_roll_is_a_word() -> None:
    assert end_of(20 * ".", pre_roll="ssss....") == (6, UtteranceEnd.SILENCE)
    assert end_of(20 * ".", pre_roll="ssss" + 12 * ".") == (1, UtteranceEnd.SILENCE)


def test_any_speech_is_enough_where_no_least_is_set() -> None:
    endpoint = Endpoint(EndpointRules(0.032, 0.0, 8.0, 60.0))
    assert [endpoint.feed(False), endpoint.feed(True)] == [None, None]
    assert endpoint.feed(False) is UtteranceEnd.SILENCE
