"""Which microphone the configuration means, and which devices there are."""

import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

from voicehermes.adapters.sound import miniaudio, portaudio
from voicehermes.adapters.sound.files import FileMicrophone
from voicehermes.adapters.sound.miniaudio_mic import MiniaudioMicrophone
from voicehermes.adapters.sound.names import DeviceInfo
from voicehermes.adapters.sound.portaudio_mic import PortAudioMicrophone
from voicehermes.errors import DeviceError
from voicehermes.ports import Microphone

log = logging.getLogger(__name__)

_FILE = "file:"


def open_microphone(name: str) -> Microphone:
    """The microphone that ``[audio] input`` names; the device itself is opened by its ``open``.

    "default", a device's name or part of one, or "file:PATH".
    """
    if name.startswith(_FILE):
        return FileMicrophone(Path(name.removeprefix(_FILE)).expanduser())
    return FirstThatOpens(PortAudioMicrophone(name), MiniaudioMicrophone(name))


def list_devices() -> list[DeviceInfo]:
    """All sound devices. Blocks. Raises DeviceError, with the remedy, when there is none."""
    reason = DeviceError(
        "There is no sound device.",
        hint="Is one plugged in, and is PipeWire or PulseAudio running?",
    )
    try:
        if devices := portaudio.query_devices():
            return devices
    except DeviceError as error:
        reason = error
    with suppress(DeviceError):
        if devices := miniaudio.query_devices():
            return devices
    raise reason


class FirstThatOpens:
    """The first microphone where it opens, else the second; the first one's error where none."""

    def __init__(self, first: Microphone, second: Microphone) -> None:
        self._first = first
        self._second = second

    def hurry(self, *, is_wanted: bool) -> None:
        """See Microphone.hurry."""
        self._first.hurry(is_wanted=is_wanted)
        self._second.hurry(is_wanted=is_wanted)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[AsyncIterator[bytes]]:
        """See Microphone.open."""
        async with AsyncExitStack() as stack:
            try:
                frames = await stack.enter_async_context(self._first.open())
            except DeviceError as error:
                try:
                    frames = await stack.enter_async_context(self._second.open())
                except DeviceError:
                    raise error from None
                log.info("recording through miniaudio: %s", error)
            yield frames
