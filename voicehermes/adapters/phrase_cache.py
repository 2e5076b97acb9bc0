"""Sentences of ours as sound on the disk, so that they are there at once and without a server."""

import asyncio
import hashlib

from voicehermes.adapters.store import Store
from voicehermes.audio import PLAY_RATE_HZ, SAMPLE_BYTES, Sound

_FOLDER = "phrases"
_MOST = 200
"""Phrases kept, some 20 MB; we have fewer, in a voice or two."""


class PhraseCache:
    """Sound by engine, settings and text: another voice or rate is another sound.

    Invariant: at most _MOST phrases are kept, those newest made.
    """

    def __init__(self, store: Store, settings: str) -> None:
        """``settings`` is all that shapes the sound but engine and text: voice, rate, pitch."""
        self._store = store
        self._settings = settings

    async def get(self, engine: str, text: str) -> Sound | None:
        """The sound, or None when it is not there. Raises StoreError."""
        pcm = await asyncio.to_thread(self._store.read, self._name(engine, text))
        return Sound(pcm) if pcm and len(pcm) % SAMPLE_BYTES == 0 else None

    async def put(self, engine: str, text: str, sound: Sound) -> None:
        """Keep the sound. Raises StoreError."""
        await asyncio.to_thread(self._write, self._name(engine, text), sound.pcm)

    def _name(self, engine: str, text: str) -> str:
        key = "\n".join((str(PLAY_RATE_HZ), engine, self._settings, text))
        return f"{_FOLDER}/{hashlib.sha256(key.encode()).hexdigest()[:40]}.pcm"

    def _write(self, name: str, pcm: bytes) -> None:
        self._store.write(name, pcm)
        by_age = sorted(self._store.names(_FOLDER), key=self._written_at)
        for old in by_age[:-_MOST]:
            self._store.remove(old)

    def _written_at(self, name: str) -> float:
        try:
            return (self._store.folder / name).stat().st_mtime
        except OSError:  # gone meanwhile
            return 0.0
