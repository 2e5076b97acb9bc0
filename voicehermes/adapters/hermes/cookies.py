"""The cookies of one server, kept in a private file between runs."""

import asyncio
import json
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie

from voicehermes.adapters.hermes.shapes import is_object
from voicehermes.adapters.store import Store

FILE = "cookies.json"
PROFILE_WORD = "profile"
"""Part of the profile cookie's name, whatever the server calls it."""


class Cookies:
    """What the server gave us to identify ourselves; sent to that server alone.

    The file is bound to the server's address: cookies of another one are not used, and are
    overwritten at the next login.
    """

    def __init__(self, store: Store, url: str) -> None:
        self._store = store
        self._url = url
        self._values: dict[str, str] = {}

    @property
    def header(self) -> str:
        """Value of the Cookie header, "" when there is none to send."""
        return "; ".join(f"{name}={value}" for name, value in self._values.items())

    async def load(self) -> bool:
        """Take over what the file holds; whether that is other than before."""
        before = self._values
        self._values = _read(await asyncio.to_thread(self._store.read, FILE), self._url)
        return self._values != before

    async def take(self, set_cookie: Iterable[str]) -> None:
        """Obey an answer's Set-Cookie headers, and keep the result."""
        before = dict(self._values)
        for line in set_cookie:
            for name, value, gone in _parse(line):
                if gone:
                    self._values.pop(name, None)
                else:
                    self._values[name] = value
        if self._values != before:
            await self._save()

    async def forget_profile(self) -> None:
        """Drop the choice of a profile: the server's active one is used again."""
        kept = {name: value for name, value in self._values.items() if PROFILE_WORD not in name}
        if kept != self._values:
            self._values = kept
            await self._save()

    async def forget(self) -> None:
        """Drop all of them, in the file too."""
        self._values = {}
        await asyncio.to_thread(self._store.remove, FILE)

    async def _save(self) -> None:
        data = json.dumps({"url": self._url, "cookies": self._values}).encode()
        await asyncio.to_thread(self._store.write, FILE, data)


def _read(data: bytes | None, url: str) -> dict[str, str]:
    try:
        kept = json.loads(data or b"{}")
    except ValueError:  # a file that was damaged from outside: a login mends it
        return {}
    if not is_object(kept) or kept.get("url") != url:
        return {}
    values = kept.get("cookies")
    if not is_object(values):
        return {}
    return {name: value for name, value in values.items() if isinstance(value, str)}


def _parse(line: str) -> list[tuple[str, str, bool]]:
    """Name, value, and whether it is to be dropped, of one Set-Cookie header."""
    cookie: SimpleCookie = SimpleCookie()
    try:
        cookie.load(line)
    except CookieError:
        return []
    return [
        (name, morsel.coded_value, not morsel.value or morsel["max-age"] == "0")
        for name, morsel in cookie.items()
    ]
