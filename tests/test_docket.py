"""What of the things that are told is news."""

from hypothesis import given
from hypothesis import strategies as st

from voicehermes.deciding.docket import (
    MOST_REMEMBERED,
    DecisionFound,
    DecisionGone,
    Docket,
    News,
)
from voicehermes.events import Approval, Clarification, Decision, DecisionKind

UNIX = 1_800_000_000.0


def _approval(id_: str) -> Approval:
    return Approval(id_, f"rm {id_}", "delete", allow_permanent=True)


def _question(id_: str, ends_in: float | None = None) -> Clarification:
    return Clarification(id_, "Quale?", ("Uno", "Due"), None if ends_in is None else UNIX + ends_in)


A, B = _approval("a"), _approval("b")


def _docket() -> Docket:
    return Docket(approval_seconds=60.0)


def _see(
    docket: Docket, decision: Decision | None, at: float = 0.0, kind: DecisionKind = "approval"
) -> tuple[News, ...]:
    return docket.see(kind, decision, at, UNIX + at)


def test_what_is_seen_is_found_once() -> None:
    docket = _docket()
    assert _see(docket, A) == (DecisionFound(A),)
    assert _see(docket, A, 1.0) == ()
    assert docket.open("approval") == A
    assert docket.open("clarification") is None


def test_nothing_pending_is_no_news_when_nothing_was() -> None:
    assert _see(_docket(), None) == ()


def test_what_is_not_pending_any_more_is_gone_once() -> None:
    docket = _docket()
    _see(docket, A)
    assert _see(docket, None, 5.0) == (DecisionGone("a", has_expired=False),)
    assert _see(docket, None, 6.0) == ()
    assert docket.is_over("a")
    assert docket.find("a") == A


def test_another_one_of_the_kind_takes_the_place_of_the_first() -> None:
    docket = _docket()
    _see(docket, A)
    told = _see(docket, B, 5.0)
    assert told == (DecisionGone("a", has_expired=False), DecisionFound(B))


def test_the_kinds_do_not_meet() -> None:
    docket = _docket()
    question = _question("q")
    _see(docket, A)
    assert _see(docket, question, kind="clarification") == (DecisionFound(question),)
    assert _see(docket, None, kind="clarification") == (DecisionGone("q", has_expired=False),)
    assert docket.is_open("a")


def test_what_was_gone_and_is_pending_again_is_found_again() -> None:
    docket = _docket()
    _see(docket, A)
    _see(docket, None, 1.0)
    assert _see(docket, A, 2.0) == (DecisionFound(A),)
    assert docket.time_left("a", 2.0, UNIX) == 58.0, "it waits since it was seen first"


# Expiry


def test_an_approval_that_has_waited_its_time_has_expired() -> None:
    for at, has_expired in ((57.9, False), (58.0, True), (70.0, True)):
        docket = _docket()
        _see(docket, A)
        assert _see(docket, None, at) == (DecisionGone("a", has_expired),)


def test_a_question_past_its_end_has_expired() -> None:
    for at, has_expired in ((5.0, False), (6.0, True), (9.0, True)):
        docket = _docket()
        _see(docket, _question("q", 8.0), kind="clarification")
        told = _see(docket, None, at, kind="clarification")
        assert told == (DecisionGone("q", has_expired),)


def test_a_question_without_an_end_never_expires() -> None:
    docket = _docket()
    _see(docket, _question("q"), kind="clarification")
    assert docket.time_left("q", 1e9, 1e12) is None
    told = docket.see("clarification", None, 1e9, 1e12)
    assert told == (DecisionGone("q", has_expired=False),)


def test_the_time_that_is_left_is_an_approvals_from_when_it_was_seen_or_a_questions_own() -> None:
    docket = _docket()
    _see(docket, A, 100.0)
    _see(docket, _question("q", 8.0), kind="clarification")
    assert docket.time_left("a", 130.0, UNIX) == 30.0
    assert docket.time_left("a", 170.0, UNIX) == 0.0
    assert docket.time_left("q", 130.0, UNIX + 5.0) == 3.0
    assert docket.time_left("unknown", 0.0, UNIX) == 0.0


# Our answers


def test_what_we_answered_is_neither_gone_nor_found_again() -> None:
    docket = _docket()
    _see(docket, A)
    docket.begin_answer("a")
    docket.settle("a")
    assert not docket.is_open("a")
    assert _see(docket, None, 1.0) == ()
    assert _see(docket, A, 2.0) == (), "a late word"
    assert _see(docket, B, 3.0) == (DecisionFound(B),)
    assert _see(docket, A, 4.0) == (), "a late word must not push out the next one"
    assert docket.is_open("b")


def test_nothing_of_the_kind_is_told_while_our_answer_is_on_its_way() -> None:
    docket = _docket()
    _see(docket, A)
    docket.begin_answer("a")
    assert docket.is_answering("approval")
    assert not docket.is_answering("clarification")
    assert _see(docket, None) == ()
    assert _see(docket, B) == ()
    question = _question("q")
    assert _see(docket, question, kind="clarification") == (DecisionFound(question),)


def test_what_may_have_been_answered_is_not_called_expired_when_it_is_gone() -> None:
    docket = _docket()
    _see(docket, A)
    docket.begin_answer("a")
    docket.give_up_answer("a")
    assert docket.is_open("a")
    assert _see(docket, None, 70.0) == (DecisionGone("a", has_expired=False),)


def test_what_was_open_long_ago_is_forgotten_and_what_is_open_never() -> None:
    docket = _docket()
    question = _question("q")
    _see(docket, question, kind="clarification")
    for number in range(MOST_REMEMBERED + 10):
        _see(docket, _approval(f"a{number}"))
    assert docket.find("q") == question
    assert docket.find("a0") is None
    assert docket.find(f"a{MOST_REMEMBERED}") is not None
    assert _see(docket, None, kind="clarification") == (DecisionGone("q", has_expired=False),)


@given(st.lists(st.sampled_from(["a", "b", "c", None]), max_size=30))
def test_found_and_gone_take_turns_whatever_is_told(words: list[str | None]) -> None:
    docket = _docket()
    found: set[str] = set()
    for at, id_ in enumerate(words):
        for news in _see(docket, None if id_ is None else _approval(id_), at):
            match news:
                case DecisionFound(decision):
                    assert not found, "two at a time"
                    found.add(decision.id)
                case DecisionGone(gone):
                    found.remove(gone)
        assert found == ({id_} if id_ else set())
