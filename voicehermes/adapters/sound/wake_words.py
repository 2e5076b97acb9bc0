"""Wake words by pymicro-wakeword, asleep while nobody makes a sound.

A model costs 5 ms for a second of sound, and the features that all models share 2 ms; the gate that
is there for Silero costs 0.5 ms, so they sleep behind it.
"""

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

from voicehermes.adapters.extras import how_to_install
from voicehermes.adapters.sound.detectors import Gate
from voicehermes.errors import ConfigError
from voicehermes.ports import WakeWords

if TYPE_CHECKING:
    from voicehermes.adapters.sound.wake_models import WakeModel


def open_wake_words(names: Sequence[str]) -> WakeWords:
    """What hears the wake words that ``[listen] wake_words`` names. Blocks while it reads models.

    Raises ConfigError for a name or file that is no wake word, and without the extra ``wake``.
    """
    if not names:
        raise ConfigError(
            "`[listen] wake_words` must name one.", hint='Or set [talk] handsfree_start = "key".'
        )
    try:
        from voicehermes.adapters.sound import wake_models

        return MicroWakeWords([wake_models.load(name) for name in dict.fromkeys(names)])
    except (ImportError, OSError) as error:
        raise ConfigError(
            "What hears wake words is not installed here.",
            hint=f'{how_to_install("wake")}, or set [talk] handsfree_start = "key".',
        ) from error


class MicroWakeWords:
    """Models on the same features, asked only while the gate is open and shortly after.

    What they slept through is caught up with when the gate opens, a second at most: the gate opens
    late, and they need to hear what a word follows. What was heard is forgotten after a hit, and
    until they have heard a second anew they are not believed: one call is one hit.
    """

    _WARM_FRAMES = 32
    """A second, for which ESPHome's micro_wake_word does not believe its models either. Measured
    against models that never sleep: 64 of 72 calls, most in noise, are heard and not 65, and in 34
    minutes of Italian speech without any it is one as well. Features begun anew at each opening
    heard eight."""

    _OPEN_FRAMES = 32

    def __init__(self, models: "Sequence[WakeModel]") -> None:
        from pymicro_wakeword import MicroWakeWordFeatures

        self._models = models
        self._features = MicroWakeWordFeatures()
        self._gate = Gate()
        self._slept_through: deque[bytes] = deque(maxlen=self._WARM_FRAMES)
        self.reset()

    def reset(self) -> None:
        """See WakeWords.reset."""
        self._gate.reset()
        self._features.reset()
        for model in self._models:
            model.reset()
        self._slept_through.clear()
        self._open_for = 0
        self._cold_for = self._WARM_FRAMES

    def heard(self, frame: bytes) -> str | None:
        """See WakeWords.heard."""
        is_open = self._gate.is_open(frame)
        self._open_for = self._OPEN_FRAMES if is_open else max(0, self._open_for - 1)
        self._slept_through.append(frame)
        if not self._open_for:
            return None
        names = [self._ask(late) for late in self._slept_through]
        self._slept_through.clear()
        found = next(filter(None, names), None)
        if found is not None:
            self.reset()
        return found

    def _ask(self, frame: bytes) -> str | None:
        """The wake word whose end is in the frame, None for one that is not to be believed."""
        found = None
        for step in self._features.process_streaming(frame):
            for model in self._models:
                if model.process_streaming(step):
                    found = model.wake_word
        if self._cold_for:
            self._cold_for -= 1
            return None
        return found
