"""How far each run was heard, kept over a restart: what was spoken is not repeated."""

import asyncio
import json
import logging
from collections import UserDict

from voicehermes.adapters.store import Store
from voicehermes.errors import StoreError

NAME = "heard.json"
MOST_RUNS = 20

log = logging.getLogger(__name__)


class HeardFile(UserDict[str, int]):
    """Sentences heard, by run id, the newest run last. ``run`` writes what changes."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self._changed = asyncio.Event()

    def __setitem__(self, run_id: str, sentences: int) -> None:
        super().__setitem__(run_id, sentences)
        while len(self) > MOST_RUNS:
            del self[next(iter(self))]
        self._changed.set()

    async def read(self) -> None:
        """Take in what an earlier process wrote. A file that cannot be read is as good as none."""
        try:
            data = await asyncio.to_thread(self._store.read, NAME)
            table = json.loads(data or b"{}")
        except (StoreError, ValueError) as error:
            log.warning("what was heard before is not known: %s", error)
            return
        if isinstance(table, dict):
            self.data = {str(k): v for k, v in table.items() if type(v) is int}

    async def run(self) -> None:
        """Write until cancelled, the last change too."""
        try:
            while True:
                await self._changed.wait()
                await self._write()
        finally:
            if self._changed.is_set():
                await self._write()

    async def _write(self) -> None:
        self._changed.clear()
        data = json.dumps(self.data).encode()
        writing = asyncio.get_running_loop().run_in_executor(None, self._store.write, NAME, data)
        try:
            await asyncio.shield(writing)
        except StoreError as error:
            log.warning("%s", error)
        finally:
            await asyncio.wait({writing})  # cancelled or not: a later one must not come before it
