"""eSpeak NG from its wheel."""

import sys
import threading

import pytest

from voicehermes.adapters.voices import espeakng
from voicehermes.adapters.voices.espeakng import EspeakNg
from voicehermes.audio import level_dbfs
from voicehermes.errors import VoiceError

TEXT = "Domani a Roma il cielo sarà sereno."


def test_italian_is_spoken_as_16_bit_samples_of_about_the_length_of_speech() -> None:
    pcm, rate_hz = EspeakNg().speak(TEXT)
    assert rate_hz == 22_050
    assert 1.5 < len(pcm) / 2 / rate_hz < 3.5
    assert level_dbfs(pcm) > -40


def test_speed_and_pitch_change_the_sound() -> None:
    espeak = EspeakNg()
    plain = espeak.speak(TEXT)[0]
    assert len(espeak.speak(TEXT, words_per_minute=300)[0]) < 0.7 * len(plain)
    assert espeak.speak(TEXT, pitch=90)[0] != plain


def test_an_unknown_voice_is_named() -> None:
    with pytest.raises(VoiceError, match='no voice "klingon-x"'):
        EspeakNg().speak(TEXT, voice="klingon-x")


def test_many_threads_get_each_their_own_sound() -> None:
    espeak = EspeakNg()
    texts = ["Uno.", "Due e due.", "Tre volte tre fa nove.", "Quattro."] * 3
    alone = [len(espeak.speak(text)[0]) for text in texts]
    together = [0] * len(texts)

    def speak(index: int) -> None:
        together[index] = len(espeak.speak(texts[index])[0])

    threads = [threading.Thread(target=speak, args=(n,)) for n in range(len(texts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # The length depends a little on what was spoken before (up to 5 % was seen); another
    # text's is at least half as long again.
    assert together == pytest.approx(alone, rel=0.1)


def test_where_the_wheel_is_missing_the_remedy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "espeakng_loader", None)
    monkeypatch.setattr(espeakng, "_loaded", None)
    with pytest.raises(VoiceError) as caught:
        EspeakNg()
    assert 'pip install "voicehermes[demo]"' in str(caught.value)
