"""What the ear tells: what was heard, and what became of the microphone."""

from dataclasses import dataclass

from voicehermes.audio import InputFault, Utterance, UtteranceEnd
from voicehermes.errors import AudioError


@dataclass(frozen=True, slots=True)
class SpeechBegan:
    """The first speech of a recording was detected."""

    recording: int
    at: float
    """When it began, on the clock that Capture was given."""


@dataclass(frozen=True, slots=True)
class StillSilent:
    """Behind a wake word a moment has passed, and nobody has gone on to speak."""

    recording: int


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recording is over."""

    recording: int
    utterance: Utterance | None
    """None: there was no speech in it, too little, or it is at fault."""
    end: UtteranceEnd
    speech_ended_at: float | None
    """On the clock that Capture was given; None = there was no speech in it."""
    device_seconds: float = 0.0
    """From the stop to the arrival of the block that was still in the device then."""
    rest: Utterance | None = None
    """What was said after the last part; None = nothing, or there were no parts."""
    fault: InputFault | None = None
    """Why nothing can be made of it, where that is to be blamed on what the microphone gave."""


@dataclass(frozen=True, slots=True)
class InputFaulty:
    """Nothing can be made of what the microphone gives. Each fault is told once."""

    fault: InputFault


@dataclass(frozen=True, slots=True)
class MicrophoneLost:
    """The microphone cannot be opened, went away or gives nothing. It is tried until it is back."""

    error: AudioError


@dataclass(frozen=True, slots=True)
class MicrophoneBack:
    """The microphone that was lost gives sound again."""


@dataclass(frozen=True, slots=True)
class SpeechHinted:
    """Perhaps somebody begins to speak. VoiceBegan or HintGone follows soon.

    Told only while the ear attends to speech.
    """


@dataclass(frozen=True, slots=True)
class HintGone:
    """It was a click, a cough or nothing."""


@dataclass(frozen=True, slots=True)
class VoiceBegan:
    """Somebody surely speaks; what is started now begins with the first word.

    Told only while the ear attends to speech.
    """

    at: float
    """When it began, on the clock that Capture was given."""
    silence_seconds: float
    """From the end of the speech before it, of an utterance or not; inf = there was none."""


@dataclass(frozen=True, slots=True)
class WakeWordHeard:
    """Told only while the ear attends to wake words."""

    name: str


@dataclass(frozen=True, slots=True)
class PartRecorded:
    """A part of a recording under way is complete: the user pauses, and may go on."""

    recording: int
    part: Utterance


EarEvent = (
    SpeechBegan
    | StillSilent
    | SpeechHinted
    | HintGone
    | VoiceBegan
    | WakeWordHeard
    | PartRecorded
    | Recorded
    | InputFaulty
    | MicrophoneLost
    | MicrophoneBack
)
