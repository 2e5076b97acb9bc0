"""A world around a dialogue without a key: only what can happen does, in any order.

What the dialogue commands is under way until the world has answered it; the user, the room and the
agent do what they like meanwhile.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.talk import SPEECH
from voicehermes.attention import Attention
from voicehermes.dialogue import Dialogue, Rules, step
from voicehermes.dialogue import commands as do
from voicehermes.dialogue import events as on
from voicehermes.dialogue.attending import attention
from voicehermes.errors import GoneError, UnreachableError
from voicehermes.events import (
    Approval,
    Clarification,
    Completed,
    Decision,
    DecisionWanted,
    Failed,
    TextDelta,
)

YES = ("sì", "confermo", "continua", "per la sessione")
NO = ("no", "annulla", "aspetta")
SAID = (
    *(*YES, *NO, "dettagli", "che ore sono", "mhm", ""),
    *("zitto", "ripeti", "nuova conversazione", "vai a dormire"),
)
LOST = UnreachableError("The server is away.")
DECISIONS: tuple[Decision, ...] = (
    Approval("a1", "rm -rf build", "recursive delete", allow_permanent=True),
    Approval("a2", "ls", "", allow_permanent=False),
    Clarification("c1", "Dove?", ("staging", "produzione"), None),
)

Choose = Callable[[int], int]
"""One of so many possibilities."""


def happening(event: on.Event) -> Callable[[Choose], on.Event]:
    """What leaves no choice."""
    return lambda _: event


@dataclass
class World:
    """All that is under way, and what became of it."""

    rules: Rules
    dialogue: Dialogue = field(default_factory=Dialogue)
    attends_to: Attention = Attention.NOTHING
    recordings: set[int] = field(default_factory=set)
    """Under way, or stopped and not told yet."""
    transcribing: set[int] = field(default_factory=set)
    submitting: set[int] = field(default_factory=set)
    steering: set[int] = field(default_factory=set)
    following: set[int] = field(default_factory=set)
    sounding: set[int] = field(default_factory=set)
    complete: set[int] = field(default_factory=set)
    """Of those that sound, the ones whose text has ended."""
    reading: int | None = None
    read: int | None = None
    """The question that was read to its end last, while nothing else was asked."""
    checking: dict[str, int] = field(default_factory=dict)
    later: set[int] = field(default_factory=set)
    answering: dict[str, str] = field(default_factory=dict)
    windows: set[int] = field(default_factory=set)
    stopped: set[int] = field(default_factory=set)
    """Recordings of which nobody wants more."""
    answer: list[int] = field(default_factory=list)
    """The turns of what is being said behind the question that was read."""
    said: dict[int, str | None] = field(default_factory=dict)
    """By turn; None = that is lost."""
    ended: list[int] = field(default_factory=list)
    key: int = 0
    is_paused: bool = False

    def happen(self, event: on.Event) -> None:
        """Tell the dialogue, and begin what it commands."""
        if isinstance(event, on.Transcribed | on.NotTranscribed):
            self.said[event.turn] = event.text if isinstance(event, on.Transcribed) else None
        was_muted = self.dialogue.muted
        self.dialogue, commands = step(self.dialogue, event, self.rules)
        for command in commands:
            self._begin(command)
            assert not (was_muted and isinstance(command, do.StartRecording)), "it was muted"
        self.attends_to = attention(self.dialogue, self.rules)

    def _check_grant(self) -> None:
        """Refusal is the default: it was read, a yes was said behind it, and nothing against it."""
        assert self.read is not None, "it was not read to its end"
        words = [self.said[turn] for turn in self.answer if turn in self.said]
        assert None not in words, "what is lost may have been a no"
        assert set(YES).intersection(words), words
        assert not set(NO).intersection(words), words

    def _begin(self, command: do.Command) -> None:
        match command:
            case do.StartRecording(turn, recording):
                assert not self.recordings_under_way, "two recordings at once"
                self.recordings.add(recording)
                if self.read is not None:
                    self.answer.append(turn)
            case do.DropRecording(recording):
                self.recordings.discard(recording)
            case do.StopRecording(recording):
                assert recording in self.recordings
                self.stopped.add(recording)
            case do.Transcribe(turn):
                self.transcribing.add(turn)
            case do.DropTranscription(turn):
                self.transcribing.discard(turn)
            case do.Submit(turn):
                self.submitting.add(turn)
            case do.Steer(turn):
                self.steering.add(turn)
            case do.Follow(turn):
                self.following.add(turn)
            case do.LeaveRun(turn):
                self.following.discard(turn)
            case do.BeginSpeech(turn) | do.SpeakAgain(turn):
                self.sounding.add(turn)
                if isinstance(command, do.SpeakAgain):
                    self.complete.add(turn)
            case do.EndSpeech(turn):
                self.complete.add(turn)
            case do.Hush(turn):
                self.sounding.discard(turn)
            case do.AskQuestion(question):
                self.reading, self.read, self.answer = question, None, []
            case do.DropQuestion():
                self.reading = None
            case do.CheckDecision(id_, question):
                self.checking[id_] = question
            case do.AskAgainLater(_, question):
                self.later.add(question)
            case do.AnswerDecision(decision, answer):
                assert decision.id not in self.answering, "two answers at once"
                self.answering[decision.id] = answer
                if isinstance(decision, Approval) and answer != "deny":
                    self._check_grant()
            case do.CloseLater(window):
                self.windows = {window}
            case do.PauseSound():
                self.is_paused = True
            case do.ResumeSound():
                self.is_paused = False
                self.read, self.answer = None, []
            case do.EndTurn(turn):
                self.ended.append(turn)
            case _:
                pass

    @property
    def recordings_under_way(self) -> set[int]:
        """Those that nobody has stopped."""
        return self.recordings - self.stopped

    # --- what can happen ----------------------------------------------------------------------

    def answers(self) -> list[Callable[[Choose], on.Event]]:
        """What ends something that is under way."""
        possible: list[Callable[[Choose], on.Event]] = []
        possible += [self._heard(number) for number in self.recordings]
        possible += [self._transcribed(turn) for turn in self.transcribing]
        possible += [self._submitted(turn) for turn in self.submitting]
        possible += [self._steered(turn) for turn in self.steering]
        possible += [self._ran(turn) for turn in self.following]
        if not self.is_paused:
            possible += [self._spoken(turn) for turn in self.sounding & self.complete]
        if self.reading is not None:
            possible.append(self._question_read(self.reading))
        possible += [self._checked(id_) for id_ in self.checking]
        possible += [self._answered(id_) for id_ in self.answering]
        possible += [self._time_to_ask(question) for question in self.later]
        return possible

    def interventions(self) -> list[Callable[[Choose], on.Event]]:
        """What somebody may do at any time, and seldom does."""
        return [
            lambda _: on.MuteAsked(),
            lambda _: on.CancelAsked(),
            lambda _: on.TimeToClose(self.dialogue.window),
            lambda _: on.Asked("scritto"),
            lambda _: on.RepeatAsked(),
            self._press,
        ]

    def deeds(self) -> list[Callable[[Choose], on.Event]]:
        """What the user, the room and the agent may do."""
        possible: list[Callable[[Choose], on.Event]] = []
        if self.dialogue.muted:
            possible += [lambda _: on.UnmuteAsked()]
        if self.attends_to is Attention.SPEECH:
            possible += [lambda c: on.VoiceBegan(0.0, (0.5, 60.0)[c(2)])]
            possible += [lambda _: on.SpeechHinted(), lambda _: on.HintGone()]
        if self.attends_to is Attention.WAKE_WORD:
            possible += [lambda _: on.WakeWordHeard("hey_jarvis")]
        if self.attends_to is Attention.NOTHING and not self.recordings:
            possible += [self._press]
        possible += [happening(on.StillSilent(number)) for number in self.recordings]
        for turn in self.following:
            possible += [happening(on.RunHappened(turn, TextDelta("Ciao. ")))] * 2
            for decision in DECISIONS:
                possible += [happening(on.RunHappened(turn, DecisionWanted(decision)))]
                possible += [happening(on.DecisionFound(decision))]
        if not self.is_paused:
            possible += [happening(on.SoundBegan(turn)) for turn in self.sounding]
        if self.dialogue.questions:
            possible += [lambda c: on.DecisionGone(DECISIONS[c(3)].id, bool(c(2)))]
        return possible

    def _press(self, _: Choose) -> on.Event:
        self.key += 1
        return on.Pressed(self.key)

    def _heard(self, number: int) -> Callable[[Choose], on.Event]:
        def heard(choose: Choose) -> on.Event:
            self.recordings.discard(number)
            self.stopped.discard(number)
            return on.Heard(number, SPEECH if choose(5) else None)

        return heard

    def _transcribed(self, turn: int) -> Callable[[Choose], on.Event]:
        def transcribed(choose: Choose) -> on.Event:
            self.transcribing.discard(turn)
            if not choose(12):
                return on.NotTranscribed(turn, LOST)
            return on.Transcribed(turn, SAID[choose(len(SAID))], is_own=not choose(10))

        return transcribed

    def _submitted(self, turn: int) -> Callable[[Choose], on.Event]:
        def submitted(choose: Choose) -> on.Event:
            self.submitting.discard(turn)
            return on.Submitted(turn, f"r{turn}") if choose(8) else on.NotSubmitted(turn, LOST)

        return submitted

    def _steered(self, turn: int) -> Callable[[Choose], on.Event]:
        def steered(choose: Choose) -> on.Event:
            self.steering.discard(turn)
            return on.Steered(turn, bool(choose(2)))

        return steered

    def _ran(self, turn: int) -> Callable[[Choose], on.Event]:
        def ran(choose: Choose) -> on.Event:
            if choose(8):
                return on.RunHappened(turn, Completed("Ciao.") if choose(5) else Failed("e", "5"))
            return on.RunLost(turn, LOST)

        return ran

    def _spoken(self, turn: int) -> Callable[[Choose], on.Event]:
        def spoken(_: Choose) -> on.Event:
            self.sounding.discard(turn)
            return on.SpokenAll(turn)

        return spoken

    def _question_read(self, question: int) -> Callable[[Choose], on.Event]:
        def read(choose: Choose) -> on.Event:
            self.reading = None
            if not choose(10):
                return on.QuestionUnheard(question, LOST)
            self.read = question
            return on.QuestionHeard(question)

        return read

    def _checked(self, id_: str) -> Callable[[Choose], on.Event]:
        def checked(choose: Choose) -> on.Event:
            question = self.checking.pop(id_)
            if not choose(8):
                return on.CheckFailed(question)
            return on.DecisionConfirmed(id_) if choose(5) else on.DecisionGone(id_, False)

        return checked

    def _answered(self, id_: str) -> Callable[[Choose], on.Event]:
        def answered(choose: Choose) -> on.Event:
            answer = self.answering.pop(id_)
            if choose(5):
                return on.DecisionAnswered(id_, answer)
            return on.DecisionNotAnswered(id_, (LOST, GoneError("Gone."))[choose(2)])

        return answered

    def _time_to_ask(self, question: int) -> Callable[[Choose], on.Event]:
        def ask(_: Choose) -> on.Event:
            self.later.discard(question)
            return on.TimeToAsk(question)

        return ask
