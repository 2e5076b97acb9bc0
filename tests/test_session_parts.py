"""A session whose user speaks in parts: what is asked for, kept and dropped."""

import asyncio

from tests.house import House, converse
from voicehermes.audio import Utterance
from voicehermes.errors import RefusedError
from voicehermes.events import TriggerKind


async def say(house: House, *parts: bytes) -> None:
    """Hold the key while the parts are said, with pauses between them."""
    house.trigger(TriggerKind.PRESS)
    for part in parts:
        await asyncio.sleep(1)
        house.ear.pause(part)
    await asyncio.sleep(1)
    house.trigger(TriggerKind.RELEASE)
    house.ear.complete(b"whole", b"rest" if parts else None)
    await asyncio.sleep(1)


def sent(house: House) -> list[bytes]:
    return [utterance.data for utterance in house.recognizer.heard]


def test_what_was_said_in_parts_is_one_message() -> None:
    async def story(house: House) -> None:
        await say(house, b"one", b"two")

    house = converse(story, "Prendi il latte,", "Il pane e.", "Le uova.")
    assert house.agent.submitted == ["Prendi il latte, il pane e le uova."]
    assert sent(house) == [b"one", b"two", b"rest"]
    assert house.ear.words == [
        (1, "Prendi il latte,"),
        (1, "Prendi il latte, il pane e."),
    ]
    assert house.events("part", "upload_begin", "transcript") == [
        "part",
        "part",
        "upload_begin",
        "transcript",
    ]


def test_the_whole_is_on_disk_while_the_rest_is_waited_for() -> None:
    async def story(house: House) -> None:
        house.recognizer.seconds = 1.5
        await say(house, b"one")
        [kept] = house.outbox.kept.values()
        assert isinstance(kept, Utterance)
        assert kept.data == b"whole"

    converse(story, "uno", "due")


def test_parts_that_fail_cost_nothing_but_the_time() -> None:
    async def story(house: House) -> None:
        await say(house, b"one")

    house = converse(story, RefusedError("Local transcription failed."), "uno due")
    assert house.agent.submitted == ["uno due"]
    assert sent(house) == [b"one", b"whole"]
    assert house.mouth.said == []


def test_a_cancel_drops_the_part_that_is_out_and_what_came_before() -> None:
    async def story(house: House) -> None:
        house.recognizer.seconds = 0.5
        house.trigger(TriggerKind.PRESS)
        await asyncio.sleep(1)
        house.ear.pause(b"one")
        await asyncio.sleep(1)
        house.ear.pause(b"two")
        await asyncio.sleep(0.1)
        house.trigger(TriggerKind.CANCEL)
        await asyncio.sleep(1)
        house.trigger(TriggerKind.RELEASE)
        await say(house)

    house = converse(story, "prima", "dopo")
    assert sent(house) == [b"one", b"two", b"whole"]
    assert house.agent.submitted == ["dopo"]
    assert [text for _, text in house.ear.words] == ["prima"]


def test_mute_drops_what_was_said_so_far() -> None:
    async def story(house: House) -> None:
        house.trigger(TriggerKind.PRESS)
        await asyncio.sleep(1)
        house.ear.pause(b"one")
        await asyncio.sleep(0.1)
        house.trigger(TriggerKind.MUTE)
        await asyncio.sleep(1)
        house.trigger(TriggerKind.UNMUTE)
        house.trigger(TriggerKind.RELEASE)
        await say(house)

    house = converse(story, "dopo")
    assert sent(house) == [b"one", b"whole"]
    assert house.agent.submitted == ["dopo"]


def test_a_part_alone_is_never_the_message() -> None:
    """The key is held on: nothing is sent, whatever a part said."""

    async def story(house: House) -> None:
        house.trigger(TriggerKind.PRESS)
        await asyncio.sleep(1)
        house.ear.pause(b"one")
        await asyncio.sleep(5)
        assert house.agent.submitted == []
        house.trigger(TriggerKind.CANCEL)

    assert converse(story, "uno").agent.submitted == []
