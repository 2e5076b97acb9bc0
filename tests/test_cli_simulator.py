"""The embedded server as a command."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from voicehermes.cli.main import main


def test_it_serves_what_the_scenario_says_until_interrupted(home: Path) -> None:
    scenario = home / "scenario.toml"
    scenario.write_text('[server]\npassword = "segreta"')
    process = subprocess.Popen(
        [sys.executable, "-m", "voicehermes", "simulator", "--port=0", f"--scenario={scenario}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ,
    )
    try:
        assert process.stdout
        found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
        assert found
        status = httpx.get(f"{found[0]}/api/auth/status").json()
        assert status["password_auth_enabled"] is True
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (0, "")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "{path}: cannot be read: No such file or directory.\n"),
        (b"\xff", "{path}: this is not UTF-8 text.\n"),
        (b"[server", "{path}: The scenario is not TOML: "),
        (
            b"[server]\npasword = 3",
            "{path}: In the scenario, `server.pasword`: There is no such key.\n",
        ),
    ],
)
def test_a_scenario_that_cannot_be_used_is_named(
    content: bytes | None, message: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = home / "scenario.toml"
    if content is not None:
        path.write_bytes(content)
    assert main(["simulator", "--port", "0", "--scenario", str(path)]) == 2
    assert capsys.readouterr().err.startswith(f"voicehermes: {message.format(path=path)}")


def test_a_port_in_use_is_told(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["simulator", "--port", str(port)]) == 2
    assert capsys.readouterr().err.startswith(f"voicehermes: Port {port} cannot be listened on: ")
