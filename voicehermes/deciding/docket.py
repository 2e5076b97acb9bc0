"""What the conversation is known to wait for, at most one decision of each kind. Pure.

Streams and endpoints tell what is pending, repeatedly and in any order; here it is known what of
that is news. Times named ``now`` are the loop's, ``unix_now`` is Unix time; both in seconds.
"""

from dataclasses import dataclass

from voicehermes.events import Approval, Decision, DecisionKind, kind_of

SLACK_SECONDS = 2.0
"""A decision that ends so shortly before its time has expired: clocks and wires are not exact."""

MOST_REMEMBERED = 64
"""So many decisions are remembered after their end. A session asks one at a time, of each kind."""


@dataclass(frozen=True, slots=True)
class DecisionFound:
    """The conversation waits for a decision."""

    decision: Decision


@dataclass(frozen=True, slots=True)
class DecisionConfirmed:
    """It still waits for it."""

    id: str


@dataclass(frozen=True, slots=True)
class DecisionGone:
    """It does not wait for it any more, and it was not our answer."""

    id: str
    has_expired: bool
    """Whether its time was over; else somebody answered it, or its run ended."""


News = DecisionFound | DecisionGone


@dataclass(slots=True)
class _Entry:
    """What is known of one decision."""

    decision: Decision
    since: float
    """When it was seen first, by the loop's clock."""
    is_answering: bool = False
    """An answer of ours is on its way."""
    is_settled: bool = False
    """How our answer ended is known, and that is all there is to tell."""
    is_doubtful: bool = False
    """An answer of ours may have arrived: when it is gone, it may not be called expired."""


class Docket:
    """Knows the open decisions, and those that were open lately.

    Invariant: of each decision Found and Gone are told in turn. While an answer to it is on its
    way nothing of its kind is told, and once it is settled nothing of it, ever.
    """

    def __init__(self, approval_seconds: float) -> None:
        """``approval_seconds`` is how long the server is assumed to wait for an approval."""
        self._approval_seconds = approval_seconds
        self._open: dict[DecisionKind, _Entry] = {}
        self._known: dict[str, _Entry] = {}
        """By id; the one that was seen first is first."""

    def see(
        self, kind: DecisionKind, decision: Decision | None, now: float, unix_now: float
    ) -> tuple[News, ...]:
        """Take what is pending of this kind now, and return what of it is news."""
        if self.is_answering(kind):
            return ()
        if decision is not None and (self.is_open(decision.id) or self.is_settled(decision.id)):
            return ()
        gone = self._open.pop(kind, None)
        told = () if gone is None else (self._gone(gone, now, unix_now),)
        if decision is None:
            return told
        entry = self._known.setdefault(decision.id, _Entry(decision, now))
        self._open[kind] = entry
        self._forget_oldest()
        return (*told, DecisionFound(decision))

    def open(self, kind: DecisionKind) -> Decision | None:
        """What is known to be pending."""
        entry = self._open.get(kind)
        return None if entry is None else entry.decision

    def find(self, id_: str) -> Decision | None:
        """That decision, pending or over, as long as it is remembered."""
        entry = self._known.get(id_)
        return None if entry is None else entry.decision

    def is_open(self, id_: str) -> bool:
        """Whether that one is known to be pending."""
        return any(entry.decision.id == id_ for entry in self._open.values())

    def is_over(self, id_: str) -> bool:
        """Whether that one was pending and is not any more."""
        return id_ in self._known and not self.is_open(id_)

    def is_settled(self, id_: str) -> bool:
        """Whether our answer to that one is done with."""
        return id_ in self._known and self._known[id_].is_settled

    def is_answering(self, kind: DecisionKind) -> bool:
        """Whether an answer to the one of this kind is on its way."""
        return kind in self._open and self._open[kind].is_answering

    def begin_answer(self, id_: str) -> None:
        """An answer to the open decision goes out; ``settle`` or ``give_up_answer`` follows."""
        self._known[id_].is_answering = True

    def settle(self, id_: str) -> None:
        """How our answer ended is known: the decision is over, and that is no news."""
        entry = self._known[id_]
        entry.is_answering = False
        entry.is_settled = True
        del self._open[kind_of(entry.decision)]

    def give_up_answer(self, id_: str) -> None:
        """Whether our answer arrived is not known; the decision counts as pending."""
        entry = self._known[id_]
        entry.is_answering = False
        entry.is_doubtful = True

    def time_left(self, id_: str, now: float, unix_now: float) -> float | None:
        """Seconds until it expires, 0.0 if it is not pending; None when it waits for ever."""
        if not self.is_open(id_):
            return 0.0
        ends_in = self._ends_in(self._known[id_], now, unix_now)
        return None if ends_in is None else max(ends_in, 0.0)

    def _gone(self, entry: _Entry, now: float, unix_now: float) -> DecisionGone:
        ends_in = self._ends_in(entry, now, unix_now)
        is_over = ends_in is not None and ends_in <= SLACK_SECONDS
        return DecisionGone(entry.decision.id, has_expired=is_over and not entry.is_doubtful)

    def _ends_in(self, entry: _Entry, now: float, unix_now: float) -> float | None:
        decision = entry.decision
        if isinstance(decision, Approval):
            return entry.since + self._approval_seconds - now
        return None if decision.expires_at is None else decision.expires_at - unix_now

    def _forget_oldest(self) -> None:
        over = [id_ for id_ in self._known if not self.is_open(id_)]
        for id_ in over[: max(0, len(over) - MOST_REMEMBERED)]:
            del self._known[id_]
