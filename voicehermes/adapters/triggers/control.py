"""The control socket: any shortcut, script or button drives the daemon by lines of JSON.

It is also what makes the daemon one of its kind: two cannot listen at the same path.
"""

import asyncio
import fcntl
import json
import logging
import os
import socket
import stat
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from voicehermes.adapters.triggers.control_client import (
    COMMANDS,
    CONFIRM_SECONDS,
    MAX_LINE_BYTES,
    request,
)
from voicehermes.adapters.triggers.control_decisions import Decisions, answer_in
from voicehermes.errors import GoneError, TriggerError, VoicehermesError
from voicehermes.events import Trigger, TriggerKind

MAX_CLIENTS = 32
"""With one more, the client that was silent longest is dropped."""
_WRITE_SECONDS = 2.0
_CLAIM_SECONDS = 2.0
# Python 3.13 would look at the file, and remove it, on the loop.
_OPTIONS: dict[str, Any] = {"cleanup_socket": False} if sys.version_info >= (3, 13) else {}
_TRIGGERS = {kind.value for kind in TriggerKind}
_HINT = f"The commands are {', '.join(COMMANDS)}."

log = logging.getLogger(__name__)

Answer = dict[str, object]


class Control:
    """A TriggerSource: a Unix socket that only its owner can use."""

    def __init__(
        self,
        path: Path,
        status: Callable[[], Mapping[str, object]],
        quit: Callable[[], None],  # noqa: A002  # the command's name
        decisions: Decisions,
    ) -> None:
        """``status`` gives what ``ctl status`` shows; ``quit`` asks the daemon to end."""
        self.path = path
        self._status = status
        self._quit = quit
        self._decisions = decisions
        # The longest silent first. A connection is ended, never its task cancelled: Python 3.11
        # would log that as a failure.
        self._clients: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._answers: set[asyncio.Task[VoicehermesError | None]] = set()
        """Being sent. They outlive the client that gave them, and the patience for them."""

    @asynccontextmanager
    async def open(self, sink: Callable[[Trigger], None]) -> AsyncIterator[None]:
        """Listen until closed; then the socket is gone.

        Raises TriggerError when another daemon listens there, or when the path cannot be used.
        """
        listener = await asyncio.to_thread(_claim, self.path)
        identity = await asyncio.to_thread(_identity, self.path)
        try:
            async with asyncio.TaskGroup() as group:
                server = await asyncio.start_unix_server(
                    partial(self._serve, sink, group),
                    sock=listener,
                    limit=MAX_LINE_BYTES,
                    **_OPTIONS,
                )
                try:
                    log.info("control socket open at %s", self.path)
                    yield
                finally:
                    server.close()
                    clients = dict(self._clients)
                    for writer in clients.values():
                        writer.transport.abort()
                    for answer in self._answers:
                        answer.cancel()
                    if clients:
                        await asyncio.wait(clients)
        finally:
            listener.close()
            await asyncio.to_thread(_remove, self.path, identity)

    async def _serve(
        self,
        sink: Callable[[Trigger], None],
        group: asyncio.TaskGroup,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        """Answer one client's lines until it goes, misbehaves or is dropped."""
        me = asyncio.current_task()
        assert me is not None
        me.set_name("control client")
        if len(self._clients) >= MAX_CLIENTS:
            oldest = next(iter(self._clients))
            self._clients.pop(oldest).transport.abort()
        self._clients[me] = writer
        try:
            while line := await _read_line(reader):
                self._clients[me] = self._clients.pop(me, writer)
                try:
                    answer: Answer = {"ok": True, **await self._obey(line, sink, group)}
                except VoicehermesError as error:
                    answer = _refusal(error)
                writer.write(_line(answer))
                async with asyncio.timeout(_WRITE_SECONDS):
                    await writer.drain()
            writer.close()
        except OSError as error:  # gone, or it does not read what it asked for
            log.debug("control client dropped: %r", error)
        finally:
            self._clients.pop(me, None)
            if not writer.is_closing():
                writer.transport.abort()

    async def _obey(
        self, line: bytes, sink: Callable[[Trigger], None], group: asyncio.TaskGroup
    ) -> Answer:
        """Do what a line asks for; returns what is to be said beside that it was done.

        Raises the errors of our tree: it was not done.
        """
        message = _message(line)
        match message["command"]:
            case "status":
                return {"status": {"pid": os.getpid(), **self._status()}}
            case "quit":
                self._quit()
            case "decision":
                return {"decision": self._decisions.decision()}
            case "answer":
                await self._answer(message, group)
            case "repeat":
                if not self._decisions.repeat():
                    raise TriggerError("Nothing is pending that could be read again.")
            case str(kind) if kind in _TRIGGERS:
                sink(Trigger(TriggerKind(kind), asyncio.get_running_loop().time()))
            case command:
                raise TriggerError(f'There is no command "{command}".', hint=_HINT)
        return {}

    async def _answer(self, message: Answer, group: asyncio.TaskGroup) -> None:
        """Answer a decision; returns when the server took it."""
        answer = self._decisions.answer(*answer_in(message, self._decisions.decision()))
        task = group.create_task(_outcome(answer), name="answer of a control client")
        self._answers.add(task)
        task.add_done_callback(self._answers.discard)
        await asyncio.wait({task}, timeout=CONFIRM_SECONDS)
        if not task.done() or task.cancelled():
            raise TriggerError(
                "The server has not confirmed the answer yet.",
                hint="`voicehermes ctl decision` shows whether it is still pending.",
            )
        if error := task.result():
            raise error


async def _outcome(answer: Awaitable[None]) -> VoicehermesError | None:
    """Why the server did not take an answer, which is no failure of the daemon."""
    try:
        await answer
    except VoicehermesError as error:
        log.info("an answer by the control socket was not taken: %s", error)
        return error
    return None


async def _read_line(reader: asyncio.StreamReader) -> bytes:
    """The next line that is not empty, b"" at the end. Of one too long, a piece that is so too."""
    too_long = b""
    while True:
        try:
            line = await reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as error:
            return too_long or error.partial.strip()
        except asyncio.LimitOverrunError as error:
            too_long = await reader.readexactly(error.consumed)
        else:
            if line := too_long or line.strip():
                return line


def _message(line: bytes) -> Answer:
    """What a line holds, a "command" in it. Raises TriggerError when it is none of ours."""
    if len(line) > MAX_LINE_BYTES:
        raise TriggerError(f"This line is longer than {MAX_LINE_BYTES} bytes.", hint=_HINT)
    message: object = None
    with suppress(ValueError, RecursionError):
        message = json.loads(line)
    if not isinstance(message, dict) or not isinstance(message.get("command"), str):
        raise TriggerError('This is not a line like {"command": "toggle"}.', hint=_HINT)
    return message


def _refusal(error: VoicehermesError) -> Answer:
    hint = error.hint
    if isinstance(error, GoneError):
        hint = hint or "`voicehermes ctl decision` shows what is pending."
    return {"ok": False, "error": error.args[0], "hint": hint}


def _line(answer: Answer) -> bytes:
    """JSON for people to read as well; a lone surrogate stays the escape that JSON has for it."""
    return json.dumps(answer, ensure_ascii=False).encode(errors="backslashreplace") + b"\n"


def _claim(path: Path) -> socket.socket:
    """A socket listening at ``path``, mode 0600; a dead daemon's is taken over.

    Blocks. Raises TriggerError when a live daemon has it, or the path cannot be used.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(path.parent):
            _check_free(path)
            path.unlink(missing_ok=True)
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                listener.bind(str(path))
                path.chmod(0o600)  # nobody can connect before ``listen``
                listener.listen()
                listener.setblocking(False)
            except BaseException:
                listener.close()
                raise
            return listener
    except OSError as error:
        reason = error.strerror or str(error)
        raise TriggerError(
            f"Cannot make the control socket {path}: {reason}.",
            hint="Set another path as [control] socket.",
        ) from error


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep two daemons that start together from taking over each other's socket."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        give_up_at = time.monotonic() + _CLAIM_SECONDS
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > give_up_at:
                    raise
                time.sleep(0.02)
        yield
    finally:
        os.close(descriptor)


def _check_free(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise TriggerError(
            f"Cannot make the control socket {path}: another file is there.",
            hint="Set another path as [control] socket.",
        )
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_CLAIM_SECONDS)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            return
        except TimeoutError:
            pass  # somebody is there, too busy to take a call
    raise TriggerError(
        f"voicehermes already runs{_process_at(path)} and listens at {path}.",
        hint="`voicehermes ctl quit` ends it.",
    )


def _process_at(path: Path) -> str:
    """Which process the daemon there is, " (process 42)"; "" when it does not say."""
    with suppress(TriggerError):
        status = request(path, "status", _CLAIM_SECONDS).get("status")
        if isinstance(status, dict) and isinstance(status.get("pid"), int):
            return f" (process {status['pid']})"
    return ""


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _remove(path: Path, identity: tuple[int, int] | None) -> None:
    """Delete the socket, unless another has taken its place. Blocks."""
    if identity is not None and _identity(path) == identity:
        with suppress(OSError):
            path.unlink()
