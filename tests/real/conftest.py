"""Real parts for whole conversations: a sound card, an X server."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real import x_server as x
from tests.real.conversation import House
from tests.real.sound_card import SoundCard, missing, open_sound_card


@pytest.fixture(scope="session", autouse=True)
def _alone() -> None:
    """Nothing is played or measured beside other tests, nor where real parts are not wanted."""
    assert "PYTEST_XDIST_WORKER" not in os.environ, "they measure time: run tests/real without -n"
    if os.environ.get("VOICEHERMES_REAL_PARTS") == "none":
        pytest.skip("VOICEHERMES_REAL_PARTS=none")


@pytest.fixture(scope="session")
def sound_card() -> Iterator[SoundCard]:
    """A virtual sound card; the test is skipped, with the reason, where there can be none."""
    if (reason := missing()) is not None:
        pytest.skip(reason)
    with open_sound_card() as card:
        yield card


@pytest.fixture(scope="session")
def x_server() -> Iterator[x.XServer]:
    """An X server with a keyboard; the test is skipped, with the reason, without one."""
    if (reason := x.missing()) is not None:
        pytest.skip(reason)
    with x.open_x_server() as server:
        yield server


@pytest.fixture
def house(tmp_path: Path, sound_card: SoundCard, x_server: x.XServer) -> House:
    """Where a conversation on real parts can be held."""
    return House(tmp_path, sound_card, x_server)
