"""Listing, beginning and choosing conversations at the embedded server."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.simulator_client import AT_ONCE
from voicehermes.cli.main import main
from voicehermes.simulator.scenario import Scenario
from voicehermes.simulator.server import Simulator


@pytest.fixture
def server(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Simulator]:
    with Simulator(Scenario(pace=AT_ONCE)) as simulator:
        monkeypatch.setenv("VOICEHERMES_SERVER__URL", simulator.url)
        yield simulator


def begun(capsys: pytest.CaptureFixture[str]) -> str:
    """A new conversation's id."""
    assert main(["sessions", "new"]) == 0
    return capsys.readouterr().out.strip()


def say(server: Simulator, session_id: str, message: str) -> None:
    """Have a first message in the conversation: only then it is listed."""
    body = {"session_id": session_id, "message": message}
    httpx.post(f"{server.url}/api/chat/start", json=body).raise_for_status()


def listed(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    assert main(["sessions", "list", "--json"]) == 0
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    return found


def test_a_list_of_none_says_so(server: Simulator, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", "list"]) == 0
    assert capsys.readouterr().out == "There is no conversation yet.\n"


def test_a_new_conversation_is_the_one_in_use(
    server: Simulator, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = begun(capsys), begun(capsys)
    say(server, first, "uno")
    say(server, second, "due")
    assert {entry["id"]: entry["is_used"] for entry in listed(capsys)} == {
        first: False,
        second: True,
    }


def test_another_conversation_can_be_chosen(
    server: Simulator, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = begun(capsys), begun(capsys)
    say(server, first, "uno")
    say(server, second, "due")
    assert main(["sessions", "use", first]) == 0
    assert capsys.readouterr().out.startswith(f"{first}  ")
    assert main(["sessions", "list"]) == 0
    marks = {line[2:].split()[0]: line[0] for line in capsys.readouterr().out.splitlines()}
    assert marks == {first: "*", second: " "}


def test_a_conversation_that_is_not_there_is_not_used(
    server: Simulator, capsys: pytest.CaptureFixture[str]
) -> None:
    used = begun(capsys)
    say(server, used, "uno")
    assert main(["sessions", "use", "nessuna"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("voicehermes: ")
    assert error.endswith("`voicehermes sessions list` prints the ids.\n")
    assert [entry["is_used"] for entry in listed(capsys)] == [True]


def test_a_choice_that_the_next_start_undoes_is_told(
    server: Simulator, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VOICEHERMES_SERVER__SESSION", "new")
    assert main(["sessions", "new"]) == 0
    assert "the next start begins another one" in capsys.readouterr().err


def test_the_configured_profile_is_asked(
    server: Simulator, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    say(server, begun(capsys), "uno")
    monkeypatch.setenv("VOICEHERMES_SERVER__PROFILE", "casa")
    assert listed(capsys) == []
