"""What is heard while nothing is recorded: somebody who begins to speak, or a wake word."""

from voicehermes.attention import Attention
from voicehermes.hearing.detection import Detection
from voicehermes.hearing.ear_events import HintGone, SpeechHinted, VoiceBegan, WakeWordHeard
from voicehermes.hearing.lookout import Lookout
from voicehermes.hearing.own_sound import OwnSound
from voicehermes.hearing.past import Past, begins_before
from voicehermes.ports import WakeWords

_CONTEXT_FRAMES = 32
"""A second: until they have heard it, wake words are not to be believed."""

Noticed = SpeechHinted | HintGone | VoiceBegan | WakeWordHeard


class Attending:
    """Takes the frames that belong to no recording; what it answers is to be told."""

    def __init__(
        self, past: Past, detection: Detection, own_sound: OwnSound, wake_words: WakeWords | None
    ) -> None:
        self._past = past
        self._detection = detection
        self._own_sound = own_sound
        self._wake_words = wake_words
        self._attention = Attention.NOTHING
        self._lookout = Lookout(past)
        self._is_spotting = False
        """Whether the wake words were asked about the frame before."""

    @property
    def evidence_frames(self) -> int:
        """How many frames ago the first evidence of speech came, with its own; 0 = none did."""
        return self._lookout.evidence_frames

    def attend(self, attention: Attention) -> HintGone | None:
        """What to tell of from now on."""
        if attention is self._attention:
            return None
        self._attention = attention
        return self.rest()

    def take(self, frame: bytes) -> Noticed | None:
        """Take the newest frame of the past, unless there is sound of our own in it."""
        if self._attention is Attention.NOTHING:
            return None
        if begins_before(self._own_sound.over_at(), self._past.newest_ended_at):
            return self.rest()
        if self._attention is Attention.SPEECH:
            is_speech = self._detection.judge(frame)
            return self._lookout.take(is_speech=is_speech, is_sure=self._detection.is_sure)
        return self._spot(self._wake_words, frame) if self._wake_words else None

    def rest(self) -> HintGone | None:
        """What is heard next does not belong to what was heard so far."""
        self._is_spotting = False
        return self._lookout.rest()

    def _spot(self, wake_words: WakeWords, frame: bytes) -> WakeWordHeard | None:
        if not self._is_spotting:
            self._is_spotting = True
            self._prepare(wake_words)
        name = wake_words.heard(frame)
        return None if name is None else WakeWordHeard(name)

    def _prepare(self, wake_words: WakeWords) -> None:
        """They need to have heard what a word follows, and that is no wake word any more."""
        wake_words.reset()
        *before, _newest = self._past.since(self._own_sound.over_at(), _CONTEXT_FRAMES + 1)
        for heard in before:
            wake_words.heard(heard.frame)
