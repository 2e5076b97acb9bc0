"""Parts: where an utterance is parted while it is spoken, and that nothing is lost by it."""

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.microphone import PlainEncoder
from voicehermes.audio import FRAME_BYTES, FRAME_SECONDS, UtteranceEnd
from voicehermes.hearing.parts import PAUSE_SECONDS, SHORT_PAUSE_SECONDS, Parts
from voicehermes.hearing.trimming import Trimmer

PART = 10
"""Frames of speech that make a part here."""
PAUSE = round(PAUSE_SECONDS / FRAME_SECONDS + 0.49)
SHORT_PAUSE = round(SHORT_PAUSE_SECONDS / FRAME_SECONDS + 0.49)

RELEASED = UtteranceEnd.RELEASED


class Talk:
    """Parts of frames that are speech where there is a "#", trimmed as a recording does it."""

    def __init__(self) -> None:
        self.parts = Parts((PART - 0.5) * FRAME_SECONDS, PlainEncoder)
        self.trimmer = Trimmer()
        self.whole: list[int] = []
        self.taken: list[list[int]] = []
        self.position = 0

    def hear(self, speech: str, *, words_are_quick: bool = True) -> "Talk":
        for mark in speech:
            frame = self.position.to_bytes(2, "big").ljust(FRAME_BYTES, b"\0")
            kept = self.trimmer.feed(frame, mark == "#")
            self.whole += positions(b"".join(kept))
            self.parts.feed(kept, mark == "#")
            taken = self.parts.take()
            self.taken += [positions(part.data) for part in taken]
            if taken and words_are_quick:
                self.parts.note_words()
            self.position += 1
        return self

    def rest(self, min_speech_seconds: float = 0.0) -> list[int] | None:
        rest = self.parts.finish(RELEASED, min_speech_seconds)
        return None if rest is None else positions(rest.data)


def positions(data: bytes) -> list[int]:
    return [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), FRAME_BYTES)]


def test_a_part_ends_in_the_middle_of_the_pause_behind_it() -> None:
    talk = Talk().hear("#" * PART + "." * PAUSE + "##")
    assert talk.taken == [list(range(PART + PAUSE // 2))]
    assert talk.rest() == list(range(PART + PAUSE // 2, PART + PAUSE + 2))


def test_a_part_is_complete_as_soon_as_the_pause_is_long_enough() -> None:
    talk = Talk().hear("#" * PART + "." * (PAUSE - 1))
    assert talk.taken == []
    assert len(talk.hear(".").taken) == 1


def test_a_shorter_pause_parts_nothing() -> None:
    pause = "." * (PAUSE - 1)
    assert Talk().hear("#" * PART + pause + "#" * (PART - 1) + pause).taken == []


def test_a_long_part_ends_in_a_shorter_pause_too() -> None:
    assert Talk().hear("#" * (2 * PART - 1) + "." * SHORT_PAUSE).taken == []
    assert len(Talk().hear("#" * 2 * PART + "." * SHORT_PAUSE).taken) == 1


def test_less_speech_than_a_part_wants_is_not_parted_however_long_the_pause() -> None:
    assert Talk().hear("#" * (PART - 1) + "." * 100).taken == []


def test_what_was_said_before_a_pause_counts_for_the_next_one() -> None:
    talk = Talk().hear("#" * (PART - 1) + "." * PAUSE + "#" + "." * PAUSE)
    assert [part[-1] for part in talk.taken] == [PART + PAUSE + PAUSE // 2 - 1]


def test_while_two_parts_are_not_understood_the_next_one_grows() -> None:
    spoken = "#" * PART + "." * PAUSE
    talk = Talk().hear(spoken * 4, words_are_quick=False)
    assert len(talk.taken) == 2
    talk.parts.note_words()
    third = talk.hear(spoken).taken[2]
    assert (third[0], third[-1]) == (
        2 * len(spoken) - (PAUSE - PAUSE // 2),
        5 * len(spoken) - PAUSE + SHORT_PAUSE // 2 - 1,
    )


def test_words_that_come_in_the_pause_let_the_next_part_go_at_once() -> None:
    talk = Talk().hear(("#" * PART + "." * PAUSE) * 3, words_are_quick=False)
    talk.parts.note_words()
    assert len(talk.hear(".").taken) == 3


def test_all_is_known_once_every_part_is_understood_and_nothing_was_said_since() -> None:
    talk = Talk().hear(("#" * PART + "." * PAUSE) * 2, words_are_quick=False)
    talk.parts.note_words()
    assert not talk.parts.are_known
    talk.parts.note_words()
    assert talk.parts.are_known
    assert not talk.hear("#").parts.are_known


def test_there_is_no_rest_where_nothing_was_said_after_the_last_part() -> None:
    talk = Talk().hear("#" * PART + "." * 100)
    assert talk.rest() is None


def test_there_is_no_rest_where_there_are_no_parts() -> None:
    talk = Talk().hear("#" * (PART - 1) + "." * 100)
    assert talk.rest() is None


def test_a_click_after_the_last_part_is_no_rest() -> None:
    talk = Talk().hear("#" * PART + "." * 30 + "#" + "." * 30)
    assert talk.rest(min_speech_seconds=2 * FRAME_SECONDS) is None


def test_a_part_tells_its_length_and_that_silence_ended_it() -> None:
    talk = Talk()
    talk.hear("#" * PART + "." * (PAUSE - 1))
    talk.parts.feed([], is_speech=False)
    [part] = talk.parts.take()
    assert part.end is UtteranceEnd.SILENCE
    assert part.seconds == len(part.data) / FRAME_BYTES * FRAME_SECONDS


@given(
    st.lists(st.tuples(st.integers(1, 25), st.integers(1, 60)), min_size=1, max_size=12),
    st.booleans(),
)
def test_parts_and_rest_are_the_utterance_with_nothing_lost_or_doubled(
    stretches: list[tuple[int, int]], words_are_quick: bool
) -> None:
    talk = Talk()
    for speech, silence in stretches:
        talk.hear("#" * speech + "." * silence, words_are_quick=words_are_quick)
    if not talk.taken:
        return
    said = [position for part in talk.taken for position in part]
    rest = talk.rest()
    together = said + (rest or [])
    # Where there is no rest, the silence at the end belongs to nobody.
    assert together == talk.whole[: len(together)]
    assert rest is None or together == talk.whole
    for before, after in zip(talk.taken, [*talk.taken[1:], rest or []], strict=True):
        assert not after or before[-1] < after[0]
