"""A session that hears without a key: what it attends to, and what comes of what it hears."""

import asyncio
import math

from tests.house import WORDS, House, converse
from voicehermes.attention import Attention
from voicehermes.audio import InputFault
from voicehermes.dialogue import Rules
from voicehermes.events import TriggerKind
from voicehermes.hearing.ear_events import (
    HintGone,
    InputFaulty,
    SpeechBegan,
    SpeechHinted,
    VoiceBegan,
    WakeWordHeard,
)

FREE = Rules(mode="handsfree")
BY_WORD = Rules(mode="handsfree", handsfree_start="wake")
REPLY = "Domani a Roma c'è il sole. "


def attends_to(house: House) -> Attention:
    return house.ear.attention


async def speak(house: House, sound: bytes | None = b"OggS", *, silence: float = math.inf) -> None:
    """Somebody just speaks, and falls silent."""
    house.ear.notice(VoiceBegan(house.loop.time(), silence))
    assert house.ear.recording is not None
    house.ear.sink(SpeechBegan(house.ear.recording, house.loop.time()))
    await asyncio.sleep(1.0)
    house.ear.complete(sound)
    await asyncio.sleep(0.5)


def test_two_turns_without_a_key() -> None:
    async def story(house: House) -> None:
        assert attends_to(house) is Attention.SPEECH
        await speak(house)
        await house.answer(1, REPLY)
        await speak(house)
        await house.answer(2, REPLY)
        assert attends_to(house) is Attention.SPEECH

    house = converse(story, "che tempo fa", "e domani", rules=FREE)
    assert house.agent.submitted == ["che tempo fa", "e domani"]
    assert house.outcomes() == ["answered", "answered"]


def test_the_ear_attends_to_nothing_while_it_records_or_is_muted() -> None:
    async def story(house: House) -> None:
        house.ear.notice(VoiceBegan(house.loop.time(), math.inf))
        assert attends_to(house) is Attention.NOTHING
        house.trigger(TriggerKind.MUTE)
        assert attends_to(house) is Attention.NOTHING
        house.trigger(TriggerKind.UNMUTE)
        assert attends_to(house) is Attention.SPEECH

    assert converse(story, rules=FREE).outcomes() == ["muted"]


def test_after_a_wake_word_the_user_may_follow_up_and_then_no_more() -> None:
    async def story(house: House) -> None:
        assert attends_to(house) is Attention.WAKE_WORD
        house.ear.notice(WakeWordHeard("hey_jarvis"))
        house.ear.complete(b"OggS")
        await asyncio.sleep(0.5)
        await house.answer(1, REPLY)
        await asyncio.sleep(7.0)
        assert attends_to(house) is Attention.SPEECH
        await asyncio.sleep(2.0)
        assert attends_to(house) is Attention.WAKE_WORD

    house = converse(story, "che tempo fa", rules=BY_WORD)
    assert house.mouth.cues[-2:] == ["listening", "closed"]


def test_somebody_who_begins_to_speak_lowers_the_sound_and_noise_lets_it_go_on() -> None:
    async def story(house: House) -> None:
        await speak(house)
        house.agent.reply("run-1", REPLY)
        await asyncio.sleep(0.1)
        house.mouth.sound(1)
        house.ear.notice(SpeechHinted())
        assert house.mouth.is_ducked
        house.ear.notice(HintGone())
        assert not house.mouth.is_ducked
        house.ear.notice(SpeechHinted())
        house.ear.notice(VoiceBegan(house.loop.time(), math.inf))
        assert house.mouth.is_paused
        house.ear.complete(None)
        assert not house.mouth.is_paused
        assert not house.mouth.is_ducked
        house.mouth.finish(1)

    assert converse(story, "che tempo fa", rules=FREE).agent.cancelled == []


def test_what_the_microphone_takes_from_our_speaker_goes_to_nobody() -> None:
    async def story(house: House) -> None:
        await speak(house)
        await house.answer(1, REPLY)
        house.mouth.spoken = [(house.loop.time() + 60.0, REPLY)]
        await speak(house)
        assert not house.ear.is_guarded
        await speak(house)
        assert house.ear.is_guarded

    house = converse(story, "che tempo fa", REPLY, "domani a roma c'è il sole", rules=FREE)
    assert house.agent.submitted == ["che tempo fa"]
    assert house.outcomes() == ["answered", "own words", "own words"]
    assert not house.outbox.kept


def test_a_new_conversation_is_told_once_it_has_begun() -> None:
    async def story(house: House) -> None:
        await speak(house)
        await asyncio.sleep(0.5)

    house = converse(story, "nuova conversazione", rules=FREE)
    assert house.agent.submitted == []
    assert house.mouth.said == [WORDS.say("new-conversation")]


def test_a_microphone_that_gives_nothing_is_named() -> None:
    async def story(house: House) -> None:
        house.ear.sink(InputFaulty(InputFault.ZEROS))

    house = converse(story, rules=FREE)
    assert any("Cuffie" in notice for notice in house.display.notices)


def test_the_status_tells_what_the_ear_attends_to() -> None:
    async def story(house: House) -> None:
        assert house.session.status()["attends_to"] == "wake word"

    converse(story, rules=BY_WORD)
