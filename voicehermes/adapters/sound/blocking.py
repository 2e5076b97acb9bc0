"""Devices whose opening and closing block: done in a thread, and never leaked."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar

from voicehermes.adapters.sound.patience import close_patiently

T = TypeVar("T")

_GIVE_UP_SECONDS = 2.0
"""How long an opening that is not wanted any more is waited for."""


@asynccontextmanager
async def opened_in_thread(
    opening: Callable[[], T], closing: Callable[[T], None]
) -> AsyncIterator[T]:
    """What ``opening`` returns, closed at the end; also when cancelled while it still opens.

    An opening that hangs closes what it opened by itself, should it ever come to its end; a
    closing that hangs is left to itself.
    """
    is_given_up = False

    def open_or_give_up() -> T:
        thing = opening()
        if is_given_up:
            closing(thing)
        return thing

    future = asyncio.get_running_loop().run_in_executor(None, open_or_give_up)
    try:
        yield await asyncio.shield(future)
    finally:
        await asyncio.wait({future}, timeout=_GIVE_UP_SECONDS)
        if not future.done():
            is_given_up = True
        elif not future.cancelled() and future.exception() is None:
            await close_patiently(partial(closing, future.result()))
