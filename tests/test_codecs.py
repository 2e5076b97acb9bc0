"""Whatever a server or a synthesiser sends becomes sound, or one clear error."""

import io
import sys
from array import array
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from voicehermes.adapters.sound.codecs import decode, decode_speech, to_play_rate
from voicehermes.audio import PLAY_RATE_HZ
from voicehermes.errors import FormatError

DATA = Path(__file__).parent / "data" / "sound"
ELSA = (DATA / "elsa.mp3").read_bytes()


@pytest.fixture(params=["miniaudio", "soundfile"])
def decoder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With miniaudio, and as on a machine that has none."""
    if request.param == "soundfile":
        monkeypatch.setitem(sys.modules, "miniaudio", None)
    return str(request.param)


def _tone(rate_hz: int, seconds: float = 0.5) -> Any:
    return (0.3 * np.sin(2 * np.pi * 440 * np.arange(round(rate_hz * seconds)) / rate_hz)).astype(
        np.float32
    )


def _encoded(samples: Any, rate_hz: int, form: str, subtype: str | None = None) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, samples, rate_hz, format=form, subtype=subtype)
    return file.getvalue()


def _hertz(pcm: bytes) -> float:
    samples = np.frombuffer(pcm, "<i2").astype(float)
    return float(np.argmax(np.abs(np.fft.rfft(samples))) * PLAY_RATE_HZ / len(samples))


def test_an_mp3_of_the_server_is_decoded(decoder: str) -> None:
    sound = decode(ELSA)
    assert sound.seconds == pytest.approx(1.7, abs=0.05)
    assert sound.encoded_bytes == len(ELSA)


@pytest.mark.parametrize(
    ("rate_hz", "form", "subtype"),
    [
        (24_000, "WAV", "PCM_16"),
        (16_000, "WAV", "FLOAT"),
        (44_100, "FLAC", None),
        (48_000, "OGG", "VORBIS"),
        (48_000, "OGG", "OPUS"),
        (22_050, "MP3", None),
    ],
)
def test_every_format_and_rate_comes_out_at_the_same_pitch(
    decoder: str, rate_hz: int, form: str, subtype: str | None
) -> None:
    sound = decode(_encoded(_tone(rate_hz), rate_hz, form, subtype))
    assert sound.seconds == pytest.approx(0.5, abs=0.1)
    assert _hertz(sound.pcm) == pytest.approx(440, abs=4)


def test_stereo_is_mixed_down(decoder: str) -> None:
    both = np.stack([_tone(24_000), np.zeros(12_000, np.float32)], axis=1)
    sound = decode(_encoded(both, 24_000, "WAV"))
    assert sound.seconds == pytest.approx(0.5)
    assert _hertz(sound.pcm) == pytest.approx(440, abs=4)


def test_mp3s_in_one_file_are_all_heard() -> None:
    id3 = b"ID3\x04\x00\x00\x00\x00\x00\x0a" + bytes(10)
    assert decode(ELSA + ELSA).seconds == pytest.approx(3.4, abs=0.1)
    assert decode(ELSA + id3 + ELSA).seconds == pytest.approx(3.4, abs=0.1)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"ID3",
        b"\xff\xf3",
        bytes(1000),
        b"<!doctype html><title>login</title>",
        b"  \n<html></html>",
        b'{"error": "TTS generation failed"}',
        b"RIFF\xff\xff\xff\xffWAVEfmt ",
    ],
)
def test_what_is_no_audio_is_one_clear_error(decoder: str, data: bytes) -> None:
    with pytest.raises(FormatError) as caught:
        decode(data)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


def test_an_mp3_cut_off_is_heard_as_far_as_it_goes(decoder: str) -> None:
    assert 0.5 < decode(ELSA[: len(ELSA) // 2]).seconds < 1.2


def test_speech_comes_without_its_quiet_ends() -> None:
    assert decode_speech(ELSA).seconds < decode(ELSA).seconds - 0.2


def test_another_rate_becomes_that_of_playing() -> None:
    pcm = array("h", [0] * 11_025).tobytes()
    assert len(to_play_rate(pcm, 22_050)) == 12_000 * 2
    assert to_play_rate(pcm, PLAY_RATE_HZ) is pcm
