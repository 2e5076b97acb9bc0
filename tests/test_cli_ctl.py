"""``voicehermes ctl``, as a user or a shortcut runs it, against a socket with a daemon or none."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from voicehermes.adapters.triggers import control_client
from voicehermes.cli.main import main


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "v.sock"
    monkeypatch.setenv("VOICEHERMES_CONTROL__SOCKET", str(path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    return path


@contextmanager
def answering(path: Path, answer: bytes | None) -> Iterator[list[bytes]]:
    """A daemon for one client, which hears ``answer``, or nothing; the lines that it sent."""
    lines: list[bytes] = []
    over = threading.Event()

    def serve() -> None:
        connection, _ = server.accept()
        with connection, connection.makefile("rb") as reader:
            lines.append(reader.readline())
            if answer is None:
                over.wait(10)
            else:
                connection.sendall(answer)

    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        thread = threading.Thread(target=serve)
        thread.start()
        yield lines
        over.set()
        thread.join()


def test_a_command_is_sent_and_success_is_silent(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with answering(path, b'{"ok": true}\n') as lines:
        assert main(["ctl", "toggle"]) == 0
    assert [json.loads(line) for line in lines] == [{"command": "toggle"}]
    assert capsys.readouterr() == ("", "")


def test_status_is_lines_to_read(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = {"pid": 7, "state": "idle", "muted": False, "session": None, "last_title": "a\x1b\nb"}
    with answering(path, json.dumps({"ok": True, "status": status}).encode() + b"\n"):
        assert main(["ctl", "status"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "pid: 7",
        "state: idle",
        "muted: no",
        "session: none",
        "last title: a b",
    ]


def test_with_json_the_answer_is_printed_as_it_came(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = {"ok": True, "status": {"state": "perché"}}
    with answering(path, json.dumps(answer).encode() + b"\n"):
        assert main(["ctl", "status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == answer


def test_without_a_daemon_one_sentence_says_how_to_start_it(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ctl", "press"]) == 1
    said = capsys.readouterr().err
    assert said.splitlines() == [
        f"voicehermes: The daemon is not running: nobody listens at {path}. "
        "Start it: `voicehermes run`."
    ]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "is no voicehermes"),
        (b"", "is no voicehermes"),
        (b"[1]\n", "is no voicehermes"),
        (b"[" * 100_000, "is no voicehermes"),
        (b'{"ok": false, "error": "Too late.", "hint": "Ask sooner."}\n', "Too late. Ask sooner."),
        (b'{"ok": false, "error": "Too late."}\n', "Too late."),
        (None, "does not answer"),
    ],
)
def test_an_answer_that_is_no_success_is_one_sentence(
    path: Path,
    answer: bytes | None,
    sentence: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(control_client, "ANSWER_SECONDS", 0.3)
    with answering(path, answer):
        assert main(["ctl", "press"]) == 1
    said = capsys.readouterr().err
    assert sentence in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("arguments", [["ctl"], ["ctl", "sing"], ["ctl", "press", "twice"]])
def test_wrong_usage_is_2(path: Path, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2


def test_a_path_that_is_too_long_is_2(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOICEHERMES_CONTROL__SOCKET", "/tmp/" + "x" * 200)
    assert main(["ctl", "press"]) == 2
