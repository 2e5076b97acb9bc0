"""What a fake agent waits for; asserts that answers go to what was pending, and once."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Literal, get_args

from voicehermes.errors import GoneError, UnreachableError, VoicehermesError
from voicehermes.events import ApprovalChoice, Decision, DecisionKind, kind_of

Fate = Literal["arrives", "does not arrive", "arrives unknown"]
"""What becomes of an answer; with the last one, the server has it and we are not told."""

_Told = Decision | VoicehermesError | None


class FakeDecisions:
    """At most one decision of each kind. The test says what is pending, and what the streams tell.

    Invariant: only what was pending once is answered, and never again once that was a success.
    """

    def __init__(self) -> None:
        self.pending: dict[DecisionKind, Decision] = {}
        self.sent: list[tuple[str, str]] = []
        """Every answer that was tried, by id."""
        self.answered: list[tuple[str, str]] = []
        """Those that the server took."""
        self.fates: list[Fate] = []
        """Of the next answers; later ones arrive."""
        self.looks: list[tuple[float, DecisionKind]] = []
        """When what is pending was asked for, by the loop's clock."""
        self.opened: list[tuple[float, DecisionKind]] = []
        """When streams were opened, or tried to be."""
        self.look_seconds = 0.02
        """From the request, which sees what is pending then, to its answer."""
        self.answer_seconds = 0.02
        """From the server's taking an answer to our being told."""
        self.fault: VoicehermesError | None = None
        """Raised by every call."""
        self.stream_fault: VoicehermesError | None = None
        """Raised when a stream is opened."""
        self.look_fault: VoicehermesError | None = None
        """Raised when what is pending is asked for."""
        self._known: set[tuple[DecisionKind, str]] = set()
        self._done: set[str] = set()
        self._streams: dict[DecisionKind, asyncio.Queue[_Told]] = {}

    def put(self, decision: Decision, *, told: bool = True) -> None:
        """The agent waits for this one, instead of an older one of its kind."""
        kind = kind_of(decision)
        self.pending[kind] = decision
        self._known.add((kind, decision.id))
        if told:
            self.tell(kind, decision)

    def clear(self, kind: DecisionKind, *, told: bool = True) -> None:
        """The agent waits for none of this kind any more."""
        self.pending.pop(kind, None)
        if told:
            self.tell(kind, None)

    def tell(self, kind: DecisionKind, decision: Decision | None) -> None:
        """A word of the stream, whatever is pending."""
        if decision is not None:
            self._known.add((kind, decision.id))
        if kind in self._streams:
            self._streams[kind].put_nowait(decision)

    def cut(self, kind: DecisionKind, error: VoicehermesError | None = None) -> None:
        """The stream is lost."""
        self._streams[kind].put_nowait(error or UnreachableError("cut"))

    def is_streaming(self, kind: DecisionKind) -> bool:
        """Whether a stream is open."""
        return kind in self._streams

    @asynccontextmanager
    async def watch(self, kind: DecisionKind) -> AsyncIterator[AsyncIterator[Decision | None]]:
        self.opened.append((_now(), kind))
        await asyncio.sleep(0.02)
        self._fail(self.fault or self.stream_fault)
        assert kind not in self._streams, f"the {kind} stream is open twice"
        queue: asyncio.Queue[_Told] = asyncio.Queue()
        self._streams[kind] = queue
        queue.put_nowait(self.pending.get(kind))
        try:
            async with aclosing(_words(queue)) as words:
                yield words
        finally:
            del self._streams[kind]

    async def look(self, kind: DecisionKind) -> Decision | None:
        self.looks.append((_now(), kind))
        pending = self.pending.get(kind)
        fault = self.fault or self.look_fault
        await asyncio.sleep(self.look_seconds)
        self._fail(fault)
        return pending

    async def approve(self, id_: str, choice: ApprovalChoice) -> None:
        assert choice in get_args(ApprovalChoice), f"{choice!r} is no choice"
        await self._answer("approval", id_, choice)

    async def clarify(self, id_: str, text: str) -> None:
        assert text.strip(), "an empty answer was sent"
        await self._answer("clarification", id_, text)

    async def _answer(self, kind: DecisionKind, id_: str, answer: str) -> None:
        assert (kind, id_) in self._known, f"{id_} was never pending"
        assert id_ not in self._done, f"{id_} was answered again after a success"
        self.sent.append((id_, answer))
        fate = self.fates.pop(0) if self.fates else "arrives"
        await asyncio.sleep(0.02)
        self._fail(self.fault)
        if fate == "does not arrive":
            raise UnreachableError("The server did not answer in time.")
        pending = self.pending.get(kind)
        if pending is None or pending.id != id_:
            raise GoneError("That decision is not waited for any more.")
        self.clear(kind)
        self.answered.append((id_, answer))
        await asyncio.sleep(self.answer_seconds)
        if fate == "arrives unknown":
            raise UnreachableError("The server did not answer in time.")
        self._done.add(id_)

    def _fail(self, fault: VoicehermesError | None) -> None:
        if fault is not None:
            raise fault


def _now() -> float:
    return asyncio.get_running_loop().time()


async def _words(queue: "asyncio.Queue[_Told]") -> AsyncGenerator[Decision | None, None]:
    while True:
        told = await queue.get()
        if isinstance(told, VoicehermesError):
            raise told
        yield told
