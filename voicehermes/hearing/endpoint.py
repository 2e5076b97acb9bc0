"""When what is said without a key is over. Pure: it counts frames and knows no clock.

A pause ends an utterance the sooner, the more finished it sounds. What is known of that: the words
so far, once they are recognised; how long this speaker's pauses are; how long it is already.
"""

from collections import deque
from dataclasses import dataclass
from statistics import fmean

from voicehermes.audio import FRAME_SECONDS, UtteranceEnd

PAUSE_SECONDS = 0.2
"""Least silence that is a pause. A shorter one stands between sounds: a plosive's closure."""

_WORD_FRAMES = 3
"""Fewer frames of speech in a row, after a pause, are a click or a breath and not a word."""

_ABOVE_PAUSES = 1.3
"""The silence that ends is so many times as long as what this speaker pauses."""

_LONG_SPEECH_SECONDS = 4.0
_PER_LONG_SECOND = 0.05
"""What the silence grows by for each second of speech beyond that: who speaks for long thinks
aloud, and goes on after pauses."""


@dataclass(frozen=True, slots=True)
class EndpointRules:
    """After how long a recording that nobody stops ends. All in seconds of sound."""

    end_silence_seconds: float
    """Silence after speech that ends it, as a rule."""
    end_silence_min_seconds: float
    """The least: after what sounds finished."""
    end_silence_max_seconds: float
    """The most: in mid-thought. All three equal = the silence does not adapt."""
    min_speech_seconds: float
    """Less speech than that between two such silences is noise, and ends nothing."""
    patience_seconds: float
    """How long it waits for the first word."""
    max_seconds: float
    """Longest recording."""


class Pace:
    """How long one speaker pauses in mid-thought. It is learnt over all utterances."""

    _REMEMBERED = 16
    _AT_FIRST = (0.3,) * 6
    """As if the speaker had paused like that before: one long pause is no habit yet."""

    def __init__(self) -> None:
        self._pauses: deque[float] = deque(self._AT_FIRST, maxlen=self._REMEMBERED)

    @property
    def pause_seconds(self) -> float:
        """A usual pause of the last ones."""
        return fmean(self._pauses)

    def note_pause(self, seconds: float) -> None:
        """The speaker was silent for so long and then went on, be it in another recording."""
        if seconds >= PAUSE_SECONDS:
            self._pauses.append(seconds)


class Endpoint:
    """Takes each frame's verdict; what it answers is why the recording is over, or None.

    The pre-roll is fed as well, but patience and length begin behind it.
    """

    def __init__(
        self, rules: EndpointRules, pre_roll_frames: int = 0, pace: Pace | None = None
    ) -> None:
        self._rules = rules
        self._pace = pace or Pace()
        self._frames = -pre_roll_frames
        self._speech_frames = 0
        self._run = 0
        """Frames of speech in a row, up to the newest."""
        self._silent_frames = 0
        """Since the last word; a click does not interrupt them."""
        self._longest_pause = 0.0
        self._sounds_finished: bool | None = None

    def note_words(self, sounds_finished: bool | None) -> None:
        """What the words so far sound like; it holds until speech goes on.

        Call it only while nothing was said since them. None = no idea.
        """
        self._sounds_finished = sounds_finished

    def feed(self, is_speech: bool) -> UtteranceEnd | None:
        """Take the next frame. Once over it stays over, unless speech goes on."""
        rules = self._rules
        self._frames += 1
        if is_speech:
            self._note_speech()
        else:
            self._silent_frames += 1 + self._run
            self._run = 0
        seconds = self._frames * FRAME_SECONDS
        if seconds >= rules.max_seconds:
            return UtteranceEnd.TOO_LONG
        silence = self._silent_frames * FRAME_SECONDS
        if self._speech_frames and (self._run or silence < self._wanted_seconds()):
            return None
        if self._speech_frames and self._speech_frames * FRAME_SECONDS >= rules.min_speech_seconds:
            return UtteranceEnd.SILENCE
        self._speech_frames = 0  # a click; the next one does not add to it
        return UtteranceEnd.NOTHING_SAID if seconds >= rules.patience_seconds else None

    def _note_speech(self) -> None:
        self._speech_frames += 1
        self._run += 1
        pause = self._silent_frames * FRAME_SECONDS
        if pause >= PAUSE_SECONDS and self._run < _WORD_FRAMES:
            return
        if pause >= PAUSE_SECONDS and self._speech_frames > self._run:
            self._longest_pause = max(self._longest_pause, pause)
            self._pace.note_pause(pause)
        self._silent_frames = 0
        self._run = 0
        self._sounds_finished = None

    def _wanted_seconds(self) -> float:
        """The silence that ends it here."""
        rules = self._rules
        if self._sounds_finished is not None:
            is_short = self._sounds_finished
            return rules.end_silence_min_seconds if is_short else rules.end_silence_max_seconds
        by_pauses = _ABOVE_PAUSES * max(self._longest_pause, self._pace.pause_seconds)
        long_seconds = max(0.0, self._speech_frames * FRAME_SECONDS - _LONG_SPEECH_SECONDS)
        by_length = rules.end_silence_seconds + _PER_LONG_SECOND * long_seconds
        wanted = max(by_length, by_pauses)
        return min(wanted, rules.end_silence_max_seconds)
