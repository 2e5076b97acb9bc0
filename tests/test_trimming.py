"""Trimming: silence at both ends goes, nothing else does."""

from voicehermes.audio import FRAME_SECONDS
from voicehermes.hearing.trimming import LEAD_SECONDS, TAIL_SECONDS, Trimmer

LEAD = round(LEAD_SECONDS / FRAME_SECONDS + 0.49)
TAIL = round(TAIL_SECONDS / FRAME_SECONDS + 0.49)


def trim(speech: str) -> list[int]:
    """The positions that are kept of frames that are speech where there is a "#"."""
    trimmer = Trimmer()
    kept: list[bytes] = []
    for position, mark in enumerate(speech):
        kept += trimmer.feed(position.to_bytes(2, "big"), mark == "#")
    return [int.from_bytes(frame, "big") for frame in kept]


def test_silence_alone_keeps_nothing() -> None:
    assert trim("." * 200) == []


def test_leading_silence_is_kept_as_a_margin_only() -> None:
    assert trim("." * 100 + "###") == list(range(100 - LEAD, 103))


def test_a_start_in_the_middle_of_a_word_keeps_its_first_frame() -> None:
    assert trim("####") == [0, 1, 2, 3]


def test_trailing_silence_is_kept_as_a_margin_only() -> None:
    assert trim("###" + "." * 100) == list(range(3 + TAIL))


def test_silence_between_words_is_kept_whole_however_long() -> None:
    assert trim("#" + "." * 500 + "#") == list(range(502))


def test_frames_keep_their_order_and_come_once() -> None:
    kept = trim("." * 40 + "##" + "." * 20 + "#" + "." * 3 + "##" + "." * 40)
    assert kept == list(range(40 - LEAD, 68 + TAIL))


def test_what_is_kept_is_given_out_at_once_so_that_nothing_is_left_at_the_end() -> None:
    trimmer = Trimmer()
    assert trimmer.feed(b"word", True) == [b"word"]
    assert trimmer.feed(b"pause", False) == [b"pause"]


def test_speech_is_counted_without_the_silence_around_it() -> None:
    trimmer = Trimmer()
    for mark in "..##..#..":
        trimmer.feed(b"", mark == "#")
    assert trimmer.speech_seconds == 3 * FRAME_SECONDS
