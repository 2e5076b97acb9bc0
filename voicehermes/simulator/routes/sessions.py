"""Sessions: list, make, look at. A session of another profile is not there."""

import time

from voicehermes.simulator.messages import NO_SESSION, Answer, Json, Request, answer, refusal
from voicehermes.simulator.sessions import MESSAGES_MAX, MODEL, PROVIDER, WORKSPACE, Session
from voicehermes.simulator.world import Run, World


def sessions(world: World, request: Request) -> Answer:
    """Those of the active profile that have a message, newest first."""
    active = world.logins.profile(request.cookies)
    with world.changed:
        used = [session for session in world.sessions.values() if session.messages]
        ours = [session for session in used if session.profile == active]
        ours.sort(key=lambda session: session.updated_at, reverse=True)
        listed = [session.listed(world.desk.attention(session.id)) for session in ours]
    return answer(
        {
            "sessions": listed,
            "sidebar_reference_sessions": [],
            "cli_count": 0,
            "archived_count": 0,
            "archived_webui_count": 0,
            "archived_cli_count": 0,
            "include_archived": False,
            "all_profiles": False,
            "active_profile": active,
            "other_profile_count": len(used) - len(ours),
            "server_time": time.time(),
            "server_tz": "+0000",
            "webui_session_count": len(listed),
            "cli_session_count": 0,
        }
    )


def refuse_workspace(workspace: object) -> str:
    """Why a session may not work in that folder, or empty."""
    if not workspace or not isinstance(workspace, str):
        return ""
    if workspace.startswith(("/etc", "/usr", "/bin", "/proc", "/sys")):
        return f"Path points to a system directory: {workspace}"
    if not workspace.startswith(WORKSPACE):
        return f"Path does not exist: {workspace}"
    return ""


def session_new(world: World, request: Request) -> Answer:
    """An empty session. Takes any profile, even one in which nobody will find it again."""
    body = request.json()
    if reason := refuse_workspace(body.get("workspace")):
        return refusal(400, reason)
    session = Session(
        profile=body.get("profile") or world.logins.profile(request.cookies),
        workspace=body.get("workspace") or WORKSPACE,
        model=body.get("model") or MODEL,
        model_provider=body.get("model_provider") or PROVIDER,
    )
    with world.changed:
        world.sessions[session.id] = session
        return answer({"session": session.fresh()})


def session_get(world: World, request: Request) -> Answer:
    """One session, with or without messages."""
    session_id = request.query.get("session_id")
    if not session_id:
        return refusal(400, "session_id is required")
    limit = request.query.get("msg_limit", "")
    with world.changed:
        session = world.sessions.get(session_id)
        if session is None:
            return NO_SESSION
        if session.profile != world.logins.profile(request.cookies):
            return refusal(
                409,
                "Session belongs to a different profile",
                code="session_profile_mismatch",
                session_id=session_id,
                profile=session.profile,
            )
        shown = session.shown(
            with_messages=request.query.get("messages") != "0",
            limit=min(int(limit), MESSAGES_MAX) if limit.isdecimal() else None,
        )
        run = world.runs.get(session.active_stream_id or "")
        return answer({"session": shown | (_running(run) if run else {})})


def _running(run: Run) -> Json:
    """What a session shows more while it works."""
    described = run.journal.described(run.session.id)
    texts = [str(event.data["text"]) for event in run.journal.events if event.name == "token"]
    return {
        "runtime_journal": described,
        "runtime_journal_snapshot": {
            "session_id": run.session.id,
            "stream_id": run.journal.run_id,
            "last_seq": described["last_seq"],
            "last_event_id": described["last_event_id"],
            "event_count": described["last_seq"],
            "messages": [],
            "tool_calls": [],
            "last_assistant_text": "".join(texts),
            "last_reasoning_text": "",
        },
    }


def session_status(world: World, request: Request) -> Answer:
    """The light one."""
    session_id = request.query.get("session_id")
    if not session_id:
        return refusal(400, "session_id is required")
    with world.changed:
        session = world.find_session(session_id, world.logins.profile(request.cookies))
        return answer(session.status()) if session else NO_SESSION
