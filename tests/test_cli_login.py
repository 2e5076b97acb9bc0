"""Logging in and out at the embedded server."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from voicehermes.cli.main import main
from voicehermes.simulator.scenario import Scenario, Server
from voicehermes.simulator.server import Simulator

COOKIES = Path("xdg_state_home") / "voicehermes" / "cookies.json"


@pytest.fixture
def server(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Simulator]:
    with Simulator(Scenario(server=Server(password="segreta"))) as simulator:
        monkeypatch.setenv("VOICEHERMES_SERVER__URL", simulator.url)
        yield simulator


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is typed at the terminal; what was asked is appended."""
    words: list[str] = []

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    def ask(prompt: str) -> str:
        if not words:
            raise EOFError
        word = words.pop()
        words.append(prompt)
        return word

    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("getpass.getpass", ask)
    return words


def test_the_password_is_asked_for_and_only_cookies_are_kept(
    server: Simulator, home: Path, typed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    typed.append("segreta")
    assert main(["login"]) == 0
    assert typed == [f"Password for {server.url}: "]
    assert capsys.readouterr().out == f"Logged in at {server.url}.\n"
    assert (home / COOKIES).stat().st_mode & 0o777 == 0o600
    kept = [path for path in home.rglob("*") if path.is_file()]
    assert kept == [home / COOKIES]
    assert "segreta" not in (home / COOKIES).read_text()
    assert main(["sessions", "list"]) == 0


def test_the_variable_is_taken_without_asking(
    server: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOICEHERMES_PASSWORD", "segreta")
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert main(["login"]) == 0


def test_a_systemd_credential_is_taken_without_asking(
    server: Simulator, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "voicehermes-password").write_text("segreta\n")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(home))
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert main(["login"]) == 0


def test_a_wrong_password_is_refused_with_the_reason_of_the_server(
    server: Simulator, typed: list[str], home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    typed.append("sbagliata")
    assert main(["login"]) == 1
    error = capsys.readouterr().err
    assert "Invalid password. Run `voicehermes login` again" in error
    assert error.count("\n") == 1
    assert not (home / COOKIES).exists()


def test_without_terminal_and_password_one_line_says_what_to_do(
    server: Simulator, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("segreta\n"))
    assert main(["login"]) == 2
    assert capsys.readouterr().err == (
        "voicehermes: There is no terminal to ask for the password on. "
        "Set VOICEHERMES_PASSWORD, or the systemd credential voicehermes-password.\n"
    )


@pytest.mark.parametrize("word", [[""], []])
def test_no_password_is_no_try(
    word: list[str], server: Simulator, typed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    typed.extend(word)
    assert main(["login"]) == 2
    assert capsys.readouterr().err.startswith("voicehermes: No password was given. ")
    assert "/api/auth/login" not in [logged.path for logged in server.log]


def test_nobody_is_asked_when_the_server_wants_no_password(
    home: Path,
    typed: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    typed.append("segreta")
    with Simulator(Scenario()) as simulator:
        monkeypatch.setenv("VOICEHERMES_SERVER__URL", simulator.url)
        assert main(["login"]) == 1
    assert typed == ["segreta"]
    assert "asks for no login" in capsys.readouterr().err


def test_a_server_that_is_not_there_is_one_line(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VOICEHERMES_SERVER__URL", "http://127.0.0.1:9")
    monkeypatch.setenv("VOICEHERMES_PASSWORD", "segreta")
    assert main(["login"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("voicehermes: ")
    assert error.count("\n") == 1


def test_logout_forgets_the_cookies_and_ends_the_login_on_the_server(
    server: Simulator,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("VOICEHERMES_PASSWORD", "segreta")
    assert main(["login"]) == 0
    cookies = (home / COOKIES).read_bytes()
    monkeypatch.delenv("VOICEHERMES_PASSWORD")
    assert main(["logout"]) == 0
    assert f"Logged out at {server.url}." in capsys.readouterr().out
    assert main(["sessions", "list"]) == 1
    (home / COOKIES).write_bytes(cookies)
    assert main(["sessions", "list"]) == 1
    assert "Run `voicehermes login`" in capsys.readouterr().err


def test_logout_does_not_claim_what_it_cannot_know_of_the_server(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VOICEHERMES_SERVER__URL", "http://127.0.0.1:9")
    assert main(["logout"]) == 1
    out, error = capsys.readouterr()
    assert out == ""
    assert error == (
        "voicehermes: Logged out on this machine only: http://127.0.0.1:9 cannot be reached. "
        "There the login lasts until it expires.\n"
    )
