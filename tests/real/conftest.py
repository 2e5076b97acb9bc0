"""Real parts for whole conversations: here, a sound card."""

from collections.abc import Iterator

import pytest

from tests.real.sound_card import SoundCard, missing, open_sound_card


@pytest.fixture(scope="session")
def sound_card() -> Iterator[SoundCard]:
    """A virtual sound card; the test is skipped, with the reason, where there can be none."""
    if (reason := missing()) is not None:
        pytest.skip(reason)
    with open_sound_card() as card:
        yield card
