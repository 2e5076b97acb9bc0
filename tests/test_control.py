"""The control socket, with real sockets: what it takes, and what it survives."""
# ruff: noqa: ASYNC240  # a test may look at a file while its loop waits

import asyncio
import json
import os
import socket
import stat
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from voicehermes.adapters.triggers import control
from voicehermes.adapters.triggers.control import MAX_CLIENTS, Control
from voicehermes.adapters.triggers.control_client import (
    COMMANDS,
    MAX_LINE_BYTES,
    request,
    socket_path,
)
from voicehermes.errors import ConfigError, GoneError, TriggerError, VoicehermesError
from voicehermes.events import ApprovalChoice, Trigger, TriggerKind

APPROVAL: dict[str, object] = {
    "id": "a1",
    "kind": "approval",
    "description": "delete in root path",
    "command": "rm -rf /tmp/perché\u202e\x1b[2J\n",
    "grants": ["once", "session"],
    "waits": 1,
}
QUESTION: dict[str, object] = {
    "id": "c1",
    "kind": "clarification",
    "question": "Dove?",
    "choices": ["staging", "production"],
    "expires_at": None,
    "waits": 0,
}


class FakeDecisions:
    """One decision; an answer is taken when the test lets it be, with the fault that it sets."""

    def __init__(self, pending: dict[str, object] | None = None) -> None:
        self.pending = pending
        self.fault: VoicehermesError | None = None
        self.lets = asyncio.Event()
        self.lets.set()
        self.begun = asyncio.Event()
        self.taken: list[tuple[str, str | None, str | None]] = []
        self.repeats = 0

    def decision(self) -> Mapping[str, object] | None:
        return self.pending

    async def answer(
        self, decision_id: str, choice: ApprovalChoice | None, text: str | None
    ) -> None:
        assert (choice is None) is not (text is None)
        assert choice in ("once", "session", "deny", None)
        self.begun.set()
        await self.lets.wait()
        if self.fault:
            raise self.fault
        if self.pending is None or self.pending["id"] != decision_id:
            raise GoneError("That decision is not pending any more.")
        self.pending = None
        self.taken.append((decision_id, choice, text))

    def repeat(self) -> bool:
        if self.fault:
            raise self.fault
        self.repeats += self.pending is not None
        return self.pending is not None


class Daemon:
    """A control socket with what it handed on."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.triggers: list[Trigger] = []
        self.quits = 0
        self.decisions = FakeDecisions()
        self.control = Control(
            path, lambda: {"state": "idle", "muted": False}, self.quit, self.decisions
        )

    def quit(self) -> None:
        self.quits += 1

    @property
    def kinds(self) -> list[str]:
        return [trigger.kind.value for trigger in self.triggers]

    async def ask(self, command: str, **parts: str) -> dict[str, object]:
        return await asyncio.to_thread(request, self.path, command, None, **parts)

    async def refusal(self, **message: object) -> tuple[str, str]:
        """What is refused, and the remedy."""
        (answer,) = await self.send(json.dumps(message).encode())
        assert answer["ok"] is False
        assert set(answer) == {"ok", "error", "hint"}
        return str(answer["error"]), str(answer["hint"])

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
    others = {"decision", "answer", "repeat", "status", "quit"}
    assert {kind.value for kind in TriggerKind} | others == set(COMMANDS)


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
        b'{"command": "\\ud800"}',
        b"[" * 60_000,
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


async def test_a_line_that_is_too_long_is_refused_once_and_none_of_it_is_obeyed(path: Path) -> None:
    smuggled = b" " * MAX_LINE_BYTES + b'{"command": "press"}'
    async with running(path) as daemon:
        answers = await daemon.send(3 * smuggled + b"\n" + smuggled + b'\n{"command": "mute"}')
        assert [answer["ok"] for answer in answers] == [False, False, True]
        assert answers[0]["error"] == answers[1]["error"] == "This line is longer than 65536 bytes."
        assert daemon.kinds == ["mute"]


async def test_a_line_as_long_as_allowed_is_obeyed(path: Path) -> None:
    async with running(path) as daemon:
        line = b'{"command": "press"}'.ljust(MAX_LINE_BYTES)
        assert await daemon.send(line + b"\n" + line) == [{"ok": True}, {"ok": True}]


async def test_an_endless_line_is_read_without_being_kept(path: Path) -> None:
    async with running(path) as daemon:
        (answer,) = await daemon.send(b"x" * (40 * MAX_LINE_BYTES))
        assert answer["ok"] is False
        assert await daemon.ask("press") == {"ok": True}


async def test_the_pending_decision_is_told_as_it_is(path: Path) -> None:
    async with running(path) as daemon:
        assert await daemon.ask("decision") == {"ok": True, "decision": None}
        daemon.decisions.pending = {**APPROVAL, "description": "half a letter: \ud800"}
        told = await daemon.ask("decision")
        assert told == {"ok": True, "decision": daemon.decisions.pending}


@pytest.mark.parametrize("choice", ["once", "session", "deny"])
async def test_a_choice_answers_the_approval_of_that_id(path: Path, choice: str) -> None:
    async with running(path) as daemon:
        daemon.decisions.pending = APPROVAL
        assert await daemon.ask("answer", id="a1", choice=choice) == {"ok": True}
        assert daemon.decisions.taken == [("a1", choice, None)]


@pytest.mark.parametrize(
    "text", ["2", " domani alle nove ", 'a\nb\x00\x1b[2J\u202e"}', "è 😀", "x" * 50_000]
)
async def test_a_text_answers_the_question_of_that_id_as_it_is(path: Path, text: str) -> None:
    async with running(path) as daemon:
        daemon.decisions.pending = QUESTION
        assert await daemon.ask("answer", id="c1", text=text) == {"ok": True}
        assert daemon.decisions.taken == [("c1", None, text)]


@pytest.mark.parametrize(
    ("pending", "parts", "error", "hint"),
    [
        (APPROVAL, {"id": "a1"}, "either a choice or a text", '{"command": "answer"'),
        (APPROVAL, {"id": "a1", "choice": "once", "text": "x"}, "either a choice or a", "Write"),
        (APPROVAL, {"id": "a1", "choice": "once", "yolo": True}, "nothing else", "Write"),
        (APPROVAL, {"id": "a1", "choice": "once", "session": "s"}, "nothing else", "Write"),
        (APPROVAL, {"choice": "once"}, "names the decision", "Write"),
        (APPROVAL, {"id": "", "choice": "once"}, "names the decision", "Write"),
        (APPROVAL, {"id": ["a1"], "choice": "once"}, "names the decision", "Write"),
        (APPROVAL, {"id": "\udcff", "choice": "once"}, "not valid Unicode", "UTF-8"),
        (APPROVAL, {"id": "a1", "choice": "always"}, '"always" cannot be', "once, session or"),
        (APPROVAL, {"id": "a1", "choice": "yolo"}, '"yolo" cannot be', "once, session or deny"),
        (APPROVAL, {"id": "a1", "choice": "Once"}, '"Once" cannot be', "once, session or deny"),
        (APPROVAL, {"id": "a1", "choice": ""}, '"" cannot be', "once, session or deny"),
        (APPROVAL, {"id": "a1", "choice": True}, "That cannot be", "once, session or deny"),
        (APPROVAL, {"id": "a1", "choice": ["once"]}, "That cannot be", "once, session or deny"),
        (APPROVAL, {"id": "a1", "choice": "\ud800"}, "cannot be", "once, session or deny"),
        (APPROVAL, {"id": "a1", "text": "once"}, "a text is no answer", "once, session or deny"),
        (QUESTION, {"id": "c1", "choice": "once"}, "answered by a text", "--text TEXT"),
        (QUESTION, {"id": "c1", "text": ""}, "is empty", "Say what"),
        (QUESTION, {"id": "c1", "text": " \n\u00a0"}, "is empty", "Say what"),
        (QUESTION, {"id": "c1", "text": 2}, "is empty", "Say what"),
        (QUESTION, {"id": "c1", "text": "a\udcffb"}, "not valid Unicode", "UTF-8"),
        (QUESTION, {"id": "a1", "choice": "once"}, "not pending any more", "ctl decision"),
        (None, {"id": "a1", "choice": "once"}, "not pending any more", "ctl decision"),
    ],
)
async def test_what_is_no_answer_to_what_is_pending_is_refused_with_a_remedy(
    path: Path,
    pending: dict[str, object] | None,
    parts: dict[str, object],
    error: str,
    hint: str,
) -> None:
    async with running(path) as daemon:
        daemon.decisions.pending = pending
        refused = await daemon.refusal(command="answer", **parts)
        assert error in refused[0]
        assert hint in refused[1]
        assert not daemon.decisions.taken
        assert daemon.decisions.pending is pending


async def test_a_decision_that_another_answered_first_is_refused_with_the_servers_word(
    path: Path,
) -> None:
    async with running(path) as daemon:
        daemon.decisions.pending = APPROVAL
        daemon.decisions.fault = GoneError("It expired.", hint="The run goes on.")
        said = await daemon.refusal(command="answer", id="a1", choice="once")
        assert said == ("It expired.", "The run goes on.")


async def test_others_are_served_and_nothing_is_confirmed_while_an_answer_is_sent(
    path: Path,
) -> None:
    async with running(path) as daemon, asyncio.TaskGroup() as group:
        daemon.decisions.pending = APPROVAL
        daemon.decisions.lets.clear()
        answering = group.create_task(daemon.ask("answer", id="a1", choice="once"), name="answer")
        await daemon.decisions.begun.wait()
        assert await daemon.ask("press") == {"ok": True}
        assert (await daemon.ask("decision"))["decision"] == APPROVAL
        assert not answering.done()
        daemon.decisions.lets.set()
        assert await answering == {"ok": True}


async def test_an_answer_that_takes_too_long_is_not_confirmed_and_goes_on(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "CONFIRM_SECONDS", 0.05)
    async with running(path) as daemon:
        daemon.decisions.pending = APPROVAL
        daemon.decisions.lets.clear()
        error, hint = await daemon.refusal(command="answer", id="a1", choice="deny")
        assert error == "The server has not confirmed the answer yet."
        assert "ctl decision" in hint
        daemon.decisions.lets.set()
        await asyncio.sleep(0.01)
        assert daemon.decisions.taken == [("a1", "deny", None)]


async def test_an_answer_outlives_the_client_that_gave_it(path: Path) -> None:
    async with running(path) as daemon:
        daemon.decisions.pending = APPROVAL
        daemon.decisions.lets.clear()
        _, writer = await daemon.connect()
        writer.write(b'{"command": "answer", "id": "a1", "choice": "deny"}\n')
        await daemon.decisions.begun.wait()
        writer.transport.abort()
        assert await daemon.ask("press") == {"ok": True}
        daemon.decisions.lets.set()
        while daemon.control._clients:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        assert daemon.decisions.taken == [("a1", "deny", None)]


async def test_closing_does_not_wait_for_an_answer_that_is_never_taken(path: Path) -> None:
    async with asyncio.timeout(5), running(path) as daemon:
        daemon.decisions.lets.clear()
        reader, writer = await daemon.connect()
        writer.write(b'{"command": "answer", "id": "a1", "choice": "deny"}\n')
        await daemon.decisions.begun.wait()
    assert await reader.read() == b""
    writer.close()


async def test_a_bug_while_answering_ends_the_daemon(path: Path) -> None:
    class BuggyDecisions(FakeDecisions):
        async def answer(self, *answer: Any) -> None:
            raise LookupError

    asyncio.get_running_loop().set_exception_handler(lambda *_: None)
    daemon = Daemon(path)
    daemon.control._decisions = BuggyDecisions(APPROVAL)

    async def live() -> None:
        async with asyncio.timeout(5), daemon.control.open(daemon.triggers.append):
            _, writer = await daemon.connect()
            writer.write(b'{"command": "answer", "id": "a1", "choice": "deny"}\n')
            with closing(writer):
                await asyncio.sleep(10)

    with pytest.raises(ExceptionGroup) as caught:
        await live()
    assert caught.group_contains(LookupError)


async def test_repeat_reads_what_is_pending_again(path: Path) -> None:
    async with running(path) as daemon:
        error, _ = await daemon.refusal(command="repeat")
        assert error == "Nothing is pending that could be read again."
        daemon.decisions.pending = QUESTION
        assert await daemon.ask("repeat") == {"ok": True}
        assert daemon.decisions.repeats == 1
        daemon.decisions.fault = TriggerError("It is still starting.", hint="Wait.")
        assert await daemon.refusal(command="repeat") == ("It is still starting.", "Wait.")


async def test_what_no_line_can_hold_is_not_sent(path: Path) -> None:
    async with running(path) as daemon:
        daemon.decisions.pending = QUESTION
        with pytest.raises(TriggerError, match="too long for the control socket"):
            await daemon.ask("answer", id="c1", text="x" * MAX_LINE_BYTES)


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
