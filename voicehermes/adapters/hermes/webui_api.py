"""The endpoints of hermes-webui that we use, typed. One request each; no memory of its own."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from httpx_sse import ServerSentEvent

from voicehermes.adapters.hermes import parse, shapes
from voicehermes.adapters.hermes.http import WebuiHttp
from voicehermes.adapters.hermes.shapes import Json
from voicehermes.errors import GoneError, RefusedError
from voicehermes.events import ApprovalChoice, Decision, DecisionKind

_DECISIONS: dict[DecisionKind, str] = {
    "approval": "/api/approval",
    "clarification": "/api/clarify",
}


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session as the list shows it."""

    id: str
    title: str
    profile: str
    message_count: int
    updated_at: float
    """Unix time, by the server's clock, of its last message or change."""
    active_run_id: str | None
    """The run that it works on; it may be dead after a crash of the server."""
    is_webui: bool
    """Begun in a web client, not on a command line or by a schedule."""
    is_writable: bool


@dataclass(frozen=True, slots=True)
class Session:
    """A session with what was said in it."""

    info: SessionInfo
    messages: tuple[Json, ...]
    pending_message: str | None
    """What the user said and the active run works on."""
    pending_since: float
    """Unix time, by the server's clock, of that; 0.0 when there is none."""


@dataclass(frozen=True, slots=True)
class Started:
    """A run that the server took on."""

    run_id: str
    session_id: str


@dataclass(frozen=True, slots=True)
class StreamStatus:
    """Whether a run's events can be had."""

    is_active: bool
    is_replayable: bool
    """Its events are kept, and are sent from the beginning to whoever attaches."""


class WebuiApi:
    """hermes-webui's endpoints. Every method raises ServerError."""

    def __init__(self, http: WebuiHttp) -> None:
        self.http = http

    async def sessions(self) -> list[SessionInfo]:
        """All sessions of the active profile that hold a message, the newest first."""
        listed = shapes.objects(await self.http.get("/api/sessions"), "sessions")
        found = [_session_info(entry) for entry in listed]
        return sorted(found, key=lambda session: session.updated_at, reverse=True)

    async def session(self, session_id: str, *, last: int | None = None) -> Session:
        """One session, with all its messages or its ``last`` ones (at most 500; 0 = none).

        Raises GoneError when there is none, RefusedError when it is another profile's.
        """
        query = {"session_id": session_id}
        if last is not None:
            query |= {"msg_limit": str(last)} if last else {"messages": "0"}
        return _session(shapes.member(await self.http.get("/api/session", **query), "session"))

    async def new_session(
        self, *, workspace: str = "", model: str = "", model_provider: str = ""
    ) -> Session:
        """A new session of the active profile; what is empty is the server's choice."""
        wanted = {"workspace": workspace, "model": model, "model_provider": model_provider}
        body = {key: value for key, value in wanted.items() if value}
        answer = await self.http.post("/api/session/new", body)
        return _session(shapes.member(answer, "session"))

    async def active_profile(self) -> str:
        """The profile that our requests are for."""
        return shapes.text(await self.http.get("/api/profile/active"), "name")

    async def start(self, session_id: str, message: str) -> Started:
        """Send a message. Raises BusyError while the session works on another run."""
        body = {"session_id": session_id, "message": message}
        answer = await self.http.post("/api/chat/start", body)
        if answer.get("status") == "suppressed":
            raise RefusedError("The server takes this message for a command and does not answer.")
        return Started(
            run_id=shapes.text(answer, "stream_id"),
            session_id=shapes.optional_text(answer, "session_id") or session_id,
        )

    def events(
        self, run_id: str, after: int
    ) -> AbstractAsyncContextManager[AsyncIterator[ServerSentEvent]]:
        """A run's stream, from the event after number ``after``: 0 = from the beginning.

        Without that number a server leaves out what an earlier client of the run was sent.
        Raises GoneError, on entering, for a run that it does not know.
        """
        return self.http.events("/api/chat/stream", stream_id=run_id, after_seq=str(after))

    async def stream_status(self, run_id: str) -> StreamStatus:
        """Whether a run is at work, and whether its events are kept."""
        answer = await self.http.get("/api/chat/stream/status", stream_id=run_id)
        return StreamStatus(
            is_active=shapes.flag(answer, "active"),
            is_replayable=shapes.flag(answer, "replay_available"),
        )

    async def cancel(self, run_id: str) -> bool:
        """Stop a run; False when it was over."""
        answer = await self.http.get("/api/chat/cancel", stream_id=run_id)
        return shapes.flag(answer, "cancelled")

    async def steer(self, session_id: str, text: str) -> bool:
        """Give the running run a hint; False when it takes none now."""
        body = {"session_id": session_id, "text": text}
        return shapes.flag(await self.http.post("/api/chat/steer", body), "accepted")

    async def can_transcribe(self) -> bool:
        """Whether the server recognises speech."""
        return shapes.flag(await self.http.get("/api/transcribe/capability"), "available")

    async def pending_decision(self, session_id: str, kind: DecisionKind) -> Decision | None:
        """What the session waits for of this kind now."""
        answer = await self.http.get(f"{_DECISIONS[kind]}/pending", session_id=session_id)
        return parse.pending(kind, answer)

    def decision_events(
        self, session_id: str, kind: DecisionKind
    ) -> AbstractAsyncContextManager[AsyncIterator[ServerSentEvent]]:
        """What the session waits for of this kind, told now and at each change."""
        return self.http.events(f"{_DECISIONS[kind]}/stream", session_id=session_id)

    async def answer_approval(
        self, session_id: str, approval_id: str, choice: ApprovalChoice
    ) -> None:
        """Answer the one approval of that id.

        Raises GoneError when it is not waited for any more; then nothing was approved.
        """
        body = {"session_id": session_id, "approval_id": approval_id, "choice": choice}
        answer = await self.http.post("/api/approval/respond", body)
        if answer.get("ok") is not True or answer.get("stale_cleared"):
            raise GoneError("That approval is not waited for any more.")

    async def answer_clarification(self, session_id: str, clarify_id: str, response: str) -> None:
        """Answer the one question of that id. Raises GoneError when it is too late."""
        body = {"session_id": session_id, "clarify_id": clarify_id, "response": response}
        answer = await self.http.post("/api/clarify/respond", body)
        if answer.get("ok") is not True:
            raise GoneError("That question is not waited for any more.")


def _session_info(entry: Json) -> SessionInfo:
    updated_at = shapes.moment(entry, "updated_at")
    return SessionInfo(
        id=shapes.text(entry, "session_id"),
        title=shapes.optional_text(entry, "title") or "",
        profile=shapes.optional_text(entry, "profile") or "",
        message_count=int(shapes.number(entry, "message_count")),
        updated_at=shapes.moment(entry, "last_message_at", updated_at),
        active_run_id=shapes.optional_text(entry, "active_stream_id") or None,
        is_webui=_is_webui(entry),
        is_writable=not shapes.flag(entry, "read_only") and not shapes.flag(entry, "archived"),
    )


def _session(entry: Json) -> Session:
    return Session(
        info=_session_info(entry),
        messages=shapes.objects(entry, "messages"),
        pending_message=shapes.optional_text(entry, "pending_user_message"),
        pending_since=shapes.number(entry, "pending_started_at"),
    )


def _is_webui(entry: Json) -> bool:
    source = shapes.optional_text(entry, "source_tag")
    return source in (None, "webui") and not shapes.flag(entry, "is_cli_session")
