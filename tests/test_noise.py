"""Noise of C libraries is kept from the terminal; whatever else is said is not."""

import os

import pytest

from voicehermes.adapters.sound.noise import without_noise


def test_complaints_of_libraries_are_dropped_and_all_else_is_printed(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with without_noise():
        os.write(2, b"ALSA lib pcm.c:2660:(snd_pcm_open_noupdate) Unknown PCM cards.pcm.rear\n")
        os.write(2, b"Expression 'ret' failed in 'src/hostapi/alsa/pa_linux_alsa.c', line: 1736\n")
        os.write(2, b"a warning of the program's own\n")
        os.write(2, b"jack server is not running or cannot be started\n")
    os.write(2, b"and after\n")
    assert capfd.readouterr().err == "a warning of the program's own\nand after\n"


def test_stderr_is_itself_again_after_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyError), without_noise():
        raise KeyError
    os.write(2, b"heard\n")
    assert capfd.readouterr().err == "heard\n"
