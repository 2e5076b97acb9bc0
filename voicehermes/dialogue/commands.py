"""What the state machine wants done. The session carries it out; doing it twice does no harm."""

from dataclasses import dataclass

from voicehermes.audio import EndsBy, Utterance, UtteranceEnd
from voicehermes.events import Decision
from voicehermes.speaking.parts import Part


@dataclass(frozen=True, slots=True)
class StartRecording:
    """Keep what the microphone hears, from the pre-roll on."""

    turn: int
    recording: int
    ends_by: EndsBy = EndsBy.STOP


@dataclass(frozen=True, slots=True)
class KeepOpen:
    """A recording that would end by itself now ends only by a stop."""

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
    """Have the utterance transcribed; Transcribed or NotTranscribed follows."""

    turn: int
    utterance: Utterance
    is_kept: bool = True
    """Whether it is kept on disk until the agent has it. An answer is not: sent at a later time it
    would be a message, or answer another question."""


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
class AskQuestion:
    """Read a question aloud; then all sound stands still until ResumeSound.

    QuestionHeard or QuestionUnheard follows.
    """

    question: int
    """Number of this reading."""
    parts: tuple[Part, ...]
    within_seconds: float
    """Longest time until the reply falls silent for it."""
    after_waiting_seconds: float = 0.0
    """Sound of the reply that is there already is heard first, if it is no longer than this."""


@dataclass(frozen=True, slots=True)
class DropQuestion:
    """That reading falls silent, for good. Once it had begun, all waits until ResumeSound."""

    question: int


@dataclass(frozen=True, slots=True)
class LookForDecisions:
    """Find out what the conversation waits for; DecisionFound or DecisionGone may follow."""


@dataclass(frozen=True, slots=True)
class CheckDecision:
    """Make sure that it is still wanted; DecisionConfirmed, DecisionGone or CheckFailed follows."""

    id: str
    question: int


@dataclass(frozen=True, slots=True)
class AskAgainLater:
    """The user wants to wait; TimeToAsk follows in a while."""

    id: str
    question: int


@dataclass(frozen=True, slots=True)
class AnswerDecision:
    """Send the answer to this one decision; DecisionAnswered or DecisionNotAnswered follows."""

    decision: Decision
    answer: str
    """An ApprovalChoice, or the answer to a clarification."""


@dataclass(frozen=True, slots=True)
class ShowDecision:
    """Show what is to be decided."""

    text: str


@dataclass(frozen=True, slots=True)
class SpeakAgain:
    """Speak the last reply again, as the reply of that turn, or what of it was not heard yet."""

    turn: int
    from_start: bool


@dataclass(frozen=True, slots=True)
class ChangeVolume:
    """Speak louder from now on, or softer."""

    steps: int


@dataclass(frozen=True, slots=True)
class ChangeRate:
    """Speak faster from now on, or slower."""

    steps: int


@dataclass(frozen=True, slots=True)
class DuckSound:
    """Lower what sounds: perhaps the user begins to speak."""


@dataclass(frozen=True, slots=True)
class UnduckSound:
    """Raise it again."""


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
class CloseLater:
    """TimeToClose follows after ``[talk] follow_up_seconds``."""

    window: int


@dataclass(frozen=True, slots=True)
class BeginAnew:
    """Let the next message be the first of a new conversation; BegunAnew or Trouble follows."""


@dataclass(frozen=True, slots=True)
class RaiseGuard:
    """We hear ourselves: from now on be deaf while we speak, and for longer after it."""


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
    """A decision is wanted."""

    turn: int
    decision: Decision


@dataclass(frozen=True, slots=True)
class EndTurn:
    """A turn is over. Each turn that began ends exactly once."""

    turn: int
    outcome: str


Deciding = LookForDecisions | CheckDecision | AskAgainLater | AnswerDecision
Audible = (
    BeginSpeech
    | AddSpeech
    | EndSpeech
    | Hush
    | AskQuestion
    | DropQuestion
    | SpeakAgain
    | ChangeVolume
    | ChangeRate
    | DuckSound
    | UnduckSound
    | PauseSound
    | ResumeSound
    | Cue
    | Say
)
Visible = ShowTranscript | ShowReply | ShowReplyEnd | ShowDetail | ShowDecision

Command = (
    StartRecording
    | KeepOpen
    | StopRecording
    | DropRecording
    | SetMuted
    | RaiseGuard
    | CloseLater
    | BeginAnew
    | Transcribe
    | DropTranscription
    | Keep
    | Forget
    | Submit
    | Steer
    | Follow
    | LeaveRun
    | CancelRun
    | Deciding
    | Audible
    | Visible
    | NoteReconnect
    | NoteDecision
    | EndTurn
)
