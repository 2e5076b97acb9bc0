"""Our own sound is taken out of what the microphone hears, and nothing else is."""

import sys
import threading
from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from voicehermes.adapters.sound.echo_canceller import open_canceller
from voicehermes.audio import (
    FRAME_BYTES,
    FRAME_SAMPLES,
    FRAME_SECONDS,
    PLAY_RATE_HZ,
    RATE_HZ,
    level_dbfs,
    samples_in,
)
from voicehermes.errors import ConfigError
from voicehermes.ports import EchoCanceller

DEVICE_SECONDS = 0.08
"""From a block's being taken to its being heard."""

BLOCK_SAMPLES = 480

AUDIO = Path(__file__).parent / "data" / "audio"


Samples = np.ndarray[tuple[int], np.dtype[np.float64]]


def _speech(name: str, seconds: float, rate_hz: int) -> Samples:
    """So many seconds of it, said again and again."""
    samples, recorded_hz = soundfile.read(AUDIO / name)
    speech = soxr.resample(samples / np.max(np.abs(samples)) * 10_000, recorded_hz, rate_hz)
    return np.resize(speech, samples_in(seconds, rate_hz))


def _ours(seconds: float) -> Samples:
    return _speech("radio.wav", seconds, PLAY_RATE_HZ)


class Room:
    """A speaker, and a microphone that hears it so much later and so much softer."""

    def __init__(
        self,
        canceller: EchoCanceller,
        sound: Samples,
        *,
        way_seconds: float,
        gain: float = 0.3,
        begins_at: float = 0.0,
    ) -> None:
        self._canceller = canceller
        self._sound = sound
        late = samples_in(DEVICE_SECONDS + way_seconds)
        heard = soxr.resample(sound, PLAY_RATE_HZ, RATE_HZ) * gain
        self._heard = np.concatenate([np.zeros(late), heard])
        self._blocks = 0
        self._begins_at = begins_at

    def frames(self, user: Samples) -> Iterator[tuple[bytes, bytes]]:
        """Each frame of the microphone, while the user says something, and what is left of it."""
        for number in range(len(user) // FRAME_SAMPLES):
            span = slice(number * FRAME_SAMPLES, (number + 1) * FRAME_SAMPLES)
            heard = np.zeros(FRAME_SAMPLES)
            heard[: len(self._heard[span])] = self._heard[span]
            frame = np.clip(heard + user[span], -32768, 32767).astype("<i2").tobytes()
            ended_at = (number + 1) * FRAME_SECONDS
            self._play_until(ended_at)
            yield frame, self._canceller.cancel(frame, self._begins_at + ended_at)

    def _play_until(self, now: float) -> None:
        while (taken_at := self._blocks * BLOCK_SAMPLES / PLAY_RATE_HZ) <= now:
            at = self._blocks * BLOCK_SAMPLES
            block = self._sound[at : at + BLOCK_SAMPLES].astype("<i2").tobytes()
            heard_at = self._begins_at + taken_at + DEVICE_SECONDS
            self._canceller.played(block.ljust(BLOCK_SAMPLES * 2, b"\0"), heard_at)
            self._blocks += 1


def _levels(pieces: list[tuple[bytes, bytes]], since: float) -> tuple[float, float]:
    """Of what was heard, and of what is left of it, from that second on."""
    first = round(since / FRAME_SECONDS)
    heard, left = (b"".join(part) for part in zip(*pieces[first:], strict=True))
    return level_dbfs(heard), level_dbfs(left)


@pytest.mark.parametrize("way_seconds", [0.0, 0.02, 0.1, 0.3])
def test_our_own_sound_is_taken_away(way_seconds: float) -> None:
    room = Room(open_canceller(), _ours(8.0), way_seconds=way_seconds)
    heard, left = _levels(list(room.frames(np.zeros(samples_in(8.0)))), since=4.0)
    assert heard > -40
    assert left < heard - 30


def test_a_user_who_speaks_meanwhile_is_still_heard() -> None:
    room = Room(open_canceller(), _ours(8.0), way_seconds=0.02, gain=0.05)
    user = _speech("cameriere.wav", 8.0, RATE_HZ) * 0.3
    user[: samples_in(4.0)] = 0
    pieces = list(room.frames(user))
    _, left = _levels(pieces, since=4.5)
    assert left > level_dbfs(array("h", user[samples_in(4.5) :].astype(int)).tobytes()) - 6


def test_while_nothing_is_played_what_is_heard_is_left_as_it_is() -> None:
    canceller = open_canceller()
    heard = np.random.default_rng(3).normal(0, 3_000, 100 * FRAME_SAMPLES).astype("<i2").tobytes()
    frames = [heard[at : at + FRAME_BYTES] for at in range(0, len(heard), FRAME_BYTES)]
    given = [canceller.cancel(frame, at * FRAME_SECONDS) for at, frame in enumerate(frames)]
    assert {len(frame) for frame in given} == {FRAME_BYTES}
    assert b"".join(given) == (bytes(256) + heard)[: len(heard)]


def test_the_echo_of_what_was_played_last_is_taken_away_and_then_it_sleeps() -> None:
    sound = np.concatenate([_ours(5.0), np.zeros(PLAY_RATE_HZ * 4)])
    room = Room(open_canceller(), sound, way_seconds=0.3)
    user = np.random.default_rng(4).normal(0, 30, samples_in(9.0))
    pieces = list(room.frames(user))
    end = slice(round(5.0 / FRAME_SECONDS), round(5.4 / FRAME_SECONDS))
    heard, left = (level_dbfs(b"".join(part)) for part in zip(*pieces[end], strict=True))
    assert left < heard - 20
    near, left_of_it = (b"".join(part) for part in zip(*pieces[-40:], strict=True))
    assert left_of_it[256:] == near[:-256]


def test_a_speaker_that_is_opened_again_may_be_otherwise_late() -> None:
    canceller = open_canceller()
    silence = np.zeros(samples_in(8.0))
    list(Room(canceller, _ours(8.0), way_seconds=0.3).frames(silence))
    for number in range(round(12.0 / FRAME_SECONDS)):
        canceller.cancel(bytes(FRAME_BYTES), 8.0 + number * FRAME_SECONDS)
    room = Room(canceller, _ours(8.0), way_seconds=0.266, begins_at=20.0)
    pieces = list(room.frames(silence))[: round(3.0 / FRAME_SECONDS)]
    heard, left = _levels(pieces, since=0.5)
    assert heard > -40
    assert left < heard - 30


def test_it_learns_for_the_first_second_of_our_sound_since_the_speaker_was_opened() -> None:
    canceller = open_canceller()
    assert not canceller.is_learning
    learning = [
        canceller.is_learning
        for _ in Room(canceller, _ours(4.0), way_seconds=0.05).frames(np.zeros(samples_in(4.0)))
    ]
    assert not learning[0], "nothing of ours can be heard yet"
    seconds = sum(learning) * FRAME_SECONDS
    assert seconds == pytest.approx(1.0, abs=0.3)
    assert not any(learning[round(2.0 / FRAME_SECONDS) :])


def test_blocks_of_the_devices_thread_are_handed_over_and_bounded() -> None:
    canceller = open_canceller()
    silence = bytes(BLOCK_SAMPLES * 2)

    def play() -> None:
        for number in range(20_000):
            canceller.played(silence, number * 0.02)

    device = threading.Thread(target=play)
    device.start()
    frames = 0
    while device.is_alive() or frames < 10:
        assert len(canceller.cancel(bytes(FRAME_BYTES), frames * FRAME_SECONDS)) == FRAME_BYTES
        frames += 1
    device.join()


def test_without_the_extra_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pywebrtc_audio", None)
    with pytest.raises(ConfigError, match=r'\[listen\] echo.*pip install "voicehermes\[aec\]"'):
        open_canceller()
