"""Wake words: recorded calls are heard, each once; what is no call is not."""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from voicehermes.adapters.sound.files import read_pcm
from voicehermes.adapters.sound.wake_words import MicroWakeWords, open_wake_words
from voicehermes.audio import FRAME_BYTES, RATE_HZ
from voicehermes.errors import ConfigError
from voicehermes.ports import WakeWords

DATA = Path(__file__).parent / "data"
OWN_MODEL = str(DATA / "wake" / "computer.json")
"""It takes much for "computer": only that it is heard can be asked of it."""

CALLS = {
    "alexa": "Alexa",
    "hey_jarvis": "Hey Jarvis",
    "hey_mycroft": "Hey Mycroft",
    "okay_nabu": "Okay Nabu",
}


def call(name: str) -> bytes:
    return read_pcm(DATA / "wake" / f"{Path(name).stem}.wav")


def room(seconds: float, dbfs: float = -65.0) -> bytes:
    """Noise of a room in which nobody speaks."""
    samples = np.random.default_rng(1).normal(0, 10 ** (dbfs / 20), round(seconds * RATE_HZ))
    return pcm_of(samples)


def pcm_of(samples: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> bytes:
    return bytes(np.rint(samples.clip(-1, 1) * 32767).astype("<i2").tobytes())


def frames_of(*sounds: bytes) -> list[bytes]:
    pcm = b"".join(sounds)
    return [pcm[at : at + FRAME_BYTES] for at in range(0, len(pcm) - FRAME_BYTES + 1, FRAME_BYTES)]


def heard(wake_words: WakeWords, *sounds: bytes) -> list[str]:
    return [name for frame in frames_of(*sounds) if (name := wake_words.heard(frame))]


@pytest.fixture(scope="module")
def all_four() -> WakeWords:
    return open_wake_words(tuple(CALLS))


@pytest.mark.parametrize("name", CALLS)
def test_a_call_is_heard_once_and_no_other_word_with_it(all_four: WakeWords, name: str) -> None:
    all_four.reset()
    assert heard(all_four, room(3), call(name), room(3)) == [CALLS[name]]


def test_a_model_of_ones_own_hears_its_call() -> None:
    wake_words = open_wake_words([OWN_MODEL])
    assert heard(wake_words, room(3), call(OWN_MODEL), room(3)) == ["computer"]


def test_a_call_is_heard_the_moment_it_was_said() -> None:
    wake_words = open_wake_words(["hey_jarvis"])
    assert heard(wake_words, room(3), call("hey_jarvis")) == ["Hey Jarvis"]


@pytest.mark.parametrize("gain_db", [10, -12])
def test_a_call_from_near_and_from_afar_is_heard(gain_db: int) -> None:
    samples = np.frombuffer(call("hey_jarvis"), "<i2") / 32768 * 10 ** (gain_db / 20)
    wake_words = open_wake_words(["hey_jarvis"])
    assert heard(wake_words, room(3), pcm_of(samples), room(1)) == ["Hey Jarvis"]


def test_who_calls_again_is_heard_again(all_four: WakeWords) -> None:
    jarvis, nabu = call("hey_jarvis"), call("okay_nabu")
    all_four.reset()
    said = heard(all_four, room(3), jarvis, room(1), nabu, room(1), jarvis, room(1))
    assert said == ["Hey Jarvis", "Okay Nabu", "Hey Jarvis"]


def test_a_word_that_was_not_asked_for_is_not_heard() -> None:
    wake_words = open_wake_words(["okay_nabu"])
    assert heard(wake_words, room(3), call("hey_jarvis"), room(1), call("alexa"), room(1)) == []


@pytest.mark.parametrize("name", ["radio", "cameriere"])
def test_italian_speech_is_no_call(all_four: WakeWords, name: str) -> None:
    speech = read_pcm(DATA / "audio" / f"{name}.wav")
    all_four.reset()
    assert heard(all_four, room(3), speech, room(1), speech, room(1)) == []


def test_what_sounds_like_a_call_is_none(all_four: WakeWords) -> None:
    all_four.reset()
    assert heard(all_four, room(3), call("hey_peppa_pig"), room(1)) == []


def test_half_a_call_before_a_reset_and_half_after_it_are_none(all_four: WakeWords) -> None:
    whole = call("hey_jarvis")
    middle = round(1.0 * RATE_HZ) * 2  # the call is over after 1.35 s
    all_four.reset()
    assert heard(all_four, room(3), whole[:middle]) == []
    all_four.reset()
    assert heard(all_four, whole[middle:], room(1)) == []


def test_a_word_that_is_named_twice_is_one() -> None:
    wake_words = open_wake_words(["alexa", "alexa"])
    assert isinstance(wake_words, MicroWakeWords)
    assert len(wake_words._models) == 1


def cpu_seconds(wake_words: WakeWords, frames: Sequence[bytes]) -> float:
    began = time.thread_time()
    for frame in frames:
        wake_words.heard(frame)
    return time.thread_time() - began


@pytest.mark.parametrize("dbfs", [-65.0, -40.0])
def test_in_steady_noise_the_models_sleep(
    all_four: WakeWords, dbfs: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(all_four, MicroWakeWords)
    frames = frames_of(room(10, dbfs))
    all_four.reset()
    cpu_seconds(all_four, frames)  # the room becomes known
    asleep = cpu_seconds(all_four, frames)
    monkeypatch.setattr(all_four, "_OPEN_FRAMES", 10_000)
    heard(all_four, call("alexa"))
    assert asleep < cpu_seconds(all_four, frames) / 4


def test_without_the_extra_the_remedy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "voicehermes.adapters.sound.wake_models", raising=False)
    monkeypatch.setitem(sys.modules, "pymicro_wakeword", None)
    with pytest.raises(ConfigError, match=r'pip install "voicehermes\[wake\]"'):
        open_wake_words(["alexa"])


def test_no_wake_word_at_all_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"`\[listen\] wake_words` must name one"):
        open_wake_words([])
