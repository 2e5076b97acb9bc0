"""Sound systems that hang: the program waits for them, and then goes on without."""

import asyncio
import gc
import threading

import pytest

from voicehermes.adapters.sound import patience
from voicehermes.errors import DeviceError


class Device:
    """Keeps what is done to it, in order; each call may be made to hang. Let it go at the end."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.starts = threading.Event()
        self.closes = threading.Event()
        self.starts.set()
        self.closes.set()

    def start(self) -> None:
        self.starts.wait(5)
        self.done.append("start")

    def close(self) -> None:
        self.closes.wait(5)
        self.done.append("close")


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Device:
    monkeypatch.setattr(patience, "_OPEN_SECONDS", 0.05)
    monkeypatch.setattr(patience, "_CLOSE_SECONDS", 0.05)
    return Device()


async def test_a_device_is_closed_at_the_end(device: Device) -> None:
    async with patience.opened(device.start, device.close):
        assert device.done == ["start"]
    assert device.done == ["start", "close"]


async def test_a_start_that_hangs_is_given_up(device: Device) -> None:
    device.starts.clear()
    with pytest.raises(DeviceError, match="does not answer"):
        async with patience.opened(device.start, device.close):
            pass
    assert device.done == ["close"]
    device.starts.set()


async def test_a_close_that_hangs_does_not_hold_up_what_comes_after(
    device: Device, caplog: pytest.LogCaptureFixture
) -> None:
    device.closes.clear()
    async with patience.opened(device.start, device.close):
        pass
    assert device.done == ["start"]
    assert "left open" in caplog.text
    device.closes.set()


async def test_a_start_that_fails_is_told_and_closed(device: Device) -> None:
    def refuse() -> None:
        raise DeviceError("It is busy.")

    with pytest.raises(DeviceError, match="busy"):
        async with patience.opened(refuse, device.close):
            pass
    assert device.done == ["close"]


async def test_who_is_cancelled_while_it_opens_leaves_nothing_open(device: Device) -> None:
    device.starts.clear()

    async def use() -> None:
        async with patience.opened(device.start, device.close):
            pass

    async with asyncio.TaskGroup() as tasks:
        using = tasks.create_task(use(), name="use")
        await asyncio.sleep(0.01)
        using.cancel()
    assert using.cancelled()
    assert device.done == ["close"]
    device.starts.set()


async def test_a_start_that_fails_after_its_user_was_cancelled_is_no_mishap(
    device: Device, caplog: pytest.LogCaptureFixture
) -> None:
    device.starts.clear()

    def refuse() -> None:
        device.start()
        raise DeviceError("It is busy.")

    async def use() -> None:
        async with patience.opened(refuse, device.close):
            pass

    async with asyncio.TaskGroup() as tasks:
        using = tasks.create_task(use(), name="use")
        await asyncio.sleep(0.01)
        using.cancel()
    device.starts.set()
    await asyncio.sleep(0.05)
    del using  # its traceback holds the start
    gc.collect()
    assert device.done == ["close", "start"]
    assert not caplog.records
