"""Private files that outlive the process: whole or not at all."""

import stat
from pathlib import Path

import pytest

from voicehermes.adapters.store import Store
from voicehermes.errors import StoreError


def test_what_is_written_is_read(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write("a/b.json", b"one")
    store.write("a/b.json", b"two")
    assert store.read("a/b.json") == b"two"
    assert store.read("a/c.json") is None


def test_files_and_folders_are_for_the_user_alone(tmp_path: Path) -> None:
    Store(tmp_path / "state").write("a.json", b"")
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "state" / "a.json").stat().st_mode) == 0o600


def test_a_write_that_breaks_off_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path)
    store.write("a/b.json", b"old")

    def refuse(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", refuse)
    with pytest.raises(StoreError, match=r"b\.json: No space left on device"):
        store.write("a/b.json", b"new")
    assert store.read("a/b.json") == b"old"
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b.json"]


def test_names_are_those_of_whole_files_in_order(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write("a/2", b"")
    store.write("a/1", b"")
    (tmp_path / "a" / ".new-x").write_bytes(b"")
    (tmp_path / "a" / "folder").mkdir()  # not ours; it must not stop a retry
    assert store.names("a") == ["a/1", "a/2"]
    assert store.names("b") == []


def test_what_is_removed_is_gone_and_may_be_gone_already(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write("a", b"")
    store.remove("a")
    store.remove("a")
    assert store.read("a") is None


def test_what_cannot_be_used_is_named(tmp_path: Path) -> None:
    store = Store(tmp_path)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError, match="file/a"):
        store.write("file/a", b"")
    with pytest.raises(StoreError, match="file: Not a directory"):
        store.names("file")
    (tmp_path / "folder").mkdir()
    with pytest.raises(StoreError, match="folder: Is a directory"):
        store.read("folder")
    with pytest.raises(StoreError, match="folder"):
        store.remove("folder")
