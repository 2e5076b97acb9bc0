"""What the speaker pulls is what was queued: each sample once, in order, without clicks."""

import random
import threading
from array import array

from hypothesis import given, settings
from hypothesis import strategies as st

from voicehermes.audio import Sound
from voicehermes.speaking.mixing import Block, Mark, Mixer

FADE = 120
"""5 ms in samples."""


def _ramp(first: int, count: int) -> Sound:
    """Samples that are all different and never 0."""
    return Sound(array("h", range(first, first + count)).tobytes())


def _flat(value: int, count: int) -> Sound:
    return Sound(array("h", [value] * count).tobytes())


def _samples(pcm: bytes) -> list[int]:
    return array("h", pcm).tolist()


class Reader:
    """A mixer, and the blocks that it reported."""

    def __init__(self, *, volume: float = 1.0) -> None:
        self.blocks: list[Block] = []
        self.mixer = Mixer(self.blocks.append, volume=volume)

    def read(self, count: int) -> list[int]:
        samples = _samples(self.mixer.read(count))
        assert len(samples) == count
        return samples


def test_clips_follow_each_other_without_a_hole() -> None:
    reader = Reader()
    reader.mixer.enqueue(1, _ramp(1, 700))
    reader.mixer.enqueue(2, _ramp(701, 700))
    assert reader.read(1000) + reader.read(1000) == [*range(1, 1401), *[0] * 600]


def test_marks_tell_where_each_clip_begins_and_ends() -> None:
    reader = Reader()
    reader.mixer.enqueue(1, _ramp(1, 700))
    reader.mixer.enqueue(2, _ramp(701, 700))
    reader.read(1000)
    reader.read(1000)
    reader.read(1000)
    assert reader.blocks == [
        Block((Mark(1, False, 0), Mark(1, True, 700), Mark(2, False, 700)), 1000),
        Block((Mark(2, True, 400),), 400),
        Block((), 0),
    ]


def test_a_pause_fades_in_5_ms_and_a_resume_goes_on_where_it_stopped() -> None:
    reader = Reader()
    reader.mixer.enqueue(1, _flat(9_000, 2000))
    assert reader.read(500) == [9_000] * 500
    reader.mixer.pause()
    fading = reader.read(500)
    assert fading[:FADE] == sorted(fading[:FADE], reverse=True)
    assert fading[FADE:] == [0] * (500 - FADE)
    assert reader.read(300) == [0] * 300
    reader.mixer.resume()
    rest = reader.read(2000)
    assert rest[:FADE] == sorted(rest[:FADE])
    assert rest[FADE:1500] == [9_000] * (1500 - FADE)
    assert rest[1500:] == [0] * 500


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(["read", "pause", "resume"]), st.integers(1, 400))))
def test_no_sample_is_lost_or_doubled_however_often_it_is_paused(
    steps: list[tuple[str, int]],
) -> None:
    reader = Reader()
    sound = _ramp(1, 3000)
    reader.mixer.enqueue(1, sound)
    given_away: list[int] = []
    is_paused = False
    for step, count in [*steps, ("resume", 0), ("read", 3001)]:
        if step == "pause":
            is_paused = True
            reader.mixer.pause()
        elif step == "resume":
            is_paused = False
            reader.mixer.resume()
        else:
            left = reader.mixer.queued_seconds
            samples = reader.read(count)
            if is_paused:
                assert reader.mixer.queued_seconds == left
            else:
                given_away += samples
    # A sample is itself, or less while it fades in; a fade-out may lie above it.
    assert len(given_away) >= 3000
    faded = sum(a != b for a, b in zip(given_away, range(1, 3001), strict=False))
    assert faded <= FADE * sum(step == "resume" for step, _ in [*steps, ("resume", 0)])
    marks = [mark.is_end for block in reader.blocks for mark in block.marks]
    assert marks == [False, True]


def test_pausing_before_a_clip_began_plays_nothing_of_it() -> None:
    reader = Reader()
    reader.mixer.enqueue(1, _flat(9_000, 500))
    reader.mixer.pause()
    reader.mixer.pause()
    assert reader.read(500) == [0] * 500
    reader.mixer.resume()
    assert reader.read(500) == [9_000] * 500


def test_a_dropped_clip_fades_out_and_the_next_one_begins() -> None:
    reader = Reader()
    reader.mixer.enqueue(1, _flat(9_000, 2000))
    reader.mixer.enqueue(2, _flat(5_000, 2000))
    reader.mixer.enqueue(3, _flat(1_000, 2000))
    reader.read(500)
    reader.mixer.drop({1, 2})
    after = reader.read(500)
    assert 9_900 < after[0] < 10_000
    assert after[FADE:] == [1_000] * (500 - FADE)
    assert Mark(1, True, 0) not in reader.blocks[-1].marks


def test_a_clip_dropped_while_paused_is_not_heard_again() -> None:
    reader = Reader()
    reader.mixer.enqueue(1, _flat(9_000, 2000))
    reader.read(500)
    reader.mixer.pause()
    reader.read(500)
    reader.mixer.drop({1})
    assert reader.read(500) == [0] * 500
    reader.mixer.resume()
    assert reader.read(500) == [0] * 500


def test_what_is_in_front_comes_at_the_end_of_the_clip_that_is_played() -> None:
    reader = Reader()
    for tag in (1, 2, 3):
        reader.mixer.enqueue(tag, _flat(tag, 10))
    reader.read(5)
    reader.mixer.interject(8, _flat(8, 10))
    reader.mixer.give_way()
    reader.mixer.interject(9, _flat(9, 10))
    reader.mixer.give_way()
    assert reader.read(45) == [1] * 5 + [8] * 10 + [9] * 10 + [2] * 10 + [3] * 10


def test_a_cue_sounds_over_the_queue_and_over_a_pause() -> None:
    reader = Reader()
    reader.mixer.enqueue(1, _flat(1_000, 300))
    reader.mixer.overlay(_flat(50, 200))
    assert reader.read(300) == [1_050] * 200 + [1_000] * 100
    reader.mixer.pause()
    reader.mixer.overlay(_flat(50, 200))
    assert not reader.mixer.is_silent
    assert reader.read(300) == [50] * 200 + [0] * 100
    assert reader.blocks[-1].sounding == 200
    assert reader.mixer.is_silent


def test_two_loud_sounds_at_once_are_clipped_and_do_not_wrap() -> None:
    reader = Reader()
    reader.mixer.enqueue(1, _flat(30_000, 10))
    reader.mixer.overlay(_flat(30_000, 10))
    assert reader.read(10) == [32_767] * 10


def test_the_volume_holds_for_all_that_sounds() -> None:
    reader = Reader(volume=0.5)
    reader.mixer.enqueue(1, _flat(1_000, 10))
    reader.mixer.overlay(_flat(200, 10))
    assert reader.read(10) == [600] * 10


def test_what_is_queued_is_counted_in_seconds() -> None:
    reader = Reader()
    reader.mixer.enqueue(1, _flat(1, 24_000))
    reader.read(6_000)
    assert reader.mixer.queued_seconds == 0.75


def test_a_device_thread_and_the_loop_do_not_disturb_each_other() -> None:
    reader = Reader()
    done = threading.Event()
    heard: list[int] = []

    def device() -> None:
        while not done.is_set() or not reader.mixer.is_silent:
            heard.extend(sample for sample in reader.read(37) if sample)

    thread = threading.Thread(target=device)
    thread.start()
    draw = random.Random(2)
    for tag in range(200):
        reader.mixer.enqueue(tag, _ramp(1 + 100 * tag, draw.choice((100, 100))))
    done.set()
    thread.join(20)
    assert heard == list(range(1, 20_001))
