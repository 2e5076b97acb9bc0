"""An event loop whose clock is virtual: waiting takes no real time and is deterministic.

``run(main())`` runs a coroutine; when nothing is ready the clock jumps to the next timer. Work
in threads is waited for in real time, with the virtual clock standing still.
"""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_REAL_WAIT_SECONDS = 10.0


class _Selector(selectors.DefaultSelector):
    """Jumps the clock instead of sleeping. Waits truly only while threads are at work."""

    loop: "VirtualClockLoop"

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if self.loop.threads_at_work:
            return super().select(_REAL_WAIT_SECONDS)
        if timeout is None:
            ready = super().select(_REAL_WAIT_SECONDS)
            if not ready:
                raise RuntimeError("deadlock: nothing is ready and no timer is set")
            return ready
        self.loop.now += timeout
        return []


class VirtualClockLoop(asyncio.SelectorEventLoop):
    """Time begins at 0 and advances only when everybody waits."""

    def __init__(self) -> None:
        self.now = 0.0
        self.threads_at_work = 0
        selector = _Selector()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        return self.now

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Any, *args: Any
    ) -> "asyncio.Future[Any]":
        self.threads_at_work += 1
        future = super().run_in_executor(executor, func, *args)

        def done(_: "asyncio.Future[Any]") -> None:
            self.threads_at_work -= 1

        future.add_done_callback(done)
        return future

    async def shutdown_default_executor(
        self,
        timeout: float | None = None,  # noqa: ASYNC109  # the name is asyncio's
    ) -> None:
        """Waits for the threads truly; later Pythons give them 300 s, which would jump by."""
        self.threads_at_work += 1
        try:
            await super().shutdown_default_executor()
        finally:
            self.threads_at_work -= 1


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run ``main`` on a virtual clock and return its result."""
    with asyncio.Runner(loop_factory=VirtualClockLoop) as runner:
        return runner.run(main)
