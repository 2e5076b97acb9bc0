"""Whole conversations in which the user, or a new question, breaks in on the answer."""

import time

import numpy as np
import pytest

from tests.real.conversation import KEY, Conversation, House, scripted
from tests.real.correlation import QUIET, find_all, find_interrupted
from tests.real.listening import RATE_HZ
from voicehermes.simulator.scenario import Pace, Pause

pytestmark = pytest.mark.real_parts

LONG = "C'era una volta un guardiano del faro che parlava con le navi."
DIARY = ["Ho controllato il calendario.", "Domani mattina non hai impegni."]
WEATHER = "Domani pioverà fino a sera."

STOP_SECONDS = 0.15
"""From the key to silence, at the device."""

HEARD_LATE_SECONDS = 0.05
"""What the way from the virtual speaker to our ear, and the key's to the daemon, may add."""


def _seconds_until_silent(talk: Conversation, since: float, until: float) -> float:
    """How long after ``since`` the last sound before ``until`` came out."""
    heard = talk.listener.samples[: talk.listener.sample_at(until)]
    last = int(np.flatnonzero(np.abs(heard) > QUIET)[-1])
    return talk.listener.time_of(last) - since


def _let_it_speak(talk: Conversation, seconds: float = 1.0) -> None:
    talk.listener.wait_for_sound()
    time.sleep(seconds)
    assert talk.home.status()["state"] == "speaking"


def test_a_press_without_words_stops_the_sound_and_it_goes_on_where_it_was(house: House) -> None:
    with house.open(scripted([LONG])) as talk:
        talk.say(house.word)
        _let_it_speak(talk)
        pressed_at = time.monotonic()
        talk.press()
        talk.play(house.noise)
        released_at = time.monotonic()
        talk.release()
        assert talk.wait_for_end(turn=2) == "no speech"
        assert talk.wait_for_end(turn=1) == "answered"

        stop_seconds = _seconds_until_silent(talk, pressed_at, released_at)
        assert stop_seconds < STOP_SECONDS + HEARD_LATE_SECONDS
        [(_, sound)] = talk.spoken()
        find_interrupted(sound, talk.listener.samples, RATE_HZ)
        assert len(talk.requests("/api/transcribe")) == 1
        assert len(talk.requests("/api/chat/start")) == 1


def test_a_press_with_words_replaces_the_answer(house: House) -> None:
    with house.open(scripted([f"{LONG} ", Pause(20.0), LONG], [WEATHER])) as talk:
        talk.say(house.word)
        _let_it_speak(talk)
        pressed_at = time.monotonic()
        talk.say(house.word)
        assert talk.wait_for_end(turn=2) == "answered"

        assert len(talk.requests("/api/chat/cancel")) == 1
        [(first, old), *_, (last, new)] = talk.spoken()
        assert (first, last) == (LONG, WEATHER)
        heard = talk.listener.samples
        [answer] = find_all(new, heard)
        assert _seconds_until_silent(talk, pressed_at, talk.listener.time_of(answer.at)) < 0.2
        tail = old[-len(old) // 4 :]
        assert find_all(tail, heard) == []
        assert [event["outcome"] for event in talk.home.events("turn_end")] == [
            "replaced",
            "answered",
        ]


def test_a_tap_is_silence_for_good_and_the_run_goes_on(house: House) -> None:
    slow = Pace(first_token_seconds=0.1, characters_per_second=30)
    with house.open(scripted([f"{LONG} {LONG}"], [WEATHER], pace=slow)) as talk:
        talk.say(house.word)
        _let_it_speak(talk, 0.5)
        tapped_at = time.monotonic()
        talk.tap()
        assert talk.wait_for_end(turn=1) == "answered"
        assert talk.requests("/api/chat/cancel") == []
        assert _seconds_until_silent(talk, tapped_at, time.monotonic()) < 0.2

        talk.say(house.word)
        assert talk.wait_for_end(turn=3) == "answered"
        [*_, (text, sound)] = talk.spoken()
        assert text == WEATHER
        talk.find_in_order([sound])


def test_the_cancel_key_ends_the_sound_and_the_run(house: House) -> None:
    slow = Pace(first_token_seconds=0.1, characters_per_second=30)
    settings = {"talk": {"cancel_hotkey": "f10"}}
    with house.open(scripted([f"{LONG} {LONG}"], [WEATHER], pace=slow), settings) as talk:
        talk.say(house.word)
        _let_it_speak(talk, 0.5)
        cancelled_at = time.monotonic()
        talk.tap("F10")
        assert talk.wait_for_end(turn=1) == "cancelled"
        assert talk.home.status()["state"] == "idle"
        assert _seconds_until_silent(talk, cancelled_at, time.monotonic()) < 0.2
        assert len(talk.requests("/api/chat/cancel")) == 1

        talk.say(house.word)
        assert talk.wait_for_end(turn=2) == "answered"
        [*_, (text, sound)] = talk.spoken()
        assert text == WEATHER
        talk.find_in_order([sound])


def test_the_cancel_key_while_listening_sends_nothing(house: House) -> None:
    settings = {"talk": {"cancel_hotkey": "f10"}}
    with house.open(scripted([WEATHER]), settings) as talk:
        talk.press()
        talk.play(house.word)
        talk.tap("F10")
        talk.x.key_up(KEY)
        assert talk.wait_for_end(turn=1) == "cancelled"
        time.sleep(0.5)
        assert talk.requests("/api/transcribe") == []
        assert talk.home.unsent == []
