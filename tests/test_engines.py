"""Which synthesiser speaks, and which rests."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from tests.fakes.synthesizer import FakeSynthesizer
from tests.virtual_clock import run
from voicehermes.errors import (
    LoginError,
    RateLimitedError,
    UnknownVoiceError,
    UnreachableError,
    VoiceError,
    VoicehermesError,
)
from voicehermes.speaking.engines import (
    LONGEST_REFUSAL_SECONDS,
    REST_SECONDS,
    Engine,
    Engines,
)


class Stage:
    """A server's synthesiser, a local one, and what was told of them."""

    def __init__(self) -> None:
        self.server = FakeSynthesizer("server", window_seconds=0.0)
        self.local = FakeSynthesizer("local", window_seconds=0.0)
        self.engines = Engines([self.server, self.local])
        self.told: list[VoicehermesError] = []

    @property
    def best(self) -> Engine:
        engine = self.engines.best(asyncio.get_running_loop().time())
        assert engine
        return engine

    async def speak(self, text: str = "Ciao.") -> str:
        """The name of the engine that spoke."""
        _, engine = await self.engines.speak(text, self.best, self.told.append)
        return engine.name


def on_stage(story: Callable[[Stage], Awaitable[None]]) -> None:
    async def main() -> None:
        await story(Stage())

    run(main())


def test_the_first_speaks_while_it_can() -> None:
    async def story(stage: Stage) -> None:
        assert [await stage.speak() for _ in range(3)] == ["server"] * 3
        assert stage.told == []

    on_stage(story)


def test_an_engine_that_fails_again_and_again_rests_longer_each_time_until_it_speaks() -> None:
    async def story(stage: Stage) -> None:
        stage.server.faults.extend([UnreachableError("Away.")] * 6)  # each is tried twice
        for rest in (REST_SECONDS, 2 * REST_SECONDS, 4 * REST_SECONDS):
            assert await stage.speak() == "local"
            await asyncio.sleep(rest - 5)
            assert stage.best.name == "local"
            await asyncio.sleep(5)
        assert await stage.speak() == "server"
        stage.server.faults.extend([UnreachableError("Away.")] * 2)
        assert await stage.speak() == "local"
        await asyncio.sleep(REST_SECONDS)
        assert stage.best.name == "server"

    on_stage(story)


def test_texts_that_fail_at_the_same_time_cost_one_rest() -> None:
    async def story(stage: Stage) -> None:
        server = stage.best
        for _ in range(4):
            server.failed(VoiceError("It takes too long."), asyncio.get_running_loop().time())
        await asyncio.sleep(REST_SECONDS)
        assert stage.best.name == "server"

    on_stage(story)


def test_one_text_that_fails_costs_the_engine_nothing_two_in_a_row_a_rest() -> None:
    async def story(stage: Stage) -> None:
        stage.server.faults.extend([VoiceError("One."), None, VoiceError("Two."), VoiceError("3.")])
        assert [await stage.speak() for _ in range(5)] == [
            *("local", "server", "local", "local"),
            "local",  # it rests
        ]
        assert len(stage.server.asked) == 4
        await asyncio.sleep(REST_SECONDS + 1)
        assert await stage.speak() == "server"

    on_stage(story)


def test_a_voice_that_is_missing_is_never_asked_for_again() -> None:
    async def story(stage: Stage) -> None:
        stage.server.always = UnknownVoiceError("No such voice.")
        assert await stage.speak() == "local"
        await asyncio.sleep(100_000)
        assert await stage.speak() == "local"
        assert len(stage.server.asked) == 1
        assert len(stage.told) == 1

    on_stage(story)


@pytest.mark.parametrize(
    "error",
    [UnreachableError("Gone."), LoginError("Log in again.")],
    ids=lambda e: type(e).__name__,
)
def test_a_server_in_trouble_rests_at_once(error: VoicehermesError) -> None:
    async def story(stage: Stage) -> None:
        stage.server.always = error
        assert await stage.speak() == "local"
        asked = len(stage.server.asked)
        assert asked == 1 + error.retryable
        assert await stage.speak() == "local"
        assert len(stage.server.asked) == asked

    on_stage(story)


def test_who_asks_too_early_is_told_so() -> None:
    async def story(stage: Stage) -> None:
        stage.server.faults.append(RateLimitedError("Too early."))
        with pytest.raises(RateLimitedError):
            await stage.speak()
        assert await stage.speak() == "server"  # it is no failure
        assert stage.told == []

    on_stage(story)


def test_when_all_rest_the_last_one_is_asked_all_the_same() -> None:
    async def story(stage: Stage) -> None:
        stage.server.always = stage.local.always = UnreachableError("Gone.")
        with pytest.raises(VoiceError, match="No synthesiser could speak"):
            await stage.speak()
        stage.local.always = None
        assert await stage.speak() == "local"

    on_stage(story)


def test_a_local_synthesizer_is_not_asked_for_everything_at_once() -> None:
    async def story(stage: Stage) -> None:
        engines = Engines([stage.local])
        first = engines.best(0.0)
        async with asyncio.TaskGroup() as tasks:
            for _ in range(20):
                tasks.create_task(engines.speak("Ciao.", first, stage.told.append), name="speak")
            await asyncio.sleep(0.1)
            assert len(stage.local.asked) == 3
        assert len(stage.local.spoken) == 20

    on_stage(story)


def test_an_engine_that_asks_to_wait_for_ever_hands_the_text_to_the_next() -> None:
    async def story(stage: Stage) -> None:
        stage.server.faults.extend([RateLimitedError("Wait.")] * 100)
        for seconds in (LONGEST_REFUSAL_SECONDS - 1, 2):
            with pytest.raises(RateLimitedError):
                await stage.speak()
            await asyncio.sleep(seconds)
        assert await stage.speak() == "local"
        assert [str(error) for error in stage.told] == ["Wait."]

    on_stage(story)


def test_a_changed_speed_reaches_every_engine_and_what_is_expected_of_it() -> None:
    async def story(stage: Stage) -> None:
        before = stage.best.pace.sound_seconds(150)
        stage.engines.change_rate(25)
        assert (stage.server.rate_percent, stage.local.rate_percent) == (25, 25)
        assert stage.best.pace.sound_seconds(150) == pytest.approx(before / 1.25)
        stage.engines.change_rate(-50)
        assert stage.best.pace.sound_seconds(150) == pytest.approx(before * 2)
        stage.engines.change_rate(0)
        assert stage.best.pace.sound_seconds(150) == pytest.approx(before)

    on_stage(story)
