"""What is told of the decisions, and what becomes of the answers. On the virtual clock."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from itertools import pairwise
from typing import Any

import pytest

from tests.fakes.agent import FakeAgent
from tests.fakes.decisions import FakeDecisions
from tests.virtual_clock import run
from voicehermes.deciding.docket import DecisionConfirmed, DecisionFound, DecisionGone
from voicehermes.errors import (
    GoneError,
    LoginError,
    ProtocolError,
    RefusedError,
    StoreError,
    UnconfirmedError,
    UnreachableError,
    VoicehermesError,
)
from voicehermes.events import Approval, Clarification
from voicehermes.watching import POLL_SECONDS, Watching

UNIX = 1_800_000_000.0

A = Approval("a", "rm -rf /tmp/x", "recursive delete", allow_permanent=True)
B = Approval("b", "chmod 777 .", "permissions", allow_permanent=False)
Q = Clarification("q", "Quale?", ("Uno", "Due"), None)

CLOSED = DecisionGone("a", has_expired=False)
EXPIRED = DecisionGone("a", has_expired=True)
CONFIRMED = DecisionConfirmed("a")

Told = DecisionFound | DecisionGone | DecisionConfirmed


class Scene:
    """A watch over an agent, what it tells, and when."""

    def __init__(self) -> None:
        self.agent = FakeAgent()
        self.told: list[Told] = []
        self.times: list[float] = []
        self.watching = Watching(
            self.agent, self._report, 60.0, clock=lambda: UNIX + self._loop.time()
        )

    @property
    def decisions(self) -> FakeDecisions:
        return self.agent.decisions

    async def found(self, *decisions: Approval | Clarification) -> None:
        """The watch is on, and has found these."""
        await asyncio.sleep(0.1)
        for decision in decisions:
            self.decisions.put(decision)
        await asyncio.sleep(0.1)
        assert self.take() == [DecisionFound(decision) for decision in decisions]

    def take(self) -> list[Told]:
        """What was told since the last call."""
        told, self.told = self.told, []
        return told

    def looks(self) -> int:
        return len(self.decisions.looks)

    def _report(self, news: Told) -> None:
        self.told.append(news)
        self.times.append(self._loop.time())

    @property
    def _loop(self) -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()


def _play(test: Callable[[Scene], Awaitable[None]]) -> Scene:
    """Run ``test`` while the watch goes on; the watch must not end by itself."""
    scene = Scene()

    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            watch = group.create_task(scene.watching.run(), name="watch")
            await test(scene)
            assert not watch.done()
            watch.cancel()

    run(main())
    assert not scene.decisions.is_streaming("approval"), "a stream was left open"
    return scene


# Finding out


def test_what_is_pending_at_the_start_is_found() -> None:
    async def test(scene: Scene) -> None:
        scene.decisions.put(A)
        scene.decisions.put(Q)
        await asyncio.sleep(0.1)
        assert scene.take() == [DecisionFound(A), DecisionFound(Q)]

    _play(test)


def test_what_the_streams_tell_is_told_at_once_and_once() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.tell("approval", A)
        scene.decisions.tell("approval", A)
        await asyncio.sleep(0.001)
        assert scene.take() == []
        scene.decisions.clear("approval")
        scene.decisions.tell("approval", None)
        await asyncio.sleep(0.001)
        assert scene.take() == [CLOSED]
        scene.decisions.put(B)
        await asyncio.sleep(0.001)
        assert scene.take() == [DecisionFound(B)]

    _play(test)


def test_a_look_finds_what_the_stream_does_not_tell() -> None:
    async def test(scene: Scene) -> None:
        await scene.found()
        scene.decisions.put(A, told=False)
        scene.decisions.put(Q, told=False)
        scene.watching.look("approval")
        await asyncio.sleep(0.1)
        assert scene.take() == [DecisionFound(A)]
        scene.watching.look()
        await asyncio.sleep(0.1)
        assert scene.take() == [DecisionFound(Q)]

    _play(test)


def test_looks_that_overlap_are_one_more_look() -> None:
    async def test(scene: Scene) -> None:
        await scene.found()
        scene.decisions.look_seconds = 0.5
        scene.watching.look("approval")
        await asyncio.sleep(0.1)  # it was sent before what the next ones ask for
        for _ in range(5):
            scene.watching.look("approval")
        await asyncio.sleep(2.0)
        assert scene.looks() == 2

    _play(test)


def test_an_expiry_that_nobody_tells_is_found_by_asking() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        await asyncio.sleep(60.0)
        scene.decisions.clear("approval", told=False)
        await asyncio.sleep(POLL_SECONDS + 0.1)
        assert scene.take() == [EXPIRED]

    _play(test)


def test_nobody_is_asked_while_nothing_is_pending_and_the_streams_are_there() -> None:
    async def test(scene: Scene) -> None:
        await asyncio.sleep(600.0)

    assert _play(test).looks() == 0


def test_what_is_pending_is_asked_for_every_few_seconds() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        await asyncio.sleep(30.0)
        assert 8 <= scene.looks() <= 10
        assert {kind for _, kind in scene.decisions.looks} == {"approval"}
        assert scene.take() == []

    _play(test)


def test_the_time_that_is_left_is_known() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A, Q)
        await asyncio.sleep(10.0)
        left = scene.watching.time_left("a")
        assert left is not None
        assert 49.0 < left < 50.0
        assert scene.watching.time_left("q") is None
        assert scene.watching.time_left("b") == 0.0

    _play(test)


# Streams that are lost


def test_a_lost_stream_is_opened_again_and_what_was_missed_is_told() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.cut("approval")
        await asyncio.sleep(0.1)
        scene.decisions.put(B)
        await asyncio.sleep(0.6)
        assert scene.take() == [CLOSED, DecisionFound(B)]
        assert scene.decisions.is_streaming("approval")

    _play(test)


def test_a_server_that_is_away_is_tried_more_and_more_seldom_and_found_again() -> None:
    async def test(scene: Scene) -> None:
        scene.decisions.fault = UnreachableError("away")
        await asyncio.sleep(600.0)
        opened = [at for at, kind in scene.decisions.opened if kind == "approval"]
        pauses = [round(later - earlier, 3) for earlier, later in pairwise(opened)]
        assert 0.5 <= pauses[0] < 0.6
        assert pauses == sorted(pauses)
        assert 30.0 <= pauses[-1] < 30.1
        assert len(opened) < 30
        looks = [at for at, kind in scene.decisions.looks if kind == "approval"]
        assert len(looks) < 600 / POLL_SECONDS
        scene.decisions.fault = None
        scene.decisions.put(A)
        await asyncio.sleep(9.0)
        assert scene.take() == [DecisionFound(A)]

    _play(test)


def test_a_stream_that_breaks_off_again_and_again_is_not_hammered() -> None:
    async def test(scene: Scene) -> None:
        for _ in range(100):
            await asyncio.sleep(1.0)
            if scene.decisions.is_streaming("approval"):
                scene.decisions.cut("approval")
        assert sum(kind == "approval" for _, kind in scene.decisions.opened) < 12

    _play(test)


def test_without_its_stream_a_kind_is_asked_for() -> None:
    async def test(scene: Scene) -> None:
        scene.decisions.stream_fault = ProtocolError("no such address")
        await asyncio.sleep(1.0)
        scene.decisions.put(A)
        await asyncio.sleep(POLL_SECONDS + 0.1)
        assert scene.take() == [DecisionFound(A)]
        scene.decisions.clear("approval")
        await asyncio.sleep(POLL_SECONDS + 0.1)
        assert scene.take() == [CLOSED]
        await asyncio.sleep(100.0)
        assert len(scene.decisions.opened) <= 10, "two kinds, each every 30 s"

    _play(test)


def test_while_its_stream_is_lost_a_kind_is_asked_for() -> None:
    async def test(scene: Scene) -> None:
        await scene.found()
        scene.decisions.stream_fault = UnreachableError("a proxy that knows no streams")
        scene.decisions.cut("approval")
        await asyncio.sleep(20.0)
        scene.decisions.put(A)
        await asyncio.sleep(POLL_SECONDS + 0.1)
        assert scene.take() == [DecisionFound(A)]
        assert {kind for _, kind in scene.decisions.looks} == {"approval"}

    _play(test)


@pytest.mark.parametrize("fault", [LoginError("no"), ProtocolError("no"), StoreError("no")])
def test_a_server_that_refuses_is_tried_seldom_and_the_watch_goes_on(
    fault: VoicehermesError,
) -> None:
    async def test(scene: Scene) -> None:
        scene.decisions.fault = fault
        await asyncio.sleep(300.0)
        assert len(scene.decisions.opened) <= 22
        assert scene.looks() <= 22
        scene.decisions.fault = None
        scene.decisions.put(A)
        await asyncio.sleep(40.0)
        assert scene.take() == [DecisionFound(A)]

    _play(test)


def test_who_asks_after_a_refusal_does_not_wait_until_the_next_try() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        refusal = LoginError("no")
        scene.decisions.look_fault = refusal
        await asyncio.sleep(POLL_SECONDS + 0.5)
        assert scene.watching.fault("a") is refusal
        scene.decisions.look_fault = None  # the user has logged in, and presses the key
        scene.watching.confirm("a")
        await asyncio.sleep(0.1)
        assert scene.take() == [CONFIRMED]
        assert scene.watching.fault("a") is None

    _play(test)


def test_a_look_is_tried_until_the_server_is_back_but_not_for_ever() -> None:
    async def test(scene: Scene) -> None:
        await scene.found()
        scene.decisions.look_fault = UnreachableError("away")
        scene.watching.look("approval")
        await asyncio.sleep(10.0)
        scene.decisions.look_fault = None
        scene.decisions.put(A, told=False)
        await asyncio.sleep(5.1)
        assert scene.take() == [DecisionFound(A)]
        scene.decisions.clear("approval")
        await asyncio.sleep(1.0)
        scene.decisions.look_fault = UnreachableError("away")
        scene.watching.look("approval")
        await asyncio.sleep(70.0)
        looks = scene.looks()
        await asyncio.sleep(600.0)
        assert scene.looks() == looks

    _play(test)


# What is late does not count


def test_a_stale_none_of_a_look_does_not_silence_a_new_question() -> None:
    async def test(scene: Scene) -> None:
        await scene.found()
        scene.decisions.look_seconds = 0.5
        scene.watching.look("approval")
        await asyncio.sleep(0.1)
        scene.decisions.put(A)  # the look was asked before, and answers that there is none
        await asyncio.sleep(2.0)
        assert scene.take() == [DecisionFound(A)]
        assert scene.looks() >= 2, "it was asked again"

    _play(test)


def test_a_stale_look_does_not_revive_what_was_answered_elsewhere() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.look_seconds = 0.5
        scene.watching.look("approval")
        await asyncio.sleep(0.1)
        scene.decisions.clear("approval")
        await asyncio.sleep(2.0)
        assert scene.take() == [CLOSED]

    _play(test)


def test_a_stale_look_does_not_revive_what_we_answered() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.look_seconds = 0.5
        scene.watching.look("approval")
        await asyncio.sleep(0.1)
        await scene.watching.answer(A, "once")
        await asyncio.sleep(2.0)
        assert scene.take() == []

    _play(test)


def test_a_late_word_of_the_stream_does_not_revive_what_a_look_found_gone() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.clear("approval", told=False)
        scene.watching.look("approval")
        await asyncio.sleep(0.1)
        assert scene.take() == [CLOSED]
        scene.decisions.tell("approval", None)
        scene.decisions.tell("approval", A)
        scene.decisions.tell("approval", None)
        await asyncio.sleep(5.0)
        assert scene.take() == []

    _play(test)


def test_what_a_late_word_names_and_is_pending_again_is_found_again() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.clear("approval")
        await asyncio.sleep(0.1)
        assert scene.take() == [CLOSED]
        scene.decisions.put(A)
        await asyncio.sleep(0.1)
        assert scene.take() == [DecisionFound(A)]

    _play(test)


def test_a_late_none_of_the_stream_does_not_close_what_a_look_found_since() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.put(B, told=False)
        scene.watching.look("approval")
        await asyncio.sleep(0.1)
        assert scene.take() == [CLOSED, DecisionFound(B)]
        scene.decisions.tell("approval", None)  # of A
        await asyncio.sleep(0.01)
        scene.decisions.tell("approval", B)
        await asyncio.sleep(5.0)
        assert scene.take() == []
        scene.decisions.clear("approval")
        await asyncio.sleep(0.001)
        assert scene.take() == [DecisionGone("b", has_expired=False)]

    _play(test)


def test_a_none_of_the_stream_closes_what_only_a_look_had_found() -> None:
    async def test(scene: Scene) -> None:
        await scene.found()
        scene.decisions.put(A, told=False)
        scene.watching.look("approval")
        await asyncio.sleep(0.1)
        assert scene.take() == [DecisionFound(A)]
        scene.decisions.clear("approval")
        await asyncio.sleep(0.1)
        assert scene.take() == [CLOSED]

    _play(test)


def test_a_server_that_repeats_itself_at_each_look_is_not_asked_for_ever() -> None:
    async def test(scene: Scene) -> None:
        await scene.found()
        scene.decisions.look_seconds = 0.5
        scene.watching.look("approval")
        for _ in range(20):
            await asyncio.sleep(0.1)
            scene.decisions.tell("approval", None)
        assert scene.looks() == 1

    _play(test)


# Confirming


def test_what_is_still_pending_is_confirmed() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.watching.confirm("a")
        await asyncio.sleep(0.1)
        assert scene.take() == [CONFIRMED]
        await asyncio.sleep(10.0)
        assert scene.take() == [], "it was asked for once"

    _play(test)


def test_what_is_not_pending_any_more_is_gone_instead_of_confirmed() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.clear("approval", told=False)
        scene.watching.confirm("a")
        await asyncio.sleep(0.1)
        assert scene.take() == [CLOSED]

    _play(test)


def test_a_confirmation_of_what_is_gone_or_was_never_there_is_refused() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.clear("approval")
        await asyncio.sleep(0.1)
        assert scene.take() == [CLOSED]
        scene.watching.confirm("a")
        scene.watching.confirm("x")
        await asyncio.sleep(0.1)
        assert scene.take() == [DecisionGone("x", has_expired=False), CLOSED]

    _play(test)


def test_while_the_server_is_away_nothing_is_confirmed_nor_gone() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.fault = UnreachableError("away")
        scene.watching.confirm("a")
        await asyncio.sleep(100.0)
        assert scene.take() == []
        scene.decisions.fault = None
        await asyncio.sleep(5.1)
        assert scene.take() == [CONFIRMED]

    _play(test)


def test_a_confirmation_whose_look_was_overtaken_comes_with_the_next_one() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.look_seconds = 0.5
        scene.watching.confirm("a")
        await asyncio.sleep(0.1)
        scene.decisions.put(B)
        await asyncio.sleep(2.0)
        assert scene.take() == [CLOSED, DecisionFound(B), CLOSED]

    _play(test)


# Answers


def _answering(scene: Scene, answer: str = "once") -> Coroutine[Any, Any, None]:
    return scene.watching.answer(A, answer)


def test_an_answer_goes_to_its_decision_and_nothing_more_is_told_of_it() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A, Q)
        await _answering(scene, "session")
        await scene.watching.answer(Q, "la seconda")
        await asyncio.sleep(10.0)
        assert scene.take() == []
        assert scene.decisions.sent == [("a", "session"), ("q", "la seconda")]

    _play(test)


def test_an_end_that_the_stream_tells_before_our_answer_is_back_is_not_told() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.answer_seconds = 1.0
        await _answering(scene)
        assert scene.take() == []

    _play(test)


def test_what_is_asked_while_our_answer_is_on_its_way_is_found_after_it() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.answer_seconds = 1.0
        async with asyncio.TaskGroup() as group:
            group.create_task(_answering(scene), name="answer")
            await asyncio.sleep(0.5)
            scene.decisions.put(B)
        assert scene.take() == []
        await asyncio.sleep(0.1)
        assert scene.take() == [DecisionFound(B)]

    _play(test)


def test_an_answer_that_comes_too_late_is_told_once() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.clear("approval", told=False)
        with pytest.raises(GoneError):
            await _answering(scene)
        await asyncio.sleep(10.0)
        assert scene.take() == []
        assert len(scene.decisions.sent) == 1

    _play(test)


def test_what_is_gone_or_answered_is_not_answered() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        await _answering(scene)
        with pytest.raises(GoneError):
            await _answering(scene)
        with pytest.raises(GoneError):
            await scene.watching.answer(B, "once")
        assert len(scene.decisions.sent) == 1

    _play(test)


def test_two_answers_to_one_decision_do_not_overlap() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.answer_seconds = 1.0
        async with asyncio.TaskGroup() as group:
            group.create_task(_answering(scene), name="answer")
            await asyncio.sleep(0.1)
            with pytest.raises(RefusedError, match="already"):
                await _answering(scene, "deny")
        assert scene.decisions.sent == [("a", "once")]

    _play(test)


def test_an_answer_that_did_not_arrive_is_sent_again_while_it_is_pending() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.fates = ["does not arrive", "does not arrive"]
        await _answering(scene)
        assert scene.decisions.answered == [("a", "once")]
        assert len(scene.decisions.sent) == 3
        assert scene.looks() == 2, "each time it was asked first whether it is still pending"
        await asyncio.sleep(10.0)
        assert scene.take() == []

    _play(test)


def test_an_answer_that_may_have_arrived_is_not_sent_again_and_nobody_claims_to_know() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.fates = ["arrives unknown"]
        with pytest.raises(UnconfirmedError):
            await _answering(scene)
        assert len(scene.decisions.sent) == 1
        await asyncio.sleep(10.0)
        assert scene.take() == []

    _play(test)


def test_a_lost_answer_is_not_sent_to_the_decision_that_came_after() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.fates = ["does not arrive"]
        async with asyncio.TaskGroup() as group:
            answer = group.create_task(_fails(_answering(scene), UnconfirmedError), name="answer")
            await asyncio.sleep(0.2)
            scene.decisions.put(B)
            await asyncio.wait({answer})
        assert scene.decisions.answered == []
        await asyncio.sleep(0.1)
        assert scene.take() == [DecisionFound(B)]

    _play(test)


def test_a_stale_look_does_not_have_a_lost_answer_sent_again() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.look_seconds = 1.0
        scene.decisions.fates = ["does not arrive"]
        async with asyncio.TaskGroup() as group:
            answer = group.create_task(_fails(_answering(scene), UnconfirmedError), name="answer")
            await asyncio.sleep(0.6)  # the look has seen it pending, and is on its way back
            scene.decisions.clear("approval")
            await asyncio.wait({answer})
        assert len(scene.decisions.sent) == 1

    _play(test)


def test_a_second_try_that_comes_too_late_is_no_clear_refusal() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.fates = ["does not arrive"]
        async with asyncio.TaskGroup() as group:
            answer = group.create_task(_fails(_answering(scene), UnconfirmedError), name="answer")
            await asyncio.sleep(0.35)  # it has been asked for, and goes out a second time
            assert len(scene.decisions.sent) == 2
            scene.decisions.clear("approval", told=False)
            await asyncio.wait({answer})

    _play(test)


def test_an_answer_is_not_tried_for_ever_and_can_be_given_again() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.fault = UnreachableError("away")
        async with asyncio.timeout(61.0):
            with pytest.raises(UnreachableError):
                await _answering(scene)
        assert len(scene.decisions.sent) == 1, "nobody could say that it is still pending"
        assert scene.take() == []
        scene.decisions.fault = None
        await asyncio.sleep(5.0)
        assert scene.take() == [], "it is still pending"
        await _answering(scene)
        assert scene.decisions.answered == [("a", "once")]

    _play(test)


def test_what_an_answer_may_have_reached_is_not_called_expired() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.fates = ["arrives unknown"]
        scene.decisions.look_fault = UnreachableError("away")
        with pytest.raises(UnreachableError):
            await _answering(scene)
        assert scene.take() == []
        scene.decisions.look_fault = None
        await asyncio.sleep(6.0)
        assert scene.take() == [CLOSED], "told after the answer failed"

    _play(test)


def test_an_answer_that_the_server_refuses_is_told_at_once() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.fault = RefusedError("no")
        with pytest.raises(RefusedError, match="no"):
            await _answering(scene)
        assert len(scene.decisions.sent) == 1
        scene.decisions.fault = None
        await _answering(scene, "deny")
        assert scene.decisions.answered == [("a", "deny")]

    _play(test)


def test_an_answer_that_is_cut_short_leaves_the_decision_open() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await _answering(scene)
        await asyncio.sleep(1.0)
        assert scene.take() == []
        await _answering(scene)
        assert scene.decisions.answered == [("a", "once")]

    _play(test)


def test_nobody_is_asked_while_an_answer_is_on_its_way() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.answer_seconds = 5 * POLL_SECONDS
        await _answering(scene)
        assert scene.looks() == 0
        await asyncio.sleep(0.1)
        assert scene.looks() == 1, "after it, whatever was told meanwhile is asked for"

    _play(test)


def test_a_confirmation_that_is_due_while_an_answer_is_on_its_way_says_nothing() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.answer_seconds = 2 * POLL_SECONDS
        async with asyncio.TaskGroup() as group:
            group.create_task(_answering(scene), name="answer")
            await asyncio.sleep(0.1)
            scene.watching.confirm("a")
            await asyncio.sleep(2 * POLL_SECONDS - 0.1)
            assert scene.looks() == 0, "what it would tell could not be told"
        await asyncio.sleep(10.0)
        assert scene.take() == []

    _play(test)


def test_a_confirmation_that_an_answer_overtook_comes_when_the_answer_has_failed() -> None:
    async def test(scene: Scene) -> None:
        await scene.found(A)
        scene.decisions.look_seconds = 0.1
        scene.decisions.fates = ["does not arrive"]
        async with asyncio.TaskGroup() as group:
            scene.watching.confirm("a")
            await asyncio.sleep(0.05)
            answer = group.create_task(_fails(_answering(scene), RefusedError), name="answer")
            await asyncio.sleep(0.2)
            scene.decisions.fault = RefusedError("no")
            await asyncio.wait({answer})
            assert scene.take() == []
        scene.decisions.fault = None
        await asyncio.sleep(31.0)  # a server that refuses is not asked again at once
        assert scene.take() == [CONFIRMED]

    _play(test)


async def _fails(answer: Coroutine[Any, Any, None], error: type[VoicehermesError]) -> None:
    with pytest.raises(error):
        await answer
