"""What waits for a person's word, per session: approvals and clarifications.

One at a time in a session, as the agent asks them. Every method is called under the world's lock.
"""

import secrets
import time
from dataclasses import dataclass, field
from typing import Any, Literal

Json = dict[str, Any]

Kind = Literal["approval", "clarify"]


@dataclass(slots=True)
class Decision:
    """A question and, once there is one, its answer."""

    kind: Kind
    id: str
    payload: Json
    """As in ``pending`` of /pending and of the stream."""
    answer: str | None = None
    """The choice or the response; None while it waits."""


def ask_approval(command: str, description: str, allow_permanent: bool) -> Decision:
    """An approval, not yet answered."""
    token = secrets.token_hex(16)
    payload = {
        "command": command,
        "pattern_key": description,
        "pattern_keys": [description],
        "description": description,
        "allow_permanent": allow_permanent,
        "_webui_mirror_token": token,
        "approval_id": f"gwlocal:{token}",
        "_gateway_mirror": True,
        "_gateway_mirror_token": token,
    }
    return Decision("approval", f"gwlocal:{token}", payload)


def ask_clarification(
    question: str, choices: tuple[str, ...], session_id: str, seconds: float
) -> Decision:
    """A clarification, not yet answered; it expires after ``seconds``, or never with 0."""
    id_ = secrets.token_hex(6)
    now = time.time()
    payload = {
        "question": question,
        "choices_offered": list(choices),
        "session_id": session_id,
        "kind": "clarify",
        "requested_at": now,
        "timeout_seconds": int(seconds),
        "expires_at": now + seconds if seconds else 0,
        "clarify_id": id_,
    }
    return Decision("clarify", id_, payload)


@dataclass(slots=True)
class Desk:
    """The open decisions."""

    open: dict[tuple[Kind, str], Decision] = field(default_factory=dict)
    """By kind and session id."""
    announcements: list[tuple[Kind, str, Decision | None]] = field(default_factory=list)
    """What the approval and clarify streams tell, in order: a decision, or None = cleared."""

    def put(self, session_id: str, decision: Decision) -> None:
        """A run asks."""
        self.open[decision.kind, session_id] = decision
        self.announce(decision.kind, session_id)

    def take(self, kind: Kind, session_id: str, announced: bool = True) -> None:
        """Answered, expired or cancelled: it is no longer open."""
        if self.open.pop((kind, session_id), None) and announced:
            self.announce(kind, session_id)

    def announce(self, kind: Kind, session_id: str) -> None:
        """Tell the streams how it stands."""
        self.announcements.append((kind, session_id, self.open.get((kind, session_id))))

    def pending(self, kind: Kind, session_id: str) -> Json:
        """As the streams tell it."""
        return _told(self.open.get((kind, session_id)))

    def attention(self, session_id: str) -> Json | None:
        """As ``attention`` of a listed session."""
        if ("approval", session_id) in self.open:
            return {"kind": "approval", "count": 1, "severity": "critical"}
        if ("clarify", session_id) in self.open:
            return {"kind": "clarify", "count": 1, "severity": "question"}
        return None


class Watcher:
    """One client watching the decisions of one kind in one session."""

    def __init__(self, desk: Desk, kind: Kind, session_id: str) -> None:
        self._desk = desk
        self._key = kind, session_id
        self._position = len(desk.announcements)

    def has_news(self) -> bool:
        """Whether ``take`` has something to tell."""
        return any(told[:2] == self._key for told in self._desk.announcements[self._position :])

    def take(self) -> list[Json]:
        """What was announced since the last call."""
        fresh = self._desk.announcements[self._position :]
        self._position = len(self._desk.announcements)
        return [_told(told[2]) for told in fresh if told[:2] == self._key]


def _told(decision: Decision | None) -> Json:
    return {
        "pending": decision.payload if decision else None,
        "pending_count": 1 if decision else 0,
    }
