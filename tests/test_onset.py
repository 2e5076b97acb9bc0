"""The rule by which somebody surely begins to speak."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicehermes.hearing.onset import Onset


def told(heard: str) -> str:
    """What is told at each frame: "." nothing, "h" a hint, "S" speech.

    Of those heard "s" is surely speech, "m" may be.
    """
    onset = Onset()
    marks = {"nothing": ".", "hint": "h", "speech": "S"}
    return "".join(marks[onset.feed(is_speech=mark in "sm", is_sure=mark == "s")] for mark in heard)


def test_a_word_is_a_hint_and_then_speech() -> None:
    assert told("..ssssss") == "..hhhhSS"


@pytest.mark.parametrize("click", ["s", "ss", "sss", "ssss", "s.s.s"])
def test_a_click_is_a_hint_that_goes_away(click: str) -> None:
    said = told(click + 12 * ".")
    assert set(said) == {"h", "."}
    assert said.endswith(".")


def test_a_word_with_a_closure_in_it_is_speech() -> None:
    assert told("ss...sss").endswith("S")


def test_a_note_of_music_of_which_nothing_is_sure_remains_a_hint() -> None:
    assert told(20 * "m" + 12 * ".") == 29 * "h" + "..."


@pytest.mark.parametrize("word", ["mmmms", "smmmm", "mmmmmmms", "smmmmmmm"])
def test_one_frame_of_which_it_is_sure_makes_a_word_of_the_others(word: str) -> None:
    assert "S" in told(word)


def test_clicks_far_from_each_other_do_not_add_up() -> None:
    assert "S" not in told(20 * "ss........")


def test_frames_count_from_the_first_evidence() -> None:
    onset = Onset()
    frames = []
    for mark in "..s.s..........":
        onset.feed(is_speech=mark == "s", is_sure=mark == "s")
        frames.append(onset.frames)
    assert frames == [0, 0, *range(1, 13), 0]


def test_a_reset_forgets() -> None:
    onset = Onset()
    for _ in range(4):
        onset.feed(is_speech=True, is_sure=True)
    onset.reset()
    assert onset.frames == 0
    assert onset.feed(is_speech=True, is_sure=True) == "hint"


@given(st.lists(st.booleans(), max_size=80))
def test_a_hint_is_always_resolved_and_speech_always_hinted(heard: list[bool]) -> None:
    onset = Onset()
    before = "nothing"
    for is_speech in [*heard, *[False] * 12]:
        evidence = onset.feed(is_speech=is_speech, is_sure=is_speech)
        assert (evidence == "nothing") == (onset.frames == 0)
        assert (before, evidence) != ("nothing", "speech")
        before = evidence
    assert before == "nothing"
