"""A session among fakes, on a virtual clock, and what a user does with it."""

import asyncio
from collections.abc import Awaitable, Callable

from tests import virtual_clock
from tests.fakes.agent import FakeAgent
from tests.fakes.display import FakeDisplay
from tests.fakes.ear import FakeEar
from tests.fakes.mouth import FakeMouth
from tests.fakes.outbox import FakeOutbox
from tests.fakes.recognizer import FakeRecognizer
from voicehermes import lexicon
from voicehermes.deciding import vocabulary
from voicehermes.dialogue import Rules
from voicehermes.errors import VoicehermesError
from voicehermes.events import Trigger, TriggerKind
from voicehermes.hearing.hold import HoldRules
from voicehermes.keeping import Keeping
from voicehermes.lexicon import wording
from voicehermes.session import Session
from voicehermes.timeline import Record, Timeline

vocabulary.load("it")
wording.load("it")
MAX_SECONDS = 60.0
WORDS = lexicon.load("it")


class House:
    """A session among fakes, and what a user does with it."""

    def __init__(self, *transcripts: str | VoicehermesError, rules: Rules | None = None) -> None:
        self.agent, self.display, self.outbox = FakeAgent(), FakeDisplay(), FakeOutbox()
        self.ear, self.mouth = FakeEar(), FakeMouth()
        self.recognizer = FakeRecognizer(*transcripts)
        self.records: list[Record] = []
        self.loop = asyncio.get_running_loop()
        rules = rules or Rules()
        self.session = Session(
            rules=rules,
            hold_rules=HoldRules(
                "hold" if rules.mode == "hold" else "toggle",
                tap_seconds=0.3,
                max_seconds=MAX_SECONDS,
            ),
            ear=self.ear,
            recognizer=self.recognizer,
            agent=self.agent,
            mouth=self.mouth,
            keeping=Keeping(self.outbox),
            display=self.display,
            timeline=Timeline(self.loop.time, self.records.append),
            words=WORDS,
            approval_seconds=60.0,
            follow_up_seconds=8.0,
            input_name="Cuffie",
        )
        self.ear.sink = self.session.take_from_ear
        self.mouth.sink = self.session.take_from_mouth

    def trigger(self, kind: TriggerKind) -> None:
        self.session.trigger(Trigger(kind, self.loop.time()))

    async def hold_key(self, seconds: float, sound: bytes | None = b"OggS") -> None:
        """Hold the key; the recording then has this sound, or no speech."""
        self.trigger(TriggerKind.PRESS)
        await asyncio.sleep(seconds)
        self.trigger(TriggerKind.RELEASE)
        if self.ear.ending is not None:
            self.ear.complete(sound)
        await asyncio.sleep(1)

    async def answer(self, turn: int, *texts: str) -> None:
        """The agent answers and all of it is heard."""
        run_id = f"run-{len(self.agent.submitted)}"
        self.agent.reply(run_id, *texts)
        await asyncio.sleep(0.1)
        self.mouth.sound(turn)
        self.mouth.finish(turn)
        await asyncio.sleep(0.1)

    def events(self, *names: str) -> list[str]:
        return [str(r["event"]) for r in self.records if not names or r["event"] in names]

    def outcomes(self) -> list[object]:
        return [r["outcome"] for r in self.records if r["event"] == "turn_end"]


def converse(
    story: Callable[[House], Awaitable[None]],
    *transcripts: str | VoicehermesError,
    rules: Rules | None = None,
    attach: bool = False,
    prepare: Callable[[House], None] = lambda house: None,
) -> House:
    """The house after the story."""

    async def main() -> House:
        house = House(*transcripts, rules=rules)
        prepare(house)
        async with asyncio.TaskGroup() as group:
            group.create_task(house.session.run(attach=attach), name="session")
            await asyncio.sleep(0.1)
            await story(house)
            house.session.stop()
        assert not house.agent.following
        return house

    return virtual_clock.run(main())
