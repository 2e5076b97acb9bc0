"""Recording: the whole and its parts, and what the words so far do."""

import pytest

from tests.fakes.microphone import PlainEncoder, loud, quiet
from voicehermes.audio import FRAME_BYTES, FRAME_SECONDS, EndsBy, UtteranceEnd
from voicehermes.hearing.endpoint import Endpoint, EndpointRules
from voicehermes.hearing.recording import Recording

RELEASED, SILENCE = UtteranceEnd.RELEASED, UtteranceEnd.SILENCE

RULES = EndpointRules(
    end_silence_seconds=0.8,
    end_silence_min_seconds=0.4,
    end_silence_max_seconds=1.6,
    min_speech_seconds=0.06,
    patience_seconds=5.0,
    max_seconds=60.0,
)


def recording(part_seconds: float | None = 1.0, *, ends_by_itself: bool = False) -> Recording:
    endpoint = Endpoint(RULES) if ends_by_itself else None
    return Recording(
        1,
        PlainEncoder,
        endpoint,
        ends_by=EndsBy.SILENCE if ends_by_itself else EndsBy.STOP,
        is_called=False,
        not_before=0.0,
        part_seconds=part_seconds,
    )


def feed(recording: Recording, *frames: bytes) -> list[UtteranceEnd]:
    ends = [
        recording.feed(frame, at * FRAME_SECONDS, is_speech=frame != quiet())
        for at, frame in enumerate(frames)
    ]
    return [end for end in ends if end is not None]


def frames_until_end(recording: Recording) -> int:
    """How many silent frames end it."""
    return next(count for count in range(1, 100) if recording.feed(quiet(), 0.0, is_speech=False))


def test_short_utterances_have_no_parts_and_no_rest() -> None:
    said = recording(part_seconds=2.5)
    feed(said, *[loud(1)] * 60, *[quiet()] * 20)
    assert said.take_parts() == []
    assert said.finish(RELEASED, 0.06) is not None
    assert said.rest is None


def test_the_whole_is_there_beside_the_parts() -> None:
    said = recording()
    feed(said, *[loud(1)] * 40, *[quiet()] * 12, *[loud(2)] * 5)
    [part] = said.take_parts()
    whole = said.finish(RELEASED, 0.06)
    assert whole is not None
    assert said.rest is not None
    assert part.data + said.rest.data == whole.data
    assert len(whole.data) == 57 * FRAME_BYTES
    assert (part.end, said.rest.end, whole.end) == (SILENCE, RELEASED, RELEASED)


def test_a_part_is_given_out_once() -> None:
    said = recording()
    feed(said, *[loud(1)] * 40, *[quiet()] * 12)
    assert len(said.take_parts()) == 1
    assert said.take_parts() == []


def test_nothing_is_parted_where_that_is_switched_off() -> None:
    said = recording(part_seconds=None)
    feed(said, *[loud(1)] * 200, *[quiet()] * 30)
    said.note_words(None)
    assert said.take_parts() == []
    assert said.finish(RELEASED, 0.06) is not None
    assert said.rest is None


@pytest.mark.parametrize(("sounds_finished", "seconds"), [(True, 0.4), (False, 1.6), (None, None)])
def test_the_words_so_far_help_to_decide_the_end(
    sounds_finished: bool | None, seconds: float | None
) -> None:
    known, unknown = recording(ends_by_itself=True), recording(ends_by_itself=True)
    for said in (known, unknown):
        feed(said, *[loud(1)] * 40, *[quiet()] * 10)
    known.note_words(sounds_finished)
    frames = 10 + frames_until_end(known)
    if seconds is None:
        assert frames == 10 + frames_until_end(unknown)
    else:
        assert frames * FRAME_SECONDS == pytest.approx(seconds, abs=FRAME_SECONDS)


def test_words_that_come_when_the_user_has_gone_on_say_nothing_about_the_end() -> None:
    late, unknown = recording(ends_by_itself=True), recording(ends_by_itself=True)
    for said in (late, unknown):
        feed(said, *[loud(1)] * 40, *[quiet()] * 12, *[loud(2)] * 6)
    late.note_words(True)
    assert frames_until_end(late) == frames_until_end(unknown)
