"""Runs of the embedded server: following, resuming, cancelling, decisions."""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import dropwhile
from typing import Any

import pytest

from tests.simulator_client import Client, Event, names, scenario, text
from voicehermes.simulator.journal import CLOSING, Follower, Journal, read_cursor
from voicehermes.simulator.journal import Event as JournalEvent
from voicehermes.simulator.player import pieces
from voicehermes.simulator.scenario import (
    Approval,
    Clarify,
    Compress,
    Decisions,
    Interim,
    Pace,
    Pause,
    Say,
    Scenario,
    Server,
    Step,
    Tool,
    Turn,
)
from voicehermes.simulator.server import Simulator

QUICK = Server(title_seconds=0.0, unwind_seconds=0.0)
LONG = (Say("uno due tre "), Pause(60))


class Play:
    """A simulator with one scenario, a client, and a session in which a run was started."""

    def __init__(self, simulator: Simulator, client: Client) -> None:
        self.simulator = simulator
        self.client = client
        self.session_id = client.new_session()
        self.run_id = client.start(self.session_id)

    def cancel(self) -> bool:
        answer = self.client.get("/api/chat/cancel", params={"stream_id": self.run_id})
        return bool(answer.json()["cancelled"])

    def respond(self, kind: str, **body: object) -> dict[str, object]:
        sent = {"session_id": self.session_id, **body}
        answer = self.client.post(f"/api/{kind}/respond", json=sent)
        return dict(answer.json())

    def session(self) -> dict[str, object]:
        query = {"session_id": self.session_id}
        return dict(self.client.get("/api/session", params=query).json()["session"])

    def status(self) -> dict[str, object]:
        query = {"stream_id": self.run_id}
        return dict(self.client.get("/api/chat/stream/status", params=query).json())


@pytest.fixture
def played(request: pytest.FixtureRequest) -> Iterator[Play]:
    """The scenario of the test's ``play`` mark, begun."""
    with Simulator(request.param) as simulator, Client(simulator) as client:
        yield Play(simulator, client)


def play(*steps: Step, server: Server = QUICK, **parts: object) -> pytest.MarkDecorator:
    made = scenario(*steps, server=server, **parts)
    return pytest.mark.parametrize("played", [made], indirect=True, ids=[""])


# ---- Following


@play(Say("Ciao, mondo."))
def test_a_finished_run_is_replayed_whole_for_no_cursor_and_for_every_useless_one(
    played: Play,
) -> None:
    whole = played.client.follow(played.run_id)
    assert whole[0].number == 1
    assert whole[-1].name == "stream_end"
    useless: list[dict[str, Any]] = [
        {},
        {"replay": 1},
        {"after_seq": 0},
        {"after_seq": 999},
        {"after_event_id": "0123456789abcdef0123456789abcdef:3"},
        {"after_event_id": "junk"},
        {"after_seq": "x"},
    ]
    for query in useless:
        assert played.client.follow(played.run_id, **query) == whole, query


@play(Say("Ciao, mondo."))
def test_a_valid_cursor_gives_exactly_what_comes_after_it(played: Play) -> None:
    whole = played.client.follow(played.run_id)
    last_id = f"{played.run_id}:3"
    follow = played.client.follow
    assert follow(played.run_id, after_seq=3) == whole[3:]
    assert follow(played.run_id, after_event_id=last_id) == whole[3:]
    assert follow(played.run_id, last_id) == whole[3:]
    assert follow(played.run_id, last_id, after_seq=5) == whole[5:]


@play(*LONG)
def test_a_live_run_is_followed_from_any_cursor_without_gap_or_repetition(played: Play) -> None:
    played.client.wait_last_event(played.run_id, "token")
    cursors: list[dict[str, Any]] = [{"after_seq": 0}, {"replay": 1}, {"after_seq": 99}]
    for query in cursors:
        with played.client.open_run(played.run_id, **query) as events:
            assert next(events).number == 1
    with played.client.open_run(played.run_id, after_seq=2) as events:
        assert next(events).number == 3


@play(Say("uno"), Approval("rm x", denied=(Say("due"),)))
def test_attaching_to_a_live_run_without_a_cursor_loses_what_another_client_was_given(
    played: Play,
) -> None:
    with played.client.open_run(played.run_id) as events:
        first = list(iter_to(events, "approval"))
    with played.client.open_run(played.run_id) as events:
        played.respond("approval", choice="deny")
        late = list(events)
    assert (text(first), text(late)) == ("uno", "\n\ndue")
    assert late[0].number == first[-1].number + 1


@play(Say("uno"), Pause(0.1), Say(" due"))
def test_the_first_to_attach_is_given_everything_that_was_buffered(played: Play) -> None:
    assert text(played.client.follow(played.run_id)) == "uno due"


@play(*[step for word in "abcdef" for step in (Say(word), Pause(0.02))])
def test_several_followers_at_once_all_get_everything(played: Play) -> None:
    seen: list[str] = []

    def follow() -> None:
        with Client(played.simulator) as client:
            seen.append(text(client.follow(played.run_id, after_seq=0)))

    threads = [threading.Thread(target=follow) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == ["abcdef"] * 4


@play(Say("Ecco."), Tool("terminal"), Say("Fatto."))
def test_a_run_goes_on_without_any_client_and_its_messages_are_kept(played: Play) -> None:
    while played.status()["active"]:
        time.sleep(0.01)
    status = played.status()
    journal = status["journal"]
    assert isinstance(journal, dict)
    assert journal["terminal"] is True
    assert journal["terminal_state"] == "completed"
    messages = played.session()["messages"]
    assert isinstance(messages, list)
    assert [(m["role"], m["content"]) for m in messages] == [
        ("user", "ciao"),
        ("assistant", "Ecco."),
        ("tool", ""),
        ("assistant", "Fatto."),
    ]


@play(Say("a"), Pause(0.2), Say("b"), server=Server(heartbeat_seconds=0.06))
def test_a_comment_comes_after_silence_and_none_while_events_flow(played: Play) -> None:
    events = played.client.follow(played.run_id)
    kinds = [event.name for event in events if event.name in (":", "token")]
    first, last = kinds.index("token"), len(kinds) - 1 - kinds[::-1].index("token")
    assert kinds[first + 1 : last] in ([":"], [":"] * 2, [":"] * 3)
    assert all(event.data == ": heartbeat" for event in events if event.name == ":")


@play(Say("x" * 40), pace=Pace(0.1, characters_per_second=200, delta_characters=4))
def test_text_flows_at_the_pace_of_the_scenario(played: Play) -> None:
    began = time.monotonic()
    events = played.client.follow(played.run_id)
    assert 0.25 < time.monotonic() - began < 3.0
    assert [e.data["text"] for e in events if e.name == "token"] == ["xxxx"] * 10


def test_text_is_cut_into_words_and_long_words_into_pieces() -> None:
    assert pieces("Ciao, mondo ", 4) == ["Ciao", ",", " mon", "do", " "]
    assert "".join(pieces("  a\n\nbcdef", 2)) == "  a\n\nbcdef"


def test_a_cursor_is_read_from_the_query_before_the_header() -> None:
    assert read_cursor({}, None, "r") is None
    assert read_cursor({"after_seq": "4", "replay": "1"}, "r:7", "r") == 4
    assert read_cursor({}, "r:7", "r") == 7
    assert read_cursor({}, "other:7", "r") == 0
    assert read_cursor({"replay": "1"}, None, "r") == 0


def test_a_journal_that_lost_its_worker_ends_in_an_interruption() -> None:
    journal = Journal("r", [JournalEvent("token", {"text": "a"})])
    journal.cancelled = JournalEvent("cancel", {})
    frames, is_over = Follower(journal, None).take("s")
    assert is_over
    assert frames[-1].startswith(b"id: r:2\nevent: apperror\n")
    assert b'"recovery_control": true' in frames[-1]


# ---- Busy and cancelled


@play(Say("Ciao."), server=Server(title_seconds=0.3))
def test_a_message_right_after_done_is_taken_while_the_title_is_still_made(played: Play) -> None:
    with played.client.open_run(played.run_id) as events:
        assert "done" in [event.name for event in iter_to(events, "done")]
        second = played.client.start(played.session_id, "e poi?")
        rest = [event.name for event in events]
    assert rest[-1] == "stream_end"
    again = played.client.follow(second)
    assert "title" not in names(again)


def iter_to(events: Iterator[Event], name: str) -> Iterator[Event]:
    for event in events:
        yield event
        if event.name == name:
            return


@play(*LONG, server=Server(unwind_seconds=0.8))
def test_the_live_cancel_repeats_an_id_and_the_journal_has_its_own(played: Play) -> None:
    live: list[Event] = []
    with played.client.open_run(played.run_id) as events:
        for event in events:
            live.append(event)
            if text(live) == "uno due tre ":
                assert played.cancel()
                assert played.cancel(), "within the unwinding it says so again"
    assert live[-1].name == "cancel"
    assert live[-1].id == live[-2].id
    assert "session" in live[-1].data

    status = played.status()
    assert status["active"] is False
    assert isinstance(status["journal"], dict)
    assert status["journal"]["terminal_state"] == "lost-worker-bookkeeping"
    early = played.client.follow(played.run_id)
    assert early[-1].name == "apperror"
    assert early[-1].data["recovery_control"] is True
    assert early[-1].number == live[-1].number + 1
    body = {"session_id": played.session_id, "message": "e ora?"}
    busy = played.client.post("/api/chat/start", json=body)
    assert busy.status_code == 409
    assert busy.json()["active_stream_id"] == played.run_id

    while played.session()["active_stream_id"]:
        time.sleep(0.02)
    later = played.client.follow(played.run_id)
    assert later[-1].name == "cancel"
    assert later[-1].number == live[-1].number + 1
    assert "session" not in later[-1].data
    assert not played.cancel()
    messages = played.session()["messages"]
    assert isinstance(messages, list)
    assert messages[-2]["content"] == "uno due tre"
    assert messages[-2]["_partial"] is True
    assert messages[-1]["_error"] is True
    assert played.client.start(played.session_id, "e ora?")


@play(*LONG)
def test_only_one_run_works_in_a_session_and_others_are_free(played: Play) -> None:
    body = {"session_id": played.session_id, "message": "ancora"}
    assert played.client.post("/api/chat/start", json=body).status_code == 409
    assert played.client.start(played.client.new_session())


# ---- Decisions

GRANT = Approval(
    "rm -rf /tmp/x", "delete", granted=(Say("sì"),), denied=(Say("no"),), expired=(Say("scaduto"),)
)


@play(GRANT)
@pytest.mark.parametrize(("choice", "said"), [("once", "sì"), ("deny", "no"), (None, "no")])
def test_the_reply_goes_on_as_the_approval_was_answered(
    played: Play, choice: str | None, said: str
) -> None:
    played.client.wait_last_event(played.run_id, "approval")
    answer = {"choice": choice} if choice else {}
    assert played.respond("approval", **answer) == {"ok": True, "choice": choice or "deny"}
    assert played.respond("approval", choice="once")["stale_cleared"] is True
    assert text(played.client.follow(played.run_id)) == f"\n\n{said}"


@play(GRANT, decisions=Decisions(approval_seconds=0.4))
def test_an_expired_approval_is_refused_and_announced_only_when_the_turn_ends(
    played: Play,
) -> None:
    query = {"session_id": played.session_id}
    with played.client.open_stream("/api/approval/stream", query) as events:
        run = played.client.follow(played.run_id)
        # The stream may have been there before the approval, and then began by telling of none.
        since_asked = dropwhile(lambda told: told.data["pending"] is None, events)
        told = [next(since_asked) for _ in range(2)]
    assert text(run) == "\n\nscaduto"
    previews = [event.data["preview"] for event in run if event.name == "tool_complete"]
    assert previews[0].startswith("BLOCKED: Command timed out")
    assert told[-1].data == {"pending": None, "pending_count": 0}
    assert played.respond("approval", choice="once")["stale_cleared"] is True


@play(GRANT)
@pytest.mark.parametrize("choice", ["session", "always", "once"])
def test_what_is_granted_for_longer_is_not_asked_again(played: Play, choice: str) -> None:
    played.client.wait_last_event(played.run_id, "approval")
    played.respond("approval", choice=choice)
    played.client.follow(played.run_id)
    again = played.client.start(played.session_id)
    other = played.client.start(played.client.new_session())
    asked = []
    for run_id in (again, other):
        for event in played.client.live(run_id):
            if event.name in ("approval", "done"):
                asked.append(event.name == "approval")
                break
    expected = {"session": [False, True], "always": [False, False], "once": [True, True]}
    assert asked == expected[choice]


@play(GRANT)
def test_an_open_decision_is_seen_in_the_list_and_by_later_clients(played: Play) -> None:
    played.client.wait_last_event(played.run_id, "approval")
    listed = played.client.get("/api/sessions").json()["sessions"][0]
    assert listed["attention"] == {"kind": "approval", "count": 1, "severity": "critical"}
    query = {"session_id": played.session_id}
    with played.client.open_stream("/api/approval/stream", query) as events:
        initial = next(events)
        assert initial.name == "initial"
        assert initial.id is None
        assert initial.data["pending"]["command"] == "rm -rf /tmp/x"
        played.respond("approval", choice="deny")
        assert next(events).data["pending"] is None


@play(GRANT)
def test_cancelling_clears_the_open_decision(played: Play) -> None:
    played.client.wait_last_event(played.run_id, "approval")
    played.cancel()
    query = {"session_id": played.session_id}
    pending = played.client.get("/api/approval/pending", params=query).json()
    assert pending == {"pending": None, "pending_count": 0}


@play(
    Clarify("Dove?", ("Qui", "Là"), answered=(Say("Vado: {answer}."),), expired=(Say("Resto."),)),
    decisions=Decisions(clarify_seconds=0.5),
)
@pytest.mark.parametrize("answer", ["Qui", "altrove", None])
def test_a_clarification_is_answered_by_any_text_or_expires(
    played: Play, answer: str | None
) -> None:
    events = []
    for event in played.client.live(played.run_id):
        events.append(event)
        if event.name == "clarify":
            assert event.data["expires_at"] - event.data["requested_at"] == pytest.approx(0.5)
            if answer:
                id_ = event.data["clarify_id"]
                assert played.respond("clarify", clarify_id=id_, response=answer)["ok"]
    assert text(events) == (f"\n\nVado: {answer}." if answer else "\n\nResto.")
    assert played.respond("clarify", response="tardi")["stale"] is True


@play(Clarify("Dove?"), decisions=Decisions(clarify_seconds=0.4))
def test_a_clarification_that_expires_is_announced_at_once(played: Play) -> None:
    query = {"session_id": played.session_id}
    with played.client.open_stream("/api/clarify/stream", query) as events:
        pendings = [next(events).data["pending"] for _ in range(2)]
    assert pendings[-1] is None


@play(GRANT, server=Server(heartbeat_seconds=0.05))
def test_the_decision_streams_send_keepalives(played: Play) -> None:
    query = {"session_id": played.session_id}
    with played.client.open_stream("/api/clarify/stream", query) as events:
        assert next(events).name == "initial"
        assert next(events).data == ": keepalive"


# ---- Replies


def test_turns_are_chosen_by_their_words_else_in_order_and_the_last_repeats() -> None:
    turns = (
        Turn((Say("sole"),), when=("tempo",)),
        Turn((Say("primo"),)),
        Turn((Say("hai detto {message}"),)),
    )
    with Simulator(scenario(turns=turns, server=QUICK)) as simulator, Client(simulator) as client:
        session_id = client.new_session()
        replies = []
        for message in ("ciao", "Che TEMPO fa?", "due", "tre"):
            run_id = client.start(session_id, message)
            replies.append(text(client.follow(run_id)))
    assert replies == ["primo", "sole", "hai detto due", "hai detto tre"]


@play(Interim("Un momento."), Tool("terminal"), Say("Ecco."))
def test_text_that_was_not_streamed_is_told_only_once(played: Play) -> None:
    events = played.client.follow(played.run_id)
    assert text(events) == "\n\nEcco."
    interims = [event.data for event in events if event.name == "interim_assistant"]
    assert interims == [{"text": "Un momento.", "already_streamed": False}]


@play(Say("Prima."), Compress("Riassumo"), Say(" Dopo."))
def test_a_compression_moves_the_conversation_to_a_new_session(played: Play) -> None:
    events = played.client.follow(played.run_id)
    moved = next(event.data for event in events if event.name == "compressed")
    assert moved["old_session_id"] == played.session_id
    new = moved["new_session_id"]
    done = next(event.data for event in events if event.name == "done")
    assert done["session"]["session_id"] == new
    assert done["session"]["messages"][-1]["content"] == "Prima. Dopo."
    assert played.client.start(new, "e poi?")
    assert played.client.start(played.session_id, "e qui?")


def test_closing_the_server_ends_runs_and_streams_at_once() -> None:
    with ExitStack() as stack:
        with Simulator(scenario(*LONG)) as simulator:
            client = stack.enter_context(Client(simulator))
            run_id = client.start(client.new_session())
            opened = client.open_run(run_id)
            events = stack.enter_context(opened)
            assert next(events).name == "context_status"
            began = time.monotonic()
        assert time.monotonic() - began < 3.0
        assert not {event.name for event in events} & CLOSING
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("run ")]


def test_the_default_scenario_repeats_what_was_said() -> None:
    with Simulator(Scenario(pace=Pace(0.0, 0.0))) as simulator, Client(simulator) as client:
        run_id = client.start(client.new_session(), "buongiorno")
        assert text(client.follow(run_id)) == "Hai detto: buongiorno"
