"""Which session the conversation goes on in, kept in a private file between runs."""

import asyncio
import json

from voicehermes.adapters.hermes.shapes import is_object
from voicehermes.adapters.store import Store
from voicehermes.config import Server

FILE = "session.json"


class SessionFile:
    """The session last used with one server and profile."""

    def __init__(self, store: Store, server: Server) -> None:
        self._store = store
        self._server = server

    async def read(self) -> str | None:
        """The id that `[server] session` stands for now, or None where nothing is kept.

        A configured id stands for itself, or for where its conversation was moved to.
        """
        kept = await self._kept()
        if self._server.session in ("last", kept.get("configured")):
            return kept.get("session_id")
        return None

    async def last_used(self) -> str | None:
        """The id that was kept last, whatever is configured now."""
        return (await self._kept()).get("session_id")

    async def write(self, session_id: str) -> None:
        """Keep the session as the one last used. Raises StoreError."""
        kept = {
            "url": self._server.url,
            "profile": self._server.profile,
            "configured": self._server.session,
            "session_id": session_id,
        }
        await asyncio.to_thread(self._store.write, FILE, json.dumps(kept).encode())

    async def _kept(self) -> dict[str, str]:
        """What is kept for this server and profile."""
        kept = _parse(await asyncio.to_thread(self._store.read, FILE))
        is_ours = (kept.get("url"), kept.get("profile")) == (self._server.url, self._server.profile)
        return kept if is_ours else {}


def _parse(data: bytes | None) -> dict[str, str]:
    try:
        kept = json.loads(data or b"{}")
    except ValueError:  # damaged from outside: as if there were none
        return {}
    if not is_object(kept):
        return {}
    return {key: value for key, value in kept.items() if isinstance(value, str)}
