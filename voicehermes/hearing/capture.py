"""Microphone to utterance: one long-lived microphone, a pre-roll before every recording.

Knows neither keys nor states: it is told when a recording starts and stops.
"""

import asyncio
import logging
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Never

from voicehermes.attention import Attention
from voicehermes.audio import (
    FRAME_BYTES,
    FRAME_SECONDS,
    EndsBy,
    Ring,
    UtteranceEnd,
    level_dbfs,
)
from voicehermes.errors import AudioError, DeviceError
from voicehermes.hearing.ear_events import (
    EarEvent,
    MicrophoneBack,
    MicrophoneLost,
    PartRecorded,
    Recorded,
    SpeechBegan,
)
from voicehermes.hearing.endpoint import Endpoint, EndpointRules, Pace
from voicehermes.hearing.frame_clock import FrameClock
from voicehermes.hearing.own_sound import OwnSound
from voicehermes.hearing.recording import Recording
from voicehermes.ports import Microphone, UtteranceEncoder, VoiceDetector

log = logging.getLogger(__name__)

_LAST_FRAME_SECONDS = 0.2
"""Longest wait, after a stop, for a frame: several blocks of any device."""

ANSWER_PATIENCE_SECONDS = 8.0
"""How long a recording that ends by itself waits for the first word: time to think of an answer,
and to be asked again twice within the minute that an approval lasts."""

_LONG_SILENCE_SECONDS = 1.0
"""Least silence that ends an answer to a decision, whatever is configured."""

_STALLED_SECONDS = 3.0
"""A microphone that gives no frame for so long, twice that at most, is lost to a recording that
ends by itself. A headset that changes its profile takes one or two."""

_TOLERANCE_SECONDS = 1e-6
"""For sums of floating-point numbers."""

_FIRST_WAIT_SECONDS = 1.0
_LONGEST_WAIT_SECONDS = 5.0

_ZEROS = bytes(FRAME_BYTES)
_ZEROS_SECONDS = 5.0


class Capture:
    """Keeps the microphone open and makes utterances of what is said between start and stop.

    A recording can end by itself too, when the speaker falls silent. Recordings are known by an id
    of the caller's: start and stop may come twice, and a stop for another recording than the one
    under way does nothing. Except by drop and mute, every recording that was started ends in
    exactly one Recorded.
    """

    def __init__(
        self,
        microphone: Microphone,
        detector: VoiceDetector,
        new_encoder: Callable[[], UtteranceEncoder],
        *,
        pre_roll_seconds: float,
        min_speech_seconds: float,
        end_silence_seconds: float,
        end_silence_min_seconds: float,
        end_silence_max_seconds: float,
        max_seconds: float,
        part_seconds: float | None,
        sounds_finished: Callable[[str], bool | None],
        own_sound: Callable[[], float | None],
        is_half_duplex: bool,
        sink: Callable[[EarEvent], None],
        on_level: Callable[[float], None],
        now: Callable[[], float],
    ) -> None:
        """``part_seconds`` as for a Recording; ``sounds_finished`` judges the words so far."""
        self._microphone = microphone
        self._detector = detector
        self._new_encoder = new_encoder
        self._pre_roll_frames = math.ceil(pre_roll_seconds / FRAME_SECONDS)
        self._rules = EndpointRules(
            end_silence_seconds=end_silence_seconds,
            end_silence_min_seconds=end_silence_min_seconds,
            end_silence_max_seconds=end_silence_max_seconds,
            min_speech_seconds=min_speech_seconds,
            patience_seconds=ANSWER_PATIENCE_SECONDS,
            max_seconds=max_seconds,
        )
        self._pace = Pace()
        self._own_sound = OwnSound(own_sound, is_half_duplex=is_half_duplex)
        self._part_seconds = part_seconds
        self._sounds_finished = sounds_finished
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
        self._attention = Attention.NOTHING

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
            self._recording = None

    def start(
        self,
        recording: int,
        *,
        ends_by: EndsBy = EndsBy.STOP,
        patience_seconds: float = ANSWER_PATIENCE_SECONDS,
    ) -> None:
        """Begin a recording, with the pre-roll. One still under way ends first, as if stopped.

        What has sound of our own in it is left out of the pre-roll; unless a stop ends it, where
        no key says that the user speaks, it is left out of all that follows too. Such a recording
        ends when the speaker falls silent, nobody has spoken for ``patience_seconds`` or the
        microphone gives no sound; ``stop`` ends it too.
        """
        if recording == self._last_started:
            return
        self._finish(UtteranceEnd.RELEASED)
        self._last_started = recording
        earliest = self._own_sound.over_at(ends_by)
        pre_roll = self._pre_roll(earliest)
        ends_by_itself = ends_by is not EndsBy.STOP
        if ends_by_itself:
            rules = self._rules_for(ends_by, patience_seconds)
            endpoint, live_from = Endpoint(rules, len(pre_roll), self._pace), earliest
        else:
            endpoint, live_from = None, -math.inf
        self._recording = Recording(
            recording,
            self._detector,
            self._new_encoder,
            endpoint,
            not_before=live_from,
            part_seconds=self._part_seconds,
        )
        if ends_by_itself:
            self._give_up_without_frames(_STALLED_SECONDS, self._note_stalled)
        for frame, ended_at in pre_roll:
            self._feed(self._recording, frame, ended_at)

    def keep_open(self, recording: int) -> None:
        """From now on that recording ends by ``stop`` alone: the user holds a key."""
        if self._recording is not None and self._recording.id == recording:
            self._recording.endpoint = None

    def stop(self, recording: int, end: UtteranceEnd) -> None:
        """End a recording when the sound of this instant has arrived, at most a moment later."""
        stopped = self._recording
        if stopped is None or stopped.id != recording or stopped.stopped_at is not None:
            return
        stopped.stopped_at, stopped.end = self._now(), end
        if self._newest_ended_at >= stopped.stopped_at:
            self._finish(end)
        else:
            self._give_up_without_frames(_LAST_FRAME_SECONDS, lambda: self._finish(end))

    def drop(self, recording: int) -> None:
        """Forget a recording: nothing is said about it any more."""
        if self._recording is not None and self._recording.id == recording:
            self._recording = None

    def attend(self, attention: Attention) -> None:
        """Tell from now on when somebody speaks, or says a wake word, while nothing is recorded."""
        self._attention = attention

    def note_words(self, recording: int, text: str) -> None:
        """What has been recognised of a recording under way, which helps to tell its end."""
        if self._recording is not None and self._recording.id == recording:
            self._recording.note_words(self._sounds_finished(text))

    def raise_guard(self) -> None:
        """We have heard ourselves: be deaf from now on while anything of ours sounds."""
        self._own_sound.raise_guard()

    def mute(self) -> None:
        """Close the microphone and forget all that was heard and not finished."""
        self._unmuted.clear()
        self._recording = None
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
        self._finish(UtteranceEnd.DEVICE_LOST)
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
        if (recording := self._recording) is None:
            return
        self._on_level(level_dbfs(frame))
        if not _begins_before(recording.not_before, self._newest_ended_at):
            end = self._feed(recording, frame, self._newest_ended_at)
            if end is not None and recording.stopped_at is None:
                self._finish(end)
        if recording.stopped_at is not None and self._newest_ended_at >= recording.stopped_at:
            self._finish(UtteranceEnd.RELEASED)

    def _feed(self, recording: Recording, frame: bytes, ended_at: float) -> UtteranceEnd | None:
        was_silent = recording.speech_began_at is None
        end = recording.feed(frame, ended_at)
        if was_silent and recording.speech_began_at is not None:
            self._sink(SpeechBegan(recording.id, recording.speech_began_at))
        for part in recording.take_parts():
            self._sink(PartRecorded(recording.id, part))
        return end

    def _rules_for(self, ends_by: EndsBy, patience_seconds: float) -> EndpointRules:
        rules = replace(self._rules, patience_seconds=patience_seconds)
        if ends_by is not EndsBy.LONG_SILENCE:
            return rules
        silence_seconds = max(rules.end_silence_max_seconds, _LONG_SILENCE_SECONDS)
        return replace(
            rules,
            end_silence_seconds=silence_seconds,
            end_silence_min_seconds=silence_seconds,
            end_silence_max_seconds=silence_seconds,
        )

    def _pre_roll(self, not_before: float) -> list[tuple[bytes, float]]:
        """The frames before this moment that may be used, and when the sound of each ended."""
        frames = self._ring.newest(self._pre_roll_frames)
        ages = range(len(frames) - 1, -1, -1)
        times = [self._newest_ended_at - age * FRAME_SECONDS for age in ages]
        return [
            (frame, ended_at)
            for frame, ended_at in zip(frames, times, strict=True)
            if not _begins_before(not_before, ended_at)
        ]

    def _give_up_without_frames(self, seconds: float, give_up: Callable[[], None]) -> None:
        """Do that if the device gives no frame for a while, and the recording is still on."""
        recording, newest_ended_at = self._recording, self._newest_ended_at

        def look() -> None:
            if self._recording is not recording:
                return
            if self._newest_ended_at > newest_ended_at:
                self._give_up_without_frames(seconds, give_up)
            else:
                give_up()

        asyncio.get_running_loop().call_later(seconds, look)

    def _note_stalled(self) -> None:
        if self._recording is None or self._recording.endpoint is None:
            return  # it was kept open: a key ends it
        if self._unmuted.is_set():
            self._note_lost(DeviceError("The microphone gives no sound any more."))
        else:
            self._finish(UtteranceEnd.DEVICE_LOST)

    def _finish(self, end: UtteranceEnd) -> None:
        """End the recording under way, if any, for that reason or the one it was stopped for."""
        if (recording := self._recording) is None:
            return
        self._recording = None
        end = recording.end or end
        stopped_at = recording.stopped_at
        utterance = recording.finish(end, self._rules.min_speech_seconds)
        self._sink(
            Recorded(
                recording.id,
                utterance,
                end,
                recording.speech_ended_at,
                0.0 if stopped_at is None else self._now() - stopped_at,
                rest=recording.rest,
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


def _begins_before(time: float, ended_at: float) -> bool:
    """Whether the frame that ended at ``ended_at`` began before ``time``."""
    return ended_at - FRAME_SECONDS < time - _TOLERANCE_SECONDS
