"""Stream events to run events, on streams that a real server sent."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.webui_server import CAPTURES
from voicehermes.adapters.hermes.parse import ENDS, Reply
from voicehermes.events import (
    Approval,
    Cancelled,
    Clarification,
    Completed,
    DecisionWanted,
    Failed,
    Notice,
    ReasoningDelta,
    RunEnd,
    RunEvent,
    SessionMoved,
    TextDelta,
    ToolEnded,
    ToolStarted,
)


def _sent(name: str) -> list[tuple[str, str]]:
    """Name and data of each event of a captured stream."""
    events = []
    text = (CAPTURES / "streams" / f"{name}.sse").read_text("utf-8")
    for block in text.split("\n\n"):
        fields = dict(line.partition(": ")[::2] for line in block.splitlines())
        if "event" in fields:
            events.append((fields["event"], fields["data"]))
    return events


def _told(name: str) -> list[RunEvent]:
    """The run events of a captured stream, to its end."""
    sent = _sent(name)
    reply = Reply(json.loads(sent[0][1])["session_id"])
    told: list[RunEvent] = []
    for event, data in sent:
        told += reply.take(event, data)
        if told and isinstance(told[-1], RunEnd):
            break
    return told


def _text(told: list[RunEvent]) -> str:
    return "".join(event.text for event in told if isinstance(event, TextDelta))


def test_a_short_answer_is_its_tokens_and_their_end() -> None:
    assert _told("pong") == [TextDelta("pong"), Completed("pong")]


def test_done_ends_a_run_whose_title_takes_seconds() -> None:
    names = [name for name, _ in _sent("slow_title")]
    assert names.index("done") < names.index("stream_end")
    assert _told("slow_title")[-1] == Completed("pong")


def test_the_final_text_is_what_was_streamed_even_around_tools() -> None:
    told = _told("two_tools")
    assert told[-1] == Completed(_text(told))
    assert _text(told).startswith("Controllo subito due cose. \n\nHo finito")
    tools = [event for event in told if isinstance(event, ToolStarted | ToolEnded)]
    assert tools == [
        ToolStarted("terminal", ""),
        ToolEnded("terminal", "primo"),
        ToolStarted("terminal", ""),
        ToolEnded("terminal", "secondo"),
    ]


def test_reasoning_is_told_apart_from_text() -> None:
    told = _told("reasoning")
    assert any(isinstance(event, ReasoningDelta) for event in told)
    assert _text(told) == "La risposta è 42. Ci ho ragionato con calma."
    assert told[-1] == Completed(_text(told))


def test_a_model_that_says_nothing_completes_with_no_text() -> None:
    assert _told("empty_reply") == [Completed("")]


def test_an_error_after_some_tokens_is_a_failure() -> None:
    told = _told("error_after_tokens")
    assert _text(told) == "Questa frase si interromperà a metà"
    assert told[-1] == Failed("error", "HTTP 500: errore simulato 500 dal modello finto")


def test_a_reply_equal_to_the_one_before_is_complete_although_the_server_calls_it_none() -> None:
    assert _sent("same_reply_twice")[-1][0] == "apperror"
    assert _told("same_reply_twice") == [TextDelta("pong"), Completed(None)]


def test_no_response_and_no_token_is_a_failure() -> None:
    data = json.dumps({"type": "no_response", "message": "No response from provider."})
    told = Reply("s1").take("apperror", data)
    assert told == [Failed("no_response", "No response from provider.")]


def test_warnings_of_the_provider_are_notices_and_the_failure_has_its_kind() -> None:
    told = _told("rate_limited_model")
    assert len([event for event in told if isinstance(event, Notice)]) == 3
    assert isinstance(told[-1], Failed)
    assert told[-1].kind == "rate_limit"


@pytest.mark.parametrize(
    ("name", "kind"), [("model_down", "error"), ("model_login", "auth_mismatch")]
)
def test_a_model_that_does_not_answer_is_a_failure_of_its_kind(name: str, kind: str) -> None:
    (failure,) = _told(name)
    assert isinstance(failure, Failed)
    assert failure.kind == kind
    assert failure.message


@pytest.mark.parametrize("name", ["server_killed", "server_stopped"])
def test_a_stream_that_ends_with_its_server_ends_no_run(name: str) -> None:
    assert not any(isinstance(event, RunEnd) for event in _told(name))


def test_no_letter_is_changed_on_its_way() -> None:
    told = _told("utf8")
    assert _text(told).startswith("Caffè ☕️, famiglia 👨\u200d👩\u200d👧\u200d👦")
    assert told[-1] == Completed(_text(told))


@pytest.mark.parametrize(
    "name", ["cancelled", "cancelled_replayed", "approval_cancelled", "after_cancel_comment"]
)
def test_a_cancel_is_cancelled(name: str) -> None:
    assert _told(name)[-1] == Cancelled()


def test_an_approval_has_its_id_and_its_command() -> None:
    wanted = [event for event in _told("approval") if isinstance(event, DecisionWanted)]
    assert wanted == [
        DecisionWanted(
            Approval(
                id="gwlocal:a640025d11ae4699a5b062600739ce0d",
                command="rm -rf /home/user/x",
                description="delete in root path",
                allow_permanent=True,
            )
        )
    ]


def test_a_clarification_has_its_choices_and_its_deadline() -> None:
    wanted = [event for event in _told("clarify") if isinstance(event, DecisionWanted)]
    assert len(wanted) == 1
    decision = wanted[0].decision
    assert isinstance(decision, Clarification)
    assert decision.choices == ("Produzione", "Collaudo", "Sviluppo locale")
    assert decision.expires_at == 1795997122.4960806


def test_a_deadline_of_zero_is_none() -> None:
    data = json.dumps({"clarify_id": "c1", "question": "Quale?", "expires_at": 0})
    assert Reply("s1").take("clarify", data) == [
        DecisionWanted(Clarification("c1", "Quale?", (), None))
    ]


def test_interim_text_that_was_not_streamed_is_text() -> None:
    reply = Reply("s1")
    data = json.dumps({"text": "Guardo subito.", "already_streamed": False})
    assert reply.take("interim_assistant", data) == [TextDelta("Guardo subito.\n\n")]
    again = json.dumps({"text": "Guardo subito."})
    assert reply.take("interim_assistant", again) == []


def test_a_session_that_moves_is_told_once() -> None:
    reply = Reply("old")
    moved = {"session_id": "old", "old_session_id": "old", "new_session_id": "new"}
    assert reply.take("compressed", json.dumps(moved)) == [SessionMoved("new")]
    end = {"session": {"session_id": "new", "messages": []}}
    assert reply.take("done", json.dumps(end)) == [Completed("")]


def test_a_session_that_moves_with_its_end_is_told_before_the_end() -> None:
    end = {"session": {"session_id": "new", "messages": []}}
    assert Reply("old").take("done", json.dumps(end)) == [SessionMoved("new"), Completed("")]
    failed = {"type": "error", "message": "no", "new_session_id": "new"}
    assert Reply("old").take("apperror", json.dumps(failed)) == [
        SessionMoved("new"),
        Failed("error", "no"),
    ]


def test_text_that_no_token_brought_is_given_before_the_end() -> None:
    reply = Reply("s1")
    reply.take("token", '{"text": "Sono le"}')
    messages = [
        {"role": "user", "content": "Che ore sono?"},
        {"role": "assistant", "content": "Sono le tre."},
    ]
    end = json.dumps({"session": {"session_id": "s1", "messages": messages}})
    assert reply.take("done", end) == [TextDelta(" tre."), Completed("Sono le tre.")]


def test_unknown_events_are_nothing() -> None:
    for name in ("metering", "title", "context_status", "todo_state", "", "message", "x"):
        assert Reply("s1").take(name, "junk") == []


def test_junk_in_an_event_costs_that_event_alone() -> None:
    reply = Reply("s1")
    for name in ("token", "tool", "approval", "clarify", "reasoning", "interim_assistant"):
        for data in ("", "{", "[]", "null", "{}", '{"text": 3, "name": [], "approval_id": {}}'):
            assert reply.take(name, data) == []
    assert reply.take("token", '{"text": "va"}') == [TextDelta("va")]


@given(
    name=st.sampled_from(sorted(ENDS)),
    payload=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["session", "messages", "type", "message", "session_id", "role"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    ),
)
def test_junk_in_the_last_event_still_ends_the_run(name: str, payload: object) -> None:
    told = Reply("s1").take(name, json.dumps(payload))
    assert isinstance(told[-1], RunEnd)
    assert not any(isinstance(event, RunEnd) for event in told[:-1])
