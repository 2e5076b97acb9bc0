"""The virtual sound card carries sound both ways; without this no other real test means much."""

import math
import subprocess
import time
import wave
from array import array
from pathlib import Path

import pytest

from tests.real.sound_card import MICROPHONE, SPEAKER, SoundCard

pytestmark = pytest.mark.real_parts


def _tone(path: Path, seconds: float = 1.0, rate_hz: int = 16_000) -> Path:
    samples = [
        round(12_000 * math.sin(2 * math.pi * 440 * n / rate_hz))
        for n in range(round(seconds * rate_hz))
    ]
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate_hz)
        file.writeframes(array("h", samples).tobytes())
    return path


def _loud_seconds(pcm: bytes, rate_hz: int) -> float:
    return sum(abs(sample) > 3_000 for sample in array("h", pcm)) / rate_hz


def test_what_is_played_on_the_speaker_is_recorded(sound_card: SoundCard, tmp_path: Path) -> None:
    tone = _tone(tmp_path / "tone.wav")
    with sound_card.record() as recording:
        subprocess.run(["paplay", "-d", SPEAKER, tone], env=sound_card.env, check=True, timeout=20)
    # |sin| is over a quarter for 84 % of the time.
    assert _loud_seconds(recording.pcm, recording.rate_hz) == pytest.approx(0.84, abs=0.05)


def test_what_is_played_into_the_microphone_is_heard_there(
    sound_card: SoundCard, tmp_path: Path
) -> None:
    tone = _tone(tmp_path / "tone.wav")
    with (tmp_path / "heard.raw").open("wb") as file:
        parec = subprocess.Popen(
            [
                *("parec", "-d", MICROPHONE, "--latency-msec=20", "--raw", "--format=s16le"),
                *("--rate=16000", "--channels=1"),
            ],
            env=sound_card.env,
            stdout=file,
        )
        try:
            time.sleep(0.3)
            sound_card.play(tone)
            time.sleep(0.2)
        finally:
            parec.terminate()
            parec.wait(timeout=10)
    heard = (tmp_path / "heard.raw").read_bytes()
    assert _loud_seconds(heard, 16_000) == pytest.approx(0.84, abs=0.05)
