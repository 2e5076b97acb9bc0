"""What must hold whatever happens: nothing is granted that was not heard, meant and still asked.

A witness watches what was read, heard and said, without looking into the dialogue, and judges each
answer that leaves it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.talk import SPEECH
from voicehermes.deciding.rules import DecisionRules
from voicehermes.dialogue import Dialogue, Rules, step
from voicehermes.dialogue import commands as do
from voicehermes.dialogue import events as on
from voicehermes.dialogue import state as at
from voicehermes.errors import GoneError, UnreachableError
from voicehermes.events import Approval, Clarification, Completed, Decision, TextDelta

CONSENTS = {"sì": "once", "approva": "once", "per la sessione": "session", "sempre": "always"}
OTHERS = ["no", "boh", "aspetta", "ripeti", "dettagli", "", "confermo", "sì, ma cosa fa?"]
DECISIONS: list[Decision] = [
    Approval("a1", "ls uno", "list", allow_permanent=True),
    Approval("a2", "rm -rf due", "recursive delete", allow_permanent=True),
    Approval("a3", "echo " + " ".join(f"tre{n}" for n in range(80)), "long", allow_permanent=True),
    Clarification("c1", "Dove?", ("staging", "production"), None),
]
MARKS = {"a1": "uno", "a2": "due", "a3": "tre", "c1": "Dove"}
NEEDS_A_SECOND_WORD = {"a2"}
ANSWERS = ["staging", "production"]
LOST = UnreachableError("Connection refused.")


@dataclass
class Witness:
    """Knows what the user has heard and said, and nothing else."""

    reading: tuple[int, str, str] | None = None
    """Number, decision and text of what is being read."""
    heard: set[str] = field(default_factory=set)
    """Decisions whose question was heard."""
    heard_in_full: set[str] = field(default_factory=set)
    heard_second: set[str] = field(default_factory=set)
    """Those whose prompt for the second word was heard after the newest consent."""
    at_start: dict[int, tuple[set[str], set[str], set[str]]] = field(default_factory=dict)
    """What had been heard when the user began to speak, by turn."""
    answered: set[str] = field(default_factory=set)
    settled: set[str] = field(default_factory=set)
    """Those that the server took the answer to: the docket never tells of them again."""

    def take(self, event: on.Event, asked: str | None) -> None:
        match event:
            case on.QuestionHeard(number) if self.reading and number == self.reading[0]:
                _, id_, text = self.reading
                self.reading = None
                if MARKS[id_] in text:
                    self.heard.add(id_)
                    if id_ != "a3" or "tre79" in text:
                        self.heard_in_full.add(id_)
                if "confermo" in text:
                    self.heard_second.add(id_)
            case on.DecisionAnswered(id_) if id_ in self.answered:
                self.settled.add(id_)
            case on.DecisionNotAnswered(id_, _):
                self.answered.discard(id_)

    def watch(self, event: on.Event, commands: Iterable[do.Command], asked: str | None) -> None:
        for command in commands:
            match command:
                case do.DropQuestion(number) if self.reading and self.reading[0] == number:
                    self.reading = None
                case do.AskQuestion(number, parts):
                    assert asked is not None
                    self.reading = number, asked, " ".join(part.text for part in parts)
                case do.StartRecording(turn, _):
                    self.at_start[turn] = (
                        set(self.heard),
                        set(self.heard_in_full),
                        set(self.heard_second),
                    )
                case do.AnswerDecision(decision, answer):
                    self.judge(event, decision.id, answer)

    def judge(self, event: on.Event, id_: str, answer: str) -> None:
        assert id_ not in self.answered, "answered twice"
        self.answered.add(id_)
        match event:
            case on.AnswerGiven(shown):
                assert shown == id_
            case on.Transcribed(turn, text):
                self.judge_words(turn, text, id_, answer)
            case on.CancelAsked():
                assert answer in ("deny", "Preferisco non rispondere a questa domanda.")
            case _:
                assert answer == "deny" or id_ == "c1", f"granted on {event}"
                raise AssertionError(f"answered on {event}")

    def judge_words(self, turn: int, text: str, id_: str, answer: str) -> None:
        if answer == "deny":
            return
        heard, in_full, second = self.at_start[turn]
        assert id_ in heard, "granted before it was heard"
        if id_ == "c1":
            assert answer == text
        elif text == "confermo" and id_ in second:
            pass
        else:
            assert CONSENTS[text if text != "confermo" else "sì"] == answer
            assert answer != "always"
            assert id_ not in NEEDS_A_SECOND_WORD, "a risky command went with one word"
            assert id_ in in_full, "granted on a summary"


ids = st.sampled_from(sorted(MARKS))
phrases = st.sampled_from([*CONSENTS, *OTHERS, *ANSWERS])
moves = st.one_of(
    st.tuples(st.just("hear")),
    st.tuples(st.just("hear")),
    st.tuples(st.just("confirm")),
    st.tuples(st.just("confirm")),
    st.tuples(st.just("speak"), phrases),
    st.tuples(st.just("speak"), phrases),
    st.tuples(st.just("press")),
    st.tuples(st.just("voice"), st.sampled_from([0.5, 60.0])),
    st.tuples(st.just("release"), st.booleans()),
    st.tuples(st.just("unheard")),
    st.tuples(st.just("find"), st.sampled_from(DECISIONS)),
    st.tuples(st.just("gone"), ids),
    st.tuples(st.just("time")),
    st.tuples(st.just("repeat")),
    st.tuples(st.just("typed"), ids),
    st.tuples(st.just("taken"), ids),
    st.tuples(st.just("not taken"), ids, st.sampled_from([LOST, GoneError("Gone.")])),
    st.tuples(st.just("mute")),
    st.tuples(st.just("unmute")),
    st.tuples(st.just("cancel")),
    st.tuples(st.just("lost")),
    st.tuples(st.just("end")),
    st.tuples(st.just("stale words"), st.integers(0, 9), phrases),
    st.tuples(st.just("stale reading"), st.integers(0, 9)),
)


class World:
    """Turns moves into the events that fit the moment."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.dialogue = Dialogue()
        self.witness = Witness()
        self.recording = 0

    def happen(self, event: on.Event) -> None:
        asked = getattr(self.dialogue.state, "id", None)
        self.witness.take(event, asked)
        self.dialogue, commands = step(self.dialogue, event, self.rules)
        asked = getattr(self.dialogue.state, "id", asked)
        self.witness.watch(event, commands, asked)

    def move(self, name: str, *rest: object) -> None:
        for event in self.events(name, *rest):
            self.happen(event)

    def events(self, name: str, *rest: object) -> list[on.Event]:
        state, asked = self.dialogue.state, self.dialogue.asked
        match name, *rest:
            case ("hear",):
                return [on.QuestionHeard(asked)]
            case ("unheard",):
                return [on.QuestionUnheard(asked, LOST)]
            case ("confirm",):
                return [on.DecisionConfirmed(getattr(state, "id", "a1"))]
            case "speak", str(text):
                return self.speech(text)
            case ("press",):
                self.recording += 1
                return [on.Pressed(self.recording)]
            case "voice", float(silence_seconds):
                return [on.SpeechHinted(), on.VoiceBegan(0.0, silence_seconds)]
            case "release", bool(is_tap):
                return [on.Released(self.recording, is_tap)]
            case "find", (Approval() | Clarification()) as decision:
                is_settled = decision.id in self.witness.settled
                return [] if is_settled else [on.DecisionFound(decision)]
            case "gone", str(id_):
                return [on.DecisionGone(id_, has_expired=True)]
            case ("time",):
                return [on.TimeToAsk(asked), on.CheckFailed(asked)]
            case ("repeat",):
                return [on.RepeatAsked()]
            case "typed", str(id_):
                return [on.AnswerGiven(id_, "staging" if id_ == "c1" else "once")]
            case "taken", str(id_):
                return [on.DecisionAnswered(id_, "once")]
            case "not taken", str(id_), error:
                return [on.DecisionNotAnswered(id_, error)]  # type: ignore[arg-type]
            case ("mute",):
                return [on.MuteAsked()]
            case ("unmute",):
                return [on.UnmuteAsked()]
            case ("cancel",):
                return [on.CancelAsked()]
            case ("lost",):
                return [on.RunLost(1, LOST)]
            case ("end",):
                return [on.RunHappened(1, Completed(None))]
            case "stale words", int(turn), str(text):
                known = [f.turn for f in getattr(state, "fragments", ())]
                return [] if turn in known else [on.Transcribed(turn, text)]
            case "stale reading", int(number):
                return [] if number == asked else [on.QuestionHeard(number)]
        raise AssertionError(name)

    def speech(self, text: str) -> list[on.Event]:
        """What is being recorded ends with these words."""
        match self.dialogue.state:
            case at.Listening(turn=turn, recording=recording):
                heard = on.Heard(recording, SPEECH)
            case at.Transcribing(fragments=fragments):
                open_ = [f for f in fragments if f.text is None]
                turn, heard = open_[0].turn, on.Heard(open_[0].recording or 0, SPEECH)
            case _:
                return []
        return [heard, on.Transcribed(turn, text)]


@settings(max_examples=1500, deadline=None)
@given(
    st.lists(moves, max_size=30),
    st.sampled_from(["hold", "toggle", "handsfree"]),
    st.booleans(),
    st.sampled_from(DECISIONS),
)
def test_nothing_is_granted_that_was_not_heard_meant_and_still_asked(
    plan: list[tuple[object, ...]], mode: str, with_always: bool, first: Approval | Clarification
) -> None:
    grants = ("once", "session", "always") if with_always else ("once", "session")
    decisions = DecisionRules(voice_grants=grants)  # type: ignore[arg-type]
    rules = Rules(mode=mode, when_busy="queue", decisions=decisions)  # type: ignore[arg-type]
    world = World(rules)
    for event in (
        on.Asked("fallo"),
        on.Submitted(1, "r1"),
        on.RunHappened(1, TextDelta("Ciao. ")),
        on.DecisionFound(first),
    ):
        world.happen(event)
    for name, *rest in plan:
        world.move(str(name), *rest)


def test_the_witness_is_not_blind() -> None:
    """A grant does leave the dialogue in the plan that must lead to one."""
    world = World(Rules(decisions=DecisionRules()))
    world.happen(on.DecisionFound(DECISIONS[1]))
    for move in (("hear",), ("speak", "sì"), ("confirm",), ("hear",), ("speak", "confermo")):
        world.move(*move)
    assert world.witness.answered == {"a2"}
