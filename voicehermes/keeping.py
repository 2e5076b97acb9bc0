"""Nothing the user said is lost: the outbox, turn by turn, off the event loop.

A disk that fails never stops the conversation: it is logged, and the words go out all the same.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable

from voicehermes.audio import Utterance
from voicehermes.errors import StoreError
from voicehermes.ports import Outbox

log = logging.getLogger(__name__)


class Keeping:
    """One entry a turn. Its calls are carried out one after another, in the order they came."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._keys: dict[int, str] = {}
        self._said_at: dict[int, float] = {}
        self._lane = asyncio.Lock()

    def adopt(self, turn: int, key: str, said_at: float) -> None:
        """This turn sends again what an earlier one kept; ``said_at`` is Unix time."""
        self._keys[turn] = key
        self._said_at[turn] = said_at

    def said_at(self, turn: int) -> float | None:
        """When it was said, if the agent may have it already; else None."""
        return self._said_at.get(turn)

    async def keep_utterance(self, turn: int, utterance: Utterance) -> None:
        """Keep the audio of this turn until its words are kept."""
        key = self._key(turn)
        await self._do(lambda: self._outbox.keep_utterance(key, utterance))

    async def keep_words(self, turn: int, text: str, parts: Iterable[int] = ()) -> None:
        """Keep the words of this turn, in place of its audio and of what ``parts`` had."""
        key = self._key(turn)
        await self._do(lambda: self._outbox.keep_words(key, text))
        for part in parts:
            await self.forget(part)

    async def forget(self, turn: int) -> None:
        """The words have arrived, or the user took them back."""
        key = self._keys.pop(turn, None)
        if key is not None:
            await self._do(lambda: self._outbox.forget(key))

    async def leave(self, turn: int) -> None:
        """Leave the entry for ``voicehermes retry``."""
        key = self._keys.pop(turn, None)
        if key is not None:
            await self._do(lambda: self._outbox.leave(key))

    def _key(self, turn: int) -> str:
        return self._keys.setdefault(turn, self._outbox.new_key())

    async def _do(self, work: Callable[[], None]) -> None:
        async with self._lane:
            working = asyncio.get_running_loop().run_in_executor(None, work)
            try:
                await asyncio.shield(working)
            except StoreError as error:
                log.warning("what was said could not be kept on disk: %s", error)
            finally:
                # Cancelled or not: were the next call let in now, it could overtake this one.
                await asyncio.wait({working})
