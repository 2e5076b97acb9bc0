"""How long each stage of a turn takes, and why an utterance was not sent.

Pure: is given lines of the timeline, knows no file.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from voicehermes.timeline import Record

Stage = Literal[
    "upload",
    "transcription",
    "first_delta",
    "request",
    "audio",
    "sound",
    "first_sound",
    "own_share",
]
"""The end is when the key was let go, or of the last word where none was held.

upload: end → upload begins. transcription: → transcript. first_delta: submit → first piece
of the reply. request: first sentence complete, and a request permitted → request sent. audio:
request → its audio. sound: audio → first sample at the device. first_sound: end → first
sound. own_share: of that, what is neither the server's nor the network's nor the microphone's,
whose last block takes a moment to arrive: upload, request and sound together."""

STAGES: tuple[Stage, ...] = get_args(Stage)

NotSent = Literal[
    "no speech", "not understood", "not speech", "own words", "backchannel", "local command"
]
"""Why an utterance did not go to the agent, as its turn's outcome has it. not understood: the
recogniser found no words. not speech: it made them up. own words: the assistant heard itself."""

NOT_SENT: tuple[NotSent, ...] = get_args(NotSent)

WINDOW_SECONDS = 2.0
"""hermes-webui takes one synthesis request in this time."""

Durations = Mapping[Stage, float]
"""Seconds of one turn's stages, those of which both ends were noted."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A stage over several turns."""

    turns: int
    """How many had this stage."""
    p50_seconds: float
    p95_seconds: float


def read(lines: Iterable[str]) -> tuple[list[Record], int]:
    """The records of JSON lines, in order, and how many lines are none."""
    records: list[Record] = []
    broken = 0
    for line in lines:
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if _is_record(value):
            records.append(value)
        else:
            broken += 1
    return records, broken


def turns_of(records: Iterable[Record]) -> list[Durations]:
    """The stages of each turn in which anything was measured, oldest first."""
    return [durations for _, durations in _turns(records) if durations]


def not_sent(records: Iterable[Record], last: int) -> dict[NotSent, int]:
    """How many utterances did not go to the agent, and why.

    Counts from the first of the ``last`` turns on in which anything was measured; what never
    happened is 0.
    """
    found: dict[NotSent, int] = dict.fromkeys(NOT_SENT, 0)
    measured = 0
    for turn, durations in reversed(_turns(records)):
        if measured == last:
            break
        measured += bool(durations)
        for record in turn:
            outcome = record.get("outcome") if record["event"] == "turn_end" else None
            for reason in NOT_SENT:
                found[reason] += outcome == reason
    return found


def _turns(records: Iterable[Record]) -> list[tuple[list[Record], Durations]]:
    """The records of each turn, and its stages."""
    turns: dict[tuple[object, object], list[Record]] = {}
    requested: dict[object, float] = {}
    permitted: dict[tuple[object, object], float] = {}
    for record in records:
        # Turns are counted anew by each daemon; "since" tells daemons apart.
        since = record.get("since")
        key = (since, record["turn"])
        turns.setdefault(key, []).append(record)
        if record["event"] == "tts_request":
            permitted.setdefault(key, requested.get(since, -math.inf) + WINDOW_SECONDS)
            requested[since] = _number(record["t"])
    return [(turn, _durations(turn, permitted.get(key, -math.inf))) for key, turn in turns.items()]


def spreads(turns: Iterable[Durations]) -> dict[Stage, Spread]:
    """Each stage over the turns; stages that no turn had are not there."""
    turns = list(turns)
    found: dict[Stage, Spread] = {}
    for stage in STAGES:
        seconds = sorted(turn[stage] for turn in turns if stage in turn)
        if seconds:
            found[stage] = Spread(len(seconds), percentile(seconds, 50), percentile(seconds, 95))
    return found


def percentile(values: list[float], percent: float) -> float:
    """A percentile of sorted values, interpolated between the two nearest: [1, 2], 50 → 1.5."""
    place = (len(values) - 1) * percent / 100
    low = math.floor(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)


def _is_record(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    t = value.get("t")
    is_time = isinstance(t, int | float) and not isinstance(t, bool) and 0 <= t < math.inf
    return is_time and type(value.get("turn")) is int and isinstance(value.get("event"), str)


def _durations(turn: list[Record], permitted: float) -> Durations:
    """The stages of one turn, from the first time that each thing happened in it.

    ``permitted`` is when its first request for speech could be made at the earliest.
    """
    first: dict[object, Record] = {}
    for record in turn:
        first.setdefault(record["event"], record)

    found: dict[Stage, float] = {}

    def measure(stage: Stage, begin: str, end: str) -> None:
        if begin in first and end in first:
            seconds = _number(first[end]["t"]) - _number(first[begin]["t"])
            if seconds >= 0:
                found[stage] = seconds

    end = "release" if "release" in first else "speech_end"
    measure("upload", end, "upload_begin")
    measure("transcription", "upload_begin", "transcript")
    measure("first_delta", "submit", "first_delta")
    if "tts_request" in first and "sentence" in first:
        waited = _number(first["tts_request"]["t"]) - _number(first["sentence"]["t"])
        found["request"] = max(0.0, waited)  # a long sentence's first clause goes ahead of its end
    measure("audio", "tts_request", "tts_audio")
    measure("sound", "tts_audio", "sound_begin")
    measure("first_sound", end, "sound_begin")
    if "request" in found:
        late = _number(first["tts_request"]["t"]) - permitted
        found["request"] = max(0.0, min(found["request"], late))
    own: tuple[Stage, ...] = ("upload", "request", "sound")
    if all(stage in found for stage in own):
        in_device = _number(first["upload_begin"].get("device_seconds"))
        found["own_share"] = max(0.0, sum(found[stage] for stage in own) - in_device)
    return found


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
