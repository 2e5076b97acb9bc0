"""The speaker by PortAudio, at 24 kHz where the device takes it, else at a rate of its own."""

import array
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from voicehermes.adapters.sound.blocking import opened_in_thread
from voicehermes.adapters.sound.names import DeviceInfo
from voicehermes.adapters.sound.portaudio import Stream
from voicehermes.audio import PLAY_RATE_HZ, SAMPLE_BYTES
from voicehermes.ports import SoundSource

_BLOCK_SECONDS = 0.02

_LATENCY_SECONDS = 0.08
"""Four blocks in the device. With three a busy machine underran at the begin of every tenth
reply; with four a pause is silence after 0.1 s, with five after 0.16 s (measured)."""


class PortAudioSpeaker:
    """The speaker with that name, or part of one; "default" is the system's."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._delay_seconds = 0.0

    @property
    def delay_seconds(self) -> float:
        """See Speaker.delay_seconds; what PortAudio says of each block, true to 2 ms."""
        return self._delay_seconds

    @asynccontextmanager
    async def open(self, source: SoundSource) -> AsyncIterator[None]:
        """See Speaker.open."""
        async with opened_in_thread(lambda: self._start(source), Stream.close):
            try:
                yield
            finally:
                self._delay_seconds = 0.0

    def _start(self, source: SoundSource) -> Stream:
        def make(sounddevice: Any, number: int, device: DeviceInfo) -> Any:
            stream = make_stream(sounddevice, number, device, source, self._note_delay)
            self._delay_seconds = stream.latency
            return stream

        stream = Stream(self._name, "output", make)
        stream.start()
        return stream

    def _note_delay(self, seconds: float) -> None:
        if seconds > 0:  # else the device does not say
            self._delay_seconds = seconds


def make_stream(
    sounddevice: Any,
    number: int,
    device: DeviceInfo,
    source: SoundSource,
    note_delay: Callable[[float], None],
) -> Any:
    """An output stream at 24 kHz mono, else at the rate and channel count that the device takes.

    ``note_delay`` is told in front of each block how long it is until that is heard.

    It is opened and not asked first: the answer cannot be trusted (python-sounddevice issue 505).
    """
    rates = (PLAY_RATE_HZ, device.default_rate_hz)
    counts = (1, min(2, device.outputs), device.outputs)
    attempts = dict.fromkeys((rate, count) for rate in rates for count in counts)
    for rate_hz, channels in attempts:
        try:
            return sounddevice.RawOutputStream(
                device=number,
                samplerate=rate_hz,
                channels=channels,
                dtype="int16",
                blocksize=round(rate_hz * _BLOCK_SECONDS),
                latency=_LATENCY_SECONDS,
                callback=_filler(source, rate_hz, channels, note_delay),
            )
        except sounddevice.PortAudioError as error:
            refusal = error
    raise refusal


def _filler(
    source: SoundSource, rate_hz: int, channels: int, note_delay: Callable[[float], None]
) -> Callable[..., None]:
    """The callback that fills PortAudio's buffer from the source."""
    if rate_hz != PLAY_RATE_HZ:
        source = Resampled(source, rate_hz)

    def fill(buffer: Any, samples: int, time: Any, _status: object) -> None:
        note_delay(time.outputBufferDacTime - time.currentTime)
        mono = source.read(samples)
        buffer[:] = mono if channels == 1 else on_every_channel(mono, channels)

    return fill


def on_every_channel(mono: bytes, channels: int) -> bytes:
    """The same s16le sound on so many channels, interleaved."""
    samples = array.array("h", mono)
    interleaved = array.array("h", bytes(len(mono) * channels))
    for channel in range(channels):
        interleaved[channel::channels] = samples
    return interleaved.tobytes()


class Resampled:
    """A source at the device's rate."""

    def __init__(self, source: SoundSource, rate_hz: int) -> None:
        import numpy as np
        import soxr

        self._source = source
        self._resampler = soxr.ResampleStream(PLAY_RATE_HZ, rate_hz, 1, dtype="int16")
        self._to_array = np.frombuffer
        self._ready = bytearray()

    def read(self, samples: int) -> bytes:
        """So many samples at the device's rate; the resampler holds back about 20 ms."""
        size = samples * SAMPLE_BYTES
        while len(self._ready) < size:
            block = self._source.read(round(PLAY_RATE_HZ * _BLOCK_SECONDS))
            self._ready += self._resampler.resample_chunk(self._to_array(block, "<i2")).tobytes()
        taken = bytes(self._ready[:size])
        del self._ready[:size]
        return taken
