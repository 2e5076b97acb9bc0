"""Encoders: what is written comes back, and at the end hardly anything is left to do."""

import io
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile

from voicehermes.adapters.sound.encoders import UploadFormat, open_encoders
from voicehermes.adapters.sound.files import read_pcm
from voicehermes.audio import FRAME_BYTES, RATE_HZ

SPEECH = read_pcm(Path(__file__).parent / "data" / "audio" / "radio.wav")
FORMATS: tuple[UploadFormat, ...] = ("ogg", "wav", "flac")


def encode(upload_format: UploadFormat, pcm: bytes = SPEECH) -> bytes:
    encoder = open_encoders(upload_format)()
    assert encoder.suffix == f".{upload_format}"
    for at in range(0, len(pcm), FRAME_BYTES):
        encoder.write(pcm[at : at + FRAME_BYTES])
    return encoder.finish()


def decode(data: bytes) -> np.ndarray:
    samples, rate_hz = soundfile.read(io.BytesIO(data), dtype="int16")
    assert rate_hz == RATE_HZ
    assert samples.ndim == 1
    return np.asarray(samples, float)


@pytest.mark.parametrize("upload_format", ["wav", "flac"])
def test_lossless_formats_give_back_every_sample(upload_format: UploadFormat) -> None:
    assert decode(encode(upload_format)).astype("<i2").tobytes() == SPEECH


def test_opus_sounds_the_same_at_a_sixth_of_the_size() -> None:
    data = encode("ogg")
    assert data[:4] == b"OggS"
    assert b"OpusHead" in data[:64]
    assert len(data) < len(SPEECH) / 6
    got, wanted = decode(data), np.frombuffer(SPEECH, "<i2").astype(float)
    assert len(got) == len(wanted)
    assert np.corrcoef(got, wanted)[0, 1] > 0.95


@pytest.mark.parametrize("upload_format", FORMATS)
def test_hardly_anything_is_left_to_do_at_the_end(upload_format: UploadFormat) -> None:
    encoder = open_encoders(upload_format)()
    began = time.process_time()
    for _ in range(10):
        encoder.write(SPEECH)
    written = time.process_time()
    encoder.finish()
    # 55 s of speech: an encoder that does its work at the end would take as long again.
    assert time.process_time() - written < max(0.01, (written - began) / 5)


@pytest.mark.parametrize("upload_format", FORMATS)
def test_utterances_do_not_share_an_encoder(upload_format: UploadFormat) -> None:
    new_encoder = open_encoders(upload_format)
    first, second = new_encoder(), new_encoder()
    first.write(SPEECH)
    second.write(SPEECH[: len(SPEECH) // 4])
    assert len(decode(first.finish())) == 4 * len(decode(second.finish()))
