"""Our own sound lies beside what the microphone hears of it, a little early and without a hole."""

from array import array
from itertools import pairwise

import pytest

from voicehermes.audio import FRAME_BYTES, FRAME_SAMPLES, FRAME_SECONDS, RATE_HZ
from voicehermes.hearing.far_end import LEAD_SECONDS, FarEnd

BLOCK_SECONDS = 0.02
BLOCK = 320


def _numbered(first: int, count: int) -> bytes:
    """Samples that tell their own number."""
    return array("h", (_number(n) for n in range(first, first + count))).tobytes()


def _number(sample: int) -> int:
    return sample % 30_000 + 1


def _first(begins_at: float, heard_at: float) -> int:
    """What a piece that begins then has first, of a sound whose beginning is heard then."""
    return _number(round((begins_at + LEAD_SECONDS - heard_at) * RATE_HZ))


class Stage:
    """A speaker that takes a block every 20 ms, heard ``delay_seconds`` later, and a microphone."""

    def __init__(self, delay_seconds: float, *, prefill: int = 1) -> None:
        self.far_end = FarEnd()
        self.delay_seconds = delay_seconds
        self.prefill = prefill
        self.blocks = 0
        self.frames = 0
        self.is_closed = False
        self.late_seconds = 0.0

    def run(self, until: float) -> list[list[int]]:
        """Go on until that time; the pieces, one for each frame."""
        pieces = []
        while (ended_at := (self.frames + 1) * FRAME_SECONDS) <= until:
            self._play(ended_at)
            piece = self.far_end.piece(ended_at)
            assert len(piece) == FRAME_BYTES
            pieces.append(array("h", piece).tolist())
            self.frames += 1
        return pieces

    def _play(self, now: float) -> None:
        while not self.is_closed:
            taken_at = max(0, self.blocks + 1 - self.prefill) * BLOCK_SECONDS + self.late_seconds
            if taken_at > now:
                return
            pcm = _numbered(self.blocks * BLOCK, BLOCK)
            self.far_end.played(pcm, taken_at + self.delay_seconds)
            self.blocks += 1


def _holes(pieces: list[list[int]]) -> int:
    """How often a sample does not follow the one before."""
    samples = [sample for piece in pieces for sample in piece]
    return sum(b != _number(a) for a, b in pairwise(samples))


def test_nothing_was_played_yet() -> None:
    assert FarEnd().piece(3.0) == bytes(FRAME_BYTES)


@pytest.mark.parametrize("delay_seconds", [0.09, 0.1, 0.3, 1.0])
def test_each_frame_gets_what_is_heard_a_little_later(delay_seconds: float) -> None:
    pieces = Stage(delay_seconds).run(5.0)
    for number in range(40, len(pieces)):
        assert pieces[number][0] == _first(number * FRAME_SECONDS, heard_at=delay_seconds)
    assert _holes(pieces[40:]) == 0


def test_before_the_first_sound_there_is_silence() -> None:
    first = Stage(0.5).run(0.4)
    assert not any(map(any, first))


def test_a_device_that_takes_several_blocks_at_once_when_it_begins_is_no_clock() -> None:
    stage = Stage(0.08, prefill=4)
    pieces = stage.run(3.0)
    assert _holes(pieces[10:]) == 0
    assert pieces[50][0] == _first(50 * FRAME_SECONDS, heard_at=0.08 - 3 * BLOCK_SECONDS)


@pytest.mark.parametrize("delay_seconds", [0.0, 0.03, 0.06])
def test_a_device_without_delay_is_followed_without_a_hole(delay_seconds: float) -> None:
    pieces = Stage(delay_seconds).run(5.0)
    assert _holes(pieces[40:]) == 0
    assert pieces[-1][-1] >= _number(round((5.0 - 0.15) * RATE_HZ))


def test_a_jitter_of_the_device_moves_nothing() -> None:
    far_end = FarEnd()
    pieces: list[list[int]] = []
    taken = 0
    for number in range(300):
        now = (number + 1) * FRAME_SECONDS
        while (taken + 1) * BLOCK_SECONDS <= now:
            late = (taken * 7 % 5) * 0.004
            far_end.played(_numbered(taken * BLOCK, BLOCK), taken * BLOCK_SECONDS + 0.15 + late)
            taken += 1
        pieces.append(array("h", far_end.piece(now)).tolist())
    assert _holes(pieces[60:]) == 0


def test_a_device_that_stops_a_while_does_not_lag_behind_its_sound_for_good() -> None:
    stage = Stage(0.1)
    stage.run(3.0)
    stage.late_seconds = 0.15
    stage.run(4.0)
    last = stage.run(9.0)[-1]
    lead = last[0] - _first((stage.frames - 1) * FRAME_SECONDS, heard_at=0.25)
    assert -480 <= lead <= 3200


def test_a_speaker_that_was_closed_is_silent_and_begins_anew() -> None:
    stage = Stage(0.1)
    stage.run(2.0)
    stage.is_closed = True
    stage.run(3.0)
    assert not any(map(any, stage.run(10.0)))
    stage.far_end.played(_numbered(500, 16_000), 10.5)
    pieces = stage.run(11.4)
    sounding = [sample for piece in pieces for sample in piece if sample]
    assert sounding[0] == 501
    number = next(number for number, piece in enumerate(pieces) if any(piece))
    begins_at = (stage.frames - len(pieces) + number) * FRAME_SECONDS
    assert begins_at <= 10.5 - LEAD_SECONDS <= begins_at + FRAME_SECONDS


def test_what_nobody_asks_for_is_forgotten() -> None:
    far_end = FarEnd()
    for number in range(10_000):
        far_end.played(_numbered(number * BLOCK, BLOCK), number * BLOCK_SECONDS)
    assert len(far_end._pcm) <= 2 * RATE_HZ * 2
    assert far_end.piece(0.0) == bytes(FRAME_BYTES)
    piece = array("h", far_end.piece(199.0)).tolist()
    assert len(piece) == FRAME_SAMPLES
    assert piece[0] == _first(199.0 - FRAME_SECONDS, heard_at=0.0)


@pytest.mark.parametrize(("delay_seconds", "settled"), [(0.08, 0), (0.06, 0), (0.04, 10)])
def test_what_is_late_moves_it_at_first_and_never_again(delay_seconds: float, settled: int) -> None:
    """A resampler holds back now more and now less: each move costs what the canceller learnt."""
    far_end = FarEnd()
    pieces: list[list[int]] = []
    taken = given = 0
    for number in range(2_000):
        now = (number + 1) * FRAME_SECONDS
        while (taken + 1) * BLOCK_SECONDS <= now:
            taken += 1
            held = taken * 37 % 16 * 20  # up to a block
            count = taken * BLOCK - held - given
            at = given / RATE_HZ + delay_seconds + taken * 7 % 5 * 0.001
            far_end.played(_numbered(given, count), at)
            given += count
        pieces.append(array("h", far_end.piece(now)).tolist())
    begun = next(number for number, piece in enumerate(pieces) if piece[0])
    assert _holes(pieces[begun + settled :]) == 0


def test_the_first_block_since_the_speaker_was_opened_is_told_as_such() -> None:
    far_end = FarEnd()
    told = [
        far_end.played(bytes(BLOCK * 2), at)
        for at in (1.0, 1.0 + BLOCK_SECONDS, 9.0, 9.0 + BLOCK_SECONDS)
    ]
    assert told == [True, False, True, False]
