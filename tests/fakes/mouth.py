"""A mouth that speaks as fast as the test lets it; asserts that nothing sounds that must not."""

from collections.abc import Callable, Sequence

from voicehermes.errors import VoicehermesError
from voicehermes.speaking.parts import Part
from voicehermes.speaking.voice import (
    QuestionHeard,
    QuestionUnheard,
    SoundBegan,
    SpokenAll,
    VoiceEvent,
)


class FakeMouth:
    """Remembers the text of each turn. The test says when it sounds and when it has sounded."""

    def __init__(self) -> None:
        self.sink: Callable[[VoiceEvent], None]
        self.heard_until: float | None = None
        self.texts: dict[int, str] = {}
        self.ended: set[int] = set()
        self.hushed: set[int] = set()
        self.runs: dict[int, str | None] = {}
        self.said: list[str] = []
        self.cues: list[str] = []
        self.is_paused = False
        self.asked: list[tuple[int, tuple[Part, ...]]] = []
        self.question: int | None = None
        """The one that is being read."""
        self.is_held = False
        """Whether all but a question stands still until ``resume``."""
        self._sayings: list[int] = []
        self.is_ducked = False
        self.last = ""
        """The reply that can be spoken again."""
        self.volume = self.rate = 0
        """Steps from where they began."""
        self.spoken: list[tuple[float, str]] = []
        """What was heard, and when."""

    def begin(self, turn: int, run_id: str | None = None) -> None:
        assert turn not in self.texts, f"the reply of turn {turn} begins twice"
        self.texts[turn] = ""
        self.runs[turn] = run_id

    def name_run(self, turn: int, run_id: str) -> None:
        self.runs[turn] = run_id

    def add(self, turn: int, delta: str) -> None:
        assert turn in self.texts, f"turn {turn} has not begun"
        assert turn not in self.ended, f"turn {turn} has ended"
        self.texts[turn] += delta

    def end(self, turn: int) -> None:
        assert turn in self.texts, f"turn {turn} has not begun"
        self.ended.add(turn)

    def say(self, turn: int, text: str) -> None:
        self.said.append(text)
        self._sayings.append(turn)

    def cue(self, name: str) -> None:
        self.cues.append(name)

    def pause(self) -> None:
        self.is_paused = True

    def resume(self) -> None:
        self.is_paused = False
        if self.question is None:
            self.is_held = False

    def ask(
        self,
        question: int,
        parts: Sequence[Part],
        *,
        within_seconds: float,
        after_waiting_seconds: float = 0.0,
    ) -> None:
        assert all(question > earlier for earlier, _ in self.asked), f"question {question} again"
        assert any(part.text.strip() for part in parts), f"question {question} says nothing"
        assert within_seconds >= 0
        assert after_waiting_seconds >= 0
        self.asked.append((question, tuple(parts)))
        self.question = question
        self.is_held = True
        self.is_paused = False

    def drop_question(self) -> None:
        self.question = None

    def hush(self, turn: int) -> None:
        self.hushed.add(turn)

    def duck(self) -> None:
        self.is_ducked = True

    def unduck(self) -> None:
        self.is_ducked = False

    def speak_again(self, turn: int, *, from_start: bool) -> bool:
        if not self.last:
            return False
        self.hushed.discard(turn)
        self.texts[turn] = self.last if from_start else f"… {self.last}"
        return True

    def change_volume(self, steps: int) -> None:
        self.volume += steps

    def change_rate(self, steps: int) -> None:
        self.rate += steps

    def spoken_since(self, at: float) -> Sequence[str]:
        return [text for heard_at, text in self.spoken if heard_at >= at]

    def sound(self, turn: int) -> None:
        """The reply begins to sound."""
        assert not self.is_paused, "sound while paused"
        assert not self.is_held, "a reply sounds, and a question is up or was not answered"
        assert turn not in self.hushed, f"sound of turn {turn}, which was hushed"
        self.sink(SoundBegan(turn))

    def finish(self, turn: int) -> None:
        """All of the turn has been heard."""
        assert turn in self.ended or turn in self._sayings, f"turn {turn} has not ended"
        self.sink(SpokenAll(turn))

    def hear_question(self) -> None:
        """All of the question that is being read has been heard."""
        assert not self.is_paused, "a question sounds while paused"
        self.sink(QuestionHeard(self._take_question()))

    def fail_question(self, error: VoicehermesError) -> None:
        """The question that is being read cannot be heard."""
        self.sink(QuestionUnheard(self._take_question(), error))

    def _take_question(self) -> int:
        question = self.question
        assert question is not None, "no question is being read"
        self.question = None
        return question
