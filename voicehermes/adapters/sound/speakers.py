"""Which speaker ``[audio] output`` means."""

import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from voicehermes.adapters.sound.file_speaker import FileSpeaker
from voicehermes.adapters.sound.miniaudio_speaker import MiniaudioSpeaker
from voicehermes.adapters.sound.null_speaker import NullSpeaker
from voicehermes.adapters.sound.portaudio_speaker import PortAudioSpeaker
from voicehermes.errors import DeviceError
from voicehermes.ports import SoundSource, Speaker

log = logging.getLogger(__name__)

_FILE = "file:"


def open_speaker(name: str) -> Speaker:
    """The speaker that ``[audio] output`` names; the device itself is opened by its ``open``.

    "default", a device's name or part of one, "file:PATH" or "null".
    """
    if name == "null":
        return NullSpeaker()
    if name.startswith(_FILE):
        return FileSpeaker(Path(name.removeprefix(_FILE)).expanduser())
    return _EitherSpeaker(PortAudioSpeaker(name), MiniaudioSpeaker(name))


class _EitherSpeaker:
    """The first speaker where it opens, else the second; the first one's error where none."""

    def __init__(self, first: Speaker, second: Speaker) -> None:
        self._first = first
        self._second = second
        self._opened = first

    @property
    def delay_seconds(self) -> float:
        """That of the speaker which is open."""
        return self._opened.delay_seconds

    @asynccontextmanager
    async def open(self, source: SoundSource) -> AsyncIterator[None]:
        """See Speaker.open."""
        async with AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(self._first.open(source))
                self._opened = self._first
            except DeviceError as error:
                try:
                    await stack.enter_async_context(self._second.open(source))
                except DeviceError:
                    raise error from None
                self._opened = self._second
                log.info("playing through miniaudio: %s", error)
            yield
