"""How long a user who said "wait" is left alone."""

import pytest

from voicehermes.deciding.resting import seconds_to_wait


@pytest.mark.parametrize(
    ("left", "seconds"), [(None, 20.0), (60.0, 20.0), (44.0, 14.0), (31.0, 3.0), (0.0, 3.0)]
)
def test_it_is_asked_again_in_time_but_not_at_once(left: float | None, seconds: float) -> None:
    assert seconds_to_wait(left) == seconds
