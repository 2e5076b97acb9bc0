"""Who speaks, and what is in the way of it: told, but not again and again."""

from collections.abc import Callable

from voicehermes.errors import VoiceError, VoicehermesError
from voicehermes.speaking.engines import Engine
from voicehermes.speaking.voice_events import EngineChanged, SpeechFailed


class Failures:
    """Tells a cause once; when another synthesiser speaks, everything may be told anew."""

    def __init__(self, sink: Callable[[SpeechFailed | EngineChanged], None], name: str) -> None:
        """``name`` is the synthesiser that is expected to speak."""
        self._sink = sink
        self._name = name
        self._told: set[tuple[int, str]] = set()

    def teller(self, turn: int) -> Callable[[VoicehermesError], None]:
        """Tells of an engine's failure once; another engine speaks the text."""

        def tell(error: VoicehermesError) -> None:
            if (0, str(error)) not in self._told:
                self._told.add((0, str(error)))
                self._sink(SpeechFailed(turn, error, is_lost=False))

        return tell

    def tell_lost(self, turn: int, error: VoiceError) -> None:
        """Tells, once a turn, that a text was not spoken by anyone."""
        if (turn, str(error)) not in self._told:
            self._told.add((turn, str(error)))
            self._sink(SpeechFailed(turn, error, is_lost=True))

    def spoken_by(self, engine: Engine) -> None:
        """Tells when it is another one than before."""
        if engine.name != self._name:
            self._name = engine.name
            self._told.clear()
            self._sink(EngineChanged(engine.name))
