"""The microphone held open: its frames come with the time at which their sound ended.

Knows nothing of what is made of them.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Never

from voicehermes.audio import InputFault
from voicehermes.errors import AudioError, DeviceError
from voicehermes.hearing.ear_events import EarEvent, InputFaulty, MicrophoneBack, MicrophoneLost
from voicehermes.hearing.frame_clock import FrameClock
from voicehermes.hearing.quality import OnlyZeros
from voicehermes.ports import Microphone

log = logging.getLogger(__name__)

_FIRST_WAIT_SECONDS = 1.0
_LONGEST_WAIT_SECONDS = 5.0


class Intake:
    """Open until cancelled, except while muted. Lost, it is tried until it is back.

    That it is lost is told once, and so is its return.
    """

    def __init__(
        self,
        microphone: Microphone,
        *,
        take: Callable[[bytes, float], None],
        lose: Callable[[], None],
        sink: Callable[[EarEvent], None],
        now: Callable[[], float],
    ) -> None:
        """``lose`` is called before MicrophoneLost is told: what was heard has an end."""
        self._microphone = microphone
        self._give = take
        self._lose = lose
        self._sink = sink
        self._now = now
        self._is_lost = False
        self._listening: asyncio.Task[Never] | None = None
        self._unmuted = asyncio.Event()
        self._unmuted.set()

    @property
    def is_muted(self) -> bool:
        """Whether the microphone is closed since the user wants that."""
        return not self._unmuted.is_set()

    async def run(self) -> Never:
        """Hold the microphone open until cancelled, except while muted."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                await self._unmuted.wait()
                self._listening = tasks.create_task(self._listen(), name="microphone")
                await asyncio.wait({self._listening})

    def hurry(self, *, is_wanted: bool) -> None:
        """See Microphone.hurry."""
        self._microphone.hurry(is_wanted=is_wanted)

    def mute(self) -> None:
        """Close the microphone."""
        self._unmuted.clear()
        if self._listening is not None:
            self._listening.cancel()

    def unmute(self) -> None:
        """Open the microphone again."""
        self._unmuted.set()

    def note_lost(self, error: AudioError) -> None:
        """It cannot be opened, is gone or gives nothing."""
        self._lose()
        if not self._is_lost:
            self._is_lost = True
            log.info("microphone: %s", error)
            self._sink(MicrophoneLost(error))

    def _note_back(self) -> None:
        if self._is_lost:
            self._is_lost = False
            log.info("the microphone is back")
            self._sink(MicrophoneBack())

    async def _listen(self) -> Never:
        wait_seconds = _FIRST_WAIT_SECONDS
        while True:
            try:
                async with self._microphone.open() as frames:
                    clock, only_zeros = FrameClock(), OnlyZeros()
                    async for frame in frames:
                        wait_seconds = _FIRST_WAIT_SECONDS
                        self._note_back()
                        if only_zeros.feed(frame):
                            self._sink(InputFaulty(InputFault.ZEROS))
                        self._give(frame, clock.arrived(self._now()))
                raise DeviceError("The microphone gives no sound any more.")
            except AudioError as error:
                self.note_lost(error)
            await asyncio.sleep(wait_seconds)
            wait_seconds = min(wait_seconds * 1.5, _LONGEST_WAIT_SECONDS)
