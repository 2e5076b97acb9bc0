"""What every test gets: a virtual clock on request, and an error when the loop is blocked."""

from collections.abc import Iterator

import pytest
from blockbuster import blockbuster_ctx


@pytest.fixture(autouse=True)
def _loop_is_never_blocked() -> Iterator[None]:
    """Blocking calls of ours inside the event loop raise BlockingError."""
    with blockbuster_ctx("voicehermes"):
        yield
