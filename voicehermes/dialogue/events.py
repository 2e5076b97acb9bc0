"""What can happen to a conversation.

Events that a task gives birth to carry the turn, or the recording, that they belong to.
"""

from dataclasses import dataclass

from voicehermes.audio import Utterance
from voicehermes.deciding.docket import DecisionConfirmed as DecisionConfirmed
from voicehermes.deciding.docket import DecisionFound as DecisionFound
from voicehermes.deciding.docket import DecisionGone as DecisionGone
from voicehermes.errors import VoicehermesError
from voicehermes.events import RunEvent
from voicehermes.hearing.ear_events import HintGone as HintGone
from voicehermes.hearing.ear_events import SpeechHinted as SpeechHinted
from voicehermes.hearing.ear_events import StillSilent as StillSilent
from voicehermes.hearing.ear_events import VoiceBegan as VoiceBegan
from voicehermes.hearing.ear_events import WakeWordHeard as WakeWordHeard


@dataclass(frozen=True, slots=True)
class Pressed:
    """The user begins to speak."""

    recording: int


@dataclass(frozen=True, slots=True)
class Released:
    """The user has spoken."""

    recording: int
    is_tap: bool = False
    """Too short to be meant as speech."""
    too_long: bool = False
    """The longest utterance was reached; the key may still be down, or its release was lost."""


@dataclass(frozen=True, slots=True)
class Heard:
    """The recording is complete."""

    recording: int
    utterance: Utterance | None
    """None when there is no speech in it."""


@dataclass(frozen=True, slots=True)
class Transcribed:
    """An utterance's text is there, and on disk. "" when nothing was understood."""

    turn: int
    text: str
    is_own: bool = False
    """Whether they are words that we spoke ourselves just before."""


@dataclass(frozen=True, slots=True)
class NotTranscribed:
    """An utterance could not be transcribed; it was kept."""

    turn: int
    error: VoicehermesError


@dataclass(frozen=True, slots=True)
class Asked:
    """The user typed a message."""

    text: str


@dataclass(frozen=True, slots=True)
class Recovered:
    """An utterance of an earlier time, which was kept, is to be sent now."""

    utterance: Utterance


@dataclass(frozen=True, slots=True)
class Submitted:
    """The server works on the message."""

    turn: int
    run_id: str


@dataclass(frozen=True, slots=True)
class NotSubmitted:
    """The message did not reach the agent; it was kept."""

    turn: int
    error: VoicehermesError


@dataclass(frozen=True, slots=True)
class Steered:
    """The run took the hint, or did not."""

    turn: int
    accepted: bool


@dataclass(frozen=True, slots=True)
class Attached:
    """The conversation was found at work on a run when we came."""

    run_id: str


@dataclass(frozen=True, slots=True)
class RunHappened:
    """An event of the run."""

    turn: int
    event: RunEvent


@dataclass(frozen=True, slots=True)
class RunLost:
    """The run cannot be followed any further."""

    turn: int
    error: VoicehermesError


@dataclass(frozen=True, slots=True)
class SoundBegan:
    """The first sound of the reply is out."""

    turn: int


@dataclass(frozen=True, slots=True)
class SpokenAll:
    """All of the reply has been heard, or there was nothing to say."""

    turn: int


@dataclass(frozen=True, slots=True)
class QuestionHeard:
    """All of a reading was heard."""

    question: int


@dataclass(frozen=True, slots=True)
class QuestionUnheard:
    """A reading could not be heard, or not all of it."""

    question: int
    error: VoicehermesError


@dataclass(frozen=True, slots=True)
class CheckFailed:
    """Whether the decision is still wanted could not be found out."""

    question: int
    error: VoicehermesError | None = None
    """None: the server does not say."""


@dataclass(frozen=True, slots=True)
class TimeToAsk:
    """The user has waited long enough."""

    question: int


@dataclass(frozen=True, slots=True)
class AnswerGiven:
    """The user answered that decision by another way than speech, seeing which it is."""

    id: str
    answer: str
    """An ApprovalChoice, or the answer to a clarification."""


@dataclass(frozen=True, slots=True)
class RepeatAsked:
    """The user wants to hear the question again."""


@dataclass(frozen=True, slots=True)
class DecisionAnswered:
    """The server took the answer."""

    id: str
    answer: str


@dataclass(frozen=True, slots=True)
class DecisionNotAnswered:
    """The server did not take the answer."""

    id: str
    error: VoicehermesError


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something outside failed that belongs to no turn."""

    error: VoicehermesError


@dataclass(frozen=True, slots=True)
class CancelAsked:
    """Stop everything: the recording, the run and the sound."""


@dataclass(frozen=True, slots=True)
class TimeToClose:
    """After an answer nobody spoke for so long that the conversation is over."""

    window: int


@dataclass(frozen=True, slots=True)
class MuteAsked:
    """Close the microphone until further notice."""


@dataclass(frozen=True, slots=True)
class UnmuteAsked:
    """Open the microphone again."""


@dataclass(frozen=True, slots=True)
class ShutdownAsked:
    """End the conversation; a run goes on by itself."""


DecisionEvent = (
    DecisionFound
    | DecisionConfirmed
    | DecisionGone
    | QuestionHeard
    | QuestionUnheard
    | CheckFailed
    | TimeToAsk
    | AnswerGiven
    | RepeatAsked
    | DecisionAnswered
    | DecisionNotAnswered
)
"""What concerns a decision that is wanted."""


@dataclass(frozen=True, slots=True)
class BegunAnew:
    """The next message begins a new conversation."""


AttentionEvent = SpeechHinted | HintGone | VoiceBegan | WakeWordHeard | TimeToClose
"""What is heard, or not, while nothing is recorded."""

Event = (
    Pressed
    | Released
    | StillSilent
    | Heard
    | Transcribed
    | NotTranscribed
    | Asked
    | Recovered
    | Submitted
    | NotSubmitted
    | Steered
    | Attached
    | RunHappened
    | RunLost
    | SoundBegan
    | SpokenAll
    | DecisionEvent
    | AttentionEvent
    | BegunAnew
    | Trouble
    | CancelAsked
    | MuteAsked
    | UnmuteAsked
    | ShutdownAsked
)
