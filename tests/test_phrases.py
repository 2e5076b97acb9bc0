"""Sentences of ours come from the disk, or in their turn from a synthesiser."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from tests.fakes.synthesizer import FakeSynthesizer
from tests.virtual_clock import run
from voicehermes.audio import Sound
from voicehermes.errors import UnreachableError, VoiceError, VoicehermesError
from voicehermes.speaking.engines import Engines
from voicehermes.speaking.phrases import QUIET_SECONDS, Phrases


class Memory:
    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], Sound] = {}
        self.seconds = 0.0

    async def get(self, engine: str, text: str) -> Sound | None:
        await asyncio.sleep(self.seconds)
        return self.kept.get((engine, text))

    async def put(self, engine: str, text: str, sound: Sound) -> None:
        self.kept[engine, text] = sound


class Stage:
    def __init__(self) -> None:
        self.server = FakeSynthesizer("server")
        self.local = FakeSynthesizer("local", window_seconds=0.0)
        self.engines = Engines([self.server, self.local])
        self.memory = Memory()
        self.changed = asyncio.Event()
        self.phrases = Phrases(self.engines, self.memory, self.changed)
        self.told: list[VoicehermesError] = []

    async def speaker(self, text: str = "Annullato.") -> str | None:
        """Who spoke it; None = it was on the disk."""
        _, engine = await self.phrases.sound(text, self.told.append)
        return engine.name if engine else None


def on_stage(story: Callable[[Stage], Awaitable[None]]) -> None:
    async def main() -> None:
        await story(Stage())

    run(main())


def test_a_sentence_is_synthesised_once_for_each_voice() -> None:
    async def story(stage: Stage) -> None:
        assert [await stage.speaker() for _ in range(3)] == ["server", None, None]
        assert list(stage.memory.kept) == [("server", "Annullato.")]

    on_stage(story)


def test_what_another_engine_once_said_is_better_than_silence() -> None:
    async def story(stage: Stage) -> None:
        stage.server.always = UnreachableError("Gone.")
        assert await stage.speaker() == "local"
        assert await stage.speaker() is None
        assert len(stage.told) == 1

    on_stage(story)


def test_it_waits_for_the_window_and_says_that_it_waits() -> None:
    async def story(stage: Stage) -> None:
        await stage.speaker("Prima.")
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(stage.speaker("Seconda."), name="second")
            await asyncio.sleep(0.1)
            assert stage.phrases.is_waiting
            await task
        assert not stage.phrases.is_waiting
        assert stage.changed.is_set()
        assert stage.server.refusals == 0
        first, second = (at for at, _ in stage.server.asked)
        assert 2.0 <= second - first < 2.2

    on_stage(story)


def test_what_is_looked_for_on_the_disk_keeps_its_place_before_what_is_not() -> None:
    async def story(stage: Stage) -> None:
        stage.memory.seconds = 0.01
        stage.memory.kept["server", "Sul disco."] = Sound(b"\0\0")
        async with asyncio.TaskGroup() as tasks:
            for text, is_kept in (("Prima.", True), ("Sul disco.", True), ("Seconda.", False)):
                tasks.create_task(
                    stage.phrases.sound(text, stage.told.append, is_kept=is_kept), name=text
                )
        assert [text for _, text in stage.server.asked] == ["Prima.", "Seconda."]

    on_stage(story)


def test_who_stops_waiting_is_not_waited_for() -> None:
    async def story(stage: Stage) -> None:
        await stage.speaker("Prima.")
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(stage.speaker("Seconda."), name="second")
            await asyncio.sleep(0.1)
            task.cancel()
        assert not stage.phrases.is_waiting

    on_stage(story)


def test_another_client_in_the_window_costs_time_and_no_sentence() -> None:
    async def story(stage: Stage) -> None:
        stage.server.occupied_until = 1.0
        assert await stage.speaker() == "server"
        assert stage.server.refusals > 0

    on_stage(story)


def test_what_nobody_speaks_is_an_error() -> None:
    async def story(stage: Stage) -> None:
        stage.server.always = stage.local.always = VoiceError("No.")
        with pytest.raises(VoiceError):
            await stage.speaker()

    on_stage(story)


def test_phrases_are_prepared_one_at_a_time_while_nobody_talks() -> None:
    async def story(stage: Stage) -> None:
        is_idle = True
        async with asyncio.TaskGroup() as group:
            preparing = stage.phrases.prepare(["Uno.", "Due.", "Tre."], lambda: is_idle)
            group.create_task(preparing, name="prepare")
            await asyncio.sleep(QUIET_SECONDS - 1)
            assert not stage.server.asked
            await asyncio.sleep(4)
            assert [text for _, text in stage.server.asked] == ["Uno."]
            is_idle = False
            await asyncio.sleep(60)
            assert [text for _, text in stage.server.asked] == ["Uno."]
            assert not stage.phrases.is_waiting
            is_idle = True
        assert {text for _, text in stage.memory.kept} == {"Uno.", "Due.", "Tre."}
        assert stage.server.refusals == 0
        await stage.phrases.prepare(["Uno."], lambda: True)
        assert len(stage.server.asked) == 3

    on_stage(story)


def test_preparing_ends_at_the_first_failure_and_tells_nobody() -> None:
    async def story(stage: Stage) -> None:
        stage.server.always = stage.local.always = VoiceError("no")
        await stage.phrases.prepare(["Uno.", "Due."], lambda: True)
        assert {text for _, text in stage.server.asked} == {"Uno."}
        assert not stage.told

    on_stage(story)
