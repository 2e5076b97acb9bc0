"""A dialogue under test, and what a user does with it."""

from dataclasses import replace

from voicehermes.audio import Utterance, UtteranceEnd
from voicehermes.dialogue import Dialogue, Rules, step
from voicehermes.dialogue import commands as do
from voicehermes.dialogue import events as on
from voicehermes.dialogue import state as at
from voicehermes.events import TextDelta

SPEECH = Utterance(b"ogg", ".ogg", 1.0, UtteranceEnd.RELEASED)


class Talk:
    """A dialogue under test, with all commands it has given."""

    def __init__(self, **rules: str) -> None:
        self.rules = replace(Rules(), **rules)  # type: ignore[arg-type]
        self.dialogue = Dialogue()
        self.recording = 0
        self.commands: tuple[do.Command, ...] = ()

    def on(self, *events: on.Event) -> tuple[do.Command, ...]:
        """What is commanded for these events, in all."""
        commands: tuple[do.Command, ...] = ()
        for event in events:
            self.dialogue, more = step(self.dialogue, event, self.rules)
            commands += more
        self.commands += commands
        return commands

    def press(self) -> tuple[do.Command, ...]:
        self.recording += 1
        return self.on(on.Pressed(self.recording))

    def release(self, *, is_tap: bool = False) -> tuple[do.Command, ...]:
        return self.on(on.Released(self.recording, is_tap=is_tap))

    def say(self, text: str) -> tuple[do.Command, ...]:
        """A whole utterance, from press to transcript."""
        self.press()
        turn = self.dialogue.turn
        self.release()
        self.on(on.Heard(self.recording, SPEECH))
        return self.on(on.Transcribed(turn, text))

    def answer_begins(self) -> None:
        """The message becomes a run that begins to sound."""
        turn = self.dialogue.turn
        self.on(on.Submitted(turn, f"run-{turn}"), on.RunHappened(turn, TextDelta("Ciao. ")))
        self.on(on.SoundBegan(turn))

    @property
    def state(self) -> at.State:
        return self.dialogue.state


def outcomes(commands: tuple[do.Command, ...]) -> dict[int, str]:
    return {c.turn: c.outcome for c in commands if isinstance(c, do.EndTurn)}


def speaking(**rules: str) -> Talk:
    talk = Talk(**rules)
    talk.say("che tempo fa")
    talk.answer_begins()
    assert isinstance(talk.state, at.Speaking)
    return talk
