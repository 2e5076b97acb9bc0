"""What is to be told of verdicts on frames while nothing is recorded."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.microphone import quiet
from voicehermes.audio import FRAME_SECONDS
from voicehermes.hearing.ear_events import HintGone, SpeechHinted, VoiceBegan
from voicehermes.hearing.lookout import Lookout
from voicehermes.hearing.past import Past

Told = SpeechHinted | HintGone | VoiceBegan


class Room:
    """A lookout and all that it told."""

    def __init__(self) -> None:
        self.past = Past(2.0)
        self.lookout = Lookout(self.past)
        self.told: list[Told] = []

    def hear(self, pattern: str) -> None:
        """Frames, each speech (x), silence (.) or a rest (r) before the next."""
        for sign in pattern:
            if sign == "r":
                self._note(self.lookout.rest())
                continue
            self.past.push(quiet(), max(0.0, self.past.newest_ended_at) + FRAME_SECONDS)
            self._note(self.lookout.take(is_speech=sign == "x", is_sure=sign == "x"))

    def _note(self, event: Told | None) -> None:
        if event is not None:
            self.told.append(event)


def told_of(pattern: str) -> list[Told]:
    room = Room()
    room.hear(pattern)
    return room.told


def test_silence_is_nothing() -> None:
    assert told_of("." * 100) == []


def test_a_click_is_a_hint_that_goes_away() -> None:
    assert told_of("...x" + "." * 20) == [SpeechHinted(), HintGone()]


def test_a_word_is_a_hint_and_then_a_voice_that_began_with_its_first_frame() -> None:
    hint, voice = told_of("...." + "x" * 20)
    assert hint == SpeechHinted()
    assert isinstance(voice, VoiceBegan)
    assert voice.at == pytest.approx(4 * FRAME_SECONDS)
    assert voice.silence_seconds == math.inf


def test_the_voice_that_began_is_not_told_again_until_it_was_silent() -> None:
    assert len(told_of("x" * 10 + "." * 5 + "x" * 10)) == 2
    assert len(told_of("x" * 10 + "." * 40 + "x" * 10)) == 4


def test_the_silence_before_it_is_from_the_last_speech_to_the_first_evidence() -> None:
    *_, voice = told_of("x" * 10 + "." * 40 + "x" * 10)
    assert isinstance(voice, VoiceBegan)
    assert voice.silence_seconds == pytest.approx(40 * FRAME_SECONDS)


def test_a_click_does_not_interrupt_that_silence() -> None:
    *_, voice = told_of("x" * 10 + "." * 20 + "x" + "." * 19 + "x" * 10)
    assert isinstance(voice, VoiceBegan)
    assert voice.silence_seconds == pytest.approx(40 * FRAME_SECONDS)


def test_a_rest_takes_a_hint_back_and_forgets_the_evidence() -> None:
    assert told_of("xxxr") == [SpeechHinted(), HintGone()]
    assert told_of("xxxrrr" + "." * 20) == [SpeechHinted(), HintGone()]
    assert told_of("x" * 10 + "r") == told_of("x" * 10)


@given(st.text("x.r", max_size=200))
def test_every_hint_has_an_end_and_every_end_a_hint(pattern: str) -> None:
    is_hinted = False
    for event in told_of(pattern + "r"):
        assert is_hinted is not isinstance(event, SpeechHinted)
        is_hinted = isinstance(event, SpeechHinted)
    assert not is_hinted
