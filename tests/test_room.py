"""How loud the room is, as the detectors see it: frames of one level after another."""

import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicehermes.adapters.sound.detectors.room import Room
from voicehermes.audio import FRAME_SAMPLES, FRAME_SECONDS, SILENCE_DBFS, to_pcm


def frame(dbfs: float, second_half_dbfs: float | None = None) -> bytes:
    """A frame of that level, or with another one in its second half."""
    half = FRAME_SAMPLES // 2
    levels = dbfs, dbfs if second_half_dbfs is None else second_half_dbfs
    first, second = (round(32768 * 10 ** (level / 20)) for level in levels)
    return to_pcm(array.array("h", [first] * half + [second] * half))


def room_of(dbfs: float, seconds: float = 5.0) -> Room:
    """A room that sounded like that for so long, and nobody spoke."""
    room = Room()
    hear(room, dbfs, seconds)
    return room


def hear(room: Room, dbfs: float, seconds: float) -> None:
    for _ in range(round(seconds / FRAME_SECONDS)):
        room.is_loud(frame(dbfs))
        room.note_no_speech()


def test_what_is_as_loud_as_the_room_is_not_loud() -> None:
    room = room_of(-40)
    assert not room.is_loud(frame(-40))
    assert not room.is_loud(frame(-36))
    assert room.is_loud(frame(-30))


def test_a_fan_that_starts_is_the_room_within_three_seconds() -> None:
    room = room_of(-60)
    assert room.is_loud(frame(-40))
    hear(room, -40, 3.0)
    assert not room.is_loud(frame(-38))


def test_a_fan_that_stops_is_forgotten_at_once() -> None:
    room = room_of(-40)
    hear(room, -60, 0.1)
    assert room.is_loud(frame(-50))


def test_a_click_in_half_of_a_frame_is_not_loud() -> None:
    room = room_of(-60)
    assert not room.is_loud(frame(-60, -20))
    assert not room.is_loud(frame(-20, -60))


def test_hardly_a_sound_in_a_silent_room_is_not_loud() -> None:
    assert not room_of(SILENCE_DBFS).is_loud(frame(-70))
    assert room_of(SILENCE_DBFS).is_loud(frame(-46))


def test_in_a_room_that_is_not_known_everything_is_loud() -> None:
    room = Room()
    assert room.is_loud(frame(-30))
    assert room.level_dbfs - room.usual_dbfs > 20


def test_the_usual_level_lies_between_the_notes_and_the_pauses_of_music() -> None:
    room = room_of(-50)
    for _ in range(20):
        hear(room, -30, 0.2)
        hear(room, -40, 0.2)
    assert -38 < room.usual_dbfs < -32
    assert room.floor_dbfs == pytest.approx(-40, abs=0.2)


def test_speech_that_is_not_known_for_what_it_is_does_not_become_the_usual() -> None:
    room = Room()
    for _ in range(10):
        hear(room, -20, 0.7)
        hear(room, -60, 0.3)
    room.is_loud(frame(-20))
    assert room.level_dbfs - room.usual_dbfs > 15


@given(st.lists(st.floats(-90, -1), min_size=10, max_size=200))
def test_the_floor_is_never_above_what_was_just_heard(levels: list[float]) -> None:
    room = Room()
    for dbfs in levels:
        room.is_loud(frame(dbfs))
        room.note_no_speech()
        assert SILENCE_DBFS <= room.floor_dbfs <= max(SILENCE_DBFS, room.level_dbfs) + 1e-9
        assert room.floor_dbfs <= room.usual_dbfs <= room.floor_dbfs + 20
