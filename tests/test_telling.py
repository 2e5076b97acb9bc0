"""What the user hears and sees, and whether all of it was heard."""

from tests.fakes.display import FakeDisplay
from tests.fakes.mouth import FakeMouth
from voicehermes import lexicon
from voicehermes.attention import Attention
from voicehermes.dialogue import Dialogue
from voicehermes.dialogue import commands as do
from voicehermes.telling import Telling
from voicehermes.timeline import Timeline

WORDS = lexicon.load("it")


class Room:
    def __init__(self) -> None:
        self.mouth, self.display = FakeMouth(), FakeDisplay()
        timeline = Timeline(lambda: 0.0, lambda _: None)
        self.telling = Telling(self.mouth, self.display, timeline, WORDS)


def test_a_state_is_shown_once_and_at_rest_with_what_is_attended_to() -> None:
    room = Room()
    idle, muted = Dialogue(), Dialogue(muted=True)
    for dialogue, attention in [
        (idle, Attention.NOTHING),
        (idle, Attention.NOTHING),
        (idle, Attention.WAKE_WORD),
        (idle, Attention.SPEECH),
        (muted, Attention.NOTHING),
    ]:
        room.telling.show_state(dialogue, attention)
    assert room.display.states == ["state-idle", "state-wake-word", "state-open", "state-muted"]


def test_a_sentence_of_ours_is_spoken_and_shown_and_its_detail_only_shown() -> None:
    room = Room()
    room.telling.carry_out(do.Say("input-zeros", "(USB)"), turn=3)
    sentence = WORDS.say("input-zeros")
    assert room.mouth.said == [sentence]
    assert room.display.notices == [f"{sentence} (USB)"]


def test_all_is_heard_once_the_mouth_has_spoken_it_or_is_hushed() -> None:
    room = Room()
    assert room.telling.is_all_heard
    room.telling.carry_out(do.BeginSpeech(1, None), turn=1)
    room.telling.carry_out(do.Say("input-zeros", ""), turn=2)
    room.telling.carry_out(do.Hush(1), turn=2)
    assert not room.telling.is_all_heard
    room.telling.note_heard(2)
    assert room.telling.is_all_heard


def test_where_nothing_can_be_repeated_that_is_said() -> None:
    room = Room()
    room.telling.carry_out(do.SpeakAgain(1, from_start=True), turn=1)
    assert room.mouth.said == [WORDS.say("nothing-to-repeat")]
