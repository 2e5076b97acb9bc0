"""From microphone to message without a key, in parts: the real capture and session together."""

import asyncio

import pytest

from tests import virtual_clock
from tests.capture_stage import Stage
from tests.fakes.agent import FakeAgent
from tests.fakes.display import FakeDisplay
from tests.fakes.microphone import loud, quiet
from tests.fakes.mouth import FakeMouth
from tests.fakes.outbox import FakeOutbox
from tests.fakes.recognizer import FakeRecognizer
from voicehermes import lexicon
from voicehermes.audio import FRAME_SECONDS
from voicehermes.deciding import vocabulary
from voicehermes.dialogue import Rules
from voicehermes.hearing.hold import HoldRules
from voicehermes.keeping import Keeping
from voicehermes.lexicon import wording
from voicehermes.session import Session
from voicehermes.timeline import Record, Timeline

vocabulary.load("it")
wording.load("it")
WORDS = lexicon.load("it")

SPEECH = [loud(1)] * 40
PAUSE = [quiet()] * 12


class Conversation:
    """Somebody says these frames, and the recogniser understands each request as given."""

    def __init__(self, *transcripts: str, frames: list[bytes], seconds: float) -> None:
        self.agent, self.recognizer = FakeAgent(), FakeRecognizer(*transcripts, seconds=seconds)
        self.records: list[Record] = []
        self.frames = frames

    async def go(self) -> None:
        loop = asyncio.get_running_loop()
        stage, mouth = Stage(part_seconds=1.0), FakeMouth()
        session = Session(
            rules=Rules(mode="handsfree"),
            hold_rules=HoldRules("toggle", tap_seconds=0.3, max_seconds=60.0),
            ear=stage.capture,
            recognizer=self.recognizer,
            agent=self.agent,
            mouth=mouth,
            keeping=Keeping(FakeOutbox()),
            display=FakeDisplay(),
            timeline=Timeline(loop.time, self.records.append),
            words=WORDS,
            approval_seconds=60.0,
            follow_up_seconds=8.0,
            input_name="default",
        )
        stage.then = session.take_from_ear
        mouth.sink = session.take_from_mouth
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(stage.capture.run(), name="capture")
            tasks.create_task(session.run(attach=False), name="session")
            await asyncio.sleep(1)
            stage.microphone.hear(*self.frames)
            await asyncio.sleep(len(self.frames) * FRAME_SECONDS + 5)
            session.stop()
            running.cancel()

    def wait_seconds(self) -> float:
        """From the last speech to the transcript."""
        [began_at] = [r["t"] for r in self.records if r["event"] == "speech_end"]
        [at] = [r["t"] for r in self.records if r["event"] == "transcript"]
        return float(str(at)) - float(str(began_at))


def converse(*transcripts: str, frames: list[bytes], seconds: float = 0.2) -> Conversation:
    conversation = Conversation(*transcripts, frames=frames, seconds=seconds)
    virtual_clock.run(conversation.go())
    return conversation


def test_what_is_said_with_pauses_is_one_message_of_which_the_end_asks_for_the_rest() -> None:
    said = converse(
        "Vorrei un tavolo per.", "Domani.", frames=[*SPEECH, *PAUSE, *[loud(2)] * 15, *PAUSE]
    )
    assert said.agent.submitted == ["Vorrei un tavolo per Domani."]
    assert len(said.recognizer.heard) == 2


def test_a_recogniser_works_while_the_silence_that_ends_it_is_waited_for() -> None:
    in_parts = converse("Vorrei un tavolo.", frames=SPEECH, seconds=0.5)
    assert in_parts.agent.submitted == ["Vorrei un tavolo."]
    assert len(in_parts.recognizer.heard) == 1
    short = converse("Vorrei un tavolo.", frames=SPEECH[:20], seconds=0.5)
    assert in_parts.wait_seconds() == pytest.approx(short.wait_seconds() - 0.5, abs=0.1)


def test_words_that_sound_finished_end_it_sooner_than_words_that_hang() -> None:
    finished = converse("Che ore sono!", frames=SPEECH)
    hanging = converse("Che ore.", frames=SPEECH)
    assert finished.wait_seconds() < hanging.wait_seconds() - 0.2
