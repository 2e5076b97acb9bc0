"""The rule by which an utterance ends without a key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicehermes.audio import FRAME_SECONDS, UtteranceEnd
from voicehermes.hearing.endpoint import PAUSE_SECONDS, Endpoint, EndpointRules, Pace

RULES = EndpointRules(
    end_silence_seconds=10 * FRAME_SECONDS,
    end_silence_min_seconds=10 * FRAME_SECONDS,
    end_silence_max_seconds=10 * FRAME_SECONDS,
    min_speech_seconds=3 * FRAME_SECONDS,
    patience_seconds=40 * FRAME_SECONDS,
    max_seconds=100 * FRAME_SECONDS,
)
"""With a silence that does not adapt."""

ADAPTING = EndpointRules(
    end_silence_seconds=20 * FRAME_SECONDS,
    end_silence_min_seconds=10 * FRAME_SECONDS,
    end_silence_max_seconds=40 * FRAME_SECONDS,
    min_speech_seconds=3 * FRAME_SECONDS,
    patience_seconds=100 * FRAME_SECONDS,
    max_seconds=1000 * FRAME_SECONDS,
)

WORD = 10 * "s"


def fed(endpoint: Endpoint, heard: str) -> tuple[int, UtteranceEnd] | None:
    """At which frame it is over and why; "s" is a frame with speech, "." one without."""
    for number, mark in enumerate(heard, 1):
        if end := endpoint.feed(mark == "s"):
            return number, end
    return None


def end_of(heard: str, pre_roll: str = "") -> tuple[int, UtteranceEnd] | None:
    endpoint = Endpoint(RULES, len(pre_roll))
    for mark in pre_roll:
        endpoint.feed(mark == "s")
    return fed(endpoint, heard)


def silence_after(heard: str, pace: Pace | None = None) -> int:
    """How many frames of silence after that end it."""
    over = fed(Endpoint(ADAPTING, pace=pace), heard + 100 * ".")
    assert over is not None
    assert over[1] is UtteranceEnd.SILENCE
    return over[0] - len(heard)


@pytest.mark.parametrize(
    ("heard", "expected"),
    [
        ("sss" + 10 * ".", (13, UtteranceEnd.SILENCE)),
        (20 * "." + "sss" + 20 * ".", (33, UtteranceEnd.SILENCE)),
        ("sss" + 9 * ".", None),
        ("sss" + 9 * "." + "sss" + 9 * ".", None),
        ("sss" + 5 * "." + "s" + 9 * ".", None),
        ("s..s..s" + 10 * ".", (17, UtteranceEnd.SILENCE)),
    ],
    ids=["a word", "a word later", "a pause", "two pauses", "a closure", "a broken word"],
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
    assert end_of(39 * "." + "s" + 20 * ".") == (41, UtteranceEnd.NOTHING_SAID)


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
    endpoint = Endpoint(EndpointRules(0.032, 0.032, 0.032, 0.0, 8.0, 60.0))
    assert [endpoint.feed(False), endpoint.feed(True)] == [None, None]
    assert endpoint.feed(False) is UtteranceEnd.SILENCE


def test_a_click_in_the_silence_does_not_put_the_end_off() -> None:
    assert end_of("sss" + 8 * "." + "s" + 20 * ".") == (13, UtteranceEnd.SILENCE)


def test_a_word_that_begins_while_the_silence_ends_is_heard() -> None:
    assert end_of("sss" + 9 * "." + "sss" + 10 * ".") == (25, UtteranceEnd.SILENCE)
    assert end_of("sss" + 9 * "." + "ss" + 10 * ".") == (15, UtteranceEnd.SILENCE)


def test_who_speaks_for_long_is_given_longer_to_go_on() -> None:
    assert silence_after(WORD) == silence_after(10 * WORD) < silence_after(30 * WORD)


def test_who_paused_is_given_more_than_that_pause_to_go_on() -> None:
    assert silence_after(WORD + 18 * "." + WORD) > 22


def test_the_silence_is_never_longer_than_the_most() -> None:
    hesitating = Endpoint(ADAPTING)
    for seconds in (19, 24, 30, 38):
        assert fed(hesitating, WORD + seconds * ".") is None
    assert fed(hesitating, WORD + 100 * ".") == (50, UtteranceEnd.SILENCE)


def test_how_somebody_pauses_is_remembered() -> None:
    pace = Pace()
    before = silence_after(WORD, pace)
    pace.note_pause(25 * FRAME_SECONDS)
    assert silence_after(WORD, pace) == before, "one pause is no habit"
    for _ in range(20):
        pace.note_pause(25 * FRAME_SECONDS)
    assert silence_after(WORD, pace) > 25
    for _ in range(20):
        pace.note_pause(10 * FRAME_SECONDS)
    assert silence_after(WORD, pace) == before, "a habit can be given up"


def test_pauses_are_learnt_from_utterances_and_gaps_between_sounds_are_none() -> None:
    learnt, told = Pace(), Pace()
    fed(Endpoint(ADAPTING, pace=learnt), WORD + 4 * "." + WORD + 12 * "." + WORD + 30 * ".")
    told.note_pause(12 * FRAME_SECONDS)
    assert learnt.pause_seconds == pytest.approx(told.pause_seconds)


def test_the_silence_before_the_first_word_is_no_pause() -> None:
    pace = Pace()
    fed(Endpoint(ADAPTING, pace=pace), 30 * "." + WORD)
    assert pace.pause_seconds == Pace().pause_seconds


@pytest.mark.parametrize(
    ("sounds_finished", "frames"), [(True, 10), (False, 40), (None, silence_after(WORD))]
)
def test_the_words_tell_how_long_to_wait(sounds_finished: bool | None, frames: int) -> None:
    endpoint = Endpoint(ADAPTING)
    assert fed(endpoint, WORD + 5 * ".") is None
    endpoint.note_words(sounds_finished)
    assert fed(endpoint, 100 * ".") == (frames - 5, UtteranceEnd.SILENCE)


def test_words_that_come_late_end_it_at_once() -> None:
    endpoint = Endpoint(ADAPTING)
    assert fed(endpoint, WORD + 15 * ".") is None
    endpoint.note_words(True)
    assert fed(endpoint, ".") == (1, UtteranceEnd.SILENCE)


def test_words_count_until_speech_goes_on() -> None:
    endpoint = Endpoint(ADAPTING)
    assert fed(endpoint, WORD + 8 * ".") is None
    endpoint.note_words(True)
    assert fed(endpoint, WORD + 11 * ".") is None


@given(st.text("s.", max_size=200))
def test_whatever_is_heard_silence_ends_it_between_the_least_and_the_most(heard: str) -> None:
    endpoint = Endpoint(ADAPTING, pace=Pace())
    silent = 0
    for mark in heard + WORD + 50 * ".":
        silent = 0 if mark == "s" else silent + 1
        if endpoint.feed(mark == "s") is UtteranceEnd.SILENCE:
            break
    assert silent <= ADAPTING.end_silence_max_seconds / FRAME_SECONDS + 1
    assert endpoint.feed(False) in (UtteranceEnd.SILENCE, UtteranceEnd.NOTHING_SAID)


@given(st.lists(st.floats(0, 10)))
def test_a_pace_lies_among_the_pauses_it_was_told_of(seconds: list[float]) -> None:
    pace = Pace()
    usual = pace.pause_seconds
    for pause in seconds:
        pace.note_pause(pause)
    pauses = [usual, *(pause for pause in seconds if pause >= PAUSE_SECONDS)]
    assert min(pauses) - 1e-9 <= pace.pause_seconds <= max(pauses) + 1e-9
