"""A run: start, follow, ask after, cancel, steer."""

import time
from collections.abc import Iterator

from voicehermes.simulator.journal import Follower, read_cursor
from voicehermes.simulator.messages import (
    NO_SESSION,
    Answer,
    Request,
    Stream,
    answer,
    refusal,
)
from voicehermes.simulator.routes.sessions import refuse_workspace
from voicehermes.simulator.runs import cancel_run, start_run
from voicehermes.simulator.world import Run, World

SILENT = "[SILENT]"
"""The one message that is swallowed."""


def chat_start(world: World, request: Request) -> Answer:
    """Begin a run, unless the session is busy."""
    body = request.json()
    if not body.get("session_id"):
        return refusal(400, "Missing required field(s): session_id")
    message = body.get("message")
    with world.changed:
        session = world.find_session(body["session_id"], world.logins.profile(request.cookies))
        if session is None:
            return NO_SESSION
        if not isinstance(message, str) or not message.strip():
            return refusal(400, "message is required")
        if message == SILENT:
            return answer({"status": "suppressed", "reason": "silent_control_message"})
        if reason := refuse_workspace(body.get("workspace")):
            return refusal(400, reason)
        if session.active_stream_id:
            busy = session.active_stream_id
            return refusal(409, "session already has an active stream", active_stream_id=busy)
        run = start_run(world, session, message.strip())
        return answer(
            {
                "stream_id": run.journal.run_id,
                "session_id": session.id,
                "pending_started_at": session.pending_started_at,
                "turn_id": f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{session.id}",
                "title": session.title,
                "effective_model_provider": session.model_provider,
            }
        )


def chat_stream(world: World, request: Request) -> Answer | Stream:
    """A run's events, from where the client wants them, to the end."""
    with world.changed:
        run = world.runs.get(request.query.get("stream_id", ""))
        if run is None or run.session.profile != world.logins.profile(request.cookies):
            return refusal(404, "stream not found")
    cursor = read_cursor(request.query, request.headers.get("last-event-id"), run.journal.run_id)
    return Stream(_follow(world, run, cursor))


def _follow(world: World, run: Run, cursor: int | None) -> Iterator[bytes]:
    with world.changed:
        follower = Follower(run.journal, cursor)
    is_over = False
    while not is_over and not world.is_closing:
        world.pause(world.scenario.server.heartbeat_seconds, follower.has_news)
        with world.changed:
            frames, is_over = follower.take(run.session.id)
        yield from frames or [b": heartbeat\n\n"]


def stream_status(world: World, request: Request) -> Answer:
    """Always 200."""
    stream_id = request.query.get("stream_id", "")
    with world.changed:
        run = world.runs.get(stream_id)
        if run is None:
            return answer({"active": False, "stream_id": stream_id, "replay_available": False})
        described = run.journal.described(run.session.id)
        data = {"active": run.journal.is_live, "stream_id": stream_id, "replay_available": True}
        return answer({**data, "journal": described})


def chat_cancel(world: World, request: Request) -> Answer:
    """A GET that changes something, as in hermes-webui."""
    stream_id = request.query.get("stream_id")
    if not stream_id:
        return refusal(400, "stream_id required")
    with world.changed:
        cancelled = cancel_run(world, stream_id)
    return answer({"ok": True, "cancelled": cancelled, "stream_id": stream_id})


def chat_steer(world: World, request: Request) -> Answer:
    """A hint for the run. It is kept, and changes nothing in a scripted reply."""
    body = request.json()
    if not body.get("session_id"):
        return refusal(400, "session_id required")
    if not body.get("text"):
        return refusal(400, "text required")
    with world.changed:
        session = world.sessions.get(body["session_id"])
        run = world.runs.get(session.active_stream_id or "") if session else None
        if run is None:
            return answer({"accepted": False, "fallback": "not_running", "stream_id": None})
        run.steered.append(body["text"])
    return answer({"accepted": True, "fallback": None, "stream_id": run.journal.run_id})
