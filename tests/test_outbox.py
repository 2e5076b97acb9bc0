"""What was said stays on disk until it has arrived."""

import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from voicehermes.adapters.outbox import FOLDER, MOST_ENTRIES, Outbox
from voicehermes.adapters.store import Store
from voicehermes.audio import Utterance, UtteranceEnd

SPEECH = Utterance(b"OggS", ".ogg", 1.0, UtteranceEnd.RELEASED)
DEAD_PID = 2**22 + 1
"""Above the largest process id that Linux gives."""


class Clock:
    def __init__(self) -> None:
        self.time = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.time += timedelta(seconds=1)
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def outbox(tmp_path: Path, clock: Clock) -> Outbox:
    return Outbox(Store(tmp_path), now=clock)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / FOLDER).iterdir())


def test_words_take_the_place_of_the_audio_and_go_once_they_arrived(
    outbox: Outbox, tmp_path: Path
) -> None:
    key = outbox.new_key()
    outbox.keep_utterance(key, SPEECH)
    assert [name.rsplit(".")[-1] for name in files(tmp_path)] == ["ogg"]
    outbox.keep_words(key, "che ore sono")
    assert [name.rsplit(".")[-1] for name in files(tmp_path)] == ["txt"]
    outbox.forget(key)
    assert files(tmp_path) == []


def test_files_are_private(outbox: Outbox, tmp_path: Path) -> None:
    outbox.keep_utterance(outbox.new_key(), SPEECH)
    path = next((tmp_path / FOLDER).iterdir())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_a_live_process_works_on_is_not_free_until_it_gives_up(outbox: Outbox) -> None:
    key = outbox.new_key()
    outbox.keep_words(key, "ciao")
    assert outbox.free_entries() == []
    outbox.leave(key)
    [entry] = outbox.free_entries()
    assert (entry.key, entry.what) == (key, "ciao")
    outbox.leave(key)
    assert len(outbox.free_entries()) == 1


def test_what_a_dead_process_worked_on_is_free(outbox: Outbox, tmp_path: Path) -> None:
    key = outbox.new_key()
    Store(tmp_path).write(f"{FOLDER}/{key}.{DEAD_PID}-1.ogg", b"OggS")
    [entry] = outbox.free_entries()
    assert isinstance(entry.what, Utterance)
    assert (entry.what.data, entry.what.suffix) == (b"OggS", ".ogg")
    outbox.keep_words(key, "ciao")
    assert outbox.free_entries() == []
    outbox.forget(key)
    assert files(tmp_path) == []


def test_an_earlier_process_with_our_id_is_dead(outbox: Outbox, tmp_path: Path) -> None:
    key = outbox.new_key()
    Store(tmp_path).write(f"{FOLDER}/{key}.{os.getpid()}-1.txt", b"ciao")
    [entry] = outbox.free_entries()
    assert entry.what == "ciao"


def test_entries_are_bounded_in_number_and_age(
    outbox: Outbox, tmp_path: Path, clock: Clock
) -> None:
    keys = [outbox.new_key() for _ in range(MOST_ENTRIES + 3)]
    for key in keys:
        outbox.keep_utterance(key, SPEECH)
        outbox.leave(key)
    assert [entry.key for entry in outbox.free_entries()] == keys[3:]
    clock.time += timedelta(days=31)
    assert outbox.free_entries() == []


def test_a_file_that_is_not_ours_is_left_alone(outbox: Outbox, tmp_path: Path) -> None:
    Store(tmp_path).write(f"{FOLDER}/README", b"mine")
    assert outbox.free_entries() == []
    assert files(tmp_path) == ["README"]
