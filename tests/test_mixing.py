"""What the speaker pulls is what was queued: each sample once, in order, without clicks."""

import random
import threading
from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voicehermes.audio import Sound
from voicehermes.speaking import mixing
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
    given = [reader.mixer.read(1000) for _ in range(3)]
    assert reader.blocks == [
        Block((Mark(1, False, 0), Mark(1, True, 700), Mark(2, False, 700)), 1000, given[0]),
        Block((Mark(2, True, 400),), 400, given[1]),
        Block((), 0, bytes(2000)),
    ]


def test_a_block_sounds_up_to_the_last_sample_that_can_be_heard() -> None:
    for height, sounding in ((9_000, 700), (40, 700), (-40, 700), (30, 500), (-30, 500), (0, 500)):
        reader = Reader()
        end = array("h", [9_000] * 500 + [height] * 200 + [3, -3] * 100)
        reader.mixer.enqueue(1, Sound(end.tobytes()))
        reader.mixer.read(1000)
        assert reader.blocks[-1].sounding == sounding


def test_at_a_low_volume_less_of_it_can_be_heard() -> None:
    reader = Reader(volume=0.1)
    reader.mixer.enqueue(1, _flat(9_000, 500))
    reader.mixer.enqueue(2, _flat(300, 200))
    reader.mixer.read(1000)
    assert reader.blocks[-1].sounding == 500


def test_ducking_is_heard_at_once_and_a_pause_ends_it() -> None:
    reader = Reader()
    reader.mixer.enqueue(1, _flat(10_000, 48_000))
    assert reader.read(480) == [10_000] * 480
    reader.mixer.duck()
    falling = reader.read(480)
    assert falling == sorted(falling, reverse=True)
    assert reader.read(480) == [1_778] * 480
    reader.mixer.pause()
    fading = reader.read(480)
    assert max(fading) < 1_900
    reader.read(24_000)
    reader.mixer.resume()
    assert reader.read(480)[FADE:] == [10_000] * (480 - FADE)


def test_what_was_ducked_for_a_cough_comes_back_to_every_bit() -> None:
    reader = Reader()
    reader.mixer.enqueue(1, _flat(10_000, 48_000))
    reader.mixer.duck()
    reader.mixer.duck()
    reader.read(2_400)
    reader.mixer.unduck()
    assert reader.read(4_800)[3_600:] == [10_000] * 1_200


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


def test_a_question_shuts_the_gate_behind_it_until_it_is_opened() -> None:
    reader = Reader()
    reader.mixer.enqueue(1, _flat(1, 10))
    reader.mixer.enqueue(2, _flat(2, 10))
    reader.read(5)
    reader.mixer.interject(8, _flat(8, 10), shuts=True)
    reader.mixer.give_way()
    assert not reader.mixer.is_shut
    assert reader.read(45) == [1] * 5 + [8] * 10 + [0] * 30
    assert reader.blocks[-1].marks == (Mark(1, True, 5), Mark(8, False, 5), Mark(8, True, 15))
    assert reader.mixer.is_shut
    assert reader.mixer.is_silent
    reader.mixer.overlay(_flat(50, 5))
    assert reader.read(10) == [50] * 5 + [0] * 5
    reader.mixer.resume()
    assert reader.read(10) == [0] * 10
    reader.mixer.release()
    assert not reader.mixer.is_silent
    assert reader.read(15) == [2] * 10 + [0] * 5


def test_between_the_parts_of_a_question_nothing_sounds() -> None:
    reader = Reader()
    reader.mixer.enqueue(1, _flat(1, 10))
    reader.mixer.interject(8, _flat(8, 10), shuts=True)
    reader.mixer.give_way()
    assert reader.read(20) == [8] * 10 + [0] * 10
    reader.mixer.enqueue(2, _flat(2, 10))
    reader.mixer.interject(9, _flat(9, 10), shuts=True)
    assert reader.read(20) == [9] * 10 + [0] * 10
    reader.mixer.interject(7, _flat(7, 10))
    reader.mixer.release()
    assert reader.read(30) == [7] * 10 + [1] * 10 + [2] * 10


def test_a_clip_that_ends_inside_a_sentence_is_no_place_to_give_way() -> None:
    reader = Reader()
    reader.mixer.enqueue(1, _flat(1, 10), ends_sentence=False)
    reader.mixer.enqueue(2, _flat(2, 10), ends_sentence=True)
    reader.mixer.enqueue(3, _flat(3, 10))
    reader.read(10)
    reader.mixer.interject(8, _flat(8, 10))
    reader.mixer.give_way()
    assert reader.read(30) == [2] * 10 + [8] * 10 + [3] * 10


def test_a_sentence_that_was_interrupted_is_not_interrupted_again_before_it_goes_on() -> None:
    reader = Reader()
    reader.mixer.enqueue(1, _flat(1, 10), ends_sentence=False)
    reader.read(10)
    reader.mixer.interject(8, _flat(8, 10), shuts=True)
    reader.mixer.release()
    assert reader.read(20) == [8] * 10 + [0] * 10
    reader.mixer.release()
    reader.read(20)
    reader.mixer.enqueue(2, _flat(2, 10))
    reader.mixer.interject(9, _flat(9, 10))
    reader.mixer.give_way()
    assert reader.read(20) == [2] * 10 + [9] * 10


def test_the_queue_gives_way_in_a_pause_between_the_sentences_of_a_clip() -> None:
    comma, stop = 4_800, 8_400
    """0.2 and 0.35 s."""
    reader = Reader()
    spoken = [9_000] * 12_000
    pcm = array("h", [*spoken, *[0] * comma, *spoken, *[0] * stop, *spoken]).tobytes()
    reader.mixer.enqueue(1, Sound(pcm))
    reader.read(100)
    reader.mixer.interject(8, _flat(5_000, 1_000))
    reader.mixer.give_way()
    heard = reader.read(36_000 + comma + stop + 1_000 - 100)
    at = heard.index(5_000)
    assert at + 100 == pytest.approx(24_000 + comma + 3_600, abs=FADE)  # 0.15 s into the pause
    assert heard[at : at + 1_000] == [5_000] * 1_000
    rest = heard[:at] + heard[at + 1_000 :]
    assert rest == array("h", pcm).tolist()[100:]


def test_who_may_not_wait_for_the_end_of_a_sentence_stops_where_it_is_heard_least() -> None:
    reader = Reader()
    pcm = array("h", [9_000] * 30_000)
    pcm[20_000:20_300] = array("h", [500] * 300)
    reader.mixer.enqueue(1, Sound(pcm.tobytes()))
    reader.read(100)
    reader.mixer.interject(8, _flat(-5_000, 1_000), shuts=True)
    reader.mixer.give_way(1.0)
    heard = reader.read(40_000)
    at = next(i for i, sample in enumerate(heard) if sample < 0)
    assert 20_000 <= at + 100 <= 20_300
    assert heard[at + 1_000 :] == [0] * (39_000 - at)


def test_at_once_is_within_the_same_sample_and_with_a_fade() -> None:
    reader = Reader()
    reader.mixer.enqueue(1, _flat(9_000, 30_000))
    reader.read(100)
    reader.mixer.interject(8, _flat(1, 1_000), shuts=True)
    reader.mixer.give_way(0.0)
    heard = reader.read(2_000)
    assert heard[:FADE] == sorted(heard[:FADE], reverse=True)
    assert heard[0] > 8_800
    assert heard[FADE:1_000] == [1] * (1_000 - FADE)
    reader.mixer.release()
    back = reader.read(30_000)
    assert back[:FADE] == sorted(back[:FADE])
    assert back[FADE:29_900] == [9_000] * (29_900 - FADE)


def test_the_queue_can_give_way_behind_all_that_is_in_it_now() -> None:
    reader = Reader()
    for tag in (1, 2):
        reader.mixer.enqueue(tag, _flat(tag, 10))
    reader.mixer.interject(8, _flat(8, 10), shuts=True)
    reader.mixer.give_way_behind()
    reader.mixer.enqueue(3, _flat(3, 10))
    assert reader.read(40) == [1] * 10 + [2] * 10 + [8] * 10 + [0] * 10


def test_a_pause_can_become_a_gate() -> None:
    reader = Reader()
    reader.mixer.enqueue(1, _flat(9_000, 2_000))
    reader.mixer.hold()
    assert not reader.mixer.is_shut
    reader.read(500)
    reader.mixer.pause()
    reader.read(500)
    reader.mixer.hold()
    assert reader.mixer.is_shut
    assert reader.read(100) == [0] * 100
    reader.mixer.interject(8, _flat(8, 10), shuts=True)
    assert reader.read(100) == [8] * 10 + [0] * 90
    reader.mixer.release()
    assert reader.read(1_600)[FADE:1_500] == [9_000] * (1_500 - FADE)


def test_a_question_that_is_dropped_before_it_began_leaves_the_queue_alone() -> None:
    reader = Reader()
    reader.mixer.enqueue(1, _ramp(1, 1_000))
    reader.read(100)
    reader.mixer.interject(8, _flat(8, 10), shuts=True)
    reader.mixer.give_way(0.01)
    reader.mixer.drop({8})
    assert reader.read(900) == list(range(101, 1_001))
    assert not reader.mixer.is_shut


def test_a_question_that_is_dropped_leaves_the_gate_shut() -> None:
    reader = Reader()
    reader.mixer.enqueue(1, _flat(1, 100))
    reader.mixer.interject(8, _flat(9_000, 1_000), shuts=True)
    reader.mixer.give_way()
    reader.read(500)
    reader.mixer.drop({8})
    falling = reader.read(500)
    assert falling[:FADE] == sorted(falling[:FADE], reverse=True)
    assert falling[FADE:] == [0] * (500 - FADE)
    reader.mixer.release()
    assert reader.read(100) == [1] * 100


def test_a_reply_can_be_dropped_behind_a_question() -> None:
    reader = Reader()
    reader.mixer.enqueue(1, _flat(1, 100))
    reader.mixer.enqueue(2, _flat(2, 100))
    reader.read(50)
    reader.mixer.interject(8, _flat(8, 100), shuts=True)
    reader.mixer.give_way(0.0)
    reader.read(50)
    reader.mixer.drop({1, 2})
    assert reader.read(100) == [8] * 50 + [0] * 50
    reader.mixer.release()
    assert reader.mixer.is_silent


STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            (
                *("read", "read", "read", "pause", "resume", "hold", "release", "drop"),
                *("question", "part", "saying", "reply", "now", "soon", "break", "behind"),
            )
        ),
        st.integers(1, 400),
    ),
    max_size=60,
)


@settings(max_examples=300)
@given(STEPS)
def test_a_reply_comes_out_whole_whatever_comes_between_and_never_behind_a_question(
    steps: list[tuple[str, int]],
) -> None:
    """Without fades each sample can be told: a reply's are 1, 2, 3 …, all others below 0."""
    reader = Reader()
    mixer = reader.mixer
    reply = others = 0
    questions: set[int] = set()
    dropped: set[int] = set()
    given_away: list[int] = []
    is_paused = may_sound = False
    ending = [("resume", 0), ("read", 30_000), ("release", 0), ("read", 30_000)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mixing, "_FADE_BYTES", 0)
        for step, count in [*steps, *ending]:
            match step:
                case "read":
                    samples = [sample for sample in reader.read(count) if sample]
                    assert not (samples and is_paused)
                    for sample in samples:
                        if -sample in questions:
                            may_sound = False
                        assert sample < 0 or may_sound, "a reply behind a question"
                        assert -sample not in dropped, "a dropped question sounds"
                    given_away += samples
                case "pause":
                    is_paused = True
                    mixer.pause()
                case "resume":
                    is_paused = False
                    mixer.resume()
                case "hold":
                    is_paused = False
                    mixer.hold()
                case "release":
                    mixer.release()
                case "reply":
                    mixer.enqueue(10_000 + reply, _ramp(reply + 1, count))
                    reply += count
                case "question" | "part" | "saying":
                    others += 1
                    is_saying = step == "saying"
                    mixer.interject(others, _flat(-others, count), shuts=not is_saying)
                    questions |= set() if is_saying else {others}
                    if step != "part":
                        mixer.give_way()
                case "drop":
                    mixer.drop(questions)
                    dropped |= questions
                case "behind":
                    mixer.give_way_behind()
                case _:
                    mixer.give_way({"now": 0.0, "soon": count / 24_000, "break": 1e9}[step])
            may_sound = not mixer.is_shut
    assert [sample for sample in given_away if sample > 0] == list(range(1, reply + 1))
    begun = [-sample for sample in given_away if sample < 0]
    assert begun == sorted(begun), "in the order in which they were asked for"
    assert {*range(1, others + 1)} - dropped <= set(begun)


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


def test_a_device_thread_never_gives_a_reply_behind_a_question() -> None:
    reader = Reader()
    done = threading.Event()
    heard: list[int] = []

    def device() -> None:
        while not done.is_set() or not reader.mixer.is_silent:
            heard.extend(sample for sample in reader.read(37) if sample)

    thread = threading.Thread(target=device, daemon=True)
    thread.start()
    for question in range(1, 60):
        reader.mixer.enqueue(1_000 + question, _flat(1, 300))
        reader.mixer.interject(question, _flat(-question, 50), shuts=True)
        reader.mixer.give_way(0.005)
        while not (reader.mixer.is_silent and heard and heard[-1] == -question):
            pass
        reader.mixer.release()
    done.set()
    thread.join(20)
    assert heard.count(1) >= 59 * 300 - 59 * FADE
