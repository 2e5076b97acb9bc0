"""How long one waits for the words, whole and in parts: ``python -m tests.bench.recognition``.

Somebody speaks for 2 to 60 s with a key held down, and lets go of it a moment after the last word.
The capture, the session and its errands are the daemon's own, on a virtual clock; the recogniser
takes so many times as long as the sound that it is given, one request after another, as a server
with one worker does. What is measured goes from the true end of the speech to the transcript.

With ``--model DIR`` a real recogniser (faster-whisper, which is not a dependency of ours) hears the
same kind of speech: the word error rate in parts beside that of the whole.
"""

import argparse
import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests import virtual_clock
from tests.bench import talks, word_errors
from tests.bench.talks import Talk
from tests.fakes.agent import FakeAgent
from tests.fakes.display import FakeDisplay
from tests.fakes.microphone import FakeMicrophone
from tests.fakes.mouth import FakeMouth
from tests.fakes.outbox import FakeOutbox
from voicehermes import lexicon
from voicehermes.adapters.sound.detectors import open_detector
from voicehermes.adapters.sound.encoders import open_encoders
from voicehermes.audio import Utterance
from voicehermes.config import Listen
from voicehermes.deciding import vocabulary
from voicehermes.dialogue import Rules
from voicehermes.events import Trigger, TriggerKind
from voicehermes.hearing.capture import Capture
from voicehermes.hearing.hold import HoldRules
from voicehermes.keeping import Keeping
from voicehermes.lexicon import wording
from voicehermes.ports import VoiceDetector
from voicehermes.session import Session
from voicehermes.timeline import Record, Timeline

LENGTHS = (2.0, 5.0, 10.0, 20.0, 40.0, 60.0)
GOAL_FACTOR = 0.5
GOAL_TIMES = 1.5
"""With that recogniser one waits for the longest at most so many times as long as for 5 s."""

RELEASE_SECONDS = 0.2
"""From the last sound to letting go of the key."""


@dataclass(frozen=True)
class Server:
    """How long a recogniser takes."""

    factor: float
    """So many times the length of the sound."""
    request_seconds: float = 0.0
    """And so much for each request."""

    def __str__(self) -> str:
        own = f" + {self.request_seconds:g} s" if self.request_seconds else ""
        return f"{self.factor:g} x real time{own}"


SERVERS = (Server(0.1), Server(GOAL_FACTOR), Server(1.6), Server(0.2, 8.0))
"""The last one is not asked for by any goal: there parts only cost, and are to be left."""


class OneWorker:
    """A recogniser that works on one request at a time."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._lane = asyncio.Lock()
        self.requests = 0

    async def transcribe(self, utterance: Utterance) -> str:
        self.requests += 1
        async with self._lane:
            await asyncio.sleep(
                self._server.request_seconds + self._server.factor * utterance.seconds
            )
        return "parole dette una dopo l'altra."


class Remembered:
    """A detector that need not hear the same frame twice."""

    def __init__(self, detector: VoiceDetector) -> None:
        self._detector = detector
        self._heard: dict[bytes, tuple[bool, bool | None]] = {}
        self.is_sure: bool | None = None

    def is_speech(self, frame: bytes) -> bool:
        if frame not in self._heard:
            is_speech = self._detector.is_speech(frame)
            self._heard[frame] = is_speech, self._detector.is_sure
        is_speech, self.is_sure = self._heard[frame]
        return is_speech

    def reset(self) -> None:
        self._detector.reset()


@dataclass(frozen=True)
class Wait:
    """What one turn took."""

    seconds: float
    requests: int


def main() -> int:
    """Print the tables; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--takes", type=int, default=5, help="how many different ones of a length")
    parser.add_argument("--model", type=Path, help="folder of a Whisper model for faster-whisper")
    options = parser.parse_args()
    if options.model:
        return word_errors.main(options.model)
    vocabulary.load("it")
    wording.load("it")
    waits = measure(options.takes)
    for in_parts in (False, True):
        print("in parts" if in_parts else "whole", "- median wait in s (requests), by s of speech")
        print(f"{'recogniser':<24}" + "".join(f"{length:>14.0f}" for length in LENGTHS))
        for server in SERVERS:
            row = [waits[server, in_parts, length] for length in LENGTHS]
            print(f"{server!s:<24}" + "".join(f"{_cell(turns):>14}" for turns in row))
    served = {length: _typical(waits[Server(GOAL_FACTOR), True, length]) for length in LENGTHS}
    times = served[LENGTHS[-1]] / served[5.0]
    print(
        f"goal: at {GOAL_FACTOR:g} x, 60 s at most {GOAL_TIMES:g} times what 5 s take: {times:.2f}"
    )
    return 0 if times <= GOAL_TIMES else 1


def measure(takes: int) -> dict[tuple[Server, bool, float], list[Wait]]:
    """All waits by recogniser, whether it is in parts, and the length of what is said."""
    sentences = talks.sentences()
    detector = Remembered(open_detector("auto"))
    waits: dict[tuple[Server, bool, float], list[Wait]] = {}
    for length in LENGTHS:
        for number in range(takes):
            spoken = talks.talk(length, number, sentences)
            for server in SERVERS:
                for in_parts in (False, True):
                    # What is learnt of a server that is too slow counts for the next turn.
                    times = 2 if server.request_seconds else 1
                    took = virtual_clock.run(turns(spoken, detector, server, in_parts, times))
                    wait = took[-1]
                    waits.setdefault((server, in_parts, length), []).append(wait)
            print(f"\r{length:.0f} s: {number + 1}/{takes} ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return waits


async def turns(
    spoken: Talk, detector: VoiceDetector, server: Server, in_parts: bool, times: int = 1
) -> list[Wait]:
    """What each takes if the same is said so many times."""
    loop = asyncio.get_running_loop()
    microphone, recognizer = FakeMicrophone(), OneWorker(server)
    transcribed = asyncio.Event()

    def take(record: Record) -> None:
        if record["event"] == "transcript":
            transcribed.set()

    listen = Listen()
    words = lexicon.load("it")
    encoders = await asyncio.to_thread(open_encoders, "wav")  # Opus would cost the bench minutes
    capture = Capture(
        microphone,
        detector,
        encoders,
        pre_roll_seconds=listen.pre_roll_seconds,
        min_speech_seconds=listen.min_speech_seconds,
        end_silence_seconds=listen.end_silence_seconds,
        end_silence_min_seconds=listen.end_silence_min_seconds,
        end_silence_max_seconds=listen.end_silence_max_seconds,
        max_seconds=listen.max_seconds,
        part_seconds=listen.part_seconds if in_parts else None,
        sounds_finished=lambda text: None,
        own_sound=lambda: None,
        is_half_duplex=True,
        sink=lambda event: session.take_from_ear(event),
        on_level=lambda dbfs: None,
        now=loop.time,
    )
    mouth = FakeMouth()
    session = Session(
        rules=Rules(),
        hold_rules=HoldRules("hold", tap_seconds=0.3, max_seconds=listen.max_seconds),
        ear=capture,
        recognizer=recognizer,
        agent=FakeAgent(),
        mouth=mouth,
        keeping=Keeping(FakeOutbox()),
        display=FakeDisplay(),
        timeline=Timeline(loop.time, take),
        words=words,
        approval_seconds=60.0,
        follow_up_seconds=8.0,
        input_name="default",
    )
    mouth.sink = session.take_from_mouth
    waits = []
    async with asyncio.TaskGroup() as group:
        running = group.create_task(capture.run(), name="capture")
        group.create_task(session.run(attach=False), name="session")
        await asyncio.sleep(1)
        for _ in range(times):
            recognizer.requests = 0
            began_at = loop.time()
            microphone.hear(*spoken.frames)
            await asyncio.sleep(talks.BEFORE_SECONDS / 2)
            session.trigger(Trigger(TriggerKind.PRESS, loop.time()))
            ends_at = began_at + spoken.ends_at
            await asyncio.sleep(ends_at + RELEASE_SECONDS - loop.time())
            session.trigger(Trigger(TriggerKind.RELEASE, loop.time()))
            await transcribed.wait()
            transcribed.clear()
            waits.append(Wait(loop.time() - ends_at, recognizer.requests))
            await asyncio.sleep(talks.AFTER_SECONDS)
        session.stop()
        running.cancel()
    return waits


def _typical(waits: list[Wait]) -> float:
    return median(wait.seconds for wait in waits)


def _cell(waits: list[Wait]) -> str:
    return f"{_typical(waits):.1f} ({median(wait.requests for wait in waits):g})"


if __name__ == "__main__":
    sys.exit(main())
