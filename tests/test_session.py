"""Whole turns with every part faked, on a virtual clock: what is sent, kept, said and shown."""

import asyncio

import pytest

from tests.house import MAX_SECONDS, House, converse
from voicehermes.audio import Utterance, UtteranceEnd
from voicehermes.dialogue import Rules
from voicehermes.errors import (
    DeviceError,
    LoginError,
    UnreachableError,
    VoiceError,
    VoicehermesError,
)
from voicehermes.events import (
    Cancelled,
    Failed,
    Reconnected,
    TextDelta,
    TriggerKind,
)
from voicehermes.hearing.ear_events import MicrophoneLost, SpeechBegan
from voicehermes.speaking.voice import SpeechFailed


def test_a_turn_goes_from_the_key_to_the_spoken_answer() -> None:
    async def story(house: House) -> None:
        await house.hold_key(2)
        await house.answer(1, "Sono ", "le tre.")

    house = converse(story, "che ore sono")
    assert house.agent.submitted == ["che ore sono"]
    assert house.mouth.texts == {1: "Sono le tre."}
    assert house.display.transcripts == ["che ore sono"]
    assert house.display.replies == ["Sono le tre."]
    assert house.display.states == [
        "state-idle",
        "state-listening",
        "state-transcribing",
        "state-thinking",
        "state-speaking",
        "state-idle",
        "state-stopped",
    ]
    assert (house.outbox.kept, house.outbox.left) == ({}, {})
    assert house.events() == [
        "trigger",
        "trigger",
        "release",
        "upload_begin",
        "transcript",
        "submit",
        "run_begin",
        "first_delta",
        "turn_end",
    ]
    assert house.outcomes() == ["answered"]


def test_the_words_are_on_disk_before_they_are_submitted() -> None:
    kept: list[object] = []

    def prepare(house: House) -> None:
        house.agent.on_submit = lambda: kept.extend(house.outbox.kept.values())

    async def story(house: House) -> None:
        await house.hold_key(1)

    house = converse(story, "ciao", prepare=prepare)
    assert kept == ["ciao"]
    assert house.outbox.kept == {}


def test_an_utterance_is_on_disk_while_it_is_transcribed() -> None:
    async def story(house: House) -> None:
        house.recognizer.seconds = 5
        await house.hold_key(1)
        [kept] = house.outbox.kept.values()
        assert isinstance(kept, Utterance)

    converse(story, "ciao")


def test_an_utterance_that_could_not_be_transcribed_is_left_for_a_retry() -> None:
    async def story(house: House) -> None:
        await house.hold_key(1)

    house = converse(story, UnreachableError("Connection refused."))
    [left] = house.outbox.left.values()
    assert isinstance(left, Utterance)
    assert house.outbox.kept == {}
    assert any("voicehermes retry" in said for said in house.mouth.said)
    assert house.outcomes() == ["not transcribed"]


@pytest.mark.parametrize("error", [UnreachableError("Gone."), LoginError("Log in.")])
def test_words_that_could_not_be_submitted_are_left_for_a_retry(error: VoicehermesError) -> None:
    async def story(house: House) -> None:
        house.agent.fault = error
        await house.hold_key(1)
        await house.hold_key(1)

    house = converse(story, "uno", "due")
    assert list(house.outbox.left.values()) == ["uno"]
    assert house.agent.submitted == ["due"]


def test_a_full_disk_does_not_hold_back_the_words() -> None:
    async def story(house: House) -> None:
        house.outbox.disk_is_full = True
        await house.hold_key(1)

    assert converse(story, "ciao").agent.submitted == ["ciao"]


def test_words_that_arrived_although_nobody_was_told_are_not_sent_twice() -> None:
    async def story(house: House) -> None:
        house.agent.arrived["ciao"] = "run-0"
        house.session.send_again("ciao", "key-0", said_at=1.0)
        house.agent.reply("run-0", "Ciao!")
        await asyncio.sleep(1)
        house.mouth.finish(1)
        await house.session.wait_until_quiet()

    house = converse(story)
    assert house.agent.submitted == []
    assert house.session.outcome == "answered"
    assert house.display.replies == ["Ciao!"]


def test_a_kept_utterance_is_transcribed_and_sent() -> None:
    async def story(house: House) -> None:
        speech = Utterance(b"OggS", ".ogg", 0.0, UtteranceEnd.RELEASED)
        house.session.send_again(speech, "key-0", said_at=1.0)
        await asyncio.sleep(1)

    house = converse(story, "ciao")
    assert house.agent.submitted == ["ciao"]
    assert house.outbox.kept == {}


def test_a_press_while_it_speaks_silences_it_at_once_and_noise_lets_it_go_on() -> None:
    async def story(house: House) -> None:
        await house.hold_key(1)
        house.agent.tell("run-1", TextDelta("Allora. "))
        await asyncio.sleep(0.1)
        house.mouth.sound(1)
        house.trigger(TriggerKind.PRESS)
        assert house.mouth.is_paused
        await asyncio.sleep(1)
        house.trigger(TriggerKind.RELEASE)
        house.ear.complete(None)
        assert not house.mouth.is_paused
        house.agent.reply("run-1", "Ecco.")
        await asyncio.sleep(0.1)

    house = converse(story, "racconta")
    assert house.mouth.texts[1] == "Allora. Ecco."
    assert house.agent.cancelled == []
    assert "nothing-heard" in house.mouth.cues


def test_words_while_it_speaks_cancel_the_run_before_the_next_is_submitted() -> None:
    order: list[str] = []

    async def story(house: House) -> None:
        await house.hold_key(1)
        house.agent.tell("run-1", TextDelta("Allora. "))
        await asyncio.sleep(0.1)
        house.mouth.sound(1)
        await house.hold_key(1)
        order.extend(house.agent.cancelled + house.agent.submitted)

    house = converse(story, "racconta", "anzi no")
    assert order == ["run-1", "racconta", "anzi no"]
    assert 1 in house.mouth.hushed
    assert house.outcomes()[:1] == ["replaced"]


def test_a_tap_while_it_speaks_means_be_quiet() -> None:
    async def story(house: House) -> None:
        await house.hold_key(1)
        house.agent.tell("run-1", TextDelta("Allora. "))
        await asyncio.sleep(0.1)
        house.mouth.sound(1)
        await house.hold_key(0.1)
        house.agent.reply("run-1", "Ecco.")
        await asyncio.sleep(0.1)

    house = converse(story, "racconta")
    assert 1 in house.mouth.hushed
    assert house.display.replies == ["Allora. Ecco."]
    assert house.agent.cancelled == []


def test_a_lost_key_up_ends_the_recording_with_a_cue_and_sends_it() -> None:
    async def story(house: House) -> None:
        house.trigger(TriggerKind.PRESS)
        await asyncio.sleep(MAX_SECONDS + 1)
        assert house.ear.ending is not None
        house.ear.complete(b"OggS")
        await asyncio.sleep(1)
        house.trigger(TriggerKind.RELEASE)

    house = converse(story, "una lunga storia")
    assert house.mouth.cues[:1] == ["too-long"]
    assert house.agent.submitted == ["una lunga storia"]


def test_in_toggle_mode_a_muted_press_does_not_invert_the_next_one() -> None:
    async def story(house: House) -> None:
        house.trigger(TriggerKind.MUTE)
        house.trigger(TriggerKind.PRESS)
        house.trigger(TriggerKind.UNMUTE)
        house.trigger(TriggerKind.PRESS)
        assert house.ear.recording is not None

    house = converse(story, rules=Rules(mode="toggle"))
    assert house.mouth.said == ["Il microfono è spento."]


def test_a_press_right_after_a_release_is_heard_as_well() -> None:
    async def story(house: House) -> None:
        house.trigger(TriggerKind.PRESS)
        await asyncio.sleep(1)
        house.trigger(TriggerKind.RELEASE)
        first = house.ear.ending
        house.trigger(TriggerKind.PRESS)
        assert house.ear.recording != first
        house.ear.complete(b"OggS")
        await asyncio.sleep(1)
        house.trigger(TriggerKind.RELEASE)
        house.ear.complete(b"OggS")
        await asyncio.sleep(1)

    assert converse(story, "che tempo fa", "a Roma").agent.submitted == ["che tempo fa a Roma"]


def test_a_live_run_is_attached_to_at_the_start() -> None:
    async def story(house: House) -> None:
        house.agent.reply("run-7", "Eccomi.")
        await asyncio.sleep(1)

    def prepare(house: House) -> None:
        house.agent.live = "run-7"

    house = converse(story, attach=True, prepare=prepare)
    assert (house.mouth.texts, house.mouth.runs) == ({1: "Eccomi."}, {1: "run-7"})


def test_a_server_that_is_not_there_at_the_start_is_told_and_listening_goes_on() -> None:
    async def story(house: House) -> None:
        await house.hold_key(1)

    def prepare(house: House) -> None:
        house.agent.fault = UnreachableError("Connection refused.")

    house = converse(story, "ciao", attach=True, prepare=prepare)
    assert house.mouth.said == ["Non riesco a raggiungere il server."]
    assert house.agent.submitted == ["ciao"]


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (Failed("rate_limit", "429"), "Hermes non è riuscito a rispondere."),
        (Cancelled(), "La richiesta è stata annullata."),
        (UnreachableError("Gone."), "Non riesco a raggiungere il server."),
    ],
)
def test_a_run_that_ends_badly_is_told_once_and_its_words_are_spoken(
    end: Failed | Cancelled | UnreachableError, said: str
) -> None:
    async def story(house: House) -> None:
        await house.hold_key(1)
        house.agent.tell("run-1", TextDelta("Dunque. "), end)
        await asyncio.sleep(1)
        house.mouth.finish(1)

    house = converse(story, "ciao")
    assert house.mouth.said == [said]
    assert house.mouth.texts[1] == "Dunque. "


def test_a_mended_stream_is_noted() -> None:
    async def story(house: House) -> None:
        await house.hold_key(1)
        house.agent.tell("run-1", Reconnected(2))
        await asyncio.sleep(1)

    assert "reconnect" in converse(story, "ciao").events()


def test_a_lost_microphone_and_a_missing_voice_are_told() -> None:
    async def story(house: House) -> None:
        house.ear.sink(MicrophoneLost(DeviceError("Unplugged.")))
        house.mouth.sink(SpeechFailed(1, VoiceError("No voice it-IT."), is_lost=False))

    house = converse(story)
    assert house.mouth.said == ["Non riesco a usare il microfono o l'altoparlante."]
    assert house.display.notices[-1] == (
        "La voce scelta non risponde: provo con un'altra. No voice it-IT."
    )


def test_speech_is_on_the_timeline_by_the_time_it_was_heard() -> None:
    async def story(house: House) -> None:
        house.trigger(TriggerKind.PRESS)
        assert house.ear.recording is not None
        house.ear.sink(SpeechBegan(house.ear.recording, at=0.05))

    house = converse(story)
    assert [(r["turn"], r["t"]) for r in house.records if r["event"] == "speech_begin"] == [
        (1, 0.05)
    ]


def test_cancel_while_the_message_is_being_sent_cancels_the_run_that_comes_of_it() -> None:
    async def story(house: House) -> None:
        house.agent.submit_seconds = 2
        await house.hold_key(1)
        house.trigger(TriggerKind.CANCEL)
        await asyncio.sleep(3)

    house = converse(story, "ciao")
    assert house.agent.cancelled == ["run-1"]
    assert (house.outbox.kept, house.outbox.left) == ({}, {})


def test_the_end_waits_for_a_message_that_is_being_sent() -> None:
    async def story(house: House) -> None:
        house.agent.submit_seconds = 1.5
        await house.hold_key(1)

    house = converse(story, "ciao")
    assert house.agent.submitted == ["ciao"]
    assert house.outbox.kept == {}
    assert house.agent.cancelled == []


def test_the_end_leaves_on_disk_what_did_not_arrive_in_time() -> None:
    async def story(house: House) -> None:
        house.agent.submit_seconds = 30
        await house.hold_key(1)

    assert list(converse(story, "ciao").outbox.kept.values()) == ["ciao"]


def test_a_typed_question_is_answered_and_then_it_is_quiet() -> None:
    async def story(house: House) -> None:
        house.session.ask("ciao")
        await asyncio.sleep(0.1)
        asking = asyncio.ensure_future(house.session.wait_until_quiet())  # noqa: TID251
        await house.answer(1, "Ciao!")
        await asyncio.wait_for(asking, 1)

    assert converse(story).session.outcome == "answered"
