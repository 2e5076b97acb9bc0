"""How loud and how fast the voice is, as the user asks for it by steps."""

from voicehermes.speaking.engines import Engines
from voicehermes.speaking.playback import Playback

VOLUME_STEP_DB = 4.0
"""Louder or softer by so much is heard as a step, and is no shock."""

VOLUME_STEPS = (-5, 2)
"""Most steps from where the volume began: -20 dB can still be heard, and over 8 dB louder speech
is clipped too much."""

RATE_STEP_PERCENT = 10

RATE_PERCENT = (-50, 100)
"""What a synthesiser can do, see Synthesizer.rate_percent."""


class Manner:
    """Changes volume and rate, and keeps both within what can be heard and borne."""

    def __init__(self, engines: Engines, playback: Playback) -> None:
        self._engines = engines
        self._playback = playback
        self._volume_steps = 0

    def change_volume(self, steps: int) -> None:
        """Be louder by so many steps at once, or softer."""
        before = self._volume_steps
        self._volume_steps = _within(before + steps, VOLUME_STEPS)
        change_db = (self._volume_steps - before) * VOLUME_STEP_DB
        self._playback.volume *= 10 ** (change_db / 20)

    def change_rate(self, steps: int) -> None:
        """Be faster by so many steps, or slower, from the next request on."""
        percent = self._engines.rate_percent + steps * RATE_STEP_PERCENT
        self._engines.change_rate(_within(percent, RATE_PERCENT))


def _within(value: int, bounds: tuple[int, int]) -> int:
    least, most = bounds
    return max(least, min(most, value))
