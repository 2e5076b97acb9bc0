"""What is heard while nothing is recorded: does somebody begin to speak? Pure."""

from voicehermes.audio import FRAME_SECONDS
from voicehermes.hearing.ear_events import HintGone, SpeechHinted, VoiceBegan
from voicehermes.hearing.onset import Onset
from voicehermes.hearing.past import Past


class Lookout:
    """Takes verdicts on frames and answers what is to be told, which is seldom anything.

    Every SpeechHinted is followed by a VoiceBegan or a HintGone, and a voice begins once.
    """

    def __init__(self, past: Past) -> None:
        self._past = past
        self._onset = Onset()
        self._is_hinted = False
        self._has_begun = False

    @property
    def evidence_frames(self) -> int:
        """How many frames ago the first evidence of speech came, with its own; 0 = none did."""
        return self._onset.frames

    def take(
        self, *, is_speech: bool, is_sure: bool | None
    ) -> SpeechHinted | HintGone | VoiceBegan | None:
        """What the detector takes the newest frame of the past for."""
        evidence = self._onset.feed(is_speech=is_speech, is_sure=is_sure)
        if evidence == "nothing":
            return self._give_up()
        if self._has_begun:
            if is_speech:
                self._past.silent_frames = 0
            return None
        if evidence == "speech":
            return self._begin()
        if self._is_hinted:
            return None
        self._is_hinted = True
        return SpeechHinted()

    def rest(self) -> HintGone | None:
        """What is heard next does not belong to what was heard so far."""
        self._onset.reset()
        return self._give_up()

    def _begin(self) -> VoiceBegan:
        past, frames = self._past, self._onset.frames
        silent_frames = max(0, past.silent_frames - frames)
        self._is_hinted, self._has_begun = False, True
        past.silent_frames = 0
        return VoiceBegan(
            at=past.newest_ended_at - frames * FRAME_SECONDS,
            silence_seconds=silent_frames * FRAME_SECONDS,
        )

    def _give_up(self) -> HintGone | None:
        was_hinted, self._is_hinted, self._has_begun = self._is_hinted, False, False
        return HintGone() if was_hinted else None
