"""What every test gets: an error when the event loop is blocked; in CI, no skips."""

import os
from collections.abc import Generator, Iterator

import pytest
from blockbuster import blockbuster_ctx


@pytest.fixture(autouse=True)
def _loop_is_never_blocked() -> Iterator[None]:
    """Blocking calls of ours inside the event loop raise BlockingError."""
    with blockbuster_ctx("voicehermes"):
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With VOICEHERMES_REAL_PARTS=required a test that would be skipped fails."""
    report = yield
    if report.skipped and os.environ.get("VOICEHERMES_REAL_PARTS") == "required":
        report.outcome = "failed"
        report.longrepr = f"skipped where nothing may be: {report.longrepr}"
    return report
