"""A running voice on the virtual clock, with all that comes out of it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from tests.fakes.speaker import FakeSpeaker
from tests.fakes.synthesizer import FakeSynthesizer, heard
from tests.virtual_clock import run
from voicehermes import lexicon
from voicehermes.adapters.sound.null_speaker import NullSpeaker
from voicehermes.audio import Sound
from voicehermes.errors import StoreError
from voicehermes.speaking.playback import Playback
from voicehermes.speaking.voice import SpokenAll, Voice, VoiceEvent
from voicehermes.timeline import Record, Timeline

SENTENCES = [
    "Certo!",
    "Domani a Milano piove per tutta la mattina, e nel pomeriggio esce il sole.",
    "La temperatura massima sarà di dodici gradi.",
    "Ti consiglio di prendere l'ombrello se esci prima di pranzo.",
    "Vuoi che ti avvisi quando smette di piovere?",
]
REPLY = " ".join(SENTENCES)

WORDS = lexicon.load("it")


class Phrases:
    """A phrase cache in memory."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], Sound] = {}
        self.asked_for: set[str] = set()
        self.disk_is_full = False

    async def get(self, engine: str, text: str) -> Sound | None:
        self.asked_for.add(text)
        await asyncio.sleep(0)
        if self.disk_is_full:
            raise StoreError("Cannot read.")
        return self.kept.get((engine, text))

    async def put(self, engine: str, text: str, sound: Sound) -> None:
        await asyncio.sleep(0)
        if self.disk_is_full:
            raise StoreError("Cannot write.")
        self.kept[engine, text] = sound


class Stage:
    """A running voice with all that came out of it."""

    def __init__(self, *synthesizers: FakeSynthesizer) -> None:
        self.synthesizers = synthesizers or (FakeSynthesizer(),)
        self.speaker = FakeSpeaker()
        self.events: list[tuple[float, VoiceEvent]] = []
        self.records: list[Record] = []
        self.phrases = Phrases()
        self.known: dict[str, int] = {}
        loop = asyncio.get_running_loop()
        self.voice = Voice(
            self.synthesizers,
            Playback(self.speaker, NullSpeaker()),
            WORDS,
            sink=self.take,
            timeline=Timeline(loop.time, self.records.append),
            cues={"sent": Sound(b"\x01\x00" * 2400)},
            phrases=self.phrases,
            heard=self.known,
        )

    @property
    def server(self) -> FakeSynthesizer:
        return self.synthesizers[0]

    def take(self, event: VoiceEvent) -> None:
        self.events.append((asyncio.get_running_loop().time(), event))

    def told(self, kind: type[Any]) -> list[Any]:
        return [event for _, event in self.events if isinstance(event, kind)]

    def times(self, name: str) -> list[float]:
        return [float(str(r["t"])) for r in self.records if r["event"] == name]

    @property
    def heard(self) -> str:
        return " ".join(heard(bytes(self.speaker.played)))

    async def reply(self, turn: int, text: str, *, pace: float = 60.0) -> None:
        """A reply that is written at so many characters a second."""
        self.voice.begin(turn)
        for at in range(0, len(text), 4):
            self.voice.add(turn, text[at : at + 4])
            await asyncio.sleep(4 / pace)
        self.voice.end(turn)

    async def wait_spoken(self, turn: int = 1, *, seconds: float = 120.0) -> None:
        async with asyncio.timeout(seconds):
            while SpokenAll(turn) not in self.told(SpokenAll):  # noqa: ASYNC110
                await asyncio.sleep(0.05)


@asynccontextmanager
async def running(stage: Stage) -> AsyncIterator[Stage]:
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(stage.voice.run(), name="voice")
        yield stage
        running.cancel()
    assert not stage.speaker.is_open


def on_stage(story: Callable[[Stage], Awaitable[None]], *synthesizers: FakeSynthesizer) -> None:
    """Run the story with a voice, on the virtual clock."""

    async def main() -> None:
        async with running(Stage(*synthesizers)) as stage:
            await story(stage)

    run(main())
