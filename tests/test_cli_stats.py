"""What ``voicehermes stats`` makes of the timeline's file."""

import json
from pathlib import Path

import pytest

from voicehermes.adapters.journal import older
from voicehermes.cli.main import main


def turn(number: int, upload_seconds: float) -> str:
    events = {"release": 1.0, "upload_begin": 1.0 + upload_seconds}
    return "".join(
        json.dumps({"t": t, "turn": number, "event": event, "since": 5}) + "\n"
        for event, t in events.items()
    )


@pytest.fixture
def timeline(home: Path) -> Path:
    path = home / "xdg_state_home" / "voicehermes" / "timeline.jsonl"
    path.parent.mkdir(parents=True)
    return path


def test_the_table_has_a_line_for_each_stage(
    timeline: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    timeline.write_text(turn(1, 0.010) + "junk\n" + turn(2, 0.030))
    assert main(["stats"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["last", "2", "turns", "p50", "p95", "turns"]
    assert lines[1].split()[-5:] == ["20", "ms", "29", "ms", "2"]
    assert lines[2].split() == ["transcription", "-", "-", "0"]
    assert len(lines) == 10
    assert lines[-1] == "Broken lines that were skipped: 1."


def _ended(number: int, outcome: str) -> str:
    record = {"t": 9.0, "turn": number, "event": "turn_end", "outcome": outcome, "since": 5}
    return json.dumps(record) + "\n"


def test_what_was_not_sent_is_told_with_its_reasons(
    timeline: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    timeline.write_text(
        turn(1, 0.01) + _ended(2, "no speech") + _ended(3, "backchannel") + _ended(4, "no speech")
    )
    assert main(["stats"]) == 0
    assert capsys.readouterr().out.splitlines()[-3:] == [
        "not sent to the agent              3",
        "no speech in it                    2",
        "only followed (mhm, ok)            1",
    ]
    assert main(["stats", "--json"]) == 0
    unsent = json.loads(capsys.readouterr().out)["not_sent"]
    assert (unsent["no speech"], unsent["backchannel"], unsent["own words"]) == (2, 1, 0)


def test_where_nothing_was_sent_at_all_the_reasons_are_told(
    timeline: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    timeline.write_text(_ended(1, "own words"))
    assert main(["stats"]) == 0
    assert capsys.readouterr().out.endswith("the assistant's own words          1\n")


def test_only_the_last_turns_count_and_the_older_file_too(
    timeline: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    older(timeline).write_text(turn(1, 0.9) + turn(2, 0.02))
    timeline.write_text(turn(3, 0.04))
    assert main(["stats", "--json", "--turns", "2"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["turns"] == 2
    assert found["broken_lines"] == 0
    assert found["stages"].keys() == {"upload"}
    assert found["stages"]["upload"]["p50_seconds"] == pytest.approx(0.03)


def test_without_a_turn_a_sentence_says_so(
    timeline: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["stats"]) == 1
    line = f"voicehermes: There is no turn in {timeline} yet. Talk to it first.\n"
    assert capsys.readouterr().err == line


def test_a_timeline_that_is_switched_off_is_named(
    timeline: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VOICEHERMES_LOG__TIMELINE", "")
    assert main(["stats"]) == 2
    assert capsys.readouterr().err.startswith("voicehermes: No timeline is kept. Set [log]")


def test_a_file_that_cannot_be_read_is_named(
    timeline: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    timeline.mkdir()
    assert main(["stats"]) == 1
    assert capsys.readouterr().err == f"voicehermes: Cannot read {timeline}: Is a directory.\n"
