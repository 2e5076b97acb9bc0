"""Approvals and clarifications: what waits, and the answers."""

from collections.abc import Iterator

from voicehermes.simulator.decisions import Kind, Watcher
from voicehermes.simulator.journal import Event
from voicehermes.simulator.messages import Answer, Request, Stream, answer, refusal
from voicehermes.simulator.world import World

CHOICES = ("once", "session", "always", "deny")

STALE_CLARIFICATION = (
    "Clarification prompt expired or not found. The agent may have already proceeded."
)


def approval_pending(world: World, request: Request) -> Answer:
    """Whoever asks makes the stream tell an expiry, too."""
    session_id = request.query.get("session_id", "")
    with world.changed:
        pending = world.desk.pending("approval", session_id)
        if session_id and pending["pending"] is None:
            world.desk.announce("approval", session_id)
            world.changed.notify_all()
    return answer(pending)


def clarify_pending(world: World, request: Request) -> Answer:
    """Without the count that approvals have."""
    with world.changed:
        pending = world.desk.pending("clarify", request.query.get("session_id", ""))
    return answer({"pending": pending["pending"]})


def approval_stream(world: World, request: Request) -> Answer | Stream:
    """What waits now, then each change, for ever."""
    return _decision_stream(world, request, "approval")


def clarify_stream(world: World, request: Request) -> Answer | Stream:
    """What waits now, then each change, for ever."""
    return _decision_stream(world, request, "clarify")


def _decision_stream(world: World, request: Request, kind: Kind) -> Answer | Stream:
    session_id = request.query.get("session_id")
    if not session_id:
        return refusal(400, "session_id is required")
    return Stream(_watch(world, kind, session_id))


def _watch(world: World, kind: Kind, session_id: str) -> Iterator[bytes]:
    with world.changed:
        watcher = Watcher(world.desk, kind, session_id)
        initial = world.desk.pending(kind, session_id)
    yield Event("initial", initial).frame(None)
    while not world.is_closing:
        world.pause(world.scenario.server.heartbeat_seconds, watcher.has_news)
        with world.changed:
            news = watcher.take()
        yield from [Event(kind, told).frame(None) for told in news] or [b": keepalive\n\n"]


def approval_respond(world: World, request: Request) -> Answer:
    """A 200 is not yet a success: ``ok`` must be true and ``stale_cleared`` absent."""
    body = request.json()
    session_id = body.get("session_id")
    if not session_id:
        return refusal(400, "session_id is required")
    choice = body.get("choice") or "deny"
    if choice not in CHOICES:
        return refusal(400, f"Invalid choice: {choice}")
    with world.changed:
        decision = world.desk.open.get(("approval", session_id))
        if decision is None:
            return answer({"ok": True, "choice": choice, "stale_cleared": True})
        if body.get("approval_id") not in (None, "", decision.id):
            return answer({"ok": False, "choice": choice})
        decision.answer = choice
        world.desk.take("approval", session_id)
        world.changed.notify_all()
    return answer({"ok": True, "choice": choice})


def clarify_respond(world: World, request: Request) -> Answer:
    """Any text will do as an answer, whatever choices were offered."""
    body = request.json()
    session_id = body.get("session_id")
    if not session_id:
        return refusal(400, "session_id is required")
    response = str(body.get("response") or body.get("answer") or body.get("choice") or "").strip()
    if not response:
        return refusal(400, "response is required")
    with world.changed:
        decision = world.desk.open.get(("clarify", session_id))
        if decision is None or body.get("clarify_id") not in (None, "", decision.id):
            return answer({"ok": False, "error": STALE_CLARIFICATION, "stale": True}, 409)
        decision.answer = response
        world.desk.take("clarify", session_id)
        world.changed.notify_all()
    return answer({"ok": True, "response": response})
