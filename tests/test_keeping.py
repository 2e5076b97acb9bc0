"""The outbox, turn by turn: the order of its calls, and a disk that fails."""

import asyncio
import threading

import pytest

from tests.fakes.outbox import FakeOutbox
from tests.virtual_clock import run
from voicehermes.keeping import Keeping


class SlowOutbox(FakeOutbox):
    """Writes words only when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.is_writing = threading.Event()
        self.may_write = threading.Event()

    def keep_words(self, key: str, text: str) -> None:
        self.is_writing.set()
        assert self.may_write.wait(10.0)
        super().keep_words(key, text)


def test_words_that_are_taken_back_while_they_are_written_are_not_kept() -> None:
    """A cancelled write went on beside the removal, and came after it."""
    outbox = SlowOutbox()

    async def main() -> None:
        keeping = Keeping(outbox)
        async with asyncio.TaskGroup() as tasks:
            writing = tasks.create_task(keeping.keep_words(1, "ciao"), name="keep")
            await asyncio.to_thread(outbox.is_writing.wait, 10.0)
            writing.cancel()
            forgetting = tasks.create_task(keeping.forget(1), name="forget")
            for _ in range(10):
                await asyncio.sleep(0)
            assert not forgetting.done()
            outbox.may_write.set()

    run(main())
    assert outbox.kept == {}


def test_the_words_of_the_parts_go_when_those_of_the_whole_are_kept() -> None:
    outbox = FakeOutbox()

    async def main() -> None:
        keeping = Keeping(outbox)
        await keeping.keep_words(1, "che ore")
        await keeping.keep_words(2, "che ore sono", parts=(1,))

    run(main())
    assert list(outbox.kept.values()) == ["che ore sono"]


def test_a_full_disk_is_logged_and_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    outbox = FakeOutbox()
    outbox.disk_is_full = True
    run(Keeping(outbox).keep_words(1, "ciao"))
    assert "No space left" in caplog.text
    assert "ciao" not in caplog.text


def test_what_was_left_for_a_retry_is_not_forgotten() -> None:
    outbox = FakeOutbox()

    async def main() -> None:
        keeping = Keeping(outbox)
        await keeping.keep_words(1, "ciao")
        await keeping.leave(1)
        await keeping.forget(1)

    run(main())
    assert list(outbox.left.values()) == ["ciao"]


def test_only_what_an_earlier_process_kept_may_have_arrived_already() -> None:
    keeping = Keeping(FakeOutbox())
    keeping.adopt(2, "key-0", said_at=1_700_000_000.0)
    assert keeping.said_at(2) == 1_700_000_000.0
    assert keeping.said_at(1) is None
