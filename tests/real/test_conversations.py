"""Whole conversations, heard at the speaker: turns as they should be."""

import signal
import time

import pytest

from tests.real.conversation import RADIO, House, scripted, uploaded
from tests.real.correlation import decoded, find_once
from tests.real.daemon import running
from tests.real.sound_card import MICROPHONE, SPEAKER
from voicehermes.audio import RATE_HZ
from voicehermes.simulator.scenario import Error, Pace, Pause, Step, Transcribe

pytestmark = pytest.mark.real_parts

STORY = [
    "C'era una volta un guardiano del faro che parlava con le navi.",
    "Una notte di nebbia nessuna nave rispose, e lui continuò a raccontare.",
    "All'alba scoprì che tutto il porto era rimasto sveglio ad ascoltarlo.",
]
DIARY = ["Ho controllato il calendario.", "Domani mattina non hai impegni."]


def test_a_held_key_a_question_and_the_whole_answer(house: House) -> None:
    first_word = decoded(house.cut(RADIO, 0.75, 1.25), RATE_HZ)
    last_word = decoded(house.cut(RADIO, 4.5, 5.1), RATE_HZ)
    with house.open(scripted([" ".join(STORY)])) as talk:
        talk.say(RADIO)
        assert talk.wait_for_end() == "answered"

        [upload] = talk.requests("/api/transcribe")
        sent = uploaded(upload, RATE_HZ)
        begin, end = find_once(first_word, sent).at, find_once(last_word, sent).at
        assert (end - begin) / RATE_HZ == pytest.approx(4.5 - 0.75, abs=0.02)
        talk.assert_reply_was_heard(STORY)
        assert talk.home.unsent == []


def test_toggle_begins_with_one_press_and_ends_with_the_next(house: House) -> None:
    settings = {
        "talk": {"mode": "toggle", "hotkey": "f9"},
        "audio": {"input": MICROPHONE, "output": SPEAKER},
    }
    with house.open(scripted([" ".join(DIARY)]), settings) as talk:
        talk.tap("F9")
        talk.home.wait_for_state("listening")
        talk.play(house.word)
        assert talk.home.status()["state"] == "listening"
        talk.tap("F9")
        assert talk.wait_for_end() == "answered"
        assert len(talk.requests("/api/transcribe")) == 1
        talk.assert_reply_was_heard(DIARY)


def test_a_script_drives_it_by_the_control_socket(house: House) -> None:
    with house.open(scripted([" ".join(DIARY)]), {"talk": {"hotkey": ""}}) as talk:
        assert talk.home.do("ctl", "press").returncode == 0
        assert "state: listening" in talk.home.do("ctl", "status").stdout
        talk.play(house.word)
        assert talk.home.do("ctl", "release").returncode == 0
        assert talk.wait_for_end() == "answered"
        talk.assert_reply_was_heard(DIARY)
        assert talk.home.do("ctl", "quit").returncode == 0
        assert talk.daemon.process.wait(timeout=10) == 0
        assert not talk.home.socket.exists()


def test_a_stopped_daemon_leaves_the_run_to_the_server(house: House) -> None:
    slow = Pace(first_token_seconds=0.1, characters_per_second=15)
    with house.open(scripted([" ".join(STORY)], pace=slow)) as talk:
        talk.say(house.word)
        talk.listener.wait_for_sound()
        began = time.monotonic()
        assert talk.daemon.end(signal.SIGTERM) == 0
        assert time.monotonic() - began < 2.0
        time.sleep(0.3)
        assert not talk.listener.sounds(0.1)
        assert not talk.home.socket.exists()
        [run] = talk.server.world.runs.values()
        assert run.journal.is_live
        assert talk.requests("/api/chat/cancel") == []


def test_a_second_daemon_is_refused_in_one_sentence(house: House) -> None:
    with house.open(scripted([" ".join(DIARY)])) as talk:
        second = talk.home.do("run")
        assert second.returncode == 1
        [*_, sentence] = second.stderr.splitlines()
        assert sentence.startswith("voicehermes: ")
        assert str(talk.home.socket) in sentence
        assert "Traceback" not in second.stderr
        assert talk.home.status()["state"] == "idle"


def test_a_daemon_started_anew_speaks_what_was_not_yet_heard(house: House) -> None:
    steps: list[Step | str] = [f"{DIARY[0]} {DIARY[1]} ", Pause(8.0), STORY[0]]
    with house.open(scripted(steps)) as talk:
        talk.say(house.word)
        talk.home.wait_for("sound_end")
        assert talk.daemon.end() == 0
        with running(talk.home):
            talk.play(house.noise)  # a microphone of zeros alone would be told of
            talk.home.wait_for("turn_end", outcome="answered", seconds=25.0)
        sounds = dict(talk.spoken())
        assert " ".join(sounds).split() == f"{DIARY[0]} {DIARY[1]} {STORY[0]}".split()
        talk.find_in_order(list(sounds.values()))


def test_in_english_what_we_say_ourselves_is_english(house: House) -> None:
    settings = {"ui": {"language": "en"}, "speak": {"voice": "en-US-AriaNeural"}}
    reply = "Here you are.\n\n```python\nprint(1)\n```\n"
    scenario = scripted([reply, Error("out of credit")], transcribe=Transcribe(delay_seconds=0.1))
    with house.open(scenario, settings) as talk:
        talk.say(house.word)
        assert talk.wait_for_end() == "failed"
        spoken = " ".join(text for text, _ in talk.spoken())
        assert spoken == ("Here you are. A block of Python code follows. Hermes could not answer.")
        talk.find_in_order([sound for _, sound in talk.spoken()])
        assert "Hermes could not answer. out of credit" in talk.daemon.log
