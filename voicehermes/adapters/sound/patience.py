"""Sound systems block, and do not come back when they hang: patience with them has an end."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from voicehermes.errors import DeviceError

log = logging.getLogger(__name__)

_OPEN_SECONDS = 10.0
"""A Bluetooth headset that changes its mode takes several seconds."""

_CLOSE_SECONDS = 3.0


@asynccontextmanager
async def opened(start: Callable[[], None], close: Callable[[], None]) -> AsyncIterator[None]:
    """Runs ``start`` and, at the end, ``close``, each in a thread.

    ``close`` is called in any case and must cope with a start that failed or is still under way.
    Raises what ``start`` raises, and DeviceError when it does not come back.
    """
    try:
        if not await _is_done(start, _OPEN_SECONDS):
            raise DeviceError("The sound system does not answer.", hint="Restart it.")
        yield
    finally:
        await close_patiently(close)


async def close_patiently(close: Callable[[], None]) -> None:
    """Runs ``close`` in a thread; when it does not come back the device is left to it, and logged.

    Raises what ``close`` raises.
    """
    if not await _is_done(close, _CLOSE_SECONDS):
        log.warning("the sound system does not answer: a device was left open")


async def _is_done(call: Callable[[], None], seconds: float) -> bool:
    """Whether a blocking call came back in that time; else it is left to itself."""
    future = asyncio.get_running_loop().run_in_executor(None, call)
    future.add_done_callback(lambda done: done.exception())  # perhaps nobody asks any more
    done, _ = await asyncio.wait({future}, timeout=seconds)
    if done:
        future.result()
    return bool(done)
