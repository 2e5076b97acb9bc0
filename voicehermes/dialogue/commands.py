"""What the state machine wants done. The session carries it out; doing it twice does no harm."""

from dataclasses import dataclass

from voicehermes.audio import Utterance, UtteranceEnd
from voicehermes.events import Decision


@dataclass(frozen=True, slots=True)
class StartRecording:
    """Keep what the microphone hears, from the pre-roll on."""

    turn: int
    recording: int


@dataclass(frozen=True, slots=True)
class StopRecording:
    """Complete the utterance; Heard follows."""

    recording: int
    end: UtteranceEnd


@dataclass(frozen=True, slots=True)
class DropRecording:
    """Forget the recording, whether it is running, being completed, or over."""

    recording: int


@dataclass(frozen=True, slots=True)
class Transcribe:
    """Keep the utterance and have it transcribed; Transcribed or NotTranscribed follows."""

    turn: int
    utterance: Utterance


@dataclass(frozen=True, slots=True)
class DropTranscription:
    """Its result is not awaited any more."""

    turn: int


@dataclass(frozen=True, slots=True)
class Submit:
    """Send the message; Submitted or NotSubmitted follows."""

    turn: int
    text: str


@dataclass(frozen=True, slots=True)
class Follow:
    """Report the run's events; the last one is its end, or RunLost."""

    turn: int
    run_id: str


@dataclass(frozen=True, slots=True)
class LeaveRun:
    """Its events are not awaited any more. The run itself goes on."""

    turn: int


@dataclass(frozen=True, slots=True)
class CancelRun:
    """Stop the run on the server."""

    run_id: str


@dataclass(frozen=True, slots=True)
class Steer:
    """Offer the message to the run as a hint; Steered follows."""

    turn: int
    text: str


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep these words on disk until they are submitted, in place of those of the parts."""

    turn: int
    text: str
    parts: tuple[int, ...]
    """Turns whose words are now in ``text``."""


@dataclass(frozen=True, slots=True)
class Forget:
    """What was said in this turn need not be kept on disk: the user took it back."""

    turn: int


@dataclass(frozen=True, slots=True)
class BeginSpeech:
    """A reply is going to be spoken."""

    turn: int
    run_id: str | None = None
    """Of a run that was found at work: what was spoken of it before is not repeated."""


@dataclass(frozen=True, slots=True)
class AddSpeech:
    """A further piece of the reply."""

    turn: int
    text: str


@dataclass(frozen=True, slots=True)
class EndSpeech:
    """The reply is complete; SpokenAll follows once it has been heard."""

    turn: int


@dataclass(frozen=True, slots=True)
class Hush:
    """Drop all sound and text of this reply, for good."""

    turn: int


@dataclass(frozen=True, slots=True)
class PauseSound:
    """Silence at once; what was sounding stands still."""


@dataclass(frozen=True, slots=True)
class ResumeSound:
    """Go on where the sound was paused."""


@dataclass(frozen=True, slots=True)
class Cue:
    """Play a short sound of ours."""

    name: str


@dataclass(frozen=True, slots=True)
class Say:
    """Speak and show a sentence of the lexicon."""

    phrase: str
    detail: str = ""
    """Shown beside it, not spoken: a server's own words, a command."""


@dataclass(frozen=True, slots=True)
class ShowTranscript:
    """Show what the user said."""

    text: str


@dataclass(frozen=True, slots=True)
class ShowReply:
    """Show a further piece of the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class ShowReplyEnd:
    """The reply is at its end."""


@dataclass(frozen=True, slots=True)
class ShowDetail:
    """Show something the server tells about the run."""

    text: str


@dataclass(frozen=True, slots=True)
class SetMuted:
    """Close or open the microphone."""

    muted: bool


@dataclass(frozen=True, slots=True)
class NoteReconnect:
    """The run's stream was mended."""

    turn: int
    attempts: int


@dataclass(frozen=True, slots=True)
class NoteDecision:
    """The run waits for a decision."""

    turn: int
    decision: Decision


@dataclass(frozen=True, slots=True)
class EndTurn:
    """A turn is over. Each turn that began ends exactly once."""

    turn: int
    outcome: str


Audible = BeginSpeech | AddSpeech | EndSpeech | Hush | PauseSound | ResumeSound | Cue | Say
Visible = ShowTranscript | ShowReply | ShowReplyEnd | ShowDetail

Command = (
    StartRecording
    | StopRecording
    | DropRecording
    | SetMuted
    | Transcribe
    | DropTranscription
    | Keep
    | Forget
    | Submit
    | Steer
    | Follow
    | LeaveRun
    | CancelRun
    | Audible
    | Visible
    | NoteReconnect
    | NoteDecision
    | EndTurn
)
