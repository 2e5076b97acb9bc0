"""Sentences of ours as sound: from the disk where they are there, else from a synthesiser."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Protocol

from voicehermes.audio import Sound
from voicehermes.errors import RateLimitedError, StoreError, VoiceError, VoicehermesError
from voicehermes.speaking.engines import Engine, Engines

log = logging.getLogger(__name__)

QUIET_SECONDS = 20.0
"""Nobody talks with us then."""

_LOOK_SECONDS = 2.5
"""Between looks whether anything is said: longer than a server's window."""


class Memory(Protocol):
    """Sentences that were synthesised before. Both raise StoreError."""

    async def get(self, engine: str, text: str) -> Sound | None:
        """The sound of a text in an engine's voice, or None when it is not there."""
        ...

    async def put(self, engine: str, text: str, sound: Sound) -> None:
        """Keep it."""
        ...


class Phrases:
    """Finds the sound of a sentence. A memory that fails is as good as none."""

    def __init__(self, engines: Engines, memory: Memory | None, changed: asyncio.Event) -> None:
        """``changed`` is set when ``is_waiting`` may have changed."""
        self._engines = engines
        self._memory = memory
        self._changed = changed
        self._waiting = 0
        self._queue = asyncio.Lock()
        """Sentences take the window in the order in which they were asked for."""
        self._looked_up: list[asyncio.Event] = []
        """Of each that may have to take it and is still looked for on the disk, in that order."""

    @property
    def is_waiting(self) -> bool:
        """Whether a sentence waits for the synthesiser's window: replies wait behind it."""
        return self._waiting > 0

    async def sound(
        self, text: str, tell: Callable[[VoicehermesError], None], *, is_kept: bool = True
    ) -> tuple[Sound, Engine | None]:
        """The sound, and who spoke it now, None: nobody had to.

        What is personal must not be kept: it is neither looked for on the disk nor written there.
        There all sound is at the usual rate: another one is not kept.
        ``tell`` gets each failure, see Engines.speak. Raises VoiceError when nobody speaks it.
        """
        memory = self._memory if is_kept else None
        if remembered := await self._in_turn(memory, text):
            return remembered, None
        rate = self._engines.rate_percent
        sound, engine = await self._synthesized(text, tell)
        if memory and rate == self._engines.rate_percent == 0:
            await _remember(memory, engine, text, sound)
        return sound, engine

    async def prepare(self, texts: Iterable[str], is_idle: Callable[[], bool]) -> None:
        """Have sentences on the disk before they are needed.

        One at a time, and only while nothing has been said for a while: a reply never finds the
        window shut by more than one of them. The first failure is the end of it.
        """
        memory = self._memory
        if memory is None:
            return
        await _wait_until_quiet(is_idle, QUIET_SECONDS)
        for text in texts:
            if await self._remembered(memory, text):
                continue
            await _wait_until_quiet(is_idle, _LOOK_SECONDS)
            try:
                await self.sound(text, _overlook)
            except VoiceError:
                return

    async def _in_turn(self, memory: Memory | None, text: str) -> Sound | None:
        """The sound from the disk; without one, it is this sentence's turn to be synthesised."""
        before, looked_up = tuple(self._looked_up), asyncio.Event()
        self._looked_up.append(looked_up)
        try:
            if memory and (remembered := await self._remembered(memory, text)):
                return remembered
            for other in before:
                await other.wait()
            return None
        finally:
            self._looked_up.remove(looked_up)
            looked_up.set()

    async def _synthesized(
        self, text: str, tell: Callable[[VoicehermesError], None]
    ) -> tuple[Sound, Engine]:
        loop = asyncio.get_running_loop()
        while True:
            engine = self._engines.best(loop.time())
            if engine:
                await self._wait_for_window(engine)
            try:
                return await self._engines.speak(text, engine, tell)
            except RateLimitedError:
                if engine:
                    engine.pace.refused(loop.time())

    async def _wait_for_window(self, engine: Engine) -> None:
        loop = asyncio.get_running_loop()
        self._waiting += 1
        try:
            async with self._queue:
                while True:
                    now = loop.time()
                    allowed_at = engine.pace.next_allowed(now)
                    if allowed_at <= now:
                        break
                    await asyncio.sleep(allowed_at - now)
                engine.pace.requested(now)
        finally:
            self._waiting -= 1
            self._changed.set()

    async def _remembered(self, memory: Memory, text: str) -> Sound | None:
        """The sound from the disk, in the voice of the first engine that it is there of."""
        try:
            for engine in self._engines:
                if sound := await memory.get(engine.name, text):
                    return sound
        except StoreError as error:
            log.warning("%s", error)
        return None


async def _wait_until_quiet(is_idle: Callable[[], bool], seconds: float) -> None:
    quiet_seconds = 0.0
    while quiet_seconds < seconds:
        await asyncio.sleep(_LOOK_SECONDS)
        quiet_seconds = quiet_seconds + _LOOK_SECONDS if is_idle() else 0.0


def _overlook(error: VoicehermesError) -> None:
    """A sentence that is prepared is nobody's; the user is told when one is missed."""


async def _remember(memory: Memory, engine: Engine, text: str, sound: Sound) -> None:
    try:
        await memory.put(engine.name, text, sound)
    except StoreError as error:
        log.warning("%s", error)
