"""Devices whose opening and closing block: done in a thread, and never leaked."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

T = TypeVar("T")


@asynccontextmanager
async def opened_in_thread(
    opening: Callable[[], T], closing: Callable[[T], None]
) -> AsyncIterator[T]:
    """What ``opening`` returns, closed at the end; also when cancelled while it still opens."""
    future = asyncio.get_running_loop().run_in_executor(None, opening)
    try:
        yield await asyncio.shield(future)
    finally:
        await asyncio.wait({future})
        if not future.cancelled() and future.exception() is None:
            await asyncio.to_thread(closing, future.result())
