"""What an agent tells us while it works on a run. Values only; no parsing, no transport."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal, get_args


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A further piece of the reply's text, in Markdown, cut anywhere."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of the model's reasoning. Never spoken."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """The agent began to use a tool."""

    name: str
    preview: str
    """What the server shows of it, possibly empty."""


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """A tool came back. hermes-webui says so for denied and expired approvals too."""

    name: str
    preview: str


@dataclass(frozen=True, slots=True)
class Approval:
    """A command that the agent may run only if a person allows it."""

    id: str
    command: str
    description: str
    allow_permanent: bool
    """Whether the server would take "always"."""


@dataclass(frozen=True, slots=True)
class Clarification:
    """A question of the agent's to the user."""

    id: str
    question: str
    choices: tuple[str, ...]
    """Empty when any text will do."""
    expires_at: float | None
    """Unix time, or None when it waits for ever."""


Decision = Approval | Clarification

DecisionKind = Literal["approval", "clarification"]


def kind_of(decision: Decision) -> DecisionKind:
    """Which of the two it is."""
    return "approval" if isinstance(decision, Approval) else "clarification"


@dataclass(frozen=True, slots=True)
class DecisionWanted:
    """The run waits for a decision of a person."""

    decision: Decision


@dataclass(frozen=True, slots=True)
class SessionMoved:
    """The conversation goes on under another session id (hermes-webui after compression)."""

    session_id: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the server tells the user about the run: a provider's retry, a compression."""

    text: str


@dataclass(frozen=True, slots=True)
class Reconnected:
    """The event stream was lost and is there again; nothing of it was missed."""

    attempts: int


@dataclass(frozen=True, slots=True)
class Completed:
    """The run ended with an answer."""

    text: str | None
    """The final text of the reply where the server gives it; None: what was streamed is it."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The run ended without an answer, or with part of one."""

    kind: str
    """The server's word for it: "rate_limit", "auth_mismatch", "interrupted" …"""
    message: str


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The run was cancelled, by us or by another client."""


RunEnd = Completed | Failed | Cancelled

RunEvent = (
    TextDelta
    | ReasoningDelta
    | ToolStarted
    | ToolEnded
    | DecisionWanted
    | SessionMoved
    | Notice
    | Reconnected
    | RunEnd
)


class TriggerKind(Enum):
    """What a trigger asks for."""

    PRESS = "press"
    RELEASE = "release"
    TOGGLE = "toggle"
    CANCEL = "cancel"
    MUTE = "mute"
    UNMUTE = "unmute"


@dataclass(frozen=True, slots=True)
class Trigger:
    """A key or socket asks for something. The time is the loop's, in seconds."""

    kind: TriggerKind
    at: float
    can_repeat: bool = False
    """It is from a key that auto-repeats: a press or release of it may be a false one."""


ApprovalChoice = Literal["once", "session", "always", "deny"]

TypedChoice = Literal["once", "session", "deny"]
"""What may be chosen by hand, seeing which approval it is for. "always" is not among it: that is
for the server's own page."""


LocalCommand = Literal[
    "quiet",
    "cancel",
    "repeat",
    "continue",
    "softer",
    "louder",
    "slower",
    "faster",
    "new-conversation",
    "sleep",
]
"""What the assistant itself does at the user's word."""

LOCAL_COMMANDS: tuple[LocalCommand, ...] = get_args(LocalCommand)
