"""Whole conversations without a key: somebody speaks, and is answered; nobody else is."""

import json
import time
from collections.abc import Sequence
from contextlib import ExitStack

import pytest

from tests.real.conversation import RADIO, House, scripted
from tests.real.correlation import find_all, find_halves, find_once, is_quiet
from tests.real.daemon import Settings
from tests.real.deciding import COMMAND, WORDS, approval_parts, asking, deciding, hearing
from tests.real.handsfree import CALL, handsfree, one_after_another, slam, without_keys
from tests.real.listening import RATE_HZ
from voicehermes.simulator.scenario import Approval, Pace, Pause, Say, Transcribe

pytestmark = pytest.mark.real_parts

LONG = "C'era una volta un guardiano del faro che parlava con le navi nella nebbia."
WEATHER = "Domani pioverà fino a sera."

OVER_IT = {"listen": {"echo": "headset"}, "speak": {"rate": "+50%"}}
"""The microphone does not hear the speaker: the user can talk over it, which takes a while."""


def test_five_turns_without_a_key(house: House) -> None:
    said = ["Ciao.", "Che ore sono?", "E domani?", "Ho impegni?", "Allora esco."]
    replies = ["Ciao a te.", "Sono le tre.", "Domani piove.", "Nessun impegno.", "Buona giornata."]
    scenario = scripted(*([reply] for reply in replies), transcribe=hearing(*said))
    with handsfree(house, scenario) as user:
        for turn in range(1, 6):
            user.say()
            ended = time.monotonic()
            user.is_answered(turn)
            [answered] = user.talk.home.events("submit", turn=turn)
            assert answered["at"] - ended < 1.5
            user.assert_words_are_whole(upload=turn)
        assert user.messages == said
        spoken = user.talk.spoken()
        assert [text for text, _ in spoken] == replies
        places = user.talk.find_in_order([sound for _, sound in spoken])
        assert is_quiet(user.talk.rest(places))


def test_whoever_talks_over_it_silences_it_and_is_answered_instead(house: House) -> None:
    scenario = scripted(
        [f"{LONG} ", Pause(20.0), LONG], [WEATHER], transcribe=hearing("Racconta.", "Che tempo fa?")
    )
    with handsfree(house, scenario, OVER_IT) as user:
        user.say()
        user.let_it_speak()
        told_at = time.monotonic()
        user.say()
        said_at = time.monotonic()
        user.is_answered(turn=2)
        assert user.messages == ["Racconta.", "Che tempo fa?"]
        assert len(user.talk.requests("/api/chat/cancel")) == 1
        assert user.fell_silent(before=said_at) - user.began_to_speak(after=told_at) < 0.8
        user.assert_words_are_whole(upload=2)
        [(_, old), (answer, new)] = user.talk.spoken()
        assert answer == WEATHER
        find_once(new, user.talk.listener.samples)
        assert find_all(old[-len(old) // 4 :], user.talk.listener.samples) == []


def test_a_door_a_cough_and_a_mhm_end_no_answer(house: House) -> None:
    hears = ["Racconta.", "Ancora.", "", "Di nuovo.", "Mhm."]
    scenario = scripted([LONG], transcribe=hearing(*hears))
    with handsfree(house, scenario, OVER_IT) as user:
        user.say()
        user.let_it_speak()
        user.say(slam(house.folder))
        user.is_answered(turn=1)
        [(_, sound)] = user.talk.spoken()
        find_once(sound, user.talk.listener.samples)

        for turn, outcome in ((2, "not understood"), (4, "backchannel")):
            heard_before = len(user.talk.listener.samples)
            user.say()
            user.let_it_speak(0.5)
            user.say(house.word)
            user.is_answered(turn)
            assert user.talk.wait_for_end(turn + 1) == outcome
            [*_, (_, sound)] = user.talk.spoken()
            find_halves(sound, user.talk.listener.samples[heard_before:], RATE_HZ // 5)
        assert user.messages == ["Racconta.", "Ancora.", "Di nuovo."]
        assert user.talk.requests("/api/chat/cancel") == []


def test_a_wake_word_begins_a_conversation_that_closes_after_a_while(house: House) -> None:
    scenario = scripted(
        [WEATHER], ["Buona giornata."], transcribe=hearing("Che tempo fa?", "Allora esco.")
    )
    settings: dict[str, dict[str, object]] = {
        "talk": {"handsfree_start": "wake", "follow_up_seconds": 2.0},
        "listen": {"wake_words": ["hey_jarvis"]},
    }
    with handsfree(house, scenario, settings) as user:
        user.is_ignored()
        user.say(one_after_another(house.folder, [CALL, user.words], 0.2))
        user.is_answered(turn=1)
        user.assert_words_are_whole(upload=1)
        user.say()
        user.is_answered(turn=2)
        user.wait_until_attends("wake word")
        user.is_ignored()
        assert user.messages == ["Che tempo fa?", "Allora esco."]


def test_a_word_in_one_breath_with_the_wake_word_is_taken_and_who_waits_is_invited(
    house: House,
) -> None:
    scenario = scripted([WEATHER], [WEATHER], transcribe=hearing("Che tempo fa?", "E domani?"))
    settings: Settings = {
        "talk": {"handsfree_start": "wake", "follow_up_seconds": 1.0},
        "listen": {"wake_words": ["okay_nabu"]},
        "audio": {"cues": True},
    }
    call = CALL.with_name("okay_nabu.wav")
    with handsfree(house, scenario, settings) as user:
        short = house.cut(RADIO, 0.7, 1.15)
        user.say(one_after_another(house.folder, [call, short], 0.0))
        user.is_answered(turn=1)
        user.wait_until_attends("wake word")
        user.talk.listener.wait_for_silence(1.0)
        user.say(call)
        user.talk.listener.wait_for_sound()
        user.talk.listener.wait_for_silence(0.2)
        user.say()
        user.is_answered(turn=2)
        assert user.messages == ["Che tempo fa?", "E domani?"]


def test_one_press_begins_a_conversation_and_a_word_ends_it(house: House) -> None:
    scenario = scripted([WEATHER], transcribe=hearing("Che tempo fa?", "Vai a dormire."))
    settings = {"talk": {"handsfree_start": "key", "hotkey": "f9"}}
    with handsfree(house, scenario, settings) as user:
        user.is_ignored()
        user.talk.tap("F9")
        user.say()
        user.is_answered(turn=1)
        user.say()
        assert user.talk.wait_for_end(turn=2) == "local command"
        user.is_ignored()
        assert user.messages == ["Che tempo fa?"]


def test_while_it_is_muted_nothing_is_heard_whatever_goes_on(house: House) -> None:
    slow = Pace(first_token_seconds=3.5, characters_per_second=300)
    scenario = scripted([LONG], [WEATHER], pace=slow, transcribe=hearing("Racconta.", "E ora?"))
    with handsfree(house, scenario, OVER_IT) as user:
        home = user.talk.home
        home.ctl("mute")
        user.is_ignored()
        home.ctl("unmute")

        with user.saying():
            home.wait_for_state("listening")
            home.ctl("mute")
        assert user.talk.wait_for_end(turn=1) == "muted"
        user.is_ignored()
        home.ctl("unmute")

        user.say()
        home.wait_for_state("thinking")
        home.ctl("mute")
        user.is_ignored()
        assert home.status()["state"] == "thinking"

        user.talk.listener.wait_for_sound()
        user.say(house.word)
        user.is_answered(turn=2)
        [(_, sound)] = user.talk.spoken()
        find_once(sound, user.talk.listener.samples)
        home.ctl("unmute")
        user.say()
        user.is_answered(turn=3)
        assert user.messages == ["Racconta.", "E ora?"]
        assert user.uploads == 2


def test_muted_while_it_is_transcribed_it_hears_no_more_and_what_was_said_is_sent(
    house: House,
) -> None:
    hears = Transcribe(texts=("Che tempo fa?",), default="", delay_seconds=2.0, delay_factor=0.0)
    with handsfree(house, scripted([WEATHER], transcribe=hears), OVER_IT) as user:
        user.say()
        user.talk.home.wait_for_state("transcribing")
        user.talk.home.ctl("mute")
        user.say()
        user.is_answered(turn=1)
        assert user.messages == ["Che tempo fa?"]
        assert user.uploads == 1
        [(_, sound)] = user.talk.spoken()
        find_once(sound, user.talk.listener.samples)


def test_what_concerns_the_assistant_itself_it_does_and_tells_nobody(house: House) -> None:
    """Be quiet, go on, begin a new conversation, and stop the agent."""
    hears = ["Racconta.", "Zitto!", "Continua.", "Nuova conversazione.", "E ora?", "Annulla."]
    scenario = scripted([LONG], [Pause(20.0), LONG], transcribe=hearing(*hears))
    with handsfree(house, scenario, OVER_IT) as user:
        user.say()
        user.let_it_speak(0.5)
        user.say(house.word)
        assert user.talk.wait_for_end(turn=2) == "local command"
        [(_, sound)] = user.talk.spoken()
        assert find_all(sound[-len(sound) // 4 :], user.talk.listener.samples) == []

        user.say()
        assert user.talk.wait_for_end(turn=3) == "local command"
        [_, (rest, sound)] = user.talk.spoken()
        assert LONG.endswith(rest)
        find_once(sound, user.talk.listener.samples)

        user.say()
        assert user.talk.wait_for_end(turn=4) == "local command"
        user.say()
        user.talk.home.wait_for_state("thinking")
        user.say(house.word)
        assert user.talk.wait_for_end(turn=5) == "cancelled"
        assert user.messages == ["Racconta.", "E ora?"]
        sessions = [
            json.loads(body)["session_id"] for body in user.talk.requests("/api/chat/start")
        ]
        assert len(set(sessions)) == 2
        assert len(user.talk.requests("/api/chat/cancel")) == 1


def test_a_question_that_was_asked_of_somebody_muted_is_asked_again(house: House) -> None:
    granted = "Ecco fatto."
    asked = Approval(COMMAND, granted=(Say(granted),))
    scenario = asking(asked, hears=["Approva."])
    with deciding(house, scenario, without_keys({})) as told:
        told.say()
        id_ = told.wait_until_asked()
        told.wait_until_heard(approval_parts()[0])
        told.home.ctl("mute")
        told.say()
        told.wait_until_heard(WORDS.say("decision-muted"))
        told.say()
        assert told.sent() == []
        assert len(told.uploaded_at) == 1
        told.home.ctl("unmute")
        told.say()
        told.wait_until_heard(approval_parts()[0], times=2)
        told.reply()
        assert told.talk.wait_for_end() == "answered"
        assert told.sent() == [(id_, "once")]


@pytest.mark.parametrize(("echo", "ways_ms"), [("half-duplex", (20, 200)), ("aec", (50,))])
def test_what_comes_back_from_the_speaker_is_no_conversation(
    house: House, echo: str, ways_ms: Sequence[int]
) -> None:
    """The microphone hears the speaker, as loud as it is, by each of these ways."""
    scenario = scripted([f"{LONG} {WEATHER}"], transcribe=hearing("Racconta."))
    settings: Settings = {"listen": {"echo": echo}, "audio": {"cues": True}}
    with ExitStack() as room:
        for way_ms in ways_ms:
            room.enter_context(house.card.looped(way_ms))
        user = room.enter_context(handsfree(house, scenario, settings))
        user.say()
        user.is_answered(turn=1)
        time.sleep(1.5)
        assert user.uploads == 1
        assert user.messages == ["Racconta."]
        assert user.talk.home.status()["turn"] == 1


def test_own_words_that_come_back_although_nothing_should_go_to_nobody(house: House) -> None:
    scenario = scripted([LONG], transcribe=hearing("Racconta.", *[LONG] * 9))
    with house.card.looped(50), handsfree(house, scenario, OVER_IT) as user:
        user.say()
        user.is_answered(turn=1)
        time.sleep(1.5)
        assert user.messages == ["Racconta."]
        assert user.uploads > 1, "or there was no echo"


def test_who_pauses_for_long_in_a_sentence_sends_one_message(house: House) -> None:
    halves = [house.cut(RADIO, 0.7, 2.78), house.cut(RADIO, 2.78, 5.1)]
    said = ["Sempre alla radio nacquero", "anche alcune sue canzoni."]
    slow = Pace(first_token_seconds=5.0, characters_per_second=300)
    scenario = scripted([LONG], [WEATHER], pace=slow, transcribe=hearing(*said))
    short: dict[str, object] = {
        "end_silence_min_seconds": 0.4,
        "end_silence_seconds": 0.5,
        "end_silence_max_seconds": 0.6,
    }
    with handsfree(house, scenario, {"listen": short}) as user:
        user.say(one_after_another(house.folder, halves, 1.2))
        user.is_answered(turn=2)
        assert user.talk.wait_for_end(turn=1) == "joined"
        assert user.messages == [said[0], " ".join(said)]
        assert len(user.talk.requests("/api/chat/cancel")) == 1
        [(answer, sound)] = user.talk.spoken()
        assert answer == WEATHER
        assert is_quiet(user.talk.rest([find_once(sound, user.talk.listener.samples)]))
