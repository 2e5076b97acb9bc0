"""Beginning and cancelling runs. Both are called under the world's lock."""

import secrets
import threading

from voicehermes.simulator.journal import CANCELLED, Event, Journal
from voicehermes.simulator.player import Player
from voicehermes.simulator.sessions import Session
from voicehermes.simulator.world import Run, World

TITLE_MAX = 60

_CANCELLED_TEXT = "**Task cancelled:** Task cancelled.\n\n*The run was cancelled by the user.*"


def start_run(world: World, session: Session, message: str) -> Run:
    """Begin to work on a message. The session must be free."""
    run = Run(
        journal=Journal(secrets.token_hex(16)),
        session=session,
        message=message,
        turn=world.pick_turn(message),
        is_first=not session.messages,
    )
    world.runs[run.journal.run_id] = run
    session.add("user", message)
    if run.is_first:
        session.title = message[:TITLE_MAX]
    session.occupy(run.journal.run_id, message)
    worker = threading.Thread(target=Player(world, run).play, name=f"run {run.journal.run_id}")
    world.workers.append(worker)
    worker.start()
    return run


def cancel_run(world: World, run_id: str) -> bool:
    """Cancel a run; False when it is over or unknown.

    Followers get ``cancel`` at once, the journal when the worker is unwound; until then the
    session takes no message.
    """
    run = world.runs.get(run_id)
    if run is None or run.session.active_stream_id != run_id:
        return False
    journal, session = run.journal, run.session
    if journal.is_live:
        if text := run.spoken.strip():
            session.add("assistant", text, _partial=True)
        details = "Task cancelled."
        session.add("assistant", _CANCELLED_TEXT, _error=True, provider_details=details)
        world.desk.take("approval", session.id)
        world.desk.take("clarify", session.id)
        data = {**CANCELLED, "session": session.whole(), "session_id": session.id}
        journal.cancelled = Event("cancel", data)
        journal.cut = len(journal.events)
        world.changed.notify_all()
    return True
