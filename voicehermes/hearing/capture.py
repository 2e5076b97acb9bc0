"""Microphone to utterance: one long-lived microphone, a pre-roll before every recording.

Knows neither keys nor states: it is told when a recording starts and stops.
"""

import asyncio
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Never

from voicehermes.audio import (
    FRAME_BYTES,
    FRAME_SECONDS,
    Ring,
    Utterance,
    UtteranceEnd,
    level_dbfs,
)
from voicehermes.errors import AudioError, DeviceError
from voicehermes.hearing.frame_clock import FrameClock
from voicehermes.hearing.recording import Recording
from voicehermes.ports import Microphone, UtteranceEncoder, VoiceDetector

log = logging.getLogger(__name__)

_LAST_FRAME_SECONDS = 0.2
"""Longest wait, after a stop, for a frame: several blocks of any device."""

_FIRST_WAIT_SECONDS = 1.0
_LONGEST_WAIT_SECONDS = 5.0

_ZEROS = bytes(FRAME_BYTES)
_ZEROS_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class SpeechBegan:
    """The first speech of a recording was detected."""

    recording: int
    at: float
    """When it began, on the clock that Capture was given."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recording is over."""

    recording: int
    utterance: Utterance | None
    """None: there was no speech in it."""
    end: UtteranceEnd
    speech_ended_at: float | None
    """On the clock that Capture was given; None = there was no speech in it."""
    device_seconds: float = 0.0
    """From the stop to the arrival of the block that was still in the device then."""


@dataclass(frozen=True, slots=True)
class MicrophoneLost:
    """The microphone cannot be opened, or went away. It is tried again until it is back."""

    error: AudioError


@dataclass(frozen=True, slots=True)
class MicrophoneBack:
    """The microphone that was lost gives sound again."""


CaptureEvent = SpeechBegan | Recorded | MicrophoneLost | MicrophoneBack


class Capture:
    """Keeps the microphone open and makes utterances of what is said between start and stop.

    Recordings are known by an id of the caller's: start and stop may come twice, and a stop for
    another recording than the one under way does nothing. Except by drop and mute, every recording
    that was started ends in exactly one Recorded.
    """

    def __init__(
        self,
        microphone: Microphone,
        detector: VoiceDetector,
        new_encoder: Callable[[], UtteranceEncoder],
        *,
        pre_roll_seconds: float,
        min_speech_seconds: float,
        sink: Callable[[CaptureEvent], None],
        on_level: Callable[[float], None],
        now: Callable[[], float],
    ) -> None:
        self._microphone = microphone
        self._detector = detector
        self._new_encoder = new_encoder
        self._pre_roll_frames = math.ceil(pre_roll_seconds / FRAME_SECONDS)
        self._min_speech_seconds = min_speech_seconds
        self._sink = sink
        self._on_level = on_level
        self._now = now

        self._ring = Ring(pre_roll_seconds)
        self._clock = FrameClock()
        self._newest_ended_at = -math.inf
        self._zeros = 0
        self._is_lost = False
        self._listening: asyncio.Task[Never] | None = None
        self._unmuted = asyncio.Event()
        self._unmuted.set()

        self._recording: Recording | None = None
        self._last_started: int | None = None
        self._stopped_at: float | None = None
        self._end = UtteranceEnd.RELEASED

    async def run(self) -> Never:
        """Hold the microphone open until cancelled, except while muted."""
        try:
            async with asyncio.TaskGroup() as tasks:
                while True:
                    await self._unmuted.wait()
                    self._listening = tasks.create_task(self._listen(), name="microphone")
                    await asyncio.wait({self._listening})
        finally:
            # The encoder ends here, and not wherever the traceback of our end is collected.
            self._recording = self._stopped_at = None

    def start(self, recording: int, *, not_before: float | None = None) -> None:
        """Begin a recording, with the pre-roll.

        Of the pre-roll, what began before ``not_before`` is left out: it has sound of our own
        in it. A recording still under way ends first, as if it had been stopped.
        """
        if recording == self._last_started:
            return
        self._finish()
        self._last_started = recording
        self._recording = Recording(recording, self._detector, self._new_encoder())
        frames = self._ring.newest(self._clean_frames(not_before))
        for age, frame in zip(range(len(frames) - 1, -1, -1), frames, strict=True):
            self._feed(self._recording, frame, self._newest_ended_at - age * FRAME_SECONDS)

    def stop(self, recording: int, end: UtteranceEnd) -> None:
        """End a recording when the sound of this instant has arrived, at most a moment later."""
        if (
            self._recording is None
            or self._recording.id != recording
            or self._stopped_at is not None
        ):
            return
        self._stopped_at = self._now()
        self._end = end
        if self._newest_ended_at >= self._stopped_at:
            self._finish()
        else:
            self._wait_for_last_frame(recording, self._newest_ended_at)

    def drop(self, recording: int) -> None:
        """Forget a recording: nothing is said about it any more."""
        if self._recording is not None and self._recording.id == recording:
            self._recording = self._stopped_at = None

    @property
    def quiet_seconds(self) -> float:
        """How long there has been no speech, in the recording under way; 0.0 before the first."""
        recording = self._recording
        if recording is None or recording.speech_ended_at is None:
            return 0.0
        return max(0.0, self._newest_ended_at - recording.speech_ended_at)

    def mute(self) -> None:
        """Close the microphone and forget all that was heard and not finished."""
        self._unmuted.clear()
        self._recording = self._stopped_at = None
        self._ring.clear()
        if self._listening is not None:
            self._listening.cancel()

    def unmute(self) -> None:
        """Open the microphone again."""
        self._unmuted.set()

    async def _listen(self) -> Never:
        wait_seconds = _FIRST_WAIT_SECONDS
        while True:
            try:
                async with self._microphone.open() as frames:
                    self._clock = FrameClock()
                    self._zeros = 0
                    async for frame in frames:
                        wait_seconds = _FIRST_WAIT_SECONDS
                        self._note_back()
                        self._take(frame)
                raise DeviceError("The microphone gives no sound any more.")
            except AudioError as error:
                self._note_lost(error)
            await asyncio.sleep(wait_seconds)
            wait_seconds = min(wait_seconds * 1.5, _LONGEST_WAIT_SECONDS)

    def _note_lost(self, error: AudioError) -> None:
        self._ring.clear()
        if self._stopped_at is None:
            self._end = UtteranceEnd.DEVICE_LOST
        self._finish()
        if not self._is_lost:
            self._is_lost = True
            log.info("microphone: %s", error)
            self._sink(MicrophoneLost(error))

    def _note_back(self) -> None:
        if self._is_lost:
            self._is_lost = False
            log.info("the microphone is back")
            self._sink(MicrophoneBack())

    def _take(self, frame: bytes) -> None:
        self._newest_ended_at = self._clock.arrived(self._now())
        self._ring.push(frame)
        self._warn_of_zeros(frame)
        if self._recording is not None:
            self._on_level(level_dbfs(frame))
            self._feed(self._recording, frame, self._newest_ended_at)
            if self._stopped_at is not None and self._newest_ended_at >= self._stopped_at:
                self._finish()

    def _feed(self, recording: Recording, frame: bytes, ended_at: float) -> None:
        was_silent = recording.speech_began_at is None
        recording.feed(frame, ended_at)
        if was_silent and recording.speech_began_at is not None:
            self._sink(SpeechBegan(recording.id, recording.speech_began_at))

    def _clean_frames(self, not_before: float | None) -> int:
        """How many of the newest frames may be pre-roll."""
        if not_before is None:
            return self._pre_roll_frames
        clean_seconds = max(0.0, self._newest_ended_at - not_before)
        return min(self._pre_roll_frames, math.floor(clean_seconds / FRAME_SECONDS + 1e-6))

    def _wait_for_last_frame(self, recording: int, newest_ended_at: float) -> None:
        """Finish when the device gives no further frame for a while."""

        def look() -> None:
            if self._recording is None or self._recording.id != recording:
                return
            if self._newest_ended_at > newest_ended_at:
                self._wait_for_last_frame(recording, self._newest_ended_at)
            else:
                self._finish()

        asyncio.get_running_loop().call_later(_LAST_FRAME_SECONDS, look)

    def _finish(self) -> None:
        if (recording := self._recording) is None:
            return
        end, self._end = self._end, UtteranceEnd.RELEASED
        waited = 0.0 if self._stopped_at is None else self._now() - self._stopped_at
        self._recording = self._stopped_at = None
        self._sink(
            Recorded(
                recording.id,
                recording.finish(end, self._min_speech_seconds),
                end,
                recording.speech_ended_at,
                waited,
            )
        )

    def _warn_of_zeros(self, frame: bytes) -> None:
        """A muted source gives zeros; no real microphone does."""
        if self._zeros < 0:
            return
        if frame != _ZEROS:
            self._zeros = -1
            return
        self._zeros += 1
        if self._zeros * FRAME_SECONDS > _ZEROS_SECONDS:
            self._zeros = -1
            log.warning("The microphone gives nothing but zeros. Is it muted in the system?")
