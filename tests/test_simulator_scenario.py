"""Scenario files of the embedded server."""

import pytest

from tests.simulator_client import Client, names, text
from voicehermes.errors import ConfigError
from voicehermes.simulator.scenario import (
    Approval,
    Clarify,
    Clip,
    Compress,
    Emit,
    Error,
    Fault,
    Interim,
    Pace,
    Pause,
    Reason,
    Say,
    Scenario,
    Server,
    Speech,
    Tool,
    Turn,
)
from voicehermes.simulator.server import Simulator

EVERYTHING = """
[server]
password = "x"
heartbeat_seconds = 1

[pace]
first_token_seconds = 0.1

[transcribe]
clips = [{ seconds = 2.5, text = "ciao" }]
texts = ["uno"]

[speech]
voices = "stock"

[[turns]]
when = ["tempo"]
pace = { delta_characters = 3 }
steps = [
  { say = "a" },
  { reason = "b" },
  { interim = "c" },
  { tool = "terminal", args = { command = "ls" }, preview = "x", seconds = 0.5 },
  { pause = 1.5 },
  { emit = "todo_state", data = { version = 1 } },
  { compress = "d" },
]

[[turns]]
[[turns.steps]]
approval = "rm x"
description = "delete"
granted = [{ clarify = "Dove?", choices = ["qui"], answered = [{ say = "{answer}" }] }]
[[turns.steps.denied]]
error = "e"
kind = "rate_limit"

[[faults]]
path = "/api/tts"
status = 502
"""


def test_a_file_can_say_everything() -> None:
    scenario = Scenario.parse(EVERYTHING)
    assert scenario.server == Server(password="x", heartbeat_seconds=1.0)
    assert scenario.pace == Pace(first_token_seconds=0.1)
    assert scenario.transcribe.clips == (Clip(2.5, "ciao"),)
    assert scenario.speech == Speech(voices="stock")
    assert scenario.faults == (Fault("/api/tts", status=502),)
    first, second = scenario.turns
    assert first == Turn(
        steps=(
            Say("a"),
            Reason("b"),
            Interim("c"),
            Tool("terminal", {"command": "ls"}, "x", 0.5),
            Pause(1.5),
            Emit("todo_state", {"version": 1}),
            Compress("d"),
        ),
        when=("tempo",),
        pace=Pace(delta_characters=3),
    )
    where = Clarify("Dove?", ("qui",), answered=(Say("{answer}"),))
    refused = Error("e", kind="rate_limit")
    assert second.steps == (Approval("rm x", "delete", granted=(where,), denied=(refused,)),)


def test_an_empty_file_is_the_default_scenario() -> None:
    assert Scenario.parse("") == Scenario()


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("[server", "not TOML"),
        ("boh = 1", "`boh`"),
        ("[server]\nheartbeat_seconds = 0", "`server.heartbeat_seconds`"),
        ('[server]\npassword = ["x"]', "`server.password`"),
        ('[speech]\nvoices = "french"', "`speech.voices`"),
        ('[[turns]]\nsteps = [{ sey = "x" }]', "must hold one of the keys say, reason"),
        ('[[turns]]\nsteps = [{ say = "x", b = 1 }]', "`turns.0.steps.0.say.b`"),
        ('[[turns]]\nsteps = [{ approval = "x", denied = [1] }]', "steps.0.approval.denied.0"),
        ("[[turns]]\nwhen = []", "`turns.0.steps`"),
        ('[[faults]]\npath = "/x"\nstatus = 99', "`faults.0.status`"),
        ('[transcribe]\ntexts = "sì"', "`transcribe.texts`: This must be a list"),
        ("server = 3", "`server`: This must be a table"),
    ],
)
def test_what_cannot_be_used_is_named(written: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Scenario.parse(written)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_italian_scenario_answers_anything_and_says_that_it_is_scripted() -> None:
    italian = Scenario.italian()
    quick = Scenario(turns=italian.turns, pace=Pace(0.0, 0.0), speech=Speech(synthesizer="tone"))
    with Simulator(quick) as simulator, Client(simulator) as client:
        for message, expected in [
            ("Ciao!", "non c'è nessun modello"),
            ("Che tempo farà domani?", "recita un copione"),
            ("Raccontami una storia", "già scritta nel copione"),
            ("Che ore sono?", "Hai detto: Che ore sono?"),
        ]:
            events = client.follow(client.start(client.new_session(), message))
            assert expected in text(events)


@pytest.mark.parametrize(
    ("message", "asked"), [("Cancella la prova", "approval"), ("Fai un rilascio", "clarify")]
)
def test_the_italian_scenario_has_decisions(message: str, asked: str) -> None:
    quick = Scenario(
        turns=Scenario.italian().turns,
        pace=Pace(0.0, 0.0),
        speech=Speech(synthesizer="tone"),
    )
    with Simulator(quick) as simulator, Client(simulator) as client:
        run_id = client.start(client.new_session(), message)
        client.wait_last_event(run_id, asked)
        client.get("/api/chat/cancel", params={"stream_id": run_id})
        assert asked in names(client.follow(run_id))
