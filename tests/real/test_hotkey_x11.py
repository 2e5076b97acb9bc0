import asyncio
import itertools
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from tests.real.x_server import XServer, missing, open_x_server

pytestmark = pytest.mark.real_parts

# Listens in a process of its own, since pynput looks for its display once, when it is imported.
LISTEN = """
import asyncio, sys
from voicehermes.adapters.triggers.hotkey import Hotkeys
from voicehermes.errors import TriggerError

def show(trigger):
    print(trigger.kind.value, f"{trigger.at:.3f}", trigger.can_repeat, flush=True)

async def main():
    lost = asyncio.Event()
    def on_lost(error):
        print("lost", error, flush=True)
        lost.set()
    async with Hotkeys(*sys.argv[1:], on_lost).open(show):
        print("open", flush=True)
        await asyncio.wait(
            {
                asyncio.get_running_loop().run_in_executor(None, sys.stdin.read),
                asyncio.get_running_loop().create_task(lost.wait()),
            },
            return_when=asyncio.FIRST_COMPLETED,
        )
    print("closed", flush=True)

try:
    asyncio.run(main())
except TriggerError as error:
    print("refused", error, flush=True)
"""


class Listening:
    """What a process with hotkeys says, word by word."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def line(self) -> list[str]:
        assert self.process.stdout
        async with asyncio.timeout(10):
            return (await self.process.stdout.readline()).decode().split()

    async def kinds(self, count: int) -> list[str]:
        return [(await self.line())[0] for _ in range(count)]

    async def rest(self) -> list[list[str]]:
        """End it; what it said and was not yet read, the last line of which must be "closed"."""
        async with asyncio.timeout(10):
            output, errors = await self.process.communicate(b"")
        assert errors == b""
        lines = [line.split() for line in output.decode().splitlines()]
        assert lines[-1] == ["closed"]
        return lines[:-1]


@asynccontextmanager
async def listening(server: XServer, talk: str, cancel: str = "") -> AsyncIterator[Listening]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", LISTEN, talk, cancel),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=server.env,
    )
    try:
        yield Listening(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


@pytest.fixture
def own_x_server() -> Iterator[XServer]:
    """An X server that the test may end."""
    if (reason := missing()) is not None:
        pytest.skip(reason)
    with open_x_server() as server:
        yield server


async def test_right_ctrl_is_one_press_and_one_release_and_no_repeat(x_server: XServer) -> None:
    async with listening(x_server, "ctrl_r") as hotkeys:
        assert await hotkeys.line() == ["open"]
        x_server.key_down("Control_R")
        kind, pressed_at, can_repeat = await hotkeys.line()
        assert (kind, can_repeat) == ("press", "False")
        await asyncio.sleep(1.0)  # longer than the keyboard waits before it repeats
        x_server.key_up("Control_R")
        kind, released_at, can_repeat = await hotkeys.line()
        assert (kind, can_repeat) == ("release", "False")
        assert float(released_at) - float(pressed_at) == pytest.approx(1.0, abs=0.3)
        assert await hotkeys.rest() == []


async def test_the_left_ctrl_is_not_the_right_one(x_server: XServer) -> None:
    async with listening(x_server, "ctrl_r") as hotkeys:
        assert await hotkeys.line() == ["open"]
        x_server.key_down("Control_L")
        x_server.key_up("Control_L")
        x_server.key_down("Control_R")
        x_server.key_up("Control_R")
        assert await hotkeys.kinds(2) == ["press", "release"]
        assert await hotkeys.rest() == []


async def test_a_held_f9_repeats_and_each_press_has_the_time_at_which_it_happened(
    x_server: XServer,
) -> None:
    async with listening(x_server, "f9") as hotkeys:
        assert await hotkeys.line() == ["open"]
        x_server.key_down("F9")
        await asyncio.sleep(1.5)
        x_server.key_up("F9")
        triggers = [await hotkeys.line()]
        while triggers[-1][0] != "release":
            triggers.append(await hotkeys.line())
        assert {can_repeat for _, _, can_repeat in triggers} == {"True"}
        assert len(triggers) > 5
        # An idle server hands the repeats over at the end, all at once.
        times = [float(at) for _, at, _ in triggers]
        assert times == sorted(times)
        assert times[1] - times[0] < 1.0
        assert max(later - sooner for sooner, later in itertools.pairwise(times)) < 1.0
        assert times[-2] - times[1] > 0.5
        assert await hotkeys.rest() == []


@pytest.mark.parametrize(
    ("keys", "down", "up"),
    [
        ("ctrl+space", ["Control_L", "space"], ["space", "Control_L"]),
        ("ctrl+space", ["Control_R", "space"], ["Control_R", "space"]),
        ("ctrl+space", ["space", "Control_L"], ["space", "Control_L"]),
        ("ctrl+alt+d", ["Control_L", "Alt_L", "d"], ["Alt_L", "d", "Control_L"]),
        ("ctrl+shift+d", ["Control_L", "Shift_L", "d"], ["Shift_L", "d", "Control_L"]),
        ("ctrl+shift+1", ["Control_L", "Shift_L", "1"], ["Shift_L", "1", "Control_L"]),
        ("shift+alt+d", ["Shift_L", "Alt_L", "d"], ["d", "Shift_L", "Alt_L"]),
        ("alt_r", ["Alt_R"], ["Alt_R"]),
        ("altgr", ["ISO_Level3_Shift"], ["ISO_Level3_Shift"]),
        ("super", ["Super_L"], ["Super_L"]),
        ("media_play_pause", ["XF86_AudioPlay"], ["XF86_AudioPlay"]),
    ],
)
async def test_a_chord_is_pressed_when_it_is_whole_and_released_when_it_is_not(
    x_server: XServer, keys: str, down: list[str], up: list[str]
) -> None:
    async with listening(x_server, keys) as hotkeys:
        assert await hotkeys.line() == ["open"]
        for _ in range(2):  # the second time shows that no key stayed down
            for key in down:
                x_server.key_down(key)
            for key in up:
                x_server.key_up(key)
            assert await hotkeys.kinds(2) == ["press", "release"]
        assert await hotkeys.rest() == []


async def test_talk_and_cancel_share_a_listener(x_server: XServer) -> None:
    async with listening(x_server, "f9", "shift+f9") as hotkeys:
        assert await hotkeys.line() == ["open"]
        x_server.key_down("Shift_L")
        x_server.key_down("F9")
        x_server.key_up("F9")
        x_server.key_up("Shift_L")
        x_server.key_down("F9")
        x_server.key_up("F9")
        assert await hotkeys.kinds(3) == ["cancel", "press", "release"]
        assert await hotkeys.rest() == []


async def test_an_x_server_that_goes_away_is_reported(own_x_server: XServer) -> None:
    async with listening(own_x_server, "ctrl_r") as hotkeys:
        assert await hotkeys.line() == ["open"]
        own_x_server.stop()
        line = await hotkeys.line()
        assert line[0] == "lost"
        assert "ctl" in line
        assert await hotkeys.rest() == []


async def test_a_display_that_is_not_there_is_refused_in_a_sentence(own_x_server: XServer) -> None:
    own_x_server.stop()
    async with listening(own_x_server, "ctrl_r") as hotkeys:
        line = " ".join(await hotkeys.line())
        assert line.startswith("refused No global hotkey: the display :")
        assert "voicehermes ctl toggle" in line


async def test_an_x_server_without_the_record_extension_is_refused_in_a_sentence() -> None:
    if (reason := missing()) is not None:
        pytest.skip(reason)
    with open_x_server("-extension", "RECORD") as server:
        async with listening(server, "ctrl_r") as hotkeys:
            line = " ".join(await hotkeys.line())
            assert line.startswith("refused No global hotkey: The X server does not let programs")


async def test_it_ends_at_once_though_no_key_is_pressed_any_more(x_server: XServer) -> None:
    async with listening(x_server, "ctrl_r") as hotkeys:
        assert await hotkeys.line() == ["open"]
        await asyncio.sleep(0.3)
        began = time.monotonic()
        assert await hotkeys.rest() == []
        assert time.monotonic() - began < 1.0
