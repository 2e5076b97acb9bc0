"""Devices: found by name at each opening, and what one library cannot open the other one does."""

import array
import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.microphone import FakeMicrophone, quiet
from tests.virtual_clock import run
from voicehermes.adapters.sound.blocks import Blocks, Haste
from voicehermes.adapters.sound.devices import FirstThatOpens, open_microphone
from voicehermes.adapters.sound.files import FileMicrophone
from voicehermes.adapters.sound.names import DeviceInfo, Direction, find_device
from voicehermes.adapters.sound.portaudio_mic import Recorder
from voicehermes.adapters.sound.resampling import ToMono16k
from voicehermes.audio import FRAME_BYTES
from voicehermes.errors import DeviceError, FormatError


def device(name: str, inputs: int = 0, outputs: int = 0, *, default: str = "") -> DeviceInfo:
    return DeviceInfo(
        name, inputs, outputs, 48_000, default == "input", default == "output", "ALSA"
    )


DEVICES = [
    device("HDMI", outputs=2),
    device("USB Audio: Jabra (hw:1,0)", inputs=1, outputs=2),
    device("USB Audio", inputs=2),
    device("Built-in", inputs=2, outputs=2, default="input"),
    device("Cuffie", outputs=2, default="output"),
]


@pytest.mark.parametrize(
    ("name", "direction", "found"),
    [
        ("default", "input", "Built-in"),
        ("default", "output", "Cuffie"),
        ("jabra", "input", "USB Audio: Jabra (hw:1,0)"),
        ("usb audio", "input", "USB Audio"),
        ("USB", "output", "USB Audio: Jabra (hw:1,0)"),
        ("cuffie", "output", "Cuffie"),
    ],
)
def test_a_device_is_found_by_its_name_or_a_part(
    name: str, direction: Direction, found: str
) -> None:
    assert DEVICES[find_device(DEVICES, name, direction)].name == found


def test_an_unknown_device_is_refused_with_the_names_of_those_that_can_record() -> None:
    with pytest.raises(DeviceError) as caught:
        find_device(DEVICES, "Blue Yeti", "input")
    assert str(caught.value) == (
        'There is no microphone called "Blue Yeti". Set [audio] input to "default" or part of one '
        'of these names: "USB Audio: Jabra (hw:1,0)", "USB Audio", "Built-in".'
    )


def test_a_speaker_is_no_microphone() -> None:
    with pytest.raises(DeviceError, match="no microphone called"):
        find_device(DEVICES, "Cuffie", "input")


def test_no_device_at_all_is_said() -> None:
    with pytest.raises(DeviceError, match=r"^There is no microphone\."):
        find_device([device("HDMI", outputs=2)], "default", "input")


def test_without_a_default_the_first_device_is_taken() -> None:
    assert (
        find_device([device("HDMI", outputs=2), device("USB", inputs=1)], "default", "input") == 1
    )


def test_a_file_is_a_microphone_too() -> None:
    assert isinstance(open_microphone("file:~/domanda.wav"), FileMicrophone)


# Two libraries


def test_what_the_first_library_cannot_open_the_second_one_does() -> None:
    first, second = FakeMicrophone(), FakeMicrophone()
    first.refusals = 1
    second.hear(quiet(7))

    async def main() -> bytes:
        async with FirstThatOpens(first, second).open() as frames:
            assert second.is_open
            return await anext(frames)

    assert run(main()) == quiet(7)
    assert not second.is_open


def test_when_neither_opens_the_first_ones_reason_is_told() -> None:
    first, second = FakeMicrophone(), FakeMicrophone()
    first.refusals = second.refusals = 1

    async def main() -> None:
        async with FirstThatOpens(first, second).open():
            pass

    with pytest.raises(DeviceError, match="missing"):
        run(main())


def test_a_microphone_lost_later_is_not_replaced_silently() -> None:
    first, second = FakeMicrophone(), FakeMicrophone()

    async def main() -> None:
        async with FirstThatOpens(first, second).open() as frames:
            await anext(frames)
            first.lose()
            await anext(frames)

    with pytest.raises(DeviceError, match="gone"):
        run(main())
    assert second.openings == 0


# From the device's thread to the loop


async def take(blocks: Blocks, count: int) -> list[bytes]:
    async with aclosing(blocks.frames(ToMono16k(16_000, 1))) as frames:
        return [await anext(frames) for _ in range(count)]


def test_blocks_of_any_size_become_frames_in_order() -> None:
    async def main() -> list[bytes]:
        blocks = Blocks(Haste())
        pcm = b"".join(map(quiet, range(1, 6)))
        for at in range(0, len(pcm), 700):
            blocks.put(pcm[at : at + 700])
        return await take(blocks, 5)

    assert run(main()) == list(map(quiet, range(1, 6)))


def test_a_late_loop_loses_the_oldest_blocks_and_counts_them(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def main() -> tuple[list[bytes], int]:
        blocks = Blocks(Haste())
        for mark in range(100):
            blocks.put(quiet(mark))
        return await take(blocks, 64), blocks.dropped

    frames, dropped = run(main())
    assert dropped == 36
    assert frames == list(map(quiet, range(36, 100)))
    assert "36 blocks from the microphone were dropped" in caplog.text


def test_blocks_come_from_another_thread() -> None:
    async def main() -> list[bytes]:
        blocks = Blocks(Haste())
        async with asyncio.TaskGroup() as tasks:
            taking = tasks.create_task(take(blocks, 3), name="take")
            for mark in range(3):
                await asyncio.to_thread(blocks.put, quiet(mark))
        return taking.result()

    assert run(main()) == list(map(quiet, range(3)))


async def arrivals(haste: Haste, count: int) -> list[float]:
    """When each frame arrives of a device that gives one every quarter of a second."""
    loop = asyncio.get_running_loop()
    blocks = Blocks(haste)

    async def give() -> None:
        for mark in range(count):
            await asyncio.sleep(0.25)
            blocks.put(quiet(mark))

    async with (
        asyncio.TaskGroup() as tasks,
        aclosing(blocks.frames(ToMono16k(16_000, 1))) as frames,
    ):
        tasks.create_task(give(), name="device")
        times = []
        for mark in range(count):
            assert await anext(frames) == quiet(mark)
            times.append(loop.time())
    return times


def test_blocks_are_handed_over_one_by_one_or_where_there_is_no_hurry_four_at_once() -> None:
    haste = Haste()
    assert run(arrivals(haste, 4)) == [0.25, 0.5, 0.75, 1]
    haste.is_wanted = False
    assert run(arrivals(haste, 8)) == [1, 1, 1, 1, 2, 2, 2, 2]


def test_what_waited_is_handed_over_with_the_next_block_once_there_is_a_hurry() -> None:
    haste = Haste()
    haste.is_wanted = False

    async def main() -> list[float]:
        asyncio.get_running_loop().call_later(0.6, setattr, haste, "is_wanted", True)
        return await arrivals(haste, 5)

    assert run(main()) == [0.75, 0.75, 0.75, 1, 1.25]


def test_what_waited_when_the_device_went_away_is_not_lost() -> None:
    haste = Haste()
    haste.is_wanted = False

    async def main() -> list[bytes]:
        blocks = Blocks(haste)
        blocks.put(quiet(1))
        asyncio.get_running_loop().call_later(1, blocks.lose)
        return await take(blocks, 1)

    assert run(main()) == [quiet(1)]


def test_a_device_that_falls_silent_is_given_up_after_two_seconds() -> None:
    async def main() -> float:
        loop = asyncio.get_running_loop()
        blocks = Blocks(Haste())
        blocks.put(quiet())
        with pytest.raises(DeviceError, match="no sound any more"):
            await take(blocks, 2)
        return loop.time()

    assert run(main()) == pytest.approx(2.0)


def test_a_device_that_begins_slowly_is_given_five() -> None:
    async def main() -> float:
        loop = asyncio.get_running_loop()
        with pytest.raises(DeviceError, match="no sound"):
            await take(Blocks(Haste()), 1)
        return loop.time()

    assert run(main()) == pytest.approx(5.0)


def test_what_a_lost_device_still_gave_is_taken_first() -> None:
    async def main() -> bytes:
        blocks = Blocks(Haste())
        blocks.put(quiet(1))
        blocks.lose()
        async with aclosing(blocks.frames(ToMono16k(16_000, 1))) as frames:
            taken = await anext(frames)
            with pytest.raises(DeviceError, match="gone"):
                await anext(frames)
        return taken

    assert run(main()) == quiet(1)


# Devices that do not record at 16 kHz in mono


class PickyPortAudio:
    """As much of sounddevice as opens a stream; takes only one rate and channel count."""

    class PortAudioError(Exception):
        pass

    def __init__(self, rate_hz: int, channels: int) -> None:
        self.takes = (rate_hz, channels)
        self.asked: list[tuple[int, int]] = []

    def RawInputStream(self, **wanted: Any) -> dict[str, Any]:  # noqa: N802
        self.asked.append((wanted["samplerate"], wanted["channels"]))
        if self.asked[-1] != self.takes:
            raise self.PortAudioError("Invalid sample rate", -9997)
        return wanted


@pytest.mark.parametrize("takes", [(16_000, 1), (16_000, 2), (48_000, 1), (48_000, 2), (48_000, 6)])
def test_a_device_is_opened_the_way_it_likes_and_gives_16_khz_mono(takes: tuple[int, int]) -> None:
    rate_hz, channels = takes

    async def main() -> list[bytes]:
        recorder = Recorder(Blocks(Haste()))
        library = PickyPortAudio(rate_hz, channels)
        stream = recorder.make_stream(library, 0, device("USB", inputs=6))
        assert library.asked[0] == (16_000, 1)
        assert library.asked[-1] == takes
        samples = stream["blocksize"]
        assert 0.02 <= samples / rate_hz <= 0.06, "neither too many calls nor too late"
        block = array.array("h", [2_000] * (samples * channels))
        async with aclosing(recorder.frames()) as frames:
            for _ in range(20):
                stream["callback"](memoryview(block.tobytes()), samples, None, None)
            return [await anext(frames) for _ in range(8)]

    frames = run(main())
    assert {len(frame) for frame in frames} == {FRAME_BYTES}
    middle = array.array("h", frames[4])
    assert max(middle) - min(middle) < 8
    assert middle[0] == pytest.approx(2_000, abs=8)


def test_a_device_that_refuses_everything_is_refused() -> None:
    async def main() -> None:
        recorder = Recorder(Blocks(Haste()))
        with pytest.raises(PickyPortAudio.PortAudioError):
            recorder.make_stream(PickyPortAudio(1, 1), 0, device("USB", inputs=2))

    run(main())


def test_a_path_may_begin_with_a_tilde(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    async def main() -> None:
        async with open_microphone("file:~/manca.wav").open():
            pass

    with pytest.raises(FormatError, match=f"There is no file {tmp_path}/manca.wav"):
        run(main())
