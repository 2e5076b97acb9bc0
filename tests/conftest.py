"""What every test gets: an error when the event loop is blocked; in CI, no skips."""

import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx
from hypothesis import HealthCheck, settings

# Where the tests run in the background of a shell script, Ctrl+C is ignored; commands that the
# tests start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A machine that is busy with other things fails no test of what our code does.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


@pytest.fixture(scope="session", autouse=True)
def _loop_is_never_blocked() -> Iterator[None]:
    """Blocking calls of ours inside the event loop raise BlockingError."""
    with blockbuster_ctx("voicehermes"):
        yield


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home for commands: no configuration, no state, none of our variables."""
    for name in [name for name in os.environ if name.startswith("VOICEHERMES_")]:
        monkeypatch.delenv(name)
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    return tmp_path


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With VOICEHERMES_REAL_PARTS=required a test that would be skipped fails."""
    report = yield
    if report.skipped and os.environ.get("VOICEHERMES_REAL_PARTS") == "required":
        report.outcome = "failed"
        report.longrepr = f"skipped where nothing may be: {report.longrepr}"
    return report
