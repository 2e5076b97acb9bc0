"""What is queued comes out of a real sound server: whole, joined, and silent when told."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.real.play_clips import PAUSE_SECONDS
from tests.real.sound_card import IN_TIME, SPEAKER, SoundCard
from voicehermes.adapters.sound.codecs import decode_speech
from voicehermes.audio import PLAY_RATE_HZ
from voicehermes.speaking.joining import CLAUSE_PAUSE_SECONDS, with_pause

pytestmark = pytest.mark.real_parts

DATA = Path(__file__).parent.parent / "data" / "sound"
CLIPS = [DATA / "elsa.mp3", DATA / "diego.mp3", DATA / "elsa.mp3"]

ROOT = Path(__file__).parent.parent.parent


def _play(card: SoundCard, manner: str) -> dict[str, list[float]]:
    done = subprocess.run(
        [*IN_TIME, sys.executable, "-m", "tests.real.play_clips", manner, *CLIPS],
        env=card.env,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, list[float]] = json.loads(done.stdout)
    return told


def _expected() -> Any:
    clips = (with_pause(decode_speech(path.read_bytes()), CLAUSE_PAUSE_SECONDS) for path in CLIPS)
    return np.frombuffer(b"".join(clip.pcm for clip in clips), "<i2").astype(float)


def _find(piece: Any, recorded: Any) -> tuple[int, float]:
    """Where the piece lies in the recording, and how well it fits: 1.0 is perfectly."""
    size = 1 << (len(piece) + len(recorded)).bit_length()
    product = np.fft.irfft(np.fft.rfft(recorded, size) * np.conj(np.fft.rfft(piece, size)), size)
    at = int(np.argmax(product[: len(recorded) - len(piece) + 1]))
    found = recorded[at : at + len(piece)]
    return at, float(found @ piece / np.sqrt((found @ found) * (piece @ piece)))


@pytest.mark.parametrize("manner", ["through", "miniaudio"])
def test_clips_come_out_in_order_and_without_a_hole(sound_card: SoundCard, manner: str) -> None:
    with sound_card.record(PLAY_RATE_HZ) as recording:
        told = _play(sound_card, manner)
    recorded = np.frombuffer(recording.pcm, "<i2").astype(float)
    _, fit = _find(_expected(), recorded)  # all clips at one place: not a sample between them
    assert fit > 0.95
    for ended, began in zip(told["ended"], told["began"][1:], strict=False):
        assert began == pytest.approx(ended, abs=0.001)


def test_a_pause_is_silent_soon_and_nothing_is_lost(sound_card: SoundCard) -> None:
    with sound_card.record(PLAY_RATE_HZ) as recording, _loud_times(sound_card) as loud:
        told = _play(sound_card, "pause")
    [paused] = told["paused"]
    before_resume = [at for at in loud if at < paused + PAUSE_SECONDS]
    # From the call to the last sound that leaves the server, 20 to 40 ms of which are the
    # recorder's own.
    stop_seconds = max(before_resume) - paused
    assert stop_seconds < 0.2
    recorded = np.frombuffer(recording.pcm, "<i2").astype(float)
    expected = _expected()
    half = round(0.4 * PLAY_RATE_HZ)
    rest = expected[2 * PLAY_RATE_HZ :]
    second, second_fit = _find(rest, recorded)
    # The first clip is the last one too: its beginning is looked for before the rest.
    first, first_fit = _find(expected[:half], recorded[:second])
    assert min(first_fit, second_fit) > 0.95
    # What lies between the two has grown by the pause, and by nothing else.
    held = (second - first) / PLAY_RATE_HZ - 2.0
    assert held == pytest.approx(PAUSE_SECONDS, abs=0.05)


@contextmanager
def _loud_times(card: SoundCard) -> Iterator[list[float]]:
    """The times, by the clock of all processes, at which sound came out of the speaker."""
    times: list[float] = []
    parec = subprocess.Popen(
        [
            *("parec", "-d", f"{SPEAKER}.monitor", "--latency-msec=20", "--raw"),
            *("--rate=24000", "--channels=1", "--format=s16le"),
        ],
        env=card.env,
        stdout=subprocess.PIPE,
    )

    def listen() -> None:
        assert parec.stdout
        while block := parec.stdout.read(480):
            if np.abs(np.frombuffer(block, "<i2")).max() > 300:
                times.append(time.monotonic())

    thread = threading.Thread(target=listen)
    thread.start()
    try:
        time.sleep(0.3)
        yield times
    finally:
        parec.terminate()
        thread.join(10)
        with parec:  # closes its pipe and waits
            pass
