"""The speaker is there when it is needed, and what was heard when is known."""

import asyncio
from array import array
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.fakes.speaker import FakeSpeaker
from tests.virtual_clock import run
from voicehermes.adapters.sound.null_speaker import NullSpeaker
from voicehermes.audio import Sound
from voicehermes.ports import SoundSource
from voicehermes.speaking.playback import (
    IDLE_SECONDS,
    STALL_SECONDS,
    ClipBegan,
    ClipEnded,
    ClipLost,
    Playback,
    PlaybackEvent,
    SpeakerFailed,
)


def _flat(seconds: float, value: int = 1_000) -> Sound:
    return Sound(array("h", [value] * round(24_000 * seconds)).tobytes())


class Stage:
    """A running playback with all that came out of it."""

    def __init__(self, speaker: FakeSpeaker) -> None:
        self.speaker = speaker
        self.playback = Playback(speaker, NullSpeaker())
        self.told: list[tuple[float, PlaybackEvent]] = []

    def take(self, event: PlaybackEvent) -> None:
        self.told.append((round(asyncio.get_running_loop().time(), 3), event))

    @property
    def failures(self) -> int:
        return sum(isinstance(event, SpeakerFailed) for _, event in self.told)

    @property
    def lost(self) -> list[int]:
        return [event.tag for _, event in self.told if isinstance(event, ClipLost)]

    def times(self, kind: type[ClipBegan | ClipEnded]) -> dict[int, float]:
        return {event.tag: at for at, event in self.told if isinstance(event, kind)}


@asynccontextmanager
async def _stage(speaker: FakeSpeaker | None = None) -> AsyncIterator[Stage]:
    stage = Stage(speaker or FakeSpeaker())
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(stage.playback.run(stage.take), name="playback")
        yield stage
        running.cancel()
    assert not stage.speaker.is_open


def test_the_speaker_is_opened_on_demand_and_closed_after_a_while_of_silence() -> None:
    async def main() -> None:
        async with _stage() as stage:
            await asyncio.sleep(5)
            assert stage.speaker.openings == 0
            stage.playback.enqueue(1, _flat(1.0))
            await asyncio.sleep(1 + IDLE_SECONDS - 1)
            assert stage.speaker.is_open
            await asyncio.sleep(2)
            assert not stage.speaker.is_open
            stage.playback.cue(_flat(0.1))
            await asyncio.sleep(0.5)
            assert stage.speaker.openings == 2

    run(main())


def test_warming_opens_the_speaker_ahead_of_need() -> None:
    async def main() -> None:
        async with _stage() as stage:
            stage.playback.warm()
            await asyncio.sleep(0.1)
            assert stage.speaker.is_open
            stage.playback.enqueue(1, _flat(0.5))
            await asyncio.sleep(1)
            assert stage.times(ClipBegan)[1] <= 0.12

    run(main())


def test_events_come_when_the_sound_is_heard() -> None:
    async def main() -> None:
        async with _stage(FakeSpeaker(delay_seconds=0.1)) as stage:
            stage.playback.enqueue(1, _flat(1.0))
            stage.playback.enqueue(2, _flat(0.505))
            await asyncio.sleep(3)
            assert stage.times(ClipBegan) == {1: 0.1, 2: 1.1}
            assert stage.times(ClipEnded) == {1: 1.1, 2: 1.605}
            assert [type(event).__name__ for _, event in stage.told] == [
                *("ClipBegan", "ClipEnded", "ClipBegan", "ClipEnded")
            ]
            assert stage.playback.heard_until == pytest.approx(1.605)
            assert stage.speaker.sounds() == _flat(1.505).pcm

    run(main())


def test_the_quiet_end_of_a_clip_is_not_heard() -> None:
    async def main() -> None:
        async with _stage(FakeSpeaker(delay_seconds=0.1)) as stage:
            stage.playback.enqueue(1, _flat(0.5))
            stage.playback.enqueue(2, _flat(0.5, 12))
            stage.playback.enqueue(3, _flat(0.5, 0))
            await asyncio.sleep(3)
            assert stage.times(ClipEnded)[3] == 1.6
            assert stage.playback.heard_until == pytest.approx(0.6)

    run(main())


def test_all_that_the_speaker_takes_is_told_with_the_time_at_which_it_is_heard() -> None:
    async def main() -> None:
        told: list[tuple[bytes, float]] = []
        speaker = FakeSpeaker(delay_seconds=0.1)
        playback = Playback(
            speaker, NullSpeaker(), volume=0.5, played=lambda pcm, at: told.append((pcm, at))
        )
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(playback.run(lambda _: None), name="playback")
            playback.enqueue(1, _flat(0.5))
            await asyncio.sleep(0.2)
            playback.duck()
            await asyncio.sleep(0.8)
            running.cancel()
        assert b"".join(pcm for pcm, _ in told) == speaker.played
        assert [at for _, at in told] == pytest.approx([0.1 + i / 50 for i in range(len(told))])

    run(main())


def test_what_the_stand_in_takes_is_not_told_as_played() -> None:
    async def main() -> None:
        told: list[float] = []
        speaker = FakeSpeaker()
        speaker.refusals = 1000
        playback = Playback(speaker, NullSpeaker(), played=lambda _, at: told.append(at))
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(playback.run(lambda _: None), name="playback")
            playback.enqueue(1, _flat(1.0))
            await asyncio.sleep(60)
            running.cancel()
        assert told == []

    run(main())


def test_nothing_was_heard_before_the_first_sound() -> None:
    async def main() -> None:
        async with _stage() as stage:
            stage.playback.warm()
            await asyncio.sleep(1)
            assert stage.playback.heard_until is None

    run(main())


def test_a_pause_stops_at_once_and_the_rest_comes_after_the_resume() -> None:
    async def main() -> None:
        async with _stage() as stage:
            stage.playback.enqueue(1, _flat(2.0))
            await asyncio.sleep(0.995)
            stage.playback.pause()
            await asyncio.sleep(4)
            assert stage.playback.heard_until == pytest.approx(1.005, abs=0.001)
            assert stage.playback.queued_seconds == pytest.approx(1.0)
            assert stage.times(ClipEnded) == {}
            stage.playback.resume()
            await asyncio.sleep(2)
            assert stage.times(ClipEnded)[1] == pytest.approx(6.0, abs=0.03)

    run(main())


def test_a_paused_clip_is_kept_while_the_speaker_is_closed() -> None:
    async def main() -> None:
        async with _stage() as stage:
            stage.playback.enqueue(1, _flat(2.0))
            await asyncio.sleep(0.995)
            stage.playback.pause()
            await asyncio.sleep(30)
            assert not stage.speaker.is_open
            stage.playback.resume()
            await asyncio.sleep(2)
            assert 1 in stage.times(ClipEnded)

    run(main())


def test_a_dropped_clip_has_no_further_events() -> None:
    async def main() -> None:
        async with _stage(FakeSpeaker(delay_seconds=0.1)) as stage:
            stage.playback.enqueue(1, _flat(0.5))
            stage.playback.enqueue(2, _flat(0.5))
            await asyncio.sleep(0.55)  # the device has taken the end, and nobody heard it yet
            stage.playback.drop({1})
            await asyncio.sleep(2)
            assert 1 not in stage.times(ClipEnded)
            assert 2 in stage.times(ClipEnded)

    run(main())


def test_a_speaker_that_is_missing_is_told_once_and_the_sound_goes_by_in_silence() -> None:
    async def main() -> None:
        async with _stage(FakeSpeaker()) as stage:
            stage.speaker.refusals = 1000
            stage.playback.enqueue(1, _flat(1.0))
            await asyncio.sleep(60)
            stage.playback.enqueue(2, _flat(1.0))
            await asyncio.sleep(60)
            assert stage.failures == 1
            assert set(stage.times(ClipEnded)) == {1, 2}
            assert stage.times(ClipEnded)[1] < 2
            assert stage.speaker.openings < 12

    run(main())


def test_a_speaker_that_comes_back_at_once_plays_all_of_it() -> None:
    async def main() -> None:
        async with _stage(FakeSpeaker()) as stage:
            stage.speaker.refusals = 1
            stage.playback.enqueue(1, _flat(1.0))
            await asyncio.sleep(3)
            assert stage.speaker.sounds() == _flat(1.0).pcm
            assert stage.failures == 1

    run(main())


def test_a_speaker_that_comes_back_later_is_used_for_the_next_sound() -> None:
    async def main() -> None:
        async with _stage(FakeSpeaker()) as stage:
            stage.speaker.refusals = 2
            stage.playback.enqueue(1, _flat(1.0))
            await asyncio.sleep(60)
            stage.playback.enqueue(2, _flat(1.0, 771))
            await asyncio.sleep(60)
            assert stage.speaker.sounds() == _flat(1.0, 771).pcm
            stage.speaker.refusals = 1
            stage.playback.enqueue(3, _flat(1.0))
            await asyncio.sleep(5)
            assert stage.failures == 2

    run(main())


def test_a_speaker_that_takes_nothing_any_more_is_opened_again() -> None:
    async def main() -> None:
        async with _stage(FakeSpeaker()) as stage:
            stage.playback.enqueue(1, _flat(2.0))
            await asyncio.sleep(1)
            stage.speaker.is_stuck = True
            await asyncio.sleep(STALL_SECONDS + 0.3)
            stage.speaker.is_stuck = False
            await asyncio.sleep(3)
            assert stage.failures == 1
            assert stage.speaker.openings == 2
            assert stage.speaker.sounds() == _flat(2.0).pcm
            assert 1 in stage.times(ClipEnded)

    run(main())


def test_a_speaker_that_hangs_while_it_opens_is_given_up() -> None:
    class Hanging(FakeSpeaker):
        @asynccontextmanager
        async def open(self, source: SoundSource) -> AsyncIterator[None]:
            await asyncio.sleep(1000)
            yield

    async def main() -> None:
        async with _stage(Hanging()) as stage:
            stage.playback.enqueue(1, _flat(1.0))
            await asyncio.sleep(60)
            assert stage.failures == 1
            assert 1 in stage.times(ClipEnded)

    run(main())


def test_what_must_be_heard_is_told_as_heard_when_the_speaker_has_gone_on_after_it() -> None:
    async def main() -> None:
        async with _stage(FakeSpeaker(delay_seconds=0.1)) as stage:
            stage.playback.interject_question(1, _flat(0.5))
            stage.playback.interject_question(2, _flat(0.505))
            await asyncio.sleep(3)
            assert 1.105 <= stage.times(ClipEnded)[2] < 1.14
            assert set(stage.times(ClipBegan)) == {1, 2}
            assert stage.lost == []
            assert stage.playback.heard_until == pytest.approx(1.105)
            assert stage.playback.is_shut

    run(main())


def test_what_a_speaker_had_not_played_when_it_went_away_is_lost() -> None:
    async def main() -> None:
        async with _stage(FakeSpeaker(delay_seconds=0.2)) as stage:
            stage.playback.interject_question(1, _flat(0.5))
            await asyncio.sleep(0.55)  # the device has taken the end, and nobody heard it yet
            stage.speaker.is_stuck = True
            await asyncio.sleep(STALL_SECONDS)
            assert stage.times(ClipEnded) == {}
            await asyncio.sleep(0.3)
            assert stage.lost == [1]

    run(main())


@pytest.mark.parametrize("at", [0.0, 0.01, 0.3, 0.49])
def test_what_is_being_played_when_the_speaker_fails_is_lost_though_it_comes_back(
    at: float,
) -> None:
    async def main() -> None:
        async with _stage() as stage:
            stage.playback.interject_question(1, _flat(0.5))
            await asyncio.sleep(at)
            stage.speaker.is_stuck = True
            await asyncio.sleep(STALL_SECONDS + 0.3)
            stage.speaker.is_stuck = False
            await asyncio.sleep(3)
            assert stage.lost == [1]
            [lost_at] = [at for at, event in stage.told if isinstance(event, ClipLost)]
            assert lost_at < stage.times(ClipEnded)[1]

    run(main())


@pytest.mark.parametrize("at", [0.0, 0.1, 0.5, 2.0, 20.0, 60.0])
def test_what_the_stand_in_takes_is_lost(at: float) -> None:
    """Also when that the speaker failed was told long before."""

    async def main() -> None:
        async with _stage() as stage:
            stage.speaker.refusals = 1000
            stage.playback.enqueue(1, _flat(1.0))
            await asyncio.sleep(at)
            stage.playback.interject_question(2, _flat(0.5))
            await asyncio.sleep(60)
            assert stage.lost[0] == 2
            first = next(event for _, event in stage.told if getattr(event, "tag", 1) == 2)
            assert isinstance(first, ClipLost)
            assert stage.failures == 1

    run(main())


def test_a_clip_that_was_lost_and_dropped_has_no_further_events() -> None:
    async def main() -> None:
        async with _stage() as stage:
            stage.speaker.refusals = 1000
            stage.playback.interject_question(1, _flat(0.5))
            await asyncio.sleep(0.1)
            assert stage.lost == [1]
            stage.playback.drop({1})
            await asyncio.sleep(60)
            assert stage.lost == [1]
            assert stage.times(ClipEnded) == {}

    run(main())


def test_a_speaker_that_failed_before_and_works_again_loses_nothing() -> None:
    async def main() -> None:
        async with _stage() as stage:
            stage.speaker.refusals = 2
            stage.playback.enqueue(1, _flat(0.5))
            await asyncio.sleep(60)
            stage.playback.interject_question(2, _flat(0.5, 771))
            await asyncio.sleep(5)
            assert stage.lost == []
            assert 2 in stage.times(ClipEnded)
            assert stage.speaker.sounds() == _flat(0.5, 771).pcm

    run(main())


def test_the_reply_is_silent_in_time_also_with_a_device_that_is_late() -> None:
    async def main() -> None:
        async with _stage(FakeSpeaker(delay_seconds=0.3)) as stage:
            softer = array("h", (30_000 - at // 8 for at in range(9 * 24_000)))
            stage.playback.enqueue(1, Sound(softer.tobytes()))
            await asyncio.sleep(1.0)
            stage.playback.interject_question(2, _flat(0.5, -7))
            stage.playback.give_way(1.0)
            await asyncio.sleep(3)
            assert stage.times(ClipBegan)[2] == pytest.approx(2.0, abs=0.05)

    run(main())
