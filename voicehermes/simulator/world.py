"""Everything the embedded server knows, under one lock: sessions, runs, decisions, logins.

Requests and runs come from different threads. Whoever changes or reads something that changes
holds ``changed``, and notifies it; whoever waits waits on it.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from voicehermes.simulator.decisions import Desk
from voicehermes.simulator.faults import Faults
from voicehermes.simulator.journal import Journal
from voicehermes.simulator.logins import Logins
from voicehermes.simulator.scenario import Scenario, Turn
from voicehermes.simulator.sessions import Session
from voicehermes.simulator.speech import Voice
from voicehermes.simulator.transcripts import Transcripts


@dataclass(slots=True)
class Run:
    """One message being worked on."""

    journal: Journal
    session: Session
    """Where it works; another one after a compression."""
    message: str
    turn: Turn
    is_first: bool
    """Whether it is the first of its session, which then gets a title."""
    spoken: str = ""
    """Text since the last tool: the message to be."""
    steered: list[str] = field(default_factory=list)
    """Hints given while it ran."""


class World:
    """The state of one server."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.changed = threading.Condition()
        self.is_closing = False
        self.started_at = time.time()
        self.sessions: dict[str, Session] = {}
        self.runs: dict[str, Run] = {}
        self.workers: list[threading.Thread] = []
        """One for each run; they end by themselves when the server closes."""
        self.always_granted: set[str] = set()
        """Pattern keys allowed for ever, in every session."""
        self.desk = Desk()
        self.logins = Logins(scenario.server)
        self.faults = Faults(scenario.faults)
        self.voice = Voice(scenario.speech)
        self.transcripts = Transcripts(scenario.transcribe)
        self._turns_in_order = [turn for turn in scenario.turns if not turn.when]

    def pause(self, seconds: float | None, until: Callable[[], bool] = lambda: False) -> bool:
        """Wait so long (None: for ever), or until the condition holds or the server closes."""
        with self.changed:
            return self.changed.wait_for(lambda: self.is_closing or until(), timeout=seconds)

    def close(self) -> None:
        """Wake everything that waits, and wait until the runs have ended."""
        with self.changed:
            self.is_closing = True
            self.changed.notify_all()
        for worker in self.workers:
            worker.join()

    def find_session(self, session_id: object, profile: str) -> Session | None:
        """The session, if it belongs to that profile."""
        session = self.sessions.get(session_id) if isinstance(session_id, str) else None
        return session if session and session.profile == profile else None

    def pick_turn(self, message: str) -> Turn:
        """What to answer: the first turn whose words are in the message, else the next in order."""
        lowered = message.casefold()
        for turn in self.scenario.turns:
            if any(word.casefold() in lowered for word in turn.when):
                return turn
        if not self._turns_in_order:
            return Turn(steps=())
        if len(self._turns_in_order) > 1:
            return self._turns_in_order.pop(0)
        return self._turns_in_order[0]
