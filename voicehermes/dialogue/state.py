"""What a conversation is at one moment. Values only."""

from dataclasses import dataclass, field
from typing import Literal

from voicehermes.deciding.rules import DecisionRules
from voicehermes.events import LOCAL_COMMANDS, ApprovalChoice, Decision, LocalCommand


@dataclass(frozen=True, slots=True)
class Fragment:
    """One utterance of the message that is being said, complete or being completed."""

    turn: int
    recording: int | None
    """None for an utterance of an earlier time."""
    text: str | None = None
    """None until its transcript is there; never ""."""
    continues: int | None = None
    """Turn of the run whose message it goes on with: nothing of an answer was heard yet."""

    @property
    def began_by_itself(self) -> bool:
        """Whether no key says that somebody spoke."""
        return self.recording is not None and self.recording < 0


@dataclass(frozen=True, slots=True)
class Answering:
    """What is being said answers a question."""

    id: str
    """Of the decision that was read aloud."""
    may_grant: bool
    """Whether, when the user began to speak, all had been heard that has to be before a yes counts:
    the question, or the prompt for the second confirmation where that is awaited."""
    is_cut: bool = False
    """Whether a recording of it ended before the user did, or gave no words because something
    failed: what is missing may have been a no."""


@dataclass(frozen=True, slots=True)
class Idle:
    """Nothing goes on."""


@dataclass(frozen=True, slots=True)
class Listening:
    """The microphone's sound is being kept as an utterance."""

    turn: int
    recording: int
    """The id that the hold function gave it, and that a stop names; a negative one for a recording
    that began without a key, and ends by itself."""
    over_sound: bool
    """Whether something sounded, and was paused, when it began."""
    fragments: tuple[Fragment, ...] = ()
    """Utterances of the same message that came before."""
    answering: Answering | None = None
    """None: it is a message to the agent."""
    continues: int | None = None
    """As in Fragment."""
    key: int | None = None
    """The id of a press that came upon a recording that began by itself: its release ends it."""


@dataclass(frozen=True, slots=True)
class Transcribing:
    """The user has spoken; the text is awaited."""

    over_sound: bool
    fragments: tuple[Fragment, ...]
    """Never empty; at least one text is unknown."""
    answering: Answering | None = None
    """None: it is a message to the agent."""


@dataclass(frozen=True, slots=True)
class Thinking:
    """A run is under way and nothing of it has sounded yet, or nothing shall sound."""


@dataclass(frozen=True, slots=True)
class Speaking:
    """The reply sounds. ``Dialogue.run.live`` tells whether more of it is still to come."""


Prompt = Literal["question", "details", "again", "confirmation", "read-back"]
"""What is read to the user: the question, all of it in full, a short request to answer again, the
prompt for the second confirmation, the user's own words."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A decision is being asked for. The reply's sound waits until it is taken."""

    id: str
    phase: Literal["checking", "reading", "resting", "sending"]
    """It is made sure that the decision is still wanted; it is read aloud; the user wants to wait;
    the answer is on its way."""
    prompt: Prompt = "question"
    """What is, or is next, read."""
    about: str = ""
    """Phrase of the lexicon that is said before it, "" = none."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nobody answered a question. It stays until it is answered or over; a press asks again."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The end. Nothing changes any more."""


State = Idle | Listening | Transcribing | Thinking | Speaking | Asking | Waiting | Stopped


@dataclass(frozen=True, slots=True)
class Question:
    """A decision that is wanted, and how far we are with asking for it."""

    decision: Decision
    unclear: int = 0
    """How many answers in a row were not understood, or did not come."""
    is_heard: bool = False
    """Whether it was read to its end; of a long command, the summary."""
    is_heard_in_full: bool = False
    """Whether the whole command was."""
    grant: ApprovalChoice | None = None
    """What the user granted, where that needs a second confirmation."""
    is_confirmation_heard: bool = False
    """Whether the prompt for that was read to its end."""
    reply: str | None = None
    """The user's own words, which are to be confirmed before they are sent."""
    group: int = 0
    """Which group of the choices is read, from 0."""
    is_shelved: bool = False
    """Nobody answered; it is not asked by itself any more."""
    is_sent: bool = False
    """An answer is on its way. It is not shelved then."""


@dataclass(frozen=True, slots=True)
class Run:
    """The run whose answer the user is to hear."""

    turn: int
    id: str | None = None
    """None while the message is being sent."""
    message: str = ""
    """What the user said; "" = not known."""
    live: bool = True
    """Whether its end has not been seen yet."""
    sounding: bool = False
    """Whether some of it has begun to sound, and silence was not asked for."""
    quiet: bool = False
    """Whether the user asked for silence: the rest is shown, and spoken only when asked for."""
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
    questions: tuple[Question, ...] = ()
    """Decisions that are wanted, oldest first; one at a time is asked for."""
    asked: int = 0
    """Number of the newest reading of a question."""
    turn: int = 0
    """Number of the newest turn."""
    is_unheard: bool = False
    """Whether the user asked for silence before the newest reply was heard to its end."""
    muted: bool = False
    is_open: bool = False
    """Whether the user can just go on speaking, in "handsfree"."""
    window: int = 0
    """Number of the newest time in which that was so."""
    is_hinted: bool = False
    """Whether somebody perhaps begins to speak."""
    own_words: int = 0
    """How many utterances in a row were our own words."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The settings that the dialogue goes by."""

    mode: Literal["hold", "toggle", "handsfree"] = "hold"
    handsfree_start: Literal["always", "wake", "key"] = "always"
    """What begins a conversation in "handsfree"."""
    local_commands: frozenset[LocalCommand] = frozenset(LOCAL_COMMANDS)
    """What the assistant itself does at the user's word."""
    when_busy: Literal["replace", "queue", "steer"] = "replace"
    decisions: DecisionRules = field(default_factory=DecisionRules)
    can_hear: bool = True
    """False where there is no microphone at all: decisions are then only told."""
