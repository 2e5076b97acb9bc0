"""Phrases are kept by voice, and the oldest make room."""

import os
from pathlib import Path

import pytest

from voicehermes.adapters import phrase_cache
from voicehermes.adapters.phrase_cache import PhraseCache
from voicehermes.adapters.store import Store
from voicehermes.audio import Sound
from voicehermes.errors import StoreError

SOUND = Sound(b"\1\0" * 100)


async def test_what_was_put_is_there_in_that_voice_alone(tmp_path: Path) -> None:
    cache = PhraseCache(Store(tmp_path), "Elsa +0% +0Hz")
    await cache.put("server", "Annullato.", SOUND)
    assert await cache.get("server", "Annullato.") == SOUND
    assert await cache.get("server", "Approvato.") is None
    assert await cache.get("espeakng", "Annullato.") is None
    assert await PhraseCache(Store(tmp_path), "Diego +0% +0Hz").get("server", "Annullato.") is None


async def test_it_outlives_the_process(tmp_path: Path) -> None:
    await PhraseCache(Store(tmp_path), "Elsa").put("server", "Sì.", SOUND)
    assert await PhraseCache(Store(tmp_path), "Elsa").get("server", "Sì.") == SOUND


async def test_the_oldest_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phrase_cache, "_MOST", 3)
    cache = PhraseCache(Store(tmp_path), "Elsa")
    for age, text in ((30, "uno"), (20, "due"), (10, "tre")):
        await cache.put("server", text, SOUND)
        newest = max((tmp_path / "phrases").iterdir(), key=lambda path: path.stat().st_mtime)
        os.utime(newest, (1_000_000 - age, 1_000_000 - age))
    await cache.put("server", "quattro", SOUND)
    assert await cache.get("server", "uno") is None
    assert await cache.get("server", "due") == SOUND
    assert await cache.get("server", "quattro") == SOUND


async def test_a_broken_file_is_not_there(tmp_path: Path) -> None:
    cache = PhraseCache(Store(tmp_path), "Elsa")
    await cache.put("server", "Sì.", SOUND)
    [path] = (tmp_path / "phrases").iterdir()
    path.write_bytes(b"\1\0\1")
    assert await cache.get("server", "Sì.") is None


async def test_a_folder_that_cannot_be_written_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = PhraseCache(Store(tmp_path / "file"), "Elsa")
    with pytest.raises(StoreError):
        await cache.put("server", "Sì.", SOUND)
