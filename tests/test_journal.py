"""The timeline's file: written off the loop, rotated, and never in the way."""

import asyncio
import json
import logging
from pathlib import Path

import pytest

from tests.virtual_clock import run
from voicehermes.adapters.journal import Journal, older
from voicehermes.timeline import Record


def record(number: int) -> Record:
    return {"t": float(number), "turn": number, "event": "submit"}


def numbers(path: Path) -> list[int]:
    return [json.loads(line)["turn"] for line in path.read_text("utf-8").splitlines()]


async def wait_written(journal: Journal, *bursts: int) -> None:
    """Write bursts of so many records, giving the journal a moment after each, then end it."""
    task = asyncio.get_running_loop().create_task(journal.run(), name="journal")
    number = 0
    for burst in bursts:
        for _ in range(burst):
            journal.write(record(number))
            number += 1
        await asyncio.sleep(1)
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()


def test_records_are_written_in_order_with_the_time_at_which_the_daemon_began(
    tmp_path: Path,
) -> None:
    path = tmp_path / "state" / "timeline.jsonl"
    run(wait_written(Journal(path, since=1764541234.56789), 1, 2, 3))
    assert numbers(path) == [0, 1, 2, 3, 4, 5]
    first = json.loads(path.read_text("utf-8").splitlines()[0])
    assert first == {"t": 0.0, "turn": 0, "event": "submit", "since": 1764541234.568}


def test_the_file_is_private(tmp_path: Path) -> None:
    path = tmp_path / "timeline.jsonl"
    run(wait_written(Journal(path, since=0), 1))
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_was_noted_just_before_the_end_is_written(tmp_path: Path) -> None:
    path = tmp_path / "timeline.jsonl"

    async def main() -> None:
        journal = Journal(path, since=0)
        task = asyncio.get_running_loop().create_task(journal.run(), name="journal")
        await asyncio.sleep(0)
        journal.write(record(1))
        await asyncio.sleep(0)  # it is on its way to the disk
        journal.write(record(2))
        task.cancel()
        await asyncio.wait({task})

    run(main())
    assert numbers(path) == [1, 2]


def test_a_later_daemon_goes_on_in_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "timeline.jsonl"
    run(wait_written(Journal(path, since=1), 2))
    run(wait_written(Journal(path, since=2), 2))
    assert numbers(path) == [0, 1, 0, 1]


def test_a_full_file_becomes_the_older_one(tmp_path: Path) -> None:
    path = tmp_path / "timeline.jsonl"
    run(wait_written(Journal(path, since=0, max_bytes=200), *[1] * 8))
    assert numbers(older(path)) + numbers(path) == [3, 4, 5, 6, 7]
    assert path.stat().st_size <= 200


@pytest.mark.parametrize("name", ["full", "folder"])
def test_a_file_that_cannot_be_written_is_logged_once_and_stops_nothing(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = Path("/dev/full") if name == "full" else tmp_path
    with caplog.at_level(logging.WARNING):
        run(wait_written(Journal(path, since=0), 1, 1, 1))
    (logged,) = caplog.records
    assert logged.getMessage().startswith(f"The timeline {path} cannot be written: ")
