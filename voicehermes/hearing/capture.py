"""Microphone to utterance: one long-lived microphone, a pre-roll before every recording.

Knows neither keys nor states: it is told when a recording starts and stops, and to what to attend
while there is none.
"""

import asyncio
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Never

from voicehermes.attention import Attention
from voicehermes.audio import FRAME_SECONDS, EndsBy, InputFault, UtteranceEnd, level_dbfs
from voicehermes.errors import DeviceError
from voicehermes.hearing.attending import Attending, Noticed
from voicehermes.hearing.detection import Detection
from voicehermes.hearing.ear_events import (
    EarEvent,
    InputFaulty,
    PartRecorded,
    Recorded,
    SpeechBegan,
    StillSilent,
    VoiceBegan,
    WakeWordHeard,
)
from voicehermes.hearing.endpoint import Endpoint, EndpointRules, Pace
from voicehermes.hearing.intake import Intake
from voicehermes.hearing.own_sound import OwnSound
from voicehermes.hearing.past import Past, begins_before
from voicehermes.hearing.recording import Recording
from voicehermes.ports import (
    EchoCanceller,
    Microphone,
    UtteranceEncoder,
    VoiceDetector,
    WakeWords,
)

_LAST_FRAME_SECONDS = 0.2
"""Longest wait, after a stop, for a frame: several blocks of any device."""

ANSWER_PATIENCE_SECONDS = 8.0
"""How long a recording that ends by itself waits for the first word: time to think of an answer,
and to be asked again twice within the minute that an approval lasts."""

_LONG_SILENCE_SECONDS = 1.0
"""Least silence that ends an answer to a decision, whatever is configured."""

_STILL_SILENT_FRAMES = math.ceil(0.4 / FRAME_SECONDS)
"""Who goes on in one breath behind a wake word has been noticed by then."""

_STALLED_SECONDS = 3.0
"""A microphone that gives no frame for so long, twice that at most, is lost to a recording that
ends by itself. A headset that changes its profile takes one or two."""

_EVIDENCE_SECONDS = 2.0
"""Longest time from the first evidence of speech to its beginning that is remembered."""

_RESUMED_SECONDS = 1.5
"""Who goes on so soon after a silence has paused in mid-thought."""


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
        canceller: EchoCanceller | None = None,
        wake_words: WakeWords | None = None,
        sink: Callable[[EarEvent], None],
        on_level: Callable[[float], None],
        now: Callable[[], float],
    ) -> None:
        """``part_seconds`` as for a Recording; ``sounds_finished`` judges the words so far.

        ``own_sound`` tells until when our newest sound is or was heard, None = there was none;
        in half-duplex nothing is made of what is heard until then.
        """
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

        self._canceller = canceller
        self._intake = Intake(
            microphone, take=self._take, lose=self._lose, sink=self._tell, now=now
        )
        self._past = Past(pre_roll_seconds + _EVIDENCE_SECONDS)
        self._used_until = -math.inf
        """What was heard before is no part of a recording that begins without a key."""
        self._is_called = False
        """Whether a wake word was heard since the last recording began."""

        self._detection = Detection(detector, self._past)
        self._attending = Attending(self._past, self._detection, self._own_sound, wake_words)

        self._recording: Recording | None = None
        self._last_started: int | None = None
        self._faults: set[InputFault] = set()
        """Those that were told."""

    async def run(self) -> Never:
        """Hold the microphone open until cancelled, except while muted."""
        try:
            await self._intake.run()
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

        The pre-roll reaches back before the first evidence of speech where the ear attends to it.
        What has sound of our own in it is left out of the pre-roll, also where the device gives it
        late; unless a stop ends it, where no key says that the user speaks, it is left out of all
        that follows too. Such a recording ends when the speaker falls silent, nobody has spoken
        for ``patience_seconds`` or the microphone gives no sound; ``stop`` ends it too.
        """
        if recording == self._last_started:
            return
        self._finish(UtteranceEnd.RELEASED)
        self._last_started = recording
        ends_by_itself = ends_by is not EndsBy.STOP
        earliest = not_before = self._own_sound.over_at(ends_by)
        if ends_by_itself:
            earliest = max(earliest, self._used_until)
        else:
            not_before = min(not_before, self._now() - FRAME_SECONDS)
        pre_roll = self._past.since(
            earliest, self._pre_roll_frames + self._attending.evidence_frames
        )
        self._tell(self._attending.rest())
        self._recording = begun = Recording(
            recording,
            self._new_encoder,
            self._endpoint(ends_by, patience_seconds, len(pre_roll)) if ends_by_itself else None,
            ends_by=ends_by,
            is_called=self._is_called,
            not_before=not_before,
            part_seconds=self._part_seconds,
        )
        self._is_called = False
        if ends_by_itself:
            self._give_up_without_frames(_STALLED_SECONDS, self._note_stalled)
        for heard, is_speech in zip(pre_roll, self._detection.judge_all(pre_roll), strict=True):
            self._feed(begun, heard.frame, heard.ended_at, is_speech=is_speech)
        self._hurry()

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
        if self._past.newest_ended_at >= stopped.stopped_at:
            self._finish(end)
        else:
            self._give_up_without_frames(_LAST_FRAME_SECONDS, lambda: self._finish(end))

    def drop(self, recording: int) -> None:
        """Forget a recording: nothing is said about it any more."""
        if self._recording is not None and self._recording.id == recording:
            self._recording = None

    def attend(self, attention: Attention) -> None:
        """What to tell of from now on while nothing is recorded."""
        self._tell(self._attending.attend(attention))

    def note_words(self, recording: int, text: str) -> None:
        """What has been recognised of a recording under way, which helps to tell its end."""
        if self._recording is not None and self._recording.id == recording:
            self._recording.note_words(self._sounds_finished(text))

    def raise_guard(self) -> None:
        """We have heard ourselves: be deaf from now on while anything of ours sounds."""
        self._own_sound.raise_guard()

    def mute(self) -> None:
        """Close the microphone and forget all that was heard and not finished."""
        self._intake.mute()
        self._recording = None
        self._past.clear()
        self._tell(self._attending.rest())

    def unmute(self) -> None:
        """Open the microphone again."""
        self._intake.unmute()

    def _lose(self) -> None:
        """What was heard has an end: the microphone is gone."""
        self._past.clear()
        self._tell(self._attending.rest())
        self._finish(UtteranceEnd.DEVICE_LOST)

    def _take(self, frame: bytes, ended_at: float) -> None:
        if self._canceller:
            frame = self._canceller.cancel(frame, ended_at)
        self._past.push(frame, ended_at)
        if self._recording is not None:
            self._record(self._recording, frame, ended_at)
        elif self._canceller and self._canceller.is_learning:
            self._note(self._attending.rest())
        else:
            self._note(self._attending.take(frame))
        self._hurry()

    def _hurry(self) -> None:
        """Each frame is waited for while somebody speaks, or could be talking over us."""
        self._intake.hurry(
            is_wanted=self._recording is not None
            or self._attending.evidence_frames > 0
            or self._own_sound.is_heard(self._past.newest_ended_at)
        )

    def _note(self, noticed: Noticed | None) -> None:
        match noticed:
            case VoiceBegan(_, silence_seconds) if silence_seconds < _RESUMED_SECONDS:
                self._pace.note_pause(silence_seconds)
            case WakeWordHeard():
                self._used_until = self._past.newest_ended_at
                self._is_called = True
            case _:
                pass
        self._tell(noticed)

    def _record(self, recording: Recording, frame: bytes, ended_at: float) -> None:
        self._on_level(level_dbfs(frame))
        if not begins_before(recording.not_before, ended_at):
            is_speech = self._detection.judge(frame)
            if self._is_in_a_cue(recording, ended_at):
                is_speech = self._is_over_a_cue(recording, is_speech=is_speech)
            if is_speech:
                self._past.silent_frames = 0
            end = self._feed(recording, frame, ended_at, is_speech=is_speech)
            if end is not None and recording.stopped_at is None:
                self._finish(end)
        if recording.stopped_at is not None and ended_at >= recording.stopped_at:
            self._finish(UtteranceEnd.RELEASED)

    def _is_in_a_cue(self, recording: Recording, ended_at: float) -> bool:
        """Whether there may be a sound of ours in it that began since the start: a cue.

        Until somebody has spoken: from then on no word may be lost.
        """
        if recording.endpoint is None or recording.speech_began_at is not None:
            return False
        return begins_before(self._own_sound.over_at(recording.ends_by), ended_at)

    def _is_over_a_cue(self, recording: Recording, *, is_speech: bool) -> bool:
        """Whether that is somebody's word all the same: no detector is quite sure of a cue.

        What answers a decision begins when all that is ours is over.
        """
        is_sure = self._detection.is_sure
        if recording.ends_by is EndsBy.LONG_SILENCE or is_sure is None:
            return False
        return recording.over_cue.feed(is_speech=is_speech, is_sure=is_sure) == "speech"

    def _feed(
        self, recording: Recording, frame: bytes, ended_at: float, *, is_speech: bool
    ) -> UtteranceEnd | None:
        was_silent = recording.speech_began_at is None
        end = recording.feed(frame, ended_at, is_speech=is_speech)
        if was_silent and recording.speech_began_at is not None:
            self._tell(SpeechBegan(recording.id, recording.speech_began_at))
        is_silent = recording.speech_began_at is None
        if recording.is_called and is_silent and recording.frames == _STILL_SILENT_FRAMES:
            self._tell(StillSilent(recording.id))
        for part in recording.take_parts():
            self._tell(PartRecorded(recording.id, part))
        return end

    def _endpoint(self, ends_by: EndsBy, patience_seconds: float, pre_roll_frames: int) -> Endpoint:
        rules = replace(self._rules, patience_seconds=patience_seconds)
        if ends_by is EndsBy.LONG_SILENCE:
            silence_seconds = max(rules.end_silence_max_seconds, _LONG_SILENCE_SECONDS)
            rules = replace(
                rules,
                end_silence_seconds=silence_seconds,
                end_silence_min_seconds=silence_seconds,
                end_silence_max_seconds=silence_seconds,
            )
        return Endpoint(rules, pre_roll_frames, self._pace)

    def _give_up_without_frames(self, seconds: float, give_up: Callable[[], None]) -> None:
        """Do that if the device gives no frame for a while, and the recording is still on."""
        recording, newest_ended_at = self._recording, self._past.newest_ended_at

        def look() -> None:
            if self._recording is not recording:
                return
            if self._past.newest_ended_at > newest_ended_at:
                self._give_up_without_frames(seconds, give_up)
            else:
                give_up()

        asyncio.get_running_loop().call_later(seconds, look)

    def _note_stalled(self) -> None:
        if self._recording is None or self._recording.endpoint is None:
            return  # it was kept open: a key ends it
        if self._intake.is_muted:
            self._finish(UtteranceEnd.DEVICE_LOST)
        else:
            self._intake.note_lost(DeviceError("The microphone gives no sound any more."))

    def _finish(self, end: UtteranceEnd) -> None:
        """End the recording under way, if any, for that reason or the one it was stopped for."""
        if (recording := self._recording) is None:
            return
        self._recording = None
        end = recording.end or end
        stopped_at = recording.stopped_at
        utterance = recording.finish(end, self._rules.min_speech_seconds)
        if utterance is not None and recording.speech_ended_at is not None:
            self._used_until = recording.speech_ended_at
        self._tell(
            Recorded(
                recording.id,
                utterance,
                end,
                recording.speech_ended_at,
                0.0 if stopped_at is None else self._now() - stopped_at,
                rest=recording.rest,
                fault=recording.fault,
            )
        )
        if recording.fault is not None:
            self._tell(InputFaulty(recording.fault))

    def _tell(self, event: EarEvent | None) -> None:
        """Tell, if there is anything; a fault of the microphone once."""
        if event is None:
            return
        if isinstance(event, InputFaulty):
            if event.fault in self._faults:
                return
            self._faults.add(event.fault)
        self._sink(event)
