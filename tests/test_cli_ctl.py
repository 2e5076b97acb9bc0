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
def answering(
    path: Path, answer: bytes | None, *, after_seconds: float = 0.0
) -> Iterator[list[bytes]]:
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
                over.wait(after_seconds)
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
        (b"", "went away without an answer"),
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


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["sing"],
        ["press", "twice"],
        ["decision", "a1"],
        ["answer"],
        ["answer", "a1", "always"],
        ["answer", "a1", "yolo"],
        ["answer", "a1", "once", "deny"],
        ["answer", "a1", "--text"],
    ],
)
def test_wrong_usage_is_2(path: Path, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["ctl", *arguments])
    assert caught.value.code == 2


@pytest.mark.parametrize("arguments", [[], ["once", "--text", "x"], ["--text", "x", "--json"]])
def test_an_answer_is_a_choice_or_else_a_text(
    path: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    is_complete = "--json" in arguments
    assert main(["ctl", "answer", "a1", *arguments]) == (1 if is_complete else 2)
    said = capsys.readouterr().err
    assert ("The daemon is not running" in said) is is_complete
    assert ("either once, session or deny" in said) is not is_complete


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["a1", "session"], {"id": "a1", "choice": "session"}),
        (["c1", "--text", "2"], {"id": "c1", "text": "2"}),
        (["--text", "-1", "c1"], {"id": "c1", "text": "-1"}),
        (["c1", "--text", "once"], {"id": "c1", "text": "once"}),
        (["c1", "--text", "perché\n\x1b\udcff"], {"id": "c1", "text": "perché\n\x1b\udcff"}),
        (["c1", "--text", ""], {"id": "c1", "text": ""}),
    ],
)
def test_an_answer_is_sent_as_it_was_given(
    path: Path,
    arguments: list[str],
    parts: dict[str, str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    with answering(path, b'{"ok": true}\n') as lines:
        assert main(["ctl", "answer", *arguments]) == 0
    assert [json.loads(line) for line in lines] == [{"command": "answer", **parts}]
    assert capsys.readouterr() == ("", "")


def test_an_answer_is_waited_for_longer_than_the_daemon_waits_for_the_server(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_client, "ANSWER_SECONDS", 0.2)
    monkeypatch.setattr(control_client, "CONFIRM_SECONDS", 0.4)
    with answering(path, b'{"ok": true}\n', after_seconds=0.4):
        assert main(["ctl", "answer", "a1", "deny"]) == 0


def told(
    path: Path, capsys: pytest.CaptureFixture[str], decision: object, *options: str
) -> list[str]:
    """The lines that ``ctl decision`` prints."""
    with answering(path, json.dumps({"ok": True, "decision": decision}).encode() + b"\n") as lines:
        assert main(["ctl", "decision", *options]) == 0
    assert json.loads(lines[0]) == {"command": "decision"}
    return capsys.readouterr().out.split("\n")[:-1]


def test_an_approval_is_shown_with_nothing_hidden_and_how_to_answer_it(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    decision = {
        "id": "a1 b",
        "kind": "approval",
        "description": "delete\r\nanswer with: nothing",
        "command": "rm -rf  /\u200b\u202et\n\x1b[2J\x9b\u2028\u00a0\ufe0f\u3164\ud800 più p\u0430y",
        "grants": ["once", "session"],
        "expires_at": None,
        "waits": 2,
    }
    assert told(path, capsys, decision) == [
        "id: a1 b",
        "kind: approval",
        "description: delete<U+000D><U+000A>answer with: nothing",
        "command: rm -rf  /<U+200B><U+202E>t<U+000A><U+001B>[2J<U+009B><U+2028><U+00A0><U+FE0F>"
        "<U+3164><U+D800> più p<U+0430>y",
        "behind it: 2 more",
        "answer with: voicehermes ctl answer 'a1 b' once|session|deny",
    ]


def test_a_question_is_shown_with_its_choices_numbered(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.time", lambda: 1000.0)
    decision = {
        "id": "c1",
        "kind": "clarification",
        "question": "Где? Where?",
        "choices": ["staging", "pro\nduction"],
        "expires_at": 1042.4,
        "waits": 0,
    }
    assert told(path, capsys, decision) == [
        "id: c1",
        "kind: clarification",
        "question: Где? Where?",
        "choice 1: staging",
        "choice 2: pro<U+000A>duction",
        "expires: in 42 seconds",
        "answer with: voicehermes ctl answer c1 --text TEXT",
    ]


def test_of_a_decision_with_an_answer_on_its_way_that_is_said(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    decision = {"id": "a1", "kind": "approval", "grants": ["once"], "is_answered": True}
    assert told(path, capsys, decision) == [
        "id: a1",
        "kind: approval",
        "answer: on its way; the server has not taken it yet",
    ]


def test_that_nothing_is_pending_is_said(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(path, capsys, None) == ["Nothing waits to be decided."]


def test_a_decision_as_json_is_whole_and_cannot_command_a_terminal(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    decision = {"id": "a1", "command": "perché\u202e\x9b2J\x7f\ud800"}
    (line,) = told(path, capsys, decision, "--json")
    assert line.isprintable()
    assert "perché" in line
    assert json.loads(line) == {"ok": True, "decision": decision}


def test_a_path_that_is_too_long_is_2(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOICEHERMES_CONTROL__SOCKET", "/tmp/" + "x" * 200)
    assert main(["ctl", "press"]) == 2
