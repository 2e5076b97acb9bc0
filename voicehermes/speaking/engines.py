"""The synthesisers in order of preference, and which of them speaks now.

A synthesiser that fails rests for a while, or for good where it does not have the voice; the text
that it failed on goes to the next one.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence

from voicehermes.audio import Sound
from voicehermes.errors import (
    RateLimitedError,
    UnknownVoiceError,
    UnreachableError,
    VoiceError,
    VoicehermesError,
)
from voicehermes.ports import Synthesizer
from voicehermes.speaking.pacing import Pace

REST_SECONDS = 30.0
"""After a failure that is the server's and not the text's; twice as long after each further one."""

LONGEST_REST_SECONDS = 600.0
"""Whoever waits ten seconds for a server in vain does not want to in every turn."""

RETRY_SECONDS = 0.5
"""A connection that broke is tried once more after this."""

_JITTER_SECONDS = 0.05
"""Added to a server's window, which it measures where requests arrive: one that had to open a
connection first arrives later after its start than the next one on the same connection."""

_MOST_FAILURES = 2
"""Texts in a row that a synthesiser may refuse before it rests."""

LONGEST_REFUSAL_SECONDS = 20.0
"""So long a synthesiser may ask to wait; after that it counts as failed."""

_MOST_AT_ONCE = 3
"""Requests to one synthesiser: a local one is a process each, and the machine may be small."""


class Engine:
    """A synthesiser with what is known about it."""

    def __init__(self, synthesizer: Synthesizer) -> None:
        self.synthesizer = synthesizer
        self.name = synthesizer.name
        window = synthesizer.window_seconds
        self.pace = Pace(
            window_seconds=window + _JITTER_SECONDS if window else 0.0,
            max_characters=synthesizer.max_characters,
        )
        self.resting_until = float("-inf")
        self.slots = asyncio.Semaphore(_MOST_AT_ONCE)
        self._failures = 0
        self._rest_seconds = REST_SECONDS
        self._refusing_since: float | None = None

    def change_rate(self, percent: int) -> None:
        """Let it speak at so much over its own speed from the next request on."""
        before = 100 + self.synthesizer.rate_percent
        self.synthesizer.rate_percent = percent
        self.pace.speed_changed((100 + percent) / before)

    def succeeded(self) -> None:
        """It spoke a text."""
        self._failures = 0
        self._refusing_since = None
        self._rest_seconds = REST_SECONDS
        self.resting_until = float("-inf")

    def is_refusing(self, now: float) -> bool:
        """Note that it asks to wait; whether it has done nothing else for too long."""
        if self._refusing_since is None:
            self._refusing_since = now
        return now - self._refusing_since > LONGEST_REFUSAL_SECONDS

    def failed(self, error: VoicehermesError, now: float) -> None:
        """It did not speak a text."""
        self._failures += 1
        self._refusing_since = None
        match error:
            case UnknownVoiceError():
                self.resting_until = float("inf")
            case VoiceError() if self._failures < _MOST_FAILURES:
                pass  # it may be this text alone
            case _ if self.resting_until <= now:
                self.resting_until = now + self._rest_seconds
                self._rest_seconds = min(2 * self._rest_seconds, LONGEST_REST_SECONDS)
            case _:
                pass  # asked before it began to rest


class Engines:
    """Speaks a text with the first synthesiser that can."""

    def __init__(self, synthesizers: Sequence[Synthesizer]) -> None:
        self._engines = tuple(map(Engine, synthesizers))
        self.rate_percent = 0
        """How much faster than usual they speak: -50 is half as fast."""

    def __iter__(self) -> Iterator[Engine]:
        return iter(self._engines)

    def change_rate(self, percent: int) -> None:
        """Let all of them speak at so much over their own speed."""
        self.rate_percent = percent
        for engine in self._engines:
            engine.change_rate(percent)

    def best(self, now: float) -> Engine | None:
        """The first that does not rest; if all rest, the last; None: there is none at all."""
        return next(iter(self._awake(self._engines, now)), None)

    async def speak(
        self, text: str, first: Engine | None, tell: Callable[[VoicehermesError], None]
    ) -> tuple[Sound, Engine]:
        """The sound of a text by ``first``, or else by one that comes after it.

        ``tell`` gets each failure, even when another synthesiser then speaks the text. Raises
        RateLimitedError when ``first`` asks to wait, and has not done so for long; VoiceError when
        nobody speaks it.
        """
        loop = asyncio.get_running_loop()
        rest = self._engines[self._engines.index(first) :] if first else ()
        reason: VoicehermesError | None = None
        for engine in self._awake(rest, loop.time()):
            try:
                async with engine.slots:
                    sound = await _speak(engine, text)
            except RateLimitedError as error:
                if engine is first and not engine.is_refusing(loop.time()):
                    raise
                if engine is first:
                    engine.failed(error, loop.time())
                    tell(error)
                reason = error
            except VoicehermesError as error:
                engine.failed(error, loop.time())
                tell(error)
                reason = error
            else:
                engine.succeeded()
                return sound, engine
        raise VoiceError(
            "No synthesiser could speak a text.",
            hint="Install one, like espeak-ng, and name it in [speak] fallback.",
        ) from reason

    @staticmethod
    def _awake(engines: Sequence[Engine], now: float) -> Sequence[Engine]:
        """Those that do not rest, or the last one if all do."""
        return [engine for engine in engines if engine.resting_until <= now] or engines[-1:]


async def _speak(engine: Engine, text: str) -> Sound:
    """One text by one engine, once more where the connection broke."""
    try:
        return await _speak_once(engine, text)
    except UnreachableError:
        loop = asyncio.get_running_loop()
        retry_at = engine.pace.next_allowed(loop.time() + RETRY_SECONDS)
        await asyncio.sleep(retry_at - loop.time())
        engine.pace.requested(loop.time())
        return await _speak_once(engine, text)


async def _speak_once(engine: Engine, text: str) -> Sound:
    try:
        async with asyncio.timeout(_patience_seconds(text)):
            sound = await engine.synthesizer.synthesize(text)
    except TimeoutError:
        raise VoiceError(f"The synthesiser {engine.name} takes too long over a text.") from None
    if not sound.pcm:
        raise VoiceError(f"The synthesiser {engine.name} made no sound of a text.")
    return sound


def _patience_seconds(text: str) -> float:
    """Longest wait for a text: edge-tts takes 0.35 s and 4 ms a character, or thrice that."""
    return 10.0 + 0.012 * len(text)
