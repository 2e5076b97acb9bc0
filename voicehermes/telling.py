"""What the user hears and sees of a conversation, and whether all of it was heard.

It knows mouth, display and the sentences of ours; what is to be told, others decide.
"""

from typing import assert_never

from voicehermes.attention import Attention
from voicehermes.dialogue import Dialogue
from voicehermes.dialogue import commands as do
from voicehermes.dialogue import state as at
from voicehermes.lexicon import Lexicon
from voicehermes.organs import Mouth
from voicehermes.ports import Display
from voicehermes.timeline import Timeline

_AT_REST = {
    Attention.NOTHING: "state-idle",
    Attention.WAKE_WORD: "state-wake-word",
    Attention.SPEECH: "state-open",
}
"""How a state in which nothing goes on is shown."""


class Telling:
    """Carries out what is audible or visible, and shows the state when it is another one."""

    def __init__(self, mouth: Mouth, display: Display, timeline: Timeline, words: Lexicon) -> None:
        self._mouth = mouth
        self._display = display
        self._timeline = timeline
        self._words = words
        self._to_be_heard: set[int] = set()
        """Turns of which something is still to be spoken."""
        self._shown = ""
        """The phrase for the state that the user sees."""

    @property
    def is_all_heard(self) -> bool:
        """Whether nothing is left to be spoken."""
        return not self._to_be_heard

    def note_heard(self, turn: int) -> None:
        """The mouth has spoken all of that turn."""
        self._to_be_heard.discard(turn)

    def show_state(self, dialogue: Dialogue, attention: Attention) -> None:
        """Show where the conversation is, and what is attended to while it rests."""
        name = f"state-{type(dialogue.state).__name__.lower()}"
        if isinstance(dialogue.state, at.Idle):
            name = "state-muted" if dialogue.muted else _AT_REST[attention]
        if name != self._shown:
            self._shown = name
            self._display.show_state(name)

    def show_notice(self, phrase: str, detail: str) -> None:
        """Show a sentence of ours, with what is written behind it and not spoken."""
        self._display.show_notice(f"{self._words.say(phrase)} {detail}".rstrip())

    def carry_out(self, command: do.Audible | do.Visible, turn: int) -> None:
        """Let the user hear or see it. ``turn`` is the one under way."""
        match command:
            case do.BeginSpeech(of_turn, run_id):
                self._to_be_heard.add(of_turn)
                self._mouth.begin(of_turn, run_id)
            case do.AddSpeech(of_turn, text):
                self._mouth.add(of_turn, text)
            case do.EndSpeech(of_turn):
                self._mouth.end(of_turn)
            case do.Hush(of_turn):
                self._to_be_heard.discard(of_turn)
                self._mouth.hush(of_turn)
            case do.AskQuestion(question, parts, within, after_waiting):
                self._timeline.note("question", turn, number=question)
                self._mouth.ask(
                    question, parts, within_seconds=within, after_waiting_seconds=after_waiting
                )
            case do.DropQuestion():
                self._mouth.drop_question()
            case do.SpeakAgain(of_turn, from_start):
                self._to_be_heard.add(of_turn)
                if not self._mouth.speak_again(of_turn, from_start=from_start):
                    self._say("nothing-to-repeat", "", turn)
            case do.ChangeVolume(steps):
                self._mouth.change_volume(steps)
            case do.ChangeRate(steps):
                self._mouth.change_rate(steps)
            case do.DuckSound():
                self._mouth.duck()
            case do.UnduckSound():
                self._mouth.unduck()
            case do.PauseSound():
                self._mouth.pause()
            case do.ResumeSound():
                self._mouth.resume()
            case do.Cue(name):
                self._mouth.cue(name)
            case do.Say(phrase, detail):
                self._say(phrase, detail, turn)
            case do.ShowTranscript(text):
                self._display.show_transcript(text)
            case do.ShowReply(text):
                self._display.show_reply(text)
            case do.ShowReplyEnd():
                self._display.show_reply_end()
            case do.ShowDetail(text):
                self._display.show_detail(text)
            case do.ShowDecision(text):
                self._display.show_decision(text)
            case _:
                assert_never(command)

    def _say(self, phrase: str, detail: str, turn: int) -> None:
        self._to_be_heard.add(turn)
        self._mouth.say(turn, self._words.say(phrase))
        self.show_notice(phrase, detail)
