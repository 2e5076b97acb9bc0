"""Which log lines are written, and where to."""

import io
import logging
import subprocess
import sys
from collections.abc import Iterator

import pytest

from voicehermes.cli import logs


@pytest.fixture(autouse=True)
def _logging_as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level


@pytest.mark.parametrize(
    ("level", "written"), [("debug", "diwe"), ("info", "iwe"), ("warning", "we"), ("error", "e")]
)
def test_the_level_decides(level: str, written: str, capsys: pytest.CaptureFixture[str]) -> None:
    logs.set_up(level)
    log = logging.getLogger("voicehermes.test")
    log.debug("d")
    log.info("i")
    log.warning("w")
    log.error("e")
    assert "".join(line[-1] for line in capsys.readouterr().err.splitlines()) == written


def test_requests_and_their_cookies_are_never_written(capsys: pytest.CaptureFixture[str]) -> None:
    logs.set_up("debug")
    for name in ("httpx", "httpcore.http11", "asyncio"):
        logging.getLogger(name).info("Cookie: secret")
        logging.getLogger(name).warning("kept")
    error = capsys.readouterr().err
    assert "secret" not in error
    assert error.count("kept") == 3


def test_lines_go_to_what_standard_error_is_by_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """A live display replaces it while it is shown."""
    logs.set_up("info")
    display = io.StringIO()
    monkeypatch.setattr("sys.stderr", display)
    logging.getLogger("voicehermes.test").info("hello")
    assert display.getvalue().endswith(" INFO voicehermes.test: hello\n")


PROGRAM = """
import logging, os
from voicehermes.adapters.sound.noise import without_noise
from voicehermes.cli import logs

logs.set_up("info")
with without_noise():
    os.write(2, b"ALSA lib pcm.c:1:(open) ")
    logging.getLogger("voicehermes.test").info("hello")
    os.write(2, b"Unknown PCM\\n")
"""


def test_a_line_between_two_pieces_of_one_of_a_c_library_is_not_lost() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=20, check=True
    )
    assert done.stderr.endswith(" INFO voicehermes.test: hello\n")
    assert "ALSA" not in done.stderr
