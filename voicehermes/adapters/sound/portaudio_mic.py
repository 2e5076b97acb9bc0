"""A microphone through PortAudio."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

from voicehermes.adapters.sound.blocks import BLOCK_SECONDS, Blocks, Haste
from voicehermes.adapters.sound.names import DeviceInfo
from voicehermes.adapters.sound.patience import opened
from voicehermes.adapters.sound.portaudio import Stream
from voicehermes.adapters.sound.resampling import ToMono16k
from voicehermes.audio import RATE_HZ


class PortAudioMicrophone:
    """The microphone with that name, or part of one; "default" is the system's."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._haste = Haste()

    def hurry(self, *, is_wanted: bool) -> None:
        """See Microphone.hurry."""
        self._haste.is_wanted = is_wanted

    @asynccontextmanager
    async def open(self) -> AsyncIterator[AsyncIterator[bytes]]:
        """See Microphone.open."""
        recorder = Recorder(Blocks(self._haste))
        stream = Stream(self._name, "input", recorder.make_stream)
        async with opened(stream.start, stream.close), aclosing(recorder.frames()) as frames:
            yield frames


class Recorder:
    """Opens the device the way it likes and hands over what it gives."""

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self._rate_hz = RATE_HZ
        self._channels = 1

    def make_stream(self, sounddevice: Any, number: int, device: DeviceInfo) -> Any:
        """A stream at 16 kHz mono, else at the rate and channel count that the device takes.

        It is opened and not asked first: the answer cannot be trusted (python-sounddevice
        issue 505).
        """
        rates = (RATE_HZ, device.default_rate_hz)
        counts = (1, min(2, device.inputs), device.inputs)
        *attempts, last = dict.fromkeys((rate, count) for rate in rates for count in counts)
        for attempt in attempts:
            try:
                return self._open(sounddevice, number, *attempt)
            except sounddevice.PortAudioError:
                continue
        return self._open(sounddevice, number, *last)

    def frames(self) -> AsyncGenerator[bytes, None]:
        """What the device gives, as frames."""
        return self._blocks.frames(ToMono16k(self._rate_hz, self._channels))

    def _open(self, sounddevice: Any, number: int, rate_hz: int, channels: int) -> Any:
        self._rate_hz, self._channels = rate_hz, channels
        return sounddevice.RawInputStream(
            device=number,
            samplerate=rate_hz,
            channels=channels,
            dtype="int16",
            blocksize=round(rate_hz * BLOCK_SECONDS),
            latency="low",
            callback=self._receive,
            finished_callback=self._blocks.lose,
        )

    def _receive(self, block: Any, _samples: int, _time: Any, _status: Any) -> None:
        self._blocks.put(bytes(block))
