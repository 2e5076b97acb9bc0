"""A capture at work on a virtual clock, between a microphone and ears of the test's own."""

import asyncio
from collections.abc import Callable, Coroutine

from tests.fakes.microphone import FakeMicrophone, LoudDetector, PlainEncoder
from tests.virtual_clock import run
from voicehermes.attention import Attention
from voicehermes.audio import FRAME_BYTES, FRAME_SECONDS, EndsBy, UtteranceEnd
from voicehermes.hearing.capture import Capture
from voicehermes.hearing.ear_events import EarEvent, Recorded, VoiceBegan
from voicehermes.ports import EchoCanceller, VoiceDetector, WakeWords

RELEASED = UtteranceEnd.RELEASED
PRE_ROLL_FRAMES = 16
"""Half a second, rounded up."""


class Stage:
    """A capture at work, with all that it said."""

    def __init__(
        self,
        detector: VoiceDetector | None = None,
        *,
        is_half_duplex: bool = True,
        end_silence_seconds: float = 0.8,
        part_seconds: float | None = None,
        wake_words: WakeWords | None = None,
        canceller: EchoCanceller | None = None,
    ) -> None:
        self.microphone = FakeMicrophone()
        self.detector = detector or LoudDetector()
        self.encoders: list[PlainEncoder] = []
        self.said: list[EarEvent] = []
        self.said_at: list[float] = []
        self.levels: list[float] = []
        self.then: Callable[[EarEvent], None] = lambda event: None
        """What follows when something is told, in the same instant."""
        self.own_sound_until: float | None = None
        """Loop time until which the assistant is heard."""
        self.capture = Capture(
            self.microphone,
            self.detector,
            self._new_encoder,
            pre_roll_seconds=0.5,
            min_speech_seconds=0.06,
            end_silence_seconds=end_silence_seconds,
            end_silence_min_seconds=0.4,
            end_silence_max_seconds=1.2,
            max_seconds=20.0,
            part_seconds=part_seconds,
            sounds_finished=lambda text: text.endswith("!"),
            own_sound=lambda: self.own_sound_until,
            is_half_duplex=is_half_duplex,
            canceller=canceller,
            wake_words=wake_words,
            sink=self._take,
            on_level=self.levels.append,
            now=lambda: asyncio.get_running_loop().time(),
        )

    def _new_encoder(self) -> PlainEncoder:
        self.encoders.append(PlainEncoder())
        return self.encoders[-1]

    def _take(self, event: EarEvent) -> None:
        self.said.append(event)
        self.said_at.append(asyncio.get_running_loop().time())
        self.then(event)

    def recorded(self) -> list[Recorded]:
        return [event for event in self.said if isinstance(event, Recorded)]

    def marks(self, index: int = -1) -> list[int]:
        """The marks of the loud frames in an utterance."""
        utterance = self.recorded()[index].utterance
        assert utterance is not None
        frames = [
            utterance.data[at : at + FRAME_BYTES]
            for at in range(0, len(utterance.data), FRAME_BYTES)
        ]
        values = [int.from_bytes(frame[:2], "little", signed=True) for frame in frames]
        return [value - 10_000 for value in values if value > 1_000]


def on_stage(
    scene: Callable[[Stage], Coroutine[None, None, None]], stage: Stage | None = None
) -> Stage:
    """Play a scene while the capture runs."""
    stage = stage or Stage()

    async def main() -> Stage:
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(stage.capture.run(), name="capture")
            await scene(stage)
            running.cancel()
        return stage

    return run(main())


async def frames(count: float) -> None:
    """Let so many frames pass; a half beyond, so that what is due at the last is done."""
    await asyncio.sleep((count + 0.5) * FRAME_SECONDS)


def now() -> float:
    return asyncio.get_running_loop().time()


def attentive(stage: Stage) -> Stage:
    stage.capture.attend(Attention.SPEECH)
    return stage


def answering(stage: Stage, ends_by: EndsBy = EndsBy.SILENCE) -> Stage:
    """As a dialogue does it: what begins is recorded, and meanwhile nothing is attended to."""
    recordings = iter(range(1, 100))

    def then(event: EarEvent) -> None:
        match event:
            case VoiceBegan():
                stage.capture.start(next(recordings), ends_by=ends_by)
                stage.capture.attend(Attention.NOTHING)
            case Recorded():
                stage.capture.attend(Attention.SPEECH)
            case _:
                pass

    stage.then = then
    return attentive(stage)


def kinds(stage: Stage) -> list[type[EarEvent]]:
    return [type(event) for event in stage.said]


def voices(stage: Stage) -> list[VoiceBegan]:
    return [event for event in stage.said if isinstance(event, VoiceBegan)]
