"""A mouth that says nothing: for answers that are only read."""

from collections.abc import Callable, Sequence

from voicehermes.errors import VoiceError
from voicehermes.speaking.parts import Part
from voicehermes.speaking.voice_events import QuestionUnheard, SpokenAll, VoiceEvent


class Silent:
    """Takes every command of the session; a reply has been spoken as soon as it is complete."""

    heard_until: float | None = None

    def __init__(self, sink: Callable[[VoiceEvent], None]) -> None:
        self._sink = sink

    def begin(self, turn: int, run_id: str | None = None) -> None:
        """Nothing is going to be spoken."""

    def name_run(self, turn: int, run_id: str) -> None:
        """Nothing is heard of it."""

    def add(self, turn: int, delta: str) -> None:
        """Nothing is spoken."""

    def end(self, turn: int) -> None:
        """All of it has been spoken."""
        self._sink(SpokenAll(turn))

    def say(self, turn: int, text: str) -> None:
        """Nothing is said: it has been heard already."""
        self._sink(SpokenAll(turn))

    def ask(
        self,
        question: int,
        parts: Sequence[Part],
        *,
        within_seconds: float,
        after_waiting_seconds: float = 0.0,
    ) -> None:
        """Nobody hears it."""
        self._sink(QuestionUnheard(question, VoiceError("Nothing is read aloud here.")))

    def drop_question(self) -> None:
        """It is silent already."""

    def cue(self, name: str) -> None:
        """Nothing is played."""

    def pause(self) -> None:
        """It is silent already."""

    def resume(self) -> None:
        """It stays silent."""

    def hush(self, turn: int) -> None:
        """It is silent already."""

    def duck(self) -> None:
        """It could not be softer."""

    def unduck(self) -> None:
        """It stays silent."""

    def spoken_since(self, at: float) -> Sequence[str]:
        """Nothing."""
        return ()

    def speak_again(self, turn: int, *, from_start: bool) -> bool:
        """There is nothing to say."""
        return False

    def change_volume(self, steps: int) -> None:
        """It is silent at any volume."""

    def change_rate(self, steps: int) -> None:
        """It is silent at any speed."""
