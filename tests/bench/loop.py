"""A speaker that the microphone hears, on a simulated audio clock.

The device is as real ones are: it takes four blocks at once when it begins, later ones with a
jitter, and plays each in its time, which it knows to a millisecond or two. Its loudspeaker distorts
mildly, the room answers for a tenth of a second, and the microphone hears that, noise, and whatever
a user says.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import numpy as np
import soxr

from voicehermes.audio import (
    FRAME_SAMPLES,
    FRAME_SECONDS,
    PLAY_RATE_HZ,
    RATE_HZ,
    SAMPLE_BYTES,
    samples_in,
)
from voicehermes.ports import SoundSource

Samples = np.ndarray[Any, np.dtype[np.float64]]

BLOCK_SECONDS = 0.02
BUFFERED_BLOCKS = 4
DEVICE_SECONDS = 0.005
"""From the end of the buffer to the loudspeaker."""

JITTER_SECONDS = 0.006
OPENED_ANEW_SECONDS = 0.035
"""By up to so much more the device is late, differently each time that it is opened: a sound server
was seen to do that."""

NOISE_DBFS = -66.0

_DRIVE = 1.5
"""How far the loudspeaker goes into saturation at full scale: 10 % less than it should give."""

_ROOM_SECONDS = 0.1
_ROOM_DB = -12.0
"""What comes back from the walls, beside the direct sound."""


class Loop:
    """What is in the air: sample 0 reaches the microphone at loop time 0."""

    def __init__(self, *, way_seconds: float, echo_gain: float, seconds: float, seed: int) -> None:
        """The sound comes ``way_seconds`` after it was played, ``echo_gain`` times as loud."""
        self.random = np.random.default_rng(seed)
        self.way_seconds = way_seconds
        length = samples_in(seconds)
        self._air = self.random.normal(0, 10 ** (NOISE_DBFS / 20), length + RATE_HZ)
        self._answer = echo_gain * _room(self.random)

    def say(self, samples: Samples, at: float) -> None:
        """Somebody says that; its first sample is heard at that loop time."""
        self._add(samples_in(at), samples)

    def heard(self, frame: int) -> bytes:
        """What the microphone hears in that frame, s16le mono."""
        piece = self._air[frame * FRAME_SAMPLES : (frame + 1) * FRAME_SAMPLES]
        return bytes(np.rint(np.clip(piece, -1, 1) * 32767).astype("<i2").tobytes())

    def play(self, samples: Samples, first: int) -> None:
        """The loudspeaker gives that, at RATE_HZ, from that sample on."""
        driven = np.tanh(_DRIVE * samples) / _DRIVE
        size = 2 ** (len(driven) + len(self._answer)).bit_length()
        echo = np.fft.irfft(np.fft.rfft(driven, size) * np.fft.rfft(self._answer, size), size)
        self._add(first, echo[: len(driven) + len(self._answer) - 1])

    def _add(self, first: int, samples: Samples) -> None:
        room = self._air[first : first + len(samples)]
        room += samples[: len(room)]


def _room(random: np.random.Generator) -> Samples:
    """The direct sound, and what comes back from the walls, falling by 60 dB."""
    times = np.arange(samples_in(_ROOM_SECONDS)) / RATE_HZ
    answer = random.standard_normal(len(times)) * 10 ** (-3 * times / _ROOM_SECONDS)
    answer *= 10 ** (_ROOM_DB / 20) / np.sqrt(np.sum(answer**2))
    answer[0] = 1.0
    return np.asarray(answer)


class LoopSpeaker:
    """See Speaker: plays into the loop."""

    def __init__(self, loop: Loop) -> None:
        self._air = loop
        self.delay_seconds = 0.0

    @asynccontextmanager
    async def open(self, source: SoundSource) -> AsyncIterator[None]:
        clock = asyncio.get_running_loop()
        begun = clock.time()
        resampler = soxr.ResampleStream(PLAY_RATE_HZ, RATE_HZ, 1, dtype="float64")
        late_seconds = self._air.random.uniform(0, OPENED_ANEW_SECONDS)
        place = samples_in(begun + DEVICE_SECONDS + self._air.way_seconds + late_seconds)
        taken = 0
        timer: asyncio.TimerHandle

        def take() -> None:
            nonlocal place, taken, timer
            heard_at = begun + taken * BLOCK_SECONDS + DEVICE_SECONDS
            self.delay_seconds = heard_at - clock.time() + self._air.random.uniform(0, 0.0015)
            pcm = source.read(samples_in(BLOCK_SECONDS, PLAY_RATE_HZ))
            assert len(pcm) == samples_in(BLOCK_SECONDS, PLAY_RATE_HZ) * SAMPLE_BYTES
            samples = resampler.resample_chunk(np.frombuffer(pcm, "<i2") / 32768)
            if np.any(samples):
                self._air.play(samples, place)
            place += len(samples)
            taken += 1
            due = begun + max(0, taken + 1 - BUFFERED_BLOCKS) * BLOCK_SECONDS
            timer = clock.call_at(due + self._air.random.uniform(0, JITTER_SECONDS), take)

        timer = clock.call_at(begun, take)
        try:
            yield
        finally:
            timer.cancel()
            self.delay_seconds = 0.0


class LoopMicrophone:
    """See Microphone: hears what is in the loop."""

    def __init__(self, loop: Loop) -> None:
        self._air = loop

    def hurry(self, *, is_wanted: bool) -> None:
        """It gives each frame as soon as it is there."""

    @asynccontextmanager
    async def open(self) -> AsyncIterator[AsyncIterator[bytes]]:
        async with aclosing(self._frames()) as frames:
            yield frames

    async def _frames(self) -> AsyncGenerator[bytes, None]:
        clock = asyncio.get_running_loop()
        number = int(clock.time() / FRAME_SECONDS)
        while True:
            due = (number + 1) * FRAME_SECONDS + self._air.random.uniform(0, JITTER_SECONDS)
            await asyncio.sleep(due - clock.time())
            yield self._air.heard(number)
            number += 1
