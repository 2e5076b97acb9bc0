"""Which of the server's sessions the conversation goes on in."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import time

from voicehermes.adapters.hermes.http import WebuiHttp
from voicehermes.adapters.hermes.session_file import SessionFile
from voicehermes.adapters.hermes.webui_api import SessionInfo, WebuiApi
from voicehermes.adapters.store import Store
from voicehermes.config import Server
from voicehermes.errors import GoneError, RefusedError, StoreError

log = logging.getLogger(__name__)


class Conversation:
    """The session that ``[server] session`` stands for, chosen when it is first needed.

    So a daemon starts although its server does not answer yet. The session in use is kept in the
    store, for the next process.
    """

    def __init__(self, http: WebuiHttp, server: Server, store: Store) -> None:
        self._http = http
        self._api = WebuiApi(http)
        self._server = server
        self._file = SessionFile(store, server)
        self._choosing = asyncio.Lock()
        self._session_id: str | None = None
        self._used_at = 0.0
        self._is_profile_chosen = False
        self._on_moved: list[Callable[[], None]] = []

    @property
    def current(self) -> str | None:
        """The session in use, or None where none is chosen yet. Asks nobody."""
        return self._session_id

    @contextmanager
    def on_moved(self, call: Callable[[], None]) -> Iterator[None]:
        """While in the block, ``call`` each time that ``current`` changes."""
        self._on_moved.append(call)
        try:
            yield
        finally:
            self._on_moved.remove(call)

    def server_time(self, at: float | None = None) -> float:
        """Unix time by the server's clock, now or ``at`` ours; good to a second or two."""
        return (time() if at is None else at) + self._http.clock_offset_seconds

    def our_time(self, at: float) -> float:
        """Unix time by our clock where the server's says ``at``; as good."""
        return at - self._http.clock_offset_seconds

    async def known(self) -> str | None:
        """The session's id, or None where a new one is wanted. Raises ServerError."""
        async with self._choosing:
            return await self._known()

    async def last_used(self) -> str | None:
        """The session that was used last, although a new one is wanted now, or None."""
        return await self._file.last_used()

    async def session(self) -> str:
        """The session's id; makes a session where a new one is wanted. Raises ServerError."""
        async with self._choosing:
            return await self._known() or await self._make()

    async def begin_anew(self) -> None:
        """Go on in a new session from now on; the one in use stays as it is. Raises ServerError."""
        async with self._choosing:
            await self._choose_profile()
            await self._make()

    async def use(self, session_id: str) -> None:
        """Go on in this session from now on, and keep that where the disk allows it."""
        self._used_at = self.server_time()
        if session_id == self._session_id:
            return
        self._move(session_id)
        try:
            await self._file.write(session_id)
        except StoreError as error:  # a message that was just sent must not count as failed
            log.warning("the session of the conversation is not kept: %s", error)

    async def replace(self, session_id: str) -> None:
        """Make a new session where this one is not found.

        Raises RefusedError when it is there, in another profile; other ServerErrors.
        """
        try:
            await self._api.session(session_id, last=0)
        except GoneError:
            log.warning("session %s is gone; going on in a new one", session_id)
            await self._make()

    async def _known(self) -> str | None:
        if self._session_id is None:
            await self._choose_profile()
            found = await self._find()
            if found is None or self._is_idle_too_long(found.updated_at):
                return None
            await self.use(found.id)
            self._used_at = found.updated_at
        elif self._is_idle_too_long(self._used_at):
            self._move(None)
        return self._session_id

    def _move(self, session_id: str | None) -> None:
        self._session_id = session_id
        for call in tuple(self._on_moved):
            call()

    async def _make(self) -> str:
        server = self._server
        made = await self._api.new_session(
            workspace=server.workspace, model=server.model, model_provider=server.model_provider
        )
        await self.use(made.info.id)
        return made.info.id

    async def _choose_profile(self) -> None:
        """By the cookie: a profile named in a request is not what the server goes by."""
        wanted = self._server.profile
        if wanted and not self._is_profile_chosen:
            if await self._api.active_profile() != wanted:
                await self._http.switch_profile(wanted)
            self._is_profile_chosen = True

    async def _find(self) -> SessionInfo | None:
        match self._server.session:
            case "new":
                return None
            case "last":
                return await self._last()
            case configured:
                return await self._configured(configured)

    async def _last(self) -> SessionInfo | None:
        kept = await self._file.read()
        if kept is not None:
            try:
                return (await self._api.session(kept, last=0)).info
            except RefusedError as error:  # gone, or now of another profile
                log.info("session %s cannot be used any more: %s", kept, error)
        usable = [s for s in await self._api.sessions() if s.is_webui and s.is_writable]
        return usable[0] if usable else None

    async def _configured(self, session_id: str) -> SessionInfo:
        moved_to = await self._file.read()
        for candidate in (moved_to, session_id):
            if candidate is not None:
                try:
                    return (await self._api.session(candidate, last=0)).info
                except GoneError:
                    continue
        raise GoneError(
            f'There is no session "{session_id}" on the server.',
            hint='Set [server] session = "last", or one of `voicehermes sessions list`.',
        )

    def _is_idle_too_long(self, used_at: float) -> bool:
        hours = self._server.new_after_hours
        if self._server.session != "last" or not hours:
            return False
        return self.server_time() - used_at > hours * 3600
