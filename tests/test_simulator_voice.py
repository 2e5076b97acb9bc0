"""Transcription and speech of the embedded server."""

import io
import itertools
import json
import time
from contextlib import ExitStack

import httpx
import numpy as np
import pytest
import soundfile

from tests.simulator_client import QUIET, Client, scenario
from voicehermes.simulator.scenario import Clip, Server, Speech, Transcribe
from voicehermes.simulator.server import BODY_MAX, Simulator
from voicehermes.simulator.speech import Limiter, tone
from voicehermes.simulator.transcripts import UploadError, read_upload

AT_ONCE = Transcribe(delay_seconds=0.0, delay_factor=0.0)

LIMITED = Speech(synthesizer="tone", delay_seconds=0.0, delay_per_character=0.0)

ELSA = {"voice": "it-IT-ElsaNeural", "rate": "+0%", "pitch": "+0Hz", "engine": "edge"}


def wav(seconds: float) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, np.zeros(round(16000 * seconds)), 16000, format="WAV")
    return file.getvalue()


def upload(client: Client, seconds: float = 0.5) -> httpx.Response:
    return client.post("/api/transcribe", files={"file": ("clip.wav", wav(seconds))})


def say(client: Client, text: str = "ciao", **fields: object) -> httpx.Response:
    return client.post("/api/tts", json={"text": text, **ELSA, **fields})


# ---- Transcription


def test_transcripts_come_by_length_then_in_order_then_the_default() -> None:
    script = Transcribe(
        clips=(Clip(2.0, "due secondi"), Clip(2.2, "due e due")),
        texts=("primo", "secondo"),
        default="altro",
        delay_seconds=0.0,
        delay_factor=0.0,
    )
    with Simulator(scenario(transcribe=script)) as simulator, Client(simulator) as client:
        heard = [upload(client, length).json() for length in (0.5, 2.05, 1.0, 2.45, 1.0)]
    assert [answer["transcript"] for answer in heard] == [
        "primo",
        "due secondi",
        "secondo",
        "due e due",
        "altro",
    ]


def test_a_transcript_takes_a_fixed_time_and_a_share_of_the_length() -> None:
    script = Transcribe(delay_seconds=0.1, delay_factor=0.2)
    with Simulator(scenario(transcribe=script)) as simulator, Client(simulator) as client:
        began = time.monotonic()
        upload(client, 1.0)
    assert 0.3 <= time.monotonic() - began < 3.0


def test_without_a_recogniser_the_upload_is_refused() -> None:
    script = Transcribe(available=False)
    with Simulator(scenario(transcribe=script)) as simulator, Client(simulator) as client:
        capability = client.get("/api/transcribe/capability").json()
        assert capability == {"ok": True, "available": False, "provider": "none"}
        assert upload(client).status_code == 503


def test_an_upload_over_20_mb_is_refused_before_it_is_read() -> None:
    with Simulator(scenario(transcribe=AT_ONCE)) as simulator, Client(simulator) as client:
        answer = client.post("/api/transcribe", content=bytes(BODY_MAX + 1))
        assert answer.status_code == 413
        assert answer.json() == {"error": "File too large (max 20MB)"}


def test_a_part_is_read_byte_for_byte() -> None:
    content = bytes(range(256)) + b"\r\n--x\r\n" + b"\n" * 3
    request = httpx.Request("POST", "http://x", files={"file": ("a.wav", content)})
    request.read()
    assert read_upload(request.headers["content-type"], request.content) == ("a.wav", content)
    with pytest.raises(UploadError, match="No boundary"):
        read_upload("multipart/form-data", b"")


# ---- Speech


def test_speech_is_a_whole_mp3_at_24_khz_mono_and_is_remembered() -> None:
    with Simulator(scenario(speech=QUIET)) as simulator, Client(simulator) as client:
        answer = say(client, "  Ciao, mondo.  ")
        assert answer.headers["content-type"] == "audio/mpeg"
        assert simulator.spoken == [("Ciao, mondo.", answer.content)]
    samples, rate_hz = soundfile.read(io.BytesIO(answer.content))
    assert rate_hz == 24_000
    assert samples.ndim == 1
    assert 0.6 < len(samples) / rate_hz < 0.9


def test_espeak_speaks_where_it_is_installed_and_faster_at_a_higher_rate() -> None:
    speech = Speech(window_seconds=0.0, delay_seconds=0.0, synthesizer="espeak")
    with Simulator(scenario(speech=speech)) as simulator, Client(simulator) as client:
        text = "Domani a Roma il cielo sarà sereno."
        slow, fast = say(client, text), say(client, text, rate="+60%")
    lengths = [soundfile.info(io.BytesIO(answer.content)).duration for answer in (slow, fast)]
    assert 1.5 < lengths[0] < 3.5
    assert lengths[1] < 0.8 * lengths[0]


def test_a_tone_is_the_same_for_a_text_and_unlike_that_of_any_other() -> None:
    texts = ["Ciao.", "Ciao!", "Come stai?", "Che tempo fa?", "Va bene.", "Va male."]
    assert np.array_equal(tone(texts[0]), tone(texts[0]))
    for one, other in itertools.combinations(texts, 2):
        a, b = tone(one), tone(other)
        both = np.correlate(a, b, "valid" if len(a) != len(b) else "full")
        assert np.abs(both).max() < 0.5 * np.sqrt(np.dot(a, a) * np.dot(b, b))


def test_synthesis_takes_as_long_as_the_scenario_says() -> None:
    speech = Speech(synthesizer="tone", delay_seconds=0.1, delay_per_character=0.02)
    with Simulator(scenario(speech=speech)) as simulator, Client(simulator) as client:
        began = time.monotonic()
        say(client, "0123456789")
    assert 0.3 <= time.monotonic() - began < 3.0


def test_the_limiter_opens_a_window_after_the_last_accepted_and_a_refusal_moves_nothing() -> None:
    times = iter([0.0, 1.2, 1.999, 2.0, 3.9, 4.0])
    limiter = Limiter(2.0, now=lambda: next(times))
    assert [limiter.accepts("a") for _ in range(6)] == [True, False, False, True, False, True]


def test_the_limiter_counts_by_address_without_login() -> None:
    with ExitStack() as stack:
        simulator = stack.enter_context(Simulator(scenario(speech=LIMITED)))
        one, other = (stack.enter_context(Client(simulator)) for _ in range(2))
        assert say(one).status_code == 200
        assert say(other).status_code == 429


def test_the_limiter_counts_by_login_where_there_is_one() -> None:
    server = Server(password="x")
    with ExitStack() as stack:
        simulator = stack.enter_context(Simulator(scenario(speech=LIMITED, server=server)))
        one, other = (stack.enter_context(Client(simulator)) for _ in range(2))
        for client in (one, other):
            client.post("/api/auth/login", json={"password": "x"})
        statuses = [say(client).status_code for client in (one, one, other, other)]
    assert statuses == [200, 429, 200, 429]


@pytest.mark.parametrize(
    ("bad", "consumes"),
    [
        ({"voice": "nope"}, True),
        ({"engine": "elevenlabs"}, True),
        ({"rate": "10%"}, True),
        ({"rate": "veloce"}, False),
        ({"pitch": "alto"}, False),
        ({"text": " "}, False),
        ({"text": "a" * 5001}, False),
    ],
)
def test_some_refused_requests_use_up_the_window_and_some_do_not(
    bad: dict[str, str], consumes: bool
) -> None:
    with Simulator(scenario(speech=LIMITED)) as simulator, Client(simulator) as client:
        assert client.post("/api/tts", json={"text": "ciao", **ELSA, **bad}).is_error
        assert say(client).status_code == (429 if consumes else 200)


def test_after_a_slow_synthesis_the_next_is_accepted_at_once() -> None:
    speech = Speech(
        synthesizer="tone", delay_seconds=0.25, delay_per_character=0.0, window_seconds=0.2
    )
    with Simulator(scenario(speech=speech)) as simulator, Client(simulator) as client:
        assert [say(client).status_code for _ in range(2)] == [200, 200]


def test_five_thousand_characters_are_counted_as_code_points_after_stripping() -> None:
    with Simulator(scenario(speech=LIMITED)) as simulator, Client(simulator) as client:
        body = json.dumps({"text": " " + "😀" * 5001, **ELSA})
        too_long = client.post("/api/tts", content=body)
        assert too_long.json() == {"error": "text too long (max 5000 characters)"}
        checked = simulator.world.voice.check({"text": " " + "😀" * 5000, **ELSA}, "x")
    assert len(checked) == 5000


@pytest.mark.parametrize(("voices", "status"), [("stock", 400), ("italian", 200)])
def test_a_stock_server_has_no_italian_voice(voices: str, status: int) -> None:
    text = f'[speech]\nvoices = "{voices}"\nsynthesizer = "tone"\ndelay_seconds = 0'
    with Simulator(scenario().parse(text)) as simulator, Client(simulator) as client:
        assert say(client).status_code == status
