"""The near end of the control socket: where it is, and one question to the daemon behind it.

A line of JSON goes each way: ``{"command": "press"}``, and ``{"ok": true}`` back, or
``{"ok": false, "error": …, "hint": …}``. Blocking, and light to import.
"""

import json
import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

from voicehermes.errors import ConfigError, TriggerError

COMMANDS = (
    *("press", "release", "toggle", "cancel", "mute", "unmute"),
    *("decision", "answer", "repeat", "status", "quit"),
)

ANSWER_SECONDS = 5.0
CONFIRM_SECONDS = 30.0
"""How long the daemon waits for the server's word on an answer, before it says that none came."""

MAX_LINE_BYTES = 65_536
"""Of a line to the daemon."""
MAX_ANSWER_BYTES = 1_000_000

_MAX_PATH_BYTES = 107 if sys.platform == "linux" else 103  # sun_path, unix(7), without its NUL


def socket_path(setting: str, environ: Mapping[str, str], state_folder: Path) -> Path:
    """Where the socket is.

    ``setting`` is ``[control] socket``; empty means voicehermes.sock in XDG_RUNTIME_DIR, or in
    the state folder where there is no such thing. Raises ConfigError for a path that is longer
    than a socket's can be.
    """
    runtime = environ.get("XDG_RUNTIME_DIR", "")
    folder = Path(runtime) if runtime.startswith("/") else state_folder
    path = Path(setting).expanduser() if setting else folder / "voicehermes.sock"
    size = len(os.fsencode(path))
    if size > _MAX_PATH_BYTES:
        raise ConfigError(
            f"[control] socket must be a path of at most {_MAX_PATH_BYTES} bytes; "
            f"{path} has {size}."
        )
    return path


def request(
    path: Path, command: str, seconds: float | None = None, **parts: str
) -> dict[str, object]:
    """What the daemon answers to a command, which may have further ``parts``.

    Each step may take ``seconds``, ANSWER_SECONDS unless given. Raises TriggerError when no
    daemon is there, when it does not answer, and when it refuses.
    """
    message = json.dumps({"command": command, **parts}).encode() + b"\n"
    if len(message) > MAX_LINE_BYTES:
        raise TriggerError("This is too long for the control socket.", hint="Say it shorter.")
    try:
        line = _exchange(path, message, ANSWER_SECONDS if seconds is None else seconds)
    except (FileNotFoundError, ConnectionRefusedError, NotADirectoryError) as error:
        raise TriggerError(
            f"The daemon is not running: nobody listens at {path}.",
            hint="Start it: `voicehermes run`.",
        ) from error
    except TimeoutError as error:
        raise TriggerError(f"The voicehermes at {path} does not answer.") from error
    except OSError as error:
        raise TriggerError(f"Cannot use the socket {path}: {error.strerror or error}.") from error
    if not line:
        raise TriggerError(f"The voicehermes at {path} went away without an answer.")
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise TriggerError(f"What listens at {path} is no voicehermes.") from error
    if not isinstance(answer, dict) or "ok" not in answer:
        raise TriggerError(f"What listens at {path} is no voicehermes.")
    if answer["ok"] is not True:
        raise TriggerError(str(answer.get("error")), hint=str(answer.get("hint") or ""))
    return answer


def _exchange(path: Path, line: bytes, seconds: float) -> bytes:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(seconds)
        connection.connect(str(path))
        connection.sendall(line)
        with connection.makefile("rb") as answers:
            return answers.readline(MAX_ANSWER_BYTES)
