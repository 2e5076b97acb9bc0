"""Decisions in whole conversations with every part faked: found, read, answered, confirmed."""

import asyncio

import pytest

from tests.house import House, converse
from voicehermes.audio import EndsBy
from voicehermes.dialogue import Rules
from voicehermes.errors import GoneError, RefusedError, UnreachableError
from voicehermes.events import (
    Approval,
    Clarification,
    Decision,
    DecisionWanted,
    TextDelta,
    ToolEnded,
    TriggerKind,
)

LIST = Approval("a1", "ls src", "list files", allow_permanent=True)
REMOVE = Approval("a2", "rm -rf build", "recursive delete", allow_permanent=True)
WHERE = Clarification("c1", "Dove lo metto?", ("staging", "production"), None)


async def wanted(house: House, decision: Decision) -> None:
    """The run says something, and then wants a decision."""
    await house.hold_key(1)
    house.agent.tell("run-1", TextDelta("Vediamo. "))
    await asyncio.sleep(0.1)
    house.mouth.sound(1)
    house.agent.decisions.put(decision)
    house.agent.tell("run-1", DecisionWanted(decision))
    await asyncio.sleep(0.5)


async def say(house: House, *, sound: bytes | None = b"OggS") -> None:
    """The question is heard, and the user says the next transcript."""
    house.mouth.hear_question()
    await asyncio.sleep(0.5)
    house.ear.complete(sound)
    await asyncio.sleep(1)


def test_an_approval_is_asked_for_answered_and_confirmed_and_then_the_reply_goes_on() -> None:
    async def story(house: House) -> None:
        await wanted(house, LIST)
        assert house.ear.recording is None
        await say(house)
        assert house.mouth.said == ["Approvato."]
        assert not house.mouth.is_held

    house = converse(story, "fai pulizia", "sì")
    assert house.agent.decisions.answered == [("a1", "once")]
    assert any("ls src" in text for text in house.display.decisions)
    assert house.events("decision", "question", "answer") == ["decision", "question", "answer"]


def test_the_words_of_an_answer_are_neither_kept_nor_submitted() -> None:
    async def story(house: House) -> None:
        await wanted(house, LIST)
        await say(house)

    house = converse(story, "fai pulizia", "sì")
    assert house.agent.submitted == ["fai pulizia"]
    assert not house.outbox.kept
    assert not house.outbox.left


def test_an_answer_ends_after_a_long_silence() -> None:
    async def story(house: House) -> None:
        await wanted(house, LIST)
        house.mouth.hear_question()
        assert house.ear.ends_by is EndsBy.LONG_SILENCE

    converse(story, "fai pulizia")


def test_an_approval_that_expires_is_told_even_though_no_stream_does() -> None:
    async def story(house: House) -> None:
        await wanted(house, LIST)
        await say(house, sound=None)
        house.agent.decisions.clear("approval", told=False)
        await asyncio.sleep(60)
        house.agent.tell("run-1", ToolEnded("terminal", "BLOCKED"))
        await asyncio.sleep(1)

    house = converse(story, "fai pulizia")
    assert house.mouth.said[-1].startswith("Non serve più rispondere")
    assert not house.agent.decisions.answered


def test_an_answer_in_the_browser_silences_the_question() -> None:
    async def story(house: House) -> None:
        await wanted(house, LIST)
        house.agent.decisions.clear("approval")
        await asyncio.sleep(0.1)
        assert house.mouth.question is None
        assert not house.mouth.is_held

    house = converse(story, "fai pulizia")
    assert house.mouth.said == ["Non serve più rispondere: la richiesta è già stata chiusa."]


def test_a_decision_that_is_pending_at_the_start_is_offered() -> None:
    async def story(house: House) -> None:
        await asyncio.sleep(1)
        await say(house)

    house = converse(story, "no", prepare=lambda house: house.agent.decisions.put(REMOVE))
    assert house.agent.decisions.answered == [("a2", "deny")]


def test_a_replayed_decision_that_was_answered_is_not_read() -> None:
    async def story(house: House) -> None:
        await house.hold_key(1)
        house.agent.tell("run-1", DecisionWanted(LIST))
        await asyncio.sleep(1)
        assert not house.mouth.asked

    converse(story, "fai pulizia")


def test_a_lost_answer_is_sent_again_only_while_it_is_pending_and_told_once() -> None:
    async def story(house: House) -> None:
        await wanted(house, LIST)
        house.agent.decisions.fates = ["does not arrive"]
        await say(house)
        await asyncio.sleep(5)

    house = converse(story, "fai pulizia", "sì")
    assert house.agent.decisions.answered == [("a1", "once")]
    assert house.mouth.said == ["Approvato."]


def test_an_answer_of_which_nobody_knows_is_not_called_approved() -> None:
    async def story(house: House) -> None:
        await wanted(house, LIST)
        house.agent.decisions.fates = ["arrives unknown"]
        await say(house)
        await asyncio.sleep(5)

    house = converse(story, "fai pulizia", "sì")
    assert house.agent.decisions.sent == [("a1", "once")]
    assert "Approvato." not in house.mouth.said
    assert len(house.mouth.said) == 1


def test_who_asks_to_wait_is_asked_again_in_time() -> None:
    async def story(house: House) -> None:
        await wanted(house, LIST)
        await say(house)
        await asyncio.sleep(22)
        assert len(house.mouth.asked) == 2
        await say(house)

    house = converse(story, "fai pulizia", "aspetta", "no")
    assert house.agent.decisions.answered == [("a1", "deny")]


def test_the_reply_goes_on_when_the_server_is_away_before_the_question_can_be_read_again() -> None:
    async def story(house: House) -> None:
        await wanted(house, LIST)
        house.agent.decisions.fault = UnreachableError("No connection.")
        await say(house, sound=None)
        assert house.mouth.is_paused
        await asyncio.sleep(10)
        assert not house.mouth.is_paused

    house = converse(story, "fai pulizia")
    assert house.mouth.said == ["Non riesco a raggiungere il server."]


def test_the_key_answers_over_the_question() -> None:
    async def story(house: House) -> None:
        await wanted(house, LIST)
        await house.hold_key(1)

    house = converse(story, "fai pulizia", "no, non farlo")
    assert house.agent.decisions.answered == [("a1", "deny")]


def test_nobody_answers_and_a_press_asks_again() -> None:
    async def story(house: House) -> None:
        await wanted(house, WHERE)
        for _ in range(3):
            await say(house, sound=None)
        assert house.display.states[-1] == "state-waiting"
        house.trigger(TriggerKind.PRESS)
        await asyncio.sleep(0.1)
        house.trigger(TriggerKind.RELEASE)
        await asyncio.sleep(1)
        await say(house)

    house = converse(story, "fai pulizia", "la seconda")
    assert house.agent.decisions.answered == [("c1", "production")]


def test_ctl_shows_and_answers_that_decision_only() -> None:
    async def story(house: House) -> None:
        await wanted(house, LIST)
        shown = house.session.decision()
        assert shown is not None
        assert shown["id"] == "a1"
        assert shown["command"] == "ls src"
        with pytest.raises(GoneError):
            await house.session.answer("a9", "once", None)
        with pytest.raises(RefusedError):
            await house.session.answer("a1", None, "sì")
        await house.session.answer("a1", "session", None)
        assert house.session.decision() is None

    house = converse(story, "fai pulizia")
    assert house.agent.decisions.answered == [("a1", "session")]
    assert house.mouth.said == ["Approvato per questa sessione."]


def test_ctl_is_told_when_the_server_does_not_take_its_answer() -> None:
    async def story(house: House) -> None:
        await wanted(house, LIST)
        house.agent.decisions.clear("approval", told=False)
        with pytest.raises(GoneError):
            await house.session.answer("a1", "once", None)

    converse(story, "fai pulizia")


def test_ctl_is_told_when_the_end_comes_first() -> None:
    async def story(house: House) -> None:
        await wanted(house, LIST)
        house.agent.decisions.fault = UnreachableError("No connection.")
        async with asyncio.TaskGroup() as group:
            answering = group.create_task(is_refused(house), name="answering")
            await asyncio.sleep(1)
            house.session.stop()
        assert answering.result()

    async def is_refused(house: House) -> bool:
        with pytest.raises(GoneError):
            await house.session.answer("a1", "once", None)
        return True

    converse(story, "fai pulizia")


def test_ctl_has_the_question_read_again() -> None:
    async def story(house: House) -> None:
        assert not house.session.repeat()
        await wanted(house, LIST)
        house.mouth.hear_question()
        assert house.session.repeat()
        await asyncio.sleep(1)
        assert len(house.mouth.asked) == 2

    converse(story, "fai pulizia")


def test_ctl_calls_a_decision_pending_until_the_server_took_the_answer() -> None:
    async def story(house: House) -> None:
        await wanted(house, LIST)
        house.agent.decisions.fates = ["does not arrive"] * 100
        await say(house)
        decision = house.session.decision()
        assert decision
        assert decision["id"] == "a1"
        assert decision["is_answered"]
        assert not house.session.repeat()
        with pytest.raises(GoneError, match="on its way"):
            await house.session.answer("a1", "deny", None)
        house.agent.decisions.fates.clear()
        await asyncio.sleep(10)
        assert house.session.decision() is None

    house = converse(story, "fai pulizia", "sì")
    assert house.agent.decisions.answered == [("a1", "once")]


def test_without_a_microphone_a_decision_is_told_and_left_to_others() -> None:
    async def story(house: House) -> None:
        house.session.ask("fai pulizia")
        await asyncio.sleep(1)
        house.agent.decisions.put(LIST)
        await asyncio.sleep(1)
        assert not house.mouth.asked

    house = converse(story, rules=Rules(can_hear=False))
    assert house.mouth.said == ["Hermes aspetta una tua decisione: rispondi dal browser."]


def test_who_typed_waits_for_a_decision_of_the_own_run_and_for_no_other() -> None:
    async def is_quiet(house: House) -> bool:
        try:
            async with asyncio.timeout(1):
                await house.session.wait_until_quiet()
        except TimeoutError:
            return False
        return True

    async def story(house: House) -> None:
        house.agent.decisions.put(LIST)
        await asyncio.sleep(1)
        house.mouth.finish(0)
        assert await is_quiet(house)
        house.session.ask("fai pulizia")
        await asyncio.sleep(1)
        assert not await is_quiet(house)

    converse(story, rules=Rules(can_hear=False))
