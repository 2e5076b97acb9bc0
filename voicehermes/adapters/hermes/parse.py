"""The events of hermes-webui's chat stream as run events. Pure.

Names and fields are those observed on the wire of hermes-webui 0.52; what is unknown is passed
over.
"""

import logging

from voicehermes.adapters.hermes import shapes, transcript
from voicehermes.adapters.hermes.shapes import Json
from voicehermes.errors import ProtocolError
from voicehermes.events import (
    Approval,
    Cancelled,
    Clarification,
    Completed,
    Decision,
    DecisionKind,
    DecisionWanted,
    Failed,
    Notice,
    ReasoningDelta,
    RunEvent,
    SessionMoved,
    TextDelta,
    ToolEnded,
    ToolStarted,
)

ENDS = frozenset({"done", "cancel", "apperror", "error"})
"""Events that end a run. `stream_end` only ends the stream, seconds after `done` at times."""

INTERRUPTED = "interrupted"
"""Kind of a failure that means: the server does not know how the run ended."""

LOST = "The server lost the run before it had finished."

log = logging.getLogger(__name__)


class Reply:
    """What one run has told so far; knows what its next event adds."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        """Where the conversation goes on."""
        self.text = ""
        """All text deltas so far, joined."""

    def take(self, name: str, data: str) -> list[RunEvent]:
        """The run events of one stream event; the last one is a RunEnd when it ends the run.

        Junk in an event is logged and costs that event alone; one that ends the run still does.
        """
        try:
            return self._noted(self._events(name, shapes.parse_object(data)))
        except ProtocolError as error:
            log.warning("a %s event that makes no sense: %s", name, error)
        return self._noted(self._events(name, {})) if name in ENDS else []

    def ended(self, turn: transcript.Messages) -> list[RunEvent]:
        """What a run that is over has still to tell, as its session has it; a RunEnd is last."""
        if transcript.is_complete(turn):
            return self.completed(turn)
        if transcript.is_cancelled(turn):
            return [Cancelled()]
        return [Failed(INTERRUPTED, transcript.error_of(turn) or LOST)]

    def completed(self, turn: transcript.Messages) -> list[RunEvent]:
        """The end of a run whose turn is known: what of it was not streamed, and Completed."""
        rest = transcript.unheard(self.text, transcript.reply_parts(turn))
        if rest is None:
            return [Completed(None)]
        deltas: list[RunEvent] = [TextDelta(rest)] if rest else []
        return self._noted([*deltas, Completed(self.text + rest)])

    def _noted(self, events: list[RunEvent]) -> list[RunEvent]:
        for event in events:
            match event:
                case TextDelta(text):
                    self.text += text
                case SessionMoved(session_id):
                    self.session_id = session_id
        return events

    def _events(self, name: str, event: Json) -> list[RunEvent]:
        """Raises ProtocolError when a field that is needed is not what it should be."""
        match name:
            case "token":
                return [TextDelta(text)] if (text := shapes.text(event, "text")) else []
            case "interim_assistant":
                return self._interim(event)
            case "reasoning":
                return [ReasoningDelta(shapes.text(event, "text"))]
            case "tool":
                return [ToolStarted(shapes.text(event, "name"), _preview(event))]
            case "tool_complete":
                return [ToolEnded(shapes.text(event, "name"), _preview(event))]
            case "approval":
                return [DecisionWanted(approval(event))]
            case "clarify":
                return [DecisionWanted(clarification(event))]
            case "warning" | "compressing":
                return [Notice(shapes.text(event, "message"))]
            case "compressed":
                return self._moved(shapes.optional_text(event, "new_session_id"))
            case "done":
                return self._done(event)
            case "cancel":
                return [Cancelled()]
            case "apperror":
                return self._failed(event)
            case "error":
                return [Failed("error", shapes.optional_text(event, "error") or "")]
        return []

    def _interim(self, event: Json) -> list[RunEvent]:
        """Text before a tool call, for servers that did not stream it."""
        text = shapes.text(event, "text")
        if shapes.flag(event, "already_streamed") or transcript.ends_with(self.text, text):
            return []
        before = "\n\n" if self.text else ""  # as the first token after a tool begins
        return [TextDelta(f"{before}{text}\n\n")]

    def _moved(self, session_id: str | None) -> list[RunEvent]:
        if not session_id or session_id == self.session_id:
            return []
        return [SessionMoved(session_id)]

    def _done(self, event: Json) -> list[RunEvent]:
        session = event.get("session")
        if not shapes.is_object(session):
            return [Completed(None)]
        moved = self._moved(shapes.optional_text(session, "session_id"))
        turn = transcript.last_turn(shapes.objects(session, "messages"))
        return [*moved, *self.completed(turn)]

    def _failed(self, event: Json) -> list[RunEvent]:
        kind = shapes.optional_text(event, "type") or "error"
        moved = self._moved(shapes.optional_text(event, "new_session_id"))
        if kind == "cancelled":
            return [*moved, Cancelled()]
        if kind == "no_response" and self.text.strip():
            # So ends, in 0.52, a reply of the very words of the one before, streamed in full.
            return [*moved, Completed(None)]
        return [*moved, Failed(kind, shapes.optional_text(event, "message") or "")]


def approval(event: Json) -> Approval:
    """The approval of a stream event or of ``pending``. Raises ProtocolError."""
    return Approval(
        id=_id(event, "approval_id"),
        command=shapes.text(event, "command"),
        description=shapes.optional_text(event, "description") or "",
        allow_permanent=shapes.flag(event, "allow_permanent"),
    )


def clarification(event: Json) -> Clarification:
    """The question of a stream event or of ``pending``. Raises ProtocolError."""
    return Clarification(
        id=_id(event, "clarify_id"),
        question=shapes.text(event, "question"),
        choices=shapes.texts(event, "choices_offered"),
        expires_at=shapes.number(event, "expires_at") or None,
    )


def pending(kind: DecisionKind, told: Json) -> Decision | None:
    """What a decision stream or endpoint tells that is waited for. Raises ProtocolError."""
    if "pending" in told and told["pending"] is None:
        return None
    asked = shapes.member(told, "pending")
    return approval(asked) if kind == "approval" else clarification(asked)


def _id(event: Json, key: str) -> str:
    """That of a decision. Without one, an answer would go to whatever waits when it arrives."""
    if id_ := shapes.optional_text(event, key):
        return id_
    raise ProtocolError(
        f'The server asks for a decision without "{key}".', hint="Answer it in the browser."
    )


def _preview(event: Json) -> str:
    return shapes.optional_text(event, "preview") or ""
