"""A mouth that says nothing keeps nobody waiting, and lets nobody believe that he was heard."""

from voicehermes.errors import VoiceError
from voicehermes.speaking.parts import Part
from voicehermes.speaking.silent import Silent
from voicehermes.speaking.voice_events import QuestionUnheard, SpokenAll, VoiceEvent


def test_a_reply_and_a_sentence_of_ours_have_been_spoken_as_soon_as_they_are_complete() -> None:
    told: list[VoiceEvent] = []
    mouth = Silent(told.append)
    mouth.begin(1)
    mouth.add(1, "Ciao.")
    assert told == []
    mouth.end(1)
    mouth.say(2, "Annullato.")
    assert told == [SpokenAll(1), SpokenAll(2)]


def test_no_question_was_heard() -> None:
    told: list[VoiceEvent] = []
    mouth = Silent(told.append)
    mouth.ask(7, [Part("Approvi?", is_fixed=True)], within_seconds=4.0)
    mouth.drop_question()
    [event] = told
    assert isinstance(event, QuestionUnheard)
    assert event.question == 7
    assert isinstance(event.error, VoiceError)


def test_nothing_is_said_again_and_nobody_waits_for_it() -> None:
    told: list[VoiceEvent] = []
    mouth = Silent(told.append)
    mouth.begin(1)
    mouth.add(1, "Ciao.")
    mouth.end(1)
    assert not mouth.speak_again(2, from_start=True)
    assert told == [SpokenAll(1)]
