"""Whole conversations in which the agent wants something decided, and a voice decides it."""

import time

import pytest

from tests.real.conversation import RADIO, House, uploaded
from tests.real.correlation import decoded, find_once
from tests.real.deciding import (
    COMMAND,
    RISKY,
    WORDS,
    approval_parts,
    asking,
    clarification_parts,
    deciding,
)
from tests.real.listening import RATE_HZ, listening
from tests.real.sound_card import MICROPHONE
from voicehermes.assets import asset
from voicehermes.hearing.own_sound import ECHO_TAIL_SECONDS
from voicehermes.simulator.scenario import Approval, Clarify, Say, Tool

pytestmark = pytest.mark.real_parts

BEFORE = "Guardo da quanto tempo è acceso."
GRANTED = "Ecco fatto, è acceso da ieri."
DENIED = "Va bene, non lo faccio."
SECOND = "ls"

[OPENING, NAMED, OFFER] = approval_parts()
ASKED = Approval(COMMAND, granted=(Say(GRANTED),), denied=(Say(DENIED),))
WORKING = Tool("terminal", seconds=1.0)


def test_a_spoken_yes_grants_what_was_heard_and_the_reply_goes_on(house: House) -> None:
    with deciding(house, asking(BEFORE, WORKING, ASKED, hears=["Sì."])) as told:
        told.begin()
        asked = told.wait_until_asked()
        told.reply()
        assert told.talk.wait_for_end() == "answered"
        assert told.sent() == [(asked, "once")]
        heard = told.assert_heard(BEFORE, *approval_parts(), WORDS.say("approved-once"), GRANTED)
        assert told.talk.listener.time_of(heard[3].end) + ECHO_TAIL_SECONDS < told.uploaded_at[1]


def test_a_question_begins_within_5_s_though_a_long_sentence_is_spoken(house: House) -> None:
    long = (
        "Sto leggendo il registro del servizio di salvataggio per capire quando è partito "
        "l'ultima volta e quanto spazio occupa adesso nel disco esterno della cantina."
    )
    settings = {"speak": {"rate": "+50%"}}  # of which nothing is on the disk
    scenario = asking(long, Tool("terminal", seconds=1.5), ASKED, hears=["No."])
    with deciding(house, scenario, settings) as told:
        told.begin()
        told.wait_until_asked()
        asked_at = time.monotonic()
        told.reply()
        assert told.talk.wait_for_end() == "answered"
        question = told.in_order(OPENING, NAMED, OFFER)
        began = told.talk.listener.time_of(question[0].at) - asked_at
        before, after = told.interrupted(long)
        assert 0 < began < 5.0
        assert before.end < question[0].at
        assert question[-1].end < after.at


def test_what_is_said_before_the_microphone_opens_is_not_in_the_answer(house: House) -> None:
    with (
        deciding(house, asking(ASKED, hears=["Approva."])) as told,
        listening(told.talk.card, MICROPHONE) as room,
    ):
        told.begin()
        told.wait_until_heard(NAMED)
        told.say(RADIO)  # while what may be answered is still being read
        assert told.talk.wait_for_end() == "answered"
        [_, upload] = told.talk.requests("/api/transcribe")
        words = uploaded(upload, RATE_HZ)
        begin = find_once(words[: RATE_HZ // 2], room.samples).at
        opened = room.time_of(begin) - told.talk.listener.time_of(told.heard(OFFER).end)
        assert ECHO_TAIL_SECONDS - 0.05 < opened < ECHO_TAIL_SECONDS + 0.3


def test_one_after_another_is_asked_and_what_is_not_understood_is_asked_again(
    house: House,
) -> None:
    second = Approval(SECOND, "second", granted=(Say(GRANTED),))
    first = Approval(COMMAND, denied=(second,))
    hears = ["No, non farlo.", "Boh, forse domani?", "Approva."]
    settings = {"audio": {"cues": True}}
    with deciding(house, asking(first, hears=hears), settings) as told:
        told.begin()
        one = told.wait_until_asked()
        told.reply()
        two = told.wait_until_asked(besides=[one])
        told.reply()
        told.reply()
        assert told.talk.wait_for_end() == "answered"
        assert told.sent() == [(one, "deny"), (two, "once")]
        heard = told.in_order(
            *approval_parts(),
            WORDS.say("denied"),
            *approval_parts(SECOND, "second"),
            WORDS.say("decision-unclear"),
            OFFER,
            WORDS.say("approved-once"),
            GRANTED,
        )
        cue = decoded(asset("cues/attention.wav"), RATE_HZ)
        assert told.all_places(cue)[0].end <= heard[0].at


def test_a_risky_command_wants_another_word_and_a_second_yes_is_none(house: House) -> None:
    asked = Approval(RISKY, granted=(Say(GRANTED),))
    with deciding(house, asking(asked, hears=["Sì.", "Sì.", "Confermo."])) as told:
        told.begin()
        id_ = told.wait_until_asked()
        told.reply()
        told.reply()
        told.home.wait_for_state("listening")
        assert told.sent() == []
        told.reply()
        assert told.talk.wait_for_end() == "answered"
        assert told.sent() == [(id_, "once")]
        risky, word = WORDS.say("confirm-risky"), WORDS.say("confirm-word")
        told.assert_heard(
            *approval_parts(RISKY),
            *(risky, word, WORDS.say("decision-unclear"), risky, word),
            *(WORDS.say("approved-once"), GRANTED),
        )


def test_a_question_is_answered_by_number_by_word_in_free_words_and_not_at_all(
    house: House,
) -> None:
    where, which = ("staging", "produzione"), ("prima", "seconda")
    steps = Clarify(
        "Dove?",
        where,
        answered=(
            Clarify(
                "Quale?",
                which,
                answered=(
                    Clarify("Perché?", answered=(Clarify("E poi?", answered=(Say("Bene."),)),)),
                ),
            ),
        ),
    )
    hears = ["Due.", "La prima.", "Perché il disco è quasi pieno.", "Annulla."]
    with deciding(house, asking(steps, hears=hears)) as told:
        told.begin()
        ids: list[str] = []
        for _ in hears:
            ids.append(told.wait_until_asked("clarify", besides=ids))
            told.reply()
        assert told.talk.wait_for_end() == "answered"
        answers = ["produzione", "prima", "Perché il disco è quasi pieno.", WORDS.say("decline")]
        assert told.sent("clarify") == list(zip(ids, answers, strict=True))
        answered = WORDS.say("answered")
        told.assert_heard(
            *(*clarification_parts("Dove?", where), answered),
            *(*clarification_parts("Quale?", which), answered),
            *(*clarification_parts("Perché?"), answered),
            *(*clarification_parts("E poi?"), WORDS.say("declined"), "Bene."),
        )


def test_with_the_key_over_the_question_a_no_counts_and_a_yes_does_not(house: House) -> None:
    second = Approval(SECOND, "second", granted=(Say(GRANTED),))
    first = Approval(COMMAND, denied=(second,))
    with deciding(house, asking(first, hears=["Sì.", "No.", "Approva."])) as told:
        told.begin()
        one = told.wait_until_asked()
        told.wait_until_heard(OPENING)
        told.begin()
        told.wait_until_heard(OPENING, times=2)
        assert told.sent() == []
        told.begin()
        two = told.wait_until_asked(besides=[one])
        told.home.wait_for_state("listening")  # by itself; whoever wants to may hold the key now
        told.begin()
        assert told.talk.wait_for_end() == "answered"
        assert told.sent() == [(one, "deny"), (two, "once")]
        told.in_order(
            *(OPENING, WORDS.say("decision-too-early"), OPENING, WORDS.say("denied")),
            *(*approval_parts(SECOND, "second"), WORDS.say("approved-once"), GRANTED),
        )


def test_in_toggle_mode_the_microphone_opens_by_itself_and_by_the_key(house: House) -> None:
    settings = {"talk": {"mode": "toggle", "hotkey": "f9"}}
    with deciding(house, asking(ASKED, hears=["Sì.", "Approva."]), settings) as told:
        told.toggled("F9")
        asked = told.wait_until_asked()
        told.wait_until_heard(OPENING)
        told.toggled("F9")
        told.wait_until_heard(WORDS.say("decision-too-early"))
        assert told.sent() == []
        told.reply()
        assert told.talk.wait_for_end() == "answered"
        assert told.sent() == [(asked, "once")]
        told.in_order(
            *(OPENING, WORDS.say("decision-too-early"), *approval_parts()),
            *(WORDS.say("approved-once"), GRANTED),
        )


def test_further_choices_come_on_request_and_own_words_are_read_back(house: House) -> None:
    days = ("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica")
    steps = Clarify("Quando?", days, answered=(Clarify("Dove?", answered=(Say("Bene."),)),))
    hears = ["Altre.", "Sette.", "In cantina.", "Sì."]
    settings = {"decisions": {"confirm_free_text": True}}
    with deciding(house, asking(steps, hears=hears), settings) as told:
        told.begin()
        first = told.wait_until_asked("clarify")
        told.reply()
        told.reply()
        second = told.wait_until_asked("clarify", besides=[first])
        told.reply()
        told.wait_until_heard("Hai detto: In cantina.")
        assert len(told.sent("clarify")) == 1
        told.reply()
        assert told.talk.wait_for_end() == "answered"
        assert told.sent("clarify") == [(first, "domenica"), (second, "In cantina.")]
        told.in_order(
            *(*clarification_parts("Quando?", days), "Sei: sabato. Sette: domenica."),
            *(WORDS.say("answered"), *clarification_parts("Dove?"), "Hai detto: In cantina."),
            *(WORDS.say("read-back-ask"), WORDS.say("answered"), "Bene."),
        )


def test_a_question_is_repeated_by_ctl_and_not_answered_while_the_microphone_is_off(
    house: House,
) -> None:
    with deciding(house, asking(ASKED, hears=["Approva."])) as told:
        told.begin()
        asked = told.wait_until_asked()
        told.wait_until_begun(OPENING)
        told.home.ctl("repeat")
        told.wait_until_begun(OPENING, times=2)
        told.home.ctl("mute")
        told.wait_until_heard(WORDS.say("decision-muted"))
        told.say()
        told.home.ctl("unmute")
        told.talk.press()
        told.talk.release()
        told.reply()
        assert told.talk.wait_for_end() == "answered"
        assert told.sent() == [(asked, "once")]
        assert len(told.uploaded_at) == 2  # the message, and the answer
