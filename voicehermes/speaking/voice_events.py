"""What the voice tells: what became of what was to be heard."""

from dataclasses import dataclass

from voicehermes.errors import VoicehermesError


@dataclass(frozen=True, slots=True)
class SoundBegan:
    """The first sound of a reply is heard."""

    turn: int


@dataclass(frozen=True, slots=True)
class SpokenAll:
    """All that there was to say in a turn has been heard, or there was nothing."""

    turn: int


@dataclass(frozen=True, slots=True)
class SpeechFailed:
    """Something is in the way of being heard. Told once per cause."""

    turn: int
    """0 when it is of no turn: the speaker, a question."""
    error: VoicehermesError
    is_lost: bool
    """Whether something is not heard for it; else another synthesiser may speak the text."""


@dataclass(frozen=True, slots=True)
class EngineChanged:
    """Another synthesiser speaks from now on."""

    name: str


@dataclass(frozen=True, slots=True)
class QuestionHeard:
    """The last sample of a question has been heard, and so has all before it.

    All other sound stands still now.
    """

    question: int


@dataclass(frozen=True, slots=True)
class QuestionUnheard:
    """Not all of a question could be heard, and what was left of it will not be.

    If it had begun, all other sound stands still now.
    """

    question: int
    error: VoicehermesError


VoiceEvent = SoundBegan | SpokenAll | SpeechFailed | EngineChanged | QuestionHeard | QuestionUnheard
