"""What a conversation is at one moment. Values only."""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Fragment:
    """One utterance of the message that is being said, complete or being completed."""

    turn: int
    recording: int | None
    """None for an utterance of an earlier time."""
    text: str | None = None
    """None until its transcript is there; never ""."""


@dataclass(frozen=True, slots=True)
class Idle:
    """Nothing goes on."""


@dataclass(frozen=True, slots=True)
class Listening:
    """The microphone's sound is being kept as an utterance."""

    turn: int
    recording: int
    """The id that the hold function gave it; a stop names it."""
    over_sound: bool
    """Whether something sounded, and was paused, when it began."""
    fragments: tuple[Fragment, ...] = ()
    """Utterances of the same message that came before."""


@dataclass(frozen=True, slots=True)
class Transcribing:
    """The user has spoken; the text is awaited."""

    over_sound: bool
    fragments: tuple[Fragment, ...]
    """Never empty; at least one text is unknown."""


@dataclass(frozen=True, slots=True)
class Thinking:
    """A run is under way and nothing of it has sounded yet, or nothing shall sound."""


@dataclass(frozen=True, slots=True)
class Speaking:
    """The reply sounds. ``Dialogue.run.live`` tells whether more of it is still to come."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The end. Nothing changes any more."""


State = Idle | Listening | Transcribing | Thinking | Speaking | Stopped


@dataclass(frozen=True, slots=True)
class Run:
    """The run whose answer the user is to hear."""

    turn: int
    id: str | None = None
    """None while the message is being sent."""
    live: bool = True
    """Whether its end has not been seen yet."""
    sounding: bool = False
    """Whether some of it has begun to sound, and silence was not asked for."""
    quiet: bool = False
    """Whether the user asked for silence: the rest is shown, not spoken."""
    streamed: bool = False
    """Whether text of it has come."""
    outcome: str = ""
    """How it ended, once it is not live."""


@dataclass(frozen=True, slots=True)
class Message:
    """Something the user said while a run was under way."""

    turn: int
    text: str
    steering: bool = False
    """Whether it is a hint to the run; else it waits for the run's end."""
    accepted: bool = False
    """Whether the run took the hint: it gives it to the model with its next tool's result."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """The whole of a conversation's present."""

    state: State = field(default_factory=Idle)
    run: Run | None = None
    """Never None in Thinking and Speaking, always None in Idle and Stopped."""
    waiting: tuple[Message, ...] = ()
    turn: int = 0
    """Number of the newest turn."""
    muted: bool = False


@dataclass(frozen=True, slots=True)
class Rules:
    """The settings that the dialogue goes by."""

    mode: Literal["hold", "toggle"] = "hold"
    when_busy: Literal["replace", "queue", "steer"] = "replace"
