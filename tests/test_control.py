"""The control socket, with real sockets: what it takes, and what it survives."""
# ruff: noqa: ASYNC240  # a test may look at a file while its loop waits

import asyncio
import json
import os
import socket
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from voicehermes.adapters.triggers import control
from voicehermes.adapters.triggers.control import MAX_CLIENTS, MAX_LINE_BYTES, Control
from voicehermes.adapters.triggers.control_client import COMMANDS, request, socket_path
from voicehermes.errors import ConfigError, TriggerError
from voicehermes.events import Trigger, TriggerKind


class Daemon:
    """A control socket with what it handed on."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.triggers: list[Trigger] = []
        self.quits = 0
        self.control = Control(path, lambda: {"state": "idle", "muted": False}, self.quit)

    def quit(self) -> None:
        self.quits += 1

    @property
    def kinds(self) -> list[str]:
        return [trigger.kind.value for trigger in self.triggers]

    async def ask(self, command: str) -> dict[str, object]:
        return await asyncio.to_thread(request, self.path, command)

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_unix_connection(self.path)

    async def send(self, data: bytes) -> list[dict[str, object]]:
        """Answers to what is sent, after which no more is sent."""
        reader, writer = await self.connect()
        writer.write(data)
        writer.write_eof()
        async with asyncio.timeout(5):
            answers = (await reader.read()).splitlines()
        writer.close()
        return [json.loads(answer) for answer in answers]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "voicehermes.sock"


@asynccontextmanager
async def running(path: Path) -> AsyncIterator[Daemon]:
    daemon = Daemon(path)
    async with daemon.control.open(daemon.triggers.append):
        yield daemon


async def test_commands_become_triggers_in_order(path: Path) -> None:
    kinds = ["press", "release", "toggle", "cancel", "mute", "unmute"]
    async with running(path) as daemon:
        before = asyncio.get_running_loop().time()
        for kind in kinds:
            assert await daemon.ask(kind) == {"ok": True}
        assert daemon.kinds == kinds
        assert all(trigger.at >= before for trigger in daemon.triggers)
        assert not any(trigger.can_repeat for trigger in daemon.triggers)


def test_every_trigger_is_a_command() -> None:
    assert {kind.value for kind in TriggerKind} | {"status", "quit"} == set(COMMANDS)


async def test_status_is_the_daemons_with_its_process(path: Path) -> None:
    async with running(path) as daemon:
        status = (await daemon.ask("status"))["status"]
        assert status == {"pid": os.getpid(), "state": "idle", "muted": False}


async def test_quit_is_answered_and_asks_the_daemon_to_end(path: Path) -> None:
    async with running(path) as daemon:
        assert await daemon.ask("quit") == {"ok": True}
        assert daemon.quits == 1


async def test_one_client_may_send_many_lines_and_leave_out_the_last_line_feed(path: Path) -> None:
    async with running(path) as daemon:
        answers = await daemon.send(b'{"command":"press"}\n\n {"command": "release"} ')
        assert answers == [{"ok": True}, {"ok": True}]
        assert daemon.kinds == ["press", "release"]


async def test_only_the_owner_can_use_the_socket_and_it_is_gone_at_the_end(path: Path) -> None:
    path = path.parent / "new" / "folder" / "v.sock"
    async with running(path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize(
    "line",
    [
        b"press",
        b"{",
        b"[]",
        b'"press"',
        b"{}",
        b'{"command": null}',
        b'{"command": ["press"]}',
        b'{"command": "sing"}',
        b'{"command": "PRESS"}',
        b"\x00\xff\xfe",
        b"[" * 4000,
        b"\xef\xbb\xbf{}",
    ],
)
async def test_junk_is_refused_with_a_reason_and_does_no_harm(path: Path, line: bytes) -> None:
    async with running(path) as daemon:
        refusal, accepted = await daemon.send(line + b'\n{"command": "press"}\n')
        assert refusal["ok"] is False
        assert refusal["error"]
        assert "toggle" in str(refusal["hint"])
        assert accepted == {"ok": True}
        assert daemon.kinds == ["press"]


async def test_an_endless_line_is_refused_piece_by_piece(path: Path) -> None:
    async with running(path) as daemon:
        answers = await daemon.send(b"x" * (3 * MAX_LINE_BYTES))
        assert answers
        assert not any(answer["ok"] for answer in answers)
        assert await daemon.ask("press") == {"ok": True}


async def test_a_client_that_does_not_read_its_answers_is_dropped(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "_WRITE_SECONDS", 0.05)
    async with running(path) as daemon:
        await asyncio.to_thread(ask_for_ever, path)
        assert await daemon.ask("press") == {"ok": True}


def ask_for_ever(path: Path) -> None:
    """Send questions and read no answer, until the daemon has had enough."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(20)
        client.connect(str(path))
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            client.sendall(b'{"command": "status"}\n' * 1_000_000)


async def test_a_client_that_vanishes_after_its_question_is_obeyed_and_forgotten(
    path: Path,
) -> None:
    async with running(path) as daemon:
        _, writer = await daemon.connect()
        writer.write(b'{"command": "press"}\n')
        await writer.drain()
        writer.transport.abort()
        while daemon.kinds != ["press"] or daemon.control._clients:  # noqa: ASYNC110
            await asyncio.sleep(0.001)


async def test_with_too_many_clients_the_longest_silent_one_is_dropped(path: Path) -> None:
    async with running(path) as daemon:
        talker_reader, talker = await daemon.connect()
        talker.write(b'{"command": "mute"}\n')
        await talker_reader.readline()
        silent = [await daemon.connect() for _ in range(MAX_CLIENTS - 1)]
        talker.write(b'{"command": "unmute"}\n')
        await talker_reader.readline()
        assert await daemon.ask("press") == {"ok": True}
        async with asyncio.timeout(5):
            assert await silent[0][0].read() == b""
        talker.write(b'{"command": "release"}\n')
        assert json.loads(await talker_reader.readline()) == {"ok": True}
        for _, writer in [*silent, (None, talker)]:
            writer.close()


async def test_closing_drops_the_clients_that_are_still_there(path: Path) -> None:
    async with running(path) as daemon:
        reader, writer = await daemon.connect()
        await daemon.ask("press")
    async with asyncio.timeout(5):
        assert await reader.read() == b""
    writer.close()


async def test_clients_that_are_dropped_are_no_failure_of_the_daemon(path: Path) -> None:
    """Python 3.11 reported each as an exception in a callback."""
    failures: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, failure: failures.append(failure))
    async with running(path) as daemon:
        connections = [await daemon.connect() for _ in range(MAX_CLIENTS + 3)]
        assert await daemon.ask("status")
    for reader, writer in connections:
        assert await reader.read() == b""
        writer.close()
    await asyncio.sleep(0.01)
    assert not failures


async def test_a_second_daemon_is_refused_and_told_which_process_is_the_first(path: Path) -> None:
    async with running(path) as first:
        with pytest.raises(TriggerError, match=rf"already runs \(process {os.getpid()}\)"):
            async with running(path):
                pass
        assert await first.ask("press") == {"ok": True}


async def test_of_two_daemons_that_start_together_one_runs(path: Path) -> None:
    kill_left_over(path)
    outcomes: list[str] = []
    first_runs, both_tried = asyncio.Event(), asyncio.Event()

    async def start() -> None:
        try:
            async with running(path):
                outcomes.append("runs")
                first_runs.set()
                await both_tried.wait()
        except TriggerError:
            outcomes.append("refused")
            await first_runs.wait()
            both_tried.set()

    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        group.create_task(start(), name="one")
        group.create_task(start(), name="other")
    assert sorted(outcomes) == ["refused", "runs"]


def kill_left_over(path: Path) -> None:
    """The socket of a daemon that was killed."""
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))


async def test_the_socket_of_a_killed_daemon_is_taken_over(path: Path) -> None:
    kill_left_over(path)
    async with running(path) as daemon:
        assert await daemon.ask("press") == {"ok": True}
    assert not path.exists()


async def test_a_mute_daemon_at_the_path_is_not_taken_over(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "_CLAIM_SECONDS", 0.1)
    with socket.socket(socket.AF_UNIX) as mute:
        mute.bind(str(path))
        mute.listen()
        with pytest.raises(TriggerError, match="already runs and listens"):
            async with running(path):
                pass
    assert path.exists()


async def test_a_file_that_is_no_socket_is_left_alone(path: Path) -> None:
    path.write_text("mine")
    with pytest.raises(TriggerError, match="another file is there"):
        async with running(path):
            pass
    assert path.read_text() == "mine"


async def test_a_folder_that_cannot_be_is_one_sentence(path: Path) -> None:
    path.write_text("a file, no folder")
    with pytest.raises(TriggerError, match="Cannot make the control socket"):
        async with running(path / "v.sock"):
            pass


async def test_a_socket_that_another_has_replaced_is_not_removed(path: Path) -> None:
    async with running(path):
        path.unlink()
        path.write_text("another's")
    assert path.read_text() == "another's"


def test_the_socket_is_in_the_runtime_folder_or_else_in_the_state_folder() -> None:
    state = Path("/home/u/.local/state/voicehermes")
    runtime = {"XDG_RUNTIME_DIR": "/run/user/1000"}
    assert socket_path("", runtime, state) == Path("/run/user/1000/voicehermes.sock")
    assert socket_path("", {}, state) == state / "voicehermes.sock"
    assert socket_path("", {"XDG_RUNTIME_DIR": "not/absolute"}, state) == state / "voicehermes.sock"
    assert socket_path("/tmp/v.sock", runtime, state) == Path("/tmp/v.sock")
    assert socket_path("~/v.sock", runtime, state) == Path.home() / "v.sock"


def test_a_path_that_no_socket_can_have_is_refused_with_the_rule() -> None:
    longest = "/tmp/" + "à" * 49 + "abcd"  # 5 + 98 + 4 bytes
    assert socket_path(longest, {}, Path("/"))
    with pytest.raises(ConfigError, match=r"\[control\] socket must be a path of at most 107"):
        socket_path(longest + "e", {}, Path("/"))
