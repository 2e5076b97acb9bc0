"""PortAudio, shared by all that records and plays.

Its list of devices is read when it is initialised and goes stale when one is plugged in (PortAudio
issue 11); it can be read anew only while no stream is open. It is not safe to call from two
threads. So every call goes through here, one at a time. All of them block: use
``asyncio.to_thread``.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from voicehermes.adapters.sound.names import DeviceInfo, Direction, find_device
from voicehermes.adapters.sound.noise import without_noise
from voicehermes.errors import DeviceError

_lock = threading.Lock()
_streams: set["Stream"] = set()

_LOCK_SECONDS = 5.0


class Stream:
    """A running PortAudio stream on the device of that name.

    ``make`` gets the module sounddevice, the device's number there and what it is, and returns
    a stream that is not started yet; it may raise ``PortAudioError``.
    """

    def __init__(
        self, name: str, direction: Direction, make: Callable[[Any, int, DeviceInfo], Any]
    ) -> None:
        self._name = name
        self._direction = direction
        self._make = make
        self._stream: Any = None
        self._is_unwanted = False

    def start(self) -> None:
        """Find the device, open it and start. Raises DeviceError."""
        with _alone():
            sounddevice = _load(anew=not _streams)
            devices = _devices(sounddevice)
            number = find_device(devices, self._name, self._direction)
            device = devices[number]
            try:
                with without_noise():
                    stream = self._make(sounddevice, number, device)
                    try:
                        stream.start()
                    except BaseException:
                        stream.close()
                        raise
            except sounddevice.PortAudioError as error:
                raise DeviceError(
                    f'"{device.name}" cannot be opened: {error}.',
                    hint="Is another program using it, or is it muted or suspended?",
                ) from error
            if self._is_unwanted:
                stream.close(ignore_errors=True)
            else:
                self._stream = stream
                _streams.add(self)

    def close(self) -> None:
        """Stop at once and close; what is buffered is dropped.

        Waits for a start under way; one that takes too long closes by itself in the end. Raises
        DeviceError when the sound system does not answer.
        """
        self._is_unwanted = True
        with _alone():
            stream, self._stream = self._stream, None
            if stream is not None:
                _streams.discard(self)
                stream.close(ignore_errors=True)


def query_devices() -> list[DeviceInfo]:
    """All devices that there are now. Raises DeviceError when PortAudio is not installed."""
    with _alone():
        return _devices(_load(anew=not _streams))


def _load(*, anew: bool) -> Any:
    """The module sounddevice; ``anew`` reads the list of devices again."""
    is_loaded = "sounddevice" in sys.modules
    with without_noise():  # ALSA says a lot on a machine without a sound card
        try:
            import sounddevice
        except OSError as error:
            raise DeviceError(
                "PortAudio is not installed.", hint="Install it: sudo apt install libportaudio2"
            ) from error
        if anew and is_loaded:
            sounddevice._terminate()
            sounddevice._initialize()
    return sounddevice


def _devices(sounddevice: Any) -> list[DeviceInfo]:
    systems = sounddevice.query_hostapis()
    default = systems[sounddevice.default.hostapi] if systems else {}
    return [
        DeviceInfo(
            name=device["name"],
            inputs=device["max_input_channels"],
            outputs=device["max_output_channels"],
            default_rate_hz=round(device["default_samplerate"]),
            is_default_input=device["index"] == default.get("default_input_device"),
            is_default_output=device["index"] == default.get("default_output_device"),
            system=systems[device["hostapi"]]["name"],
        )
        for device in sounddevice.query_devices()
    ]


@contextmanager
def _alone() -> Iterator[None]:
    """One call at a time. Raises DeviceError when the one before does not come back."""
    if not _lock.acquire(timeout=_LOCK_SECONDS):
        raise DeviceError("The sound system does not answer.", hint="Restart it, or voicehermes.")
    try:
        yield
    finally:
        _lock.release()
