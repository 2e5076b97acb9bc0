"""Whole conversations, heard at the speaker: turns as they should be."""

import pytest

from tests.real.conversation import RADIO, House, scripted, uploaded
from tests.real.correlation import decoded, find_once
from voicehermes.audio import RATE_HZ

pytestmark = pytest.mark.real_parts

STORY = [
    "C'era una volta un guardiano del faro che parlava con le navi.",
    "Una notte di nebbia nessuna nave rispose, e lui continuò a raccontare.",
    "All'alba scoprì che tutto il porto era rimasto sveglio ad ascoltarlo.",
]


def test_a_held_key_a_question_and_the_whole_answer(house: House) -> None:
    first_word = decoded(house.cut(RADIO, 0.75, 1.25), RATE_HZ)
    last_word = decoded(house.cut(RADIO, 4.5, 5.1), RATE_HZ)
    with house.open(scripted([" ".join(STORY)])) as talk:
        talk.say(RADIO)
        assert talk.wait_for_end() == "answered"

        [upload] = talk.requests("/api/transcribe")
        sent = uploaded(upload, RATE_HZ)
        begin, end = find_once(first_word, sent).at, find_once(last_word, sent).at
        assert (end - begin) / RATE_HZ == pytest.approx(4.5 - 0.75, abs=0.02)
        talk.assert_reply_was_heard(STORY)
        assert talk.home.unsent == []
