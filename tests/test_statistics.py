"""The stages of turns, from lines of the timeline."""

import json
from typing import Any

import pytest

from voicehermes.statistics import NOT_SENT, not_sent, percentile, read, spreads, turns_of

TURN: list[tuple[float, str, dict[str, Any]]] = [
    (1.0, "trigger", {}),
    (3.0, "release", {}),
    (3.02, "upload_begin", {}),
    (3.52, "transcript", {}),
    (3.55, "submit", {}),
    (3.6, "run_begin", {}),
    (4.55, "first_delta", {}),
    (5.0, "sentence", {"index": 0, "characters": 20}),
    (5.01, "tts_request", {}),
    (5.41, "tts_audio", {"bytes": 9000, "seconds": 1.5}),
    (5.44, "sound_begin", {}),
    (6.0, "sentence", {"index": 1, "characters": 30}),
    (7.01, "tts_request", {}),
    (8.41, "tts_audio", {"bytes": 9000, "seconds": 1.5}),
    (9.0, "sound_end", {}),
    (9.0, "turn_end", {"outcome": "done"}),
]


def lines(turn: int = 1, *, late: float = 0.0, **more: Any) -> list[str]:
    return [
        json.dumps({"t": t + late, "turn": turn, "event": event, **fields, **more})
        for t, event, fields in TURN
    ]


def test_without_a_key_the_wait_begins_with_the_end_of_the_last_word() -> None:
    records, _ = read(lines())
    said = [{**r, "event": "speech_end"} if r["event"] == "release" else r for r in records]
    (turn,) = turns_of(said)
    assert turn["upload"] == pytest.approx(0.02)
    assert turn["first_sound"] == pytest.approx(2.44)


def test_a_turn_has_the_time_of_each_stage() -> None:
    (turn,) = turns_of(read(lines())[0])
    assert turn == pytest.approx(
        {
            "upload": 0.02,
            "transcription": 0.5,
            "first_delta": 1.0,
            "request": 0.01,
            "audio": 0.4,
            "sound": 0.03,
            "first_sound": 2.44,
            "own_share": 0.06,
        }
    )


def test_a_request_for_the_first_clause_of_a_sentence_has_not_waited_for_its_end() -> None:
    events = [(4.9 if event == "tts_request" else t, event) for t, event, _ in TURN[:11]]
    clause = [{"t": t, "turn": 1, "event": event} for t, event in sorted(events)]
    (turn,) = turns_of(clause)
    assert turn["request"] == 0.0
    assert turn["own_share"] == pytest.approx(0.05)


def test_time_in_which_no_request_was_permitted_is_not_our_own() -> None:
    before = {"t": 3.008, "turn": 0, "event": "tts_request"}
    (turn,) = turns_of([before, *read(lines())[0]])
    assert turn["request"] == pytest.approx(0.002)
    assert turn["own_share"] == pytest.approx(0.052)
    early = {**before, "t": 3.5}
    assert turns_of([early, *read(lines())[0]])[0]["request"] == 0.0
    others = {**before, "since": 7.0}
    assert turns_of([others, *read(lines())[0]])[0]["request"] == pytest.approx(0.01)


def test_the_wait_for_the_last_block_of_the_microphone_is_not_our_own() -> None:
    records, _ = read(lines())
    held = [{**r, "device_seconds": 0.015} if r["event"] == "upload_begin" else r for r in records]
    (turn,) = turns_of(held)
    assert turn["upload"] == pytest.approx(0.02)
    assert turn["own_share"] == pytest.approx(0.045)


def test_a_turn_that_broke_off_has_the_stages_that_it_reached() -> None:
    (turn,) = turns_of(read(lines()[:4])[0])
    assert turn.keys() == {"upload", "transcription"}


def test_a_turn_without_any_stage_is_none() -> None:
    assert turns_of(read(lines()[:2])[0]) == []


def test_turns_whose_lines_are_mixed_are_told_apart() -> None:
    one, two = lines(1), lines(2, late=20.0)
    mixed = [line for pair in zip(one, two, strict=True) for line in pair]
    first, second = turns_of(read(mixed)[0])
    assert first == pytest.approx(second)


def test_turns_of_daemons_that_count_alike_are_told_apart() -> None:
    assert len(turns_of(read(lines(1, since=100.0) + lines(1, since=200.0))[0])) == 2


def test_a_stage_that_would_have_begun_after_its_end_is_left_out() -> None:
    records, _ = read(lines())
    odd = [{**r, "t": 99.0} if r["event"] == "release" else r for r in records]
    assert "upload" not in turns_of(odd)[0]
    assert "own_share" not in turns_of(odd)[0]


@pytest.mark.parametrize(
    "line",
    ["{", "[]", "null", "3", '{"t": 1}', '{"t": "1", "turn": 1, "event": "submit"}', "[" * 9000,
     '{"t": NaN, "turn": 1, "event": "submit"}', '{"t": -1, "turn": 1, "event": "submit"}',
     '{"t": true, "turn": 1, "event": "submit"}',
     '{"t": 1, "turn": [1], "event": "submit"}', '{"t": 1, "turn": 1, "event": {}}'],
)  # fmt: skip
def test_a_line_that_is_no_record_is_skipped_and_counted(line: str) -> None:
    records, broken = read([*lines(), line, ""])
    assert len(records) == len(TURN)
    assert broken == 1


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [([3.0], 95, 3.0), ([1.0, 2.0], 50, 1.5), ([1.0, 2.0, 3.0], 50, 2.0), ([0.0, 1.0], 95, 0.95)],
)
def test_percentiles_lie_between_the_nearest_values(
    values: list[float], percent: float, expected: float
) -> None:
    assert percentile(values, percent) == pytest.approx(expected)


def test_a_spread_counts_the_turns_that_had_the_stage() -> None:
    found = spreads([{"upload": 0.1}, {"upload": 0.3}, {"audio": 1.0}])
    assert found.keys() == {"upload", "audio"}
    assert found["upload"].turns == 2
    assert found["upload"].p50_seconds == pytest.approx(0.2)
    assert found["upload"].p95_seconds == pytest.approx(0.29)


def _ended(turn: int, outcome: object, **more: Any) -> str:
    return json.dumps({"t": 99.0, "turn": turn, "event": "turn_end", "outcome": outcome, **more})


def test_what_was_not_sent_is_counted_by_its_reason() -> None:
    outcomes = ["no speech", "own words", "no speech", "answered", "tap", 7, None, *NOT_SENT]
    records, _ = read([_ended(turn, outcome) for turn, outcome in enumerate(outcomes)])
    assert not_sent(records, 50) == {
        "no speech": 3,
        "not understood": 1,
        "not speech": 1,
        "own words": 2,
        "backchannel": 1,
        "local command": 1,
    }


def test_only_what_was_not_sent_since_the_last_turns_began_is_counted() -> None:
    told = [
        _ended(1, "no speech"),
        *lines(2),
        _ended(3, "own words"),
        *lines(4),
        _ended(5, "backchannel"),
        _ended(6, "backchannel"),
    ]
    records, _ = read(told)

    def counted(last: int) -> dict[str, int]:
        return {reason: count for reason, count in not_sent(records, last).items() if count}

    assert counted(1) == {"backchannel": 2}
    assert counted(2) == {"own words": 1, "backchannel": 2}
    assert counted(3) == {"no speech": 1, "own words": 1, "backchannel": 2}


def test_a_turn_that_was_dropped_after_its_upload_counts_as_one_of_the_last() -> None:
    dropped = [*lines(1)[:4], _ended(1, "not understood")]
    records, _ = read([*dropped, *lines(2)])
    assert not_sent(records, 1)["not understood"] == 0
    assert not_sent(records, 2)["not understood"] == 1
