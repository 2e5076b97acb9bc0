"""A mouth that speaks as fast as the test lets it; asserts that nothing sounds that must not."""

from collections.abc import Callable

from voicehermes.speaking.voice import SoundBegan, SpokenAll, VoiceEvent


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
        self._sayings: list[int] = []

    def begin(self, turn: int, run_id: str | None = None) -> None:
        assert turn not in self.texts, f"the reply of turn {turn} begins twice"
        self.texts[turn] = ""
        self.runs[turn] = run_id

    def name_run(self, turn: int, run_id: str) -> None:
        self.runs[turn] = run_id

    def add(self, turn: int, delta: str) -> None:
        assert turn in self.texts, f"turn {turn} has not begun"
        assert turn not in self.ended, f"turn {turn} has ended"
        assert turn not in self.hushed, f"turn {turn} was hushed"
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

    def hush(self, turn: int) -> None:
        self.hushed.add(turn)

    def sound(self, turn: int) -> None:
        """The reply begins to sound."""
        assert not self.is_paused, "sound while paused"
        assert turn not in self.hushed, f"sound of turn {turn}, which was hushed"
        self.sink(SoundBegan(turn))

    def finish(self, turn: int) -> None:
        """All of the turn has been heard."""
        assert turn in self.ended or turn in self._sayings, f"turn {turn} has not ended"
        self.sink(SpokenAll(turn))
