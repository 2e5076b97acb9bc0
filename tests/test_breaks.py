"""A clip is stopped where a voice takes a breath, and not inside a word."""

from array import array

import pytest

from voicehermes.speaking.breaks import next_pause, quietest


def _pcm(*pieces: tuple[int, float]) -> bytes:
    """Pieces of an amplitude and a length in seconds; the sign of the samples changes."""
    samples = array("h")
    for amplitude, seconds in pieces:
        samples.extend([amplitude, -amplitude] * round(12_000 * seconds))
    return samples.tobytes()


def _seconds(place: int | None) -> float | None:
    return None if place is None else place / 48_000


SENTENCES = _pcm((9_000, 1.0), (0, 0.2), (9_000, 1.0), (20, 0.4), (9_000, 1.0), (0, 0.3))
"""A comma after 1 s, a breath of -53 dB from 2.2 to 2.6 s, and quiet from 3.6 s on."""


def test_a_pause_at_a_comma_is_passed_over_and_one_between_sentences_is_found() -> None:
    assert _seconds(next_pause(SENTENCES, 0, len(SENTENCES))) == pytest.approx(2.35, abs=0.006)


def test_a_pause_that_has_begun_is_used_while_enough_of_it_is_left() -> None:
    begin = round(48_000 * 2.3)
    place = next_pause(SENTENCES, begin, len(SENTENCES))
    assert place is not None
    assert _seconds(place) == pytest.approx(2.45, abs=0.006)
    begin = round(48_000 * 2.5)
    place = next_pause(SENTENCES, begin, len(SENTENCES))
    assert _seconds(place) == pytest.approx(3.75, abs=0.006)


def test_a_pause_that_is_too_far_away_is_none() -> None:
    assert next_pause(SENTENCES, 0, 48_000 * 2) is None
    assert next_pause(_pcm((9_000, 2.0)), 0, 96_000) is None
    assert next_pause(b"", 0, 0) is None


def test_quiet_speech_is_no_pause() -> None:
    whisper = _pcm((9_000, 0.5), (300, 1.0), (9_000, 0.5))
    assert next_pause(whisper, 0, len(whisper)) is None


def test_a_place_is_always_the_beginning_of_a_sample() -> None:
    for begin in range(0, 400, 2):
        place = next_pause(SENTENCES, begin, len(SENTENCES))
        assert place is not None
        assert place % 2 == 0
        assert quietest(SENTENCES, begin, len(SENTENCES)) % 2 == 0


def test_the_quietest_place_is_where_stopping_is_heard_least() -> None:
    pcm = _pcm((9_000, 1.0), (2_000, 0.02), (9_000, 1.0), (1_000, 0.5))
    assert _seconds(quietest(pcm, 0, 48_000 * 2)) == pytest.approx(1.0, abs=0.02)
    assert quietest(pcm, 100, 100) == 100
