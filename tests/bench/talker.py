"""The assistant as far as it matters to echoes: it speaks and listens at once, and is interrupted.

Playback, mixer, canceller, capture and detector are the daemon's own. What the dialogue would do is
done here: softer at a hint, silent and recording when somebody surely speaks, on again afterwards.
"""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle

import numpy as np
import soxr

from tests.bench import said
from tests.fakes.microphone import PlainEncoder
from voicehermes.adapters.sound.detectors import open_detector
from voicehermes.adapters.sound.echo_canceller import open_canceller
from voicehermes.adapters.sound.null_speaker import NullSpeaker
from voicehermes.attention import Attention
from voicehermes.audio import PLAY_RATE_HZ, RATE_HZ, EndsBy, Sound
from voicehermes.config import Listen
from voicehermes.hearing.capture import Capture
from voicehermes.hearing.ear_events import (
    EarEvent,
    HintGone,
    Recorded,
    SpeechHinted,
    VoiceBegan,
)
from voicehermes.ports import Microphone, Speaker
from voicehermes.speaking.joining import SENTENCE_PAUSE_SECONDS, with_pause
from voicehermes.speaking.playback import Playback

PLAYED_DBFS = -20.0
"""Of the assistant's speech when it goes to the device."""

REPLY_SECONDS = 25.0
SILENCES_SECONDS = (1.0, 12.0)
"""Behind a reply: the speaker stays open, or is closed and opened again."""

_GO_ON_SECONDS = 0.5


@dataclass
class Told:
    """What came of a run."""

    hints: list[float] = field(default_factory=list)
    begins: list[float] = field(default_factory=list)
    """When the user was surely speaking, as it was told."""
    hinted_seconds: float = 0.0
    """How long it was softer for a hint of nothing."""


class Talker:
    """Speaks, and listens meanwhile with ``[listen] echo`` as ``mode``."""

    def __init__(
        self, mode: str, speaker: Speaker, microphone: Microphone, *, is_ducking: bool = True
    ) -> None:
        self.told = Told()
        self._is_ducking = is_ducking
        canceller = open_canceller() if mode == "aec" else None
        self.playback = Playback(
            speaker, NullSpeaker(), played=canceller.played if canceller else None
        )
        listen = Listen()
        self.capture = Capture(
            microphone,
            open_detector(listen.vad),
            PlainEncoder,
            pre_roll_seconds=listen.pre_roll_seconds,
            min_speech_seconds=listen.min_speech_seconds,
            end_silence_seconds=listen.end_silence_seconds,
            end_silence_min_seconds=listen.end_silence_min_seconds,
            end_silence_max_seconds=listen.end_silence_max_seconds,
            max_seconds=listen.max_seconds,
            part_seconds=None,
            sounds_finished=lambda _: None,
            own_sound=lambda: self.playback.heard_until,
            is_half_duplex=mode == "half-duplex",
            canceller=canceller,
            sink=self._take,
            on_level=lambda _: None,
            now=lambda: asyncio.get_running_loop().time(),
        )
        self._recording = 0

    async def speak(self, replies: Iterable[tuple[Sequence[Sound], float]]) -> Told:
        """Speak clips and be silent so many seconds, again and again, listening all the time."""
        self.capture.attend(Attention.SPEECH)
        async with asyncio.TaskGroup() as tasks:
            works = (self.playback.run(lambda _: None), self.capture.run())
            running = [tasks.create_task(work, name=str(at)) for at, work in enumerate(works)]
            for clips, silence_seconds in replies:
                for tag, clip in enumerate(clips):
                    self.playback.enqueue(tag, with_pause(clip, SENTENCE_PAUSE_SECONDS))
                await self._wait_spoken()
                await asyncio.sleep(silence_seconds)
            for task in running:
                task.cancel()
        return self.told

    async def _wait_spoken(self) -> None:
        while left := self.playback.queued_seconds:  # noqa: ASYNC110  # a pause tells nobody
            await asyncio.sleep(left)

    def _take(self, event: EarEvent) -> None:
        now = asyncio.get_running_loop().time()
        match event:
            case SpeechHinted():
                self.told.hints.append(now)
                if self._is_ducking:
                    self.playback.duck()
            case HintGone():
                self.told.hinted_seconds += now - self.told.hints[-1]
                self.playback.unduck()
            case VoiceBegan():
                self.told.begins.append(now)
                self.playback.pause()
                self._recording += 1
                self.capture.start(self._recording, ends_by=EndsBy.SILENCE)
            case Recorded():
                loop = asyncio.get_running_loop()
                loop.call_later(_GO_ON_SECONDS, self.playback.resume)
            case _:
                pass


def assistant(seconds: float) -> Iterator[Sound]:
    """So many seconds of speech, real and synthetic in turn, at PLAYED_DBFS."""
    spoken = [one for one in said.sentences() if "festival" not in one.name]
    length = 0.0
    while length < seconds:
        for one in spoken:
            louder = 10 ** ((PLAYED_DBFS - said.SPEECH_DBFS) / 20)
            samples = soxr.resample(one.samples * louder, RATE_HZ, PLAY_RATE_HZ)
            pcm = np.rint(np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes()
            sound = Sound(pcm)
            yield sound
            length += sound.seconds


def replies(seconds: float) -> Iterator[tuple[list[Sound], float]]:
    """That speech as replies, with long and short silences behind them."""
    clips: list[Sound] = []
    silences = cycle(SILENCES_SECONDS)
    for clip in assistant(seconds):
        clips.append(clip)
        if sum(clip.seconds for clip in clips) > REPLY_SECONDS:
            yield clips, next(silences)
            clips = []
    yield clips, 1.0
