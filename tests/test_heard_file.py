"""How far runs were heard outlives the process."""

import asyncio
from pathlib import Path

import pytest

from tests import virtual_clock
from voicehermes.adapters.heard_file import MOST_RUNS, NAME, HeardFile
from voicehermes.adapters.store import Store


async def write(store: Store, sentences: dict[str, int]) -> None:
    heard = HeardFile(store)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(heard.run(), name="heard")
        heard.update(sentences)
        await asyncio.sleep(1)
        task.cancel()


def read(store: Store) -> HeardFile:
    async def main() -> HeardFile:
        heard = HeardFile(store)
        await heard.read()
        return heard

    return virtual_clock.run(main())


def test_what_was_heard_is_there_after_a_restart(tmp_path: Path) -> None:
    virtual_clock.run(write(Store(tmp_path), {"run-1": 3}))
    assert read(Store(tmp_path)) == {"run-1": 3}


def test_what_is_heard_at_the_very_end_is_there_after_a_restart(tmp_path: Path) -> None:
    """The last sentence before a stop was not written, and was spoken again."""

    async def main() -> None:
        heard = HeardFile(Store(tmp_path))
        async with asyncio.TaskGroup() as group:
            task = group.create_task(heard.run(), name="heard")
            await asyncio.sleep(1)
            heard["run-1"] = 3
            task.cancel()

    virtual_clock.run(main())
    assert read(Store(tmp_path)) == {"run-1": 3}


def test_old_runs_are_forgotten(tmp_path: Path) -> None:
    virtual_clock.run(write(Store(tmp_path), {f"run-{n}": n for n in range(MOST_RUNS + 5)}))
    kept = list(read(Store(tmp_path)))
    assert (len(kept), kept[-1]) == (MOST_RUNS, f"run-{MOST_RUNS + 4}")


@pytest.mark.parametrize("junk", [b"", b"[1]", b"{", b'{"run-1": "x"}', b"\xff"])
def test_a_broken_file_is_as_good_as_none(tmp_path: Path, junk: bytes) -> None:
    Store(tmp_path).write(NAME, junk)
    assert read(Store(tmp_path)) == {}
