"""Whole conversations with something going wrong outside: nothing said is lost, nothing twice."""

from contextlib import ExitStack

import numpy as np
import pytest
import soxr

from tests.real.conversation import Conversation, House, scripted
from tests.real.correlation import Found, decoded, find_like, find_once, is_quiet, without_quiet
from tests.real.listening import RATE_HZ
from voicehermes import lexicon
from voicehermes.adapters.voices.espeakng import EspeakNg
from voicehermes.assets import asset
from voicehermes.simulator.scenario import Fault, Pace, Speech, Transcribe
from voicehermes.simulator.server import Simulator

pytestmark = pytest.mark.real_parts

STORY = [
    "C'era una volta un guardiano del faro.",
    "Parlava con le navi nella nebbia.",
    "Una notte nessuna nave rispose.",
]
DIARY = ["Ho controllato il calendario.", "Domani mattina non hai impegni."]
LOCAL = {"speak": {"fallback": ["espeakng"]}}
UNREACHABLE = lexicon.load("it").say("error-unreachable")
KEPT = lexicon.load("it").say("kept")


def _find_local(talk: Conversation, text: str) -> Found:
    """Where a text was heard in the voice that is built in."""
    pcm, rate_hz = EspeakNg().speak(text, voice="it")
    samples = np.frombuffer(pcm, "<i2").astype(float)
    if rate_hz != RATE_HZ:
        samples = soxr.resample(samples, rate_hz, RATE_HZ)
    return find_like(without_quiet(samples), talk.listener.samples)


def _assert_cue_alone(talk: Conversation, name: str) -> None:
    """That cue was heard, once, and nothing else."""
    cue = decoded(asset(f"cues/{name}.wav"), RATE_HZ)
    assert is_quiet(talk.rest([find_once(cue, talk.listener.samples)]))


def test_a_stream_that_is_cut_goes_on_where_it_was(house: House) -> None:
    slow = Pace(first_token_seconds=0.1, characters_per_second=60)
    cuts = (
        Fault("/api/chat/stream", close_after_events=6),
        Fault("/api/chat/stream", after=1, close_after_bytes=900),
    )
    with house.open(scripted([" ".join(STORY)], pace=slow, faults=cuts)) as talk:
        talk.say(house.word)
        assert talk.wait_for_end() == "answered"
        assert len(talk.home.events("reconnect")) == 2
        assert len(talk.requests("/api/chat/start")) == 1
        talk.assert_reply_was_heard(STORY)


def test_a_limiter_that_is_stricter_than_documented_costs_time_and_no_text(house: House) -> None:
    slow = Pace(first_token_seconds=0.1, characters_per_second=20)
    strict = Speech(window_seconds=2.5)
    with house.open(scripted([" ".join(STORY)], pace=slow, speech=strict)) as talk:
        talk.say(house.word)
        assert talk.wait_for_end() == "answered"
        statuses = [logged.status for logged in talk.server.log if logged.path == "/api/tts"]
        assert 429 in statuses
        talk.assert_reply_was_heard(STORY)


def test_without_the_italian_voice_another_one_speaks_and_the_missing_one_is_named(
    house: House,
) -> None:
    stock = Speech(voices="stock")
    with house.open(scripted([" ".join(DIARY)], speech=stock), LOCAL) as talk:
        talk.say(house.word)
        assert talk.wait_for_end() == "answered"
        assert talk.spoken() == []
        first, second = (_find_local(talk, sentence) for sentence in DIARY)
        assert first.end < second.at
        assert is_quiet(talk.rest([first, second]))
        notices = [line for line in talk.daemon.log.splitlines() if "it-IT-ElsaNeural" in line]
        assert len([line for line in notices if "cli.screen" in line]) == 1


def test_what_comes_as_a_broken_mp3_is_spoken_by_another_voice(house: House) -> None:
    broken = Fault("/api/tts", status=200, body="ID3 and nothing", content_type="audio/mpeg")
    slow = Pace(first_token_seconds=0.1, characters_per_second=20)
    scenario = scripted([" ".join(DIARY)], pace=slow, faults=(broken,))
    with house.open(scenario, LOCAL) as talk:
        talk.say(house.word)
        assert talk.wait_for_end() == "answered"
        [(text, sound)] = talk.spoken()
        assert text == DIARY[1]
        first, second = _find_local(talk, DIARY[0]), find_once(sound, talk.listener.samples)
        assert first.end < second.at
        assert is_quiet(talk.rest([first, second]))
        assert "broken audio" in talk.daemon.log


def test_what_was_said_to_a_server_that_is_down_is_kept_and_sent_later(house: House) -> None:
    scenario = scripted([" ".join(DIARY)])
    with ExitStack() as up:
        server = up.enter_context(Simulator(scenario))
        port = server.port  # the next one is to be found at the same place
        with house.beside(server, LOCAL) as talk:
            talk.press()
            talk.play(house.word)
            up.close()
            talk.release()
            assert talk.wait_for_end() == "not transcribed"
            talk.listener.wait_for_first_sound()
            talk.listener.wait_for_silence(1.0)
            assert _find_local(talk, UNREACHABLE).end < _find_local(talk, KEPT).at
            assert len(talk.home.unsent) == 1
            heard_before = len(talk.listener.samples)

            talk.server = up.enter_context(Simulator(scenario, port=port))
            retried = talk.home.do("retry")
            assert retried.returncode == 0, retried.stderr
            assert " ".join(DIARY) in retried.stdout
            assert len(talk.requests("/api/chat/start")) == 1
            assert talk.home.unsent == []
            heard = talk.listener.samples[heard_before:]
            for _, sound in talk.spoken():
                find_once(sound, heard)


def test_an_utterance_that_nobody_understands_is_answered_with_a_cue(house: House) -> None:
    deaf = Transcribe(default="", delay_seconds=0.1)
    settings = {"audio": {"cues": True}}
    with house.open(scripted([" ".join(DIARY)], transcribe=deaf), settings) as talk:
        talk.say(house.word)
        assert talk.wait_for_end() == "not understood"
        talk.listener.wait_for_silence(1.0)
        assert talk.requests("/api/chat/start") == []
        assert talk.home.unsent == []
        find_once(decoded(asset("cues/nothing-heard.wav"), RATE_HZ), talk.listener.samples)


def test_silence_is_not_sent_and_a_cue_says_so(house: House) -> None:
    with house.open(scripted([" ".join(DIARY)]), {"audio": {"cues": True}}) as talk:
        talk.press()
        talk.play(house.noise)
        talk.release()
        assert talk.wait_for_end() == "no speech"
        talk.listener.wait_for_first_sound()
        talk.listener.wait_for_silence(0.5)
        assert talk.requests("/api/transcribe") == []
        _assert_cue_alone(talk, "nothing-heard")
