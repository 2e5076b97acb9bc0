"""Whole conversations in which a decision is overtaken: by time, by others, by faults, by an end.

Whatever happens, nothing is granted that was not, nothing is sent twice, and the user is told.
"""

import time

import pytest

from tests.real.conversation import House
from tests.real.daemon import running
from tests.real.deciding import COMMAND, WORDS, approval_parts, asking, deciding
from voicehermes.simulator.scenario import Approval, Decisions, Fault, Say, Tool

pytestmark = pytest.mark.real_parts

BEFORE = "Guardo da quanto tempo è acceso."
GRANTED = "Ecco fatto, è acceso da ieri."
DENIED = "Va bene, non lo faccio."
TOO_LATE = "Peccato, era tardi."
SECOND = "ls"
LONG = f"du -s {' '.join(f'cartella{number}' for number in range(1, 25))}"

[OPENING, NAMED, OFFER] = approval_parts()
ASKED = Approval(COMMAND, granted=(Say(GRANTED),), denied=(Say(DENIED),))
WORKING = Tool("terminal", seconds=1.0)
EXPIRED = WORDS.say("decision-expired-approval")
CLOSED = WORDS.say("decision-closed")

SILENT_SECONDS = 0.7
"""From what happens at the server to silence at the speaker."""


def test_what_expires_while_it_is_read_or_answered_is_silent_and_told(house: House) -> None:
    last = Approval(COMMAND, expired=(Say(TOO_LATE),))
    first = Approval(LONG, "first", expired=(last,))
    scenario = asking(first, hears=["Ripeti."], decisions=Decisions(approval_seconds=9.0))
    settings = {"decisions": {"approval_seconds": 10}}
    with deciding(house, scenario, settings) as told:
        told.begin()
        one = told.wait_until_asked()
        told.wait_until_heard(OPENING)
        told.begin()  # with the key, and it is read again, in full, until
        two = told.wait_until_asked(besides=[one])
        over_at = time.monotonic()
        told.wait_until_heard(EXPIRED)
        assert told.seconds_until_silent(over_at, told.places(EXPIRED)[0]) < SILENT_SECONDS
        told.home.wait_for_state("listening")
        told.wait_until_closed()
        assert told.talk.wait_for_end() == "answered"
        told.say()
        assert told.sent() == []
        assert len(told.uploaded_at) == 2
        assert two != one
        told.in_order(OPENING, OPENING, EXPIRED, *approval_parts(), EXPIRED, TOO_LATE)


def test_what_is_answered_elsewhere_is_silent_and_not_answered_again(house: House) -> None:
    last = Approval(SECOND, "second", granted=(Say(GRANTED),))
    first = Approval(COMMAND, denied=(last,))
    with deciding(house, asking(first)) as told:
        told.begin()
        one = told.wait_until_asked()
        told.wait_until_heard(OPENING)
        over_at = told.answer_elsewhere(one, "deny")
        two = told.wait_until_asked(besides=[one])
        told.wait_until_heard(CLOSED)
        assert told.seconds_until_silent(over_at, told.places(CLOSED)[0]) < SILENT_SECONDS
        told.home.wait_for_state("listening")
        told.answer_elsewhere(two, "once")
        assert told.talk.wait_for_end() == "answered"
        assert told.sent() == [(one, "deny"), (two, "once")], "both by the other client"
        assert len(told.uploaded_at) == 1
        told.in_order(OPENING, CLOSED, *approval_parts(SECOND, "second"), CLOSED, GRANTED)


def test_what_nobody_answers_waits_for_a_press_or_for_ctl(house: House) -> None:
    with deciding(house, asking(ASKED, hears=["", "", "Boh."])) as told:
        told.begin()
        asked = told.wait_until_asked()
        told.reply()
        told.reply()
        told.reply()
        told.wait_until_heard(WORDS.say("decision-later-approval"))
        assert told.home.status()["state"] == "waiting"
        shown = told.home.do("ctl", "decision").stdout
        assert asked in shown
        assert COMMAND in shown

        told.talk.tap()
        told.wait_until_heard(OPENING, times=2)
        assert told.home.do("ctl", "answer", asked, "deny").returncode == 0
        assert told.talk.wait_for_end() == "answered"
        assert told.sent() == [(asked, "deny")]
        refused = told.home.do("ctl", "answer", asked, "once")
        assert refused.returncode == 1
        assert "pending" in refused.stderr
        assert told.sent() == [(asked, "deny")]
        assert told.home.do("ctl", "decision").stdout == "Nothing waits to be decided.\n"
        told.in_order(
            *approval_parts(),
            *(WORDS.say("decision-silence"), OFFER),
            *(WORDS.say("decision-silence"), OFFER),
            WORDS.say("decision-later-approval"),
            *(OPENING, WORDS.say("denied"), DENIED),
        )


def test_a_daemon_that_dies_over_a_question_asks_it_again_when_it_is_back(house: House) -> None:
    with deciding(house, asking(BEFORE, WORKING, ASKED, hears=["Sì."])) as told:
        told.begin()
        asked = told.wait_until_asked()
        told.wait_until_heard(OPENING)
        told.talk.daemon.kill()
        assert told.sent() == []
        with running(told.home):
            told.wait_until_heard(OPENING, times=2)
            told.reply()
            assert told.home.wait_for("turn_end", outcome="answered", seconds=25.0)
            told.talk.listener.wait_for_silence(0.3)
        assert told.sent() == [(asked, "once")]
        told.in_order(*(BEFORE, OPENING, *approval_parts(), WORDS.say("approved-once"), GRANTED))


def test_an_end_and_a_cancel_over_a_question_grant_nothing(house: House) -> None:
    with deciding(house, asking(BEFORE, WORKING, ASKED)) as told:
        told.begin()
        asked = told.wait_until_asked()
        told.wait_until_heard(OPENING)
        ended_at = time.monotonic()
        assert told.talk.daemon.end() == 0
        told.talk.listener.wait_for_silence(0.3)
        assert told.seconds_until_silent(ended_at) < 2.0
        assert told.pending("approval") == asked
        with running(told.home):
            told.wait_until_heard(OPENING, times=2)
            cancelled_at = time.monotonic()
            assert told.home.ctl("cancel")["ok"] is True
            told.wait_until_closed()
            told.home.wait_for_state("idle")
            told.talk.listener.wait_for_silence(0.3)
            assert told.seconds_until_silent(cancelled_at) < SILENT_SECONDS
        assert told.sent() == []
        assert len(told.talk.requests("/api/chat/cancel")) == 1
        assert len(told.uploaded_at) == 1


def test_a_network_that_goes_away_over_a_question_and_its_answer_doubles_nothing(
    house: House,
) -> None:
    last = Approval(SECOND, "second", granted=(Say(GRANTED),))
    first = Approval(COMMAND, granted=(last,))
    faults = (
        Fault("/api/approval/respond", drop_answer=True),
        Fault("/api/approval/respond", after=1, status=502, body="?", close_after_bytes=0),
    )
    scenario = asking(BEFORE, WORKING, first, hears=["Sì.", "Approva."], faults=faults)
    with deciding(house, scenario) as told:
        told.begin()
        one = told.wait_until_asked()
        told.wait_until_heard(OPENING)
        told.talk.server.hang_up()
        told.reply()  # the server takes it, and says nothing
        two = told.wait_until_asked(besides=[one])
        told.reply()  # lost on the way there
        assert told.talk.wait_for_end() == "answered"
        assert told.sent() == [(one, "once"), (two, "once"), (two, "once")]
        told.in_order(
            *(BEFORE, *approval_parts(), WORDS.say("error-unconfirmed")),
            *(*approval_parts(SECOND, "second"), WORDS.say("approved-once"), GRANTED),
        )


def test_what_is_read_aloud_does_not_answer_itself(house: House) -> None:
    """The microphone hears the speaker, at once and once more later, as in a room.

    The server hears "Approva." in whatever it gets.
    """
    near, far = house.card.looped(20), house.card.looped(200)
    with near, far, deciding(house, asking(ASKED, hears=["Approva."] * 9)) as told:
        told.begin()
        asked = told.wait_until_asked()
        told.wait_until_heard(OFFER)
        told.wait_until_heard(WORDS.say("decision-silence"))
        assert len(told.uploaded_at) == 1, "what the user asked for"
        told.wait_until_begun(OFFER, times=2)
        told.talk.press()  # over what may be answered, and nothing is said
        told.home.wait_for_state("listening")
        time.sleep(1.0)
        told.talk.release()
        told.wait_until_heard(OFFER, times=2)
        assert told.sent() == []
        assert told.pending("approval") == asked
