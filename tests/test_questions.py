"""A question is heard whole or told as unheard, and then nothing sounds until it was answered."""

import asyncio
from array import array
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.synthesizer import FakeSynthesizer, heard, voiced
from tests.virtual_clock import run
from tests.voice_stage import REPLY, SENTENCES, Stage, on_stage, running
from voicehermes.audio import Sound
from voicehermes.errors import UnreachableError, VoiceError
from voicehermes.speaking.parts import Part
from voicehermes.speaking.voice import (
    EngineChanged,
    QuestionHeard,
    QuestionUnheard,
    SoundBegan,
    SpeechFailed,
    SpokenAll,
)

ASKS = Part("Hermes chiede un permesso.", is_fixed=True)
COMMAND = Part("Vuole eseguire: erre emme, barra tmp.", is_fixed=False)
OFFER = Part("Puoi dire: approva, oppure nega.", is_fixed=True)
FADE = 120
"""5 ms in samples."""

PARTS = (ASKS, COMMAND, OFFER)
TEXTS = [part.text for part in PARTS]


def _cache(stage: Stage, *texts: str) -> None:
    for text in texts or (ASKS.text, OFFER.text):
        stage.phrases.kept["server", text] = Sound(voiced("server", text))


def _now() -> float:
    return asyncio.get_running_loop().time()


def _played(stage: Stage) -> list[str]:
    return heard(bytes(stage.speaker.played))


def _readings(stage: Stage, texts: Sequence[str] = TEXTS) -> int:
    """How often a question was played, each of its parts whole; a fade may lie on its begin."""
    played, at, readings = bytes(stage.speaker.played), 0, 0
    while True:
        for text in texts:
            at = played.find(voiced("server", text)[2 * FADE :], at)
            if at < 0:
                return readings
            at += 1
        readings += 1


def _samples(stage: Stage) -> int:
    """How many samples that are not silent were played."""
    return sum(sample != 0 for sample in array("h", bytes(stage.speaker.played)))


def _outcomes(stage: Stage) -> list[QuestionHeard | QuestionUnheard]:
    return [
        event for _, event in stage.events if isinstance(event, QuestionHeard | QuestionUnheard)
    ]


async def _wait_outcome(stage: Stage, *, seconds: float = 30.0, number: int = 1) -> float:
    """Until so many questions have ended; when the last one did."""
    async with asyncio.timeout(seconds):
        while len(_outcomes(stage)) < number:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    return next(at for at, event in stage.events if event is _outcomes(stage)[-1])


async def _is_silent(stage: Stage, seconds: float) -> bool:
    before = len(stage.speaker.played)
    await asyncio.sleep(seconds)
    return not any(stage.speaker.played[before:])


# --- how it is read -----------------------------------------------------------------------


def test_a_question_is_read_part_after_part_and_told_when_its_last_sample_was_heard() -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        stage.voice.ask(7, PARTS, within_seconds=4.0)
        at = await _wait_outcome(stage)
        assert _outcomes(stage) == [QuestionHeard(7)]
        assert _played(stage) == TEXTS
        assert stage.voice.heard_until is not None
        assert stage.voice.heard_until <= at < stage.voice.heard_until + 0.05
        assert not stage.told(SpokenAll)
        assert not stage.told(SoundBegan)

    on_stage(story)


def test_with_a_first_part_from_the_disk_it_begins_with_the_next_block() -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        stage.voice.say(1, "Prova.")  # the speaker is open after this
        await stage.wait_spoken(1)
        await asyncio.sleep(1)
        before = len(stage.speaker.played)
        stage.voice.ask(7, PARTS, within_seconds=4.0)
        await asyncio.sleep(0.1)
        silent = len(bytes(stage.speaker.played[before:])) - len(
            bytes(stage.speaker.played[before:]).lstrip(b"\0")
        )
        assert silent <= 0.02 * 48_000

    on_stage(story)


def test_between_the_parts_is_the_usual_pause_and_no_more() -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        stage.voice.ask(7, PARTS, within_seconds=4.0)
        at = await _wait_outcome(stage)
        sounding = sum(len(text) for text in TEXTS) / 15
        assert at < sounding + 2 * 0.15 + 0.1

    on_stage(story)


def test_a_cue_that_announces_a_question_is_over_when_it_begins() -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        stage.voice.cue("sent")
        stage.voice.ask(1, PARTS, within_seconds=0.0)
        await _wait_outcome(stage)
        assert voiced("server", ASKS.text) in bytes(stage.speaker.played)

    on_stage(story)


def test_what_is_not_fixed_never_reaches_the_disk_and_what_is_fixed_does() -> None:
    async def story(stage: Stage) -> None:
        for question in (1, 2):
            stage.voice.ask(question, PARTS, within_seconds=4.0)
            await _wait_outcome(stage, number=question)
        assert {text for _, text in stage.phrases.kept} == {ASKS.text, OFFER.text}
        assert stage.phrases.asked_for == {ASKS.text, OFFER.text}
        assert sorted(stage.server.spoken) == sorted([*TEXTS, COMMAND.text])

    on_stage(story)


def test_personal_parts_side_by_side_are_one_request_and_long_ones_are_several() -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        numbered = [Part(f"{number}: ramo.", is_fixed=False) for number in ("Uno", "Due")]
        stage.voice.ask(1, (ASKS, *numbered, Part("", is_fixed=False), OFFER), within_seconds=0)
        await _wait_outcome(stage)
        assert stage.server.spoken == ["Uno: ramo. Due: ramo."]
        long = " ".join(f"parola{number}" for number in range(80))
        stage.voice.ask(2, (Part(long, is_fixed=False),), within_seconds=0)
        await _wait_outcome(stage, number=2, seconds=120)
        assert _outcomes(stage)[-1] == QuestionHeard(2)
        assert " ".join(stage.server.spoken[1:]) == long
        assert len(stage.server.spoken) == 4
        assert max(map(len, stage.server.spoken)) <= 300

    on_stage(story)


def test_a_question_of_nothing_was_not_heard() -> None:
    async def story(stage: Stage) -> None:
        stage.voice.ask(1, (Part(" ", is_fixed=True), Part("", is_fixed=False)), within_seconds=0)
        assert _outcomes(stage) == []  # not inside the call
        await _wait_outcome(stage)
        assert isinstance(_outcomes(stage)[0], QuestionUnheard)

    on_stage(story)


# --- what it does to the reply ------------------------------------------------------------


def test_the_reply_stops_at_a_sentence_end_stands_still_and_goes_on_whole() -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        await stage.reply(1, REPLY, pace=60)
        playing = len(_played(stage)) - 1
        stage.voice.ask(7, PARTS, within_seconds=60.0)
        await _wait_outcome(stage)
        parts = _played(stage)
        begun = parts.index(ASKS.text)
        assert parts[begun:] == TEXTS
        ends = [part.endswith((".", "!", "?")) for part in parts[playing:begun]]
        assert ends == [False] * (len(ends) - 1) + [True]  # at the first end of a sentence
        assert await _is_silent(stage, 60)
        assert not stage.told(SpokenAll)
        stage.voice.resume()
        await stage.wait_spoken()
        parts = _played(stage)
        assert " ".join(parts[:begun] + parts[begun + 3 :]) == REPLY
        assert stage.told(SoundBegan) == [SoundBegan(1)]

    on_stage(story)


@pytest.mark.parametrize("within", [0.0, 0.5, 2.0])
def test_a_question_does_not_wait_longer_than_it_may_and_no_sample_is_lost(within: float) -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        await stage.reply(1, SENTENCES[1], pace=1e6)
        await asyncio.sleep(2.0)
        stage.voice.ask(7, PARTS, within_seconds=within)
        before = len(stage.speaker.played)
        await _wait_outcome(stage)
        asked = voiced("server", ASKS.text)[2_000:20_000]
        begins = bytes(stage.speaker.played).index(asked) - 2_000
        assert begins - before <= within * 48_000 + 0.03 * 48_000
        assert begins - before >= (within - 0.6) * 48_000
        stage.voice.resume()
        await stage.wait_spoken()
        spoken = 1_600 * sum(map(len, [*stage.server.spoken, ASKS.text, OFFER.text]))
        assert spoken - 5 <= _samples(stage) <= spoken + 120

    on_stage(story)


def test_the_reply_goes_on_until_the_first_sound_of_the_question_is_there() -> None:
    async def story(stage: Stage) -> None:
        await stage.reply(1, REPLY, pace=1e6)
        await asyncio.sleep(4.0)
        stage.voice.ask(7, PARTS, within_seconds=0.0)
        before = len(stage.speaker.played)
        await asyncio.sleep(0.4)
        assert all(array("h", bytes(stage.speaker.played[before:])))
        await _wait_outcome(stage)

    on_stage(story)


def test_what_is_written_while_it_asks_is_heard_afterwards() -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(stage.reply(1, REPLY, pace=20), name="reply")
            await asyncio.sleep(3)
            stage.voice.ask(7, PARTS, within_seconds=4.0)
            await _wait_outcome(stage)
            await asyncio.sleep(4)
            stage.voice.resume()
        await stage.wait_spoken()
        parts = _played(stage)
        at = parts.index(ASKS.text)
        assert parts[at : at + 3] == TEXTS
        assert " ".join(parts[:at] + parts[at + 3 :]) == REPLY

    on_stage(story)


def test_a_cue_is_heard_while_all_stands_still() -> None:
    async def story(stage: Stage) -> None:
        stage.voice.ask(7, PARTS, within_seconds=4.0)
        await _wait_outcome(stage)
        before = len(stage.speaker.played)
        stage.voice.cue("sent")
        await asyncio.sleep(1)
        assert bytes(stage.speaker.played[before:]).strip(b"\0").count(b"\x01") == 2400

    on_stage(story)


@pytest.mark.parametrize("at", [0.1, 1.0, 3.0, 6.0, 9.0, 20.0])
def test_a_hushed_reply_is_gone_and_the_question_stays(at: float) -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        await stage.reply(1, REPLY, pace=1e6)
        await asyncio.sleep(3)
        stage.voice.ask(7, PARTS, within_seconds=2.0)
        await asyncio.sleep(at)
        stage.voice.hush(1)
        if at < 9:
            await _wait_outcome(stage)
        assert _outcomes(stage) == [QuestionHeard(7)]
        assert _readings(stage) == 1
        stage.voice.resume()
        assert await _is_silent(stage, 30)
        assert not stage.told(SpokenAll)

    on_stage(story)


# --- what waits is heard first ------------------------------------------------------------


def test_a_patient_question_comes_behind_the_sentences_that_wait() -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        stage.voice.begin(1)
        stage.voice.add(1, f"{SENTENCES[0]} {SENTENCES[2]} Ora una domanda. E ancora una frase")
        await asyncio.sleep(0.1)
        stage.voice.ask(7, PARTS, within_seconds=4.0, after_waiting_seconds=10.0)
        await asyncio.sleep(4.5)
        stage.voice.add(1, ", che arriva dopo.")
        stage.voice.end(1)
        await _wait_outcome(stage)
        parts = _played(stage)
        assert parts[-3:] == TEXTS
        assert " ".join(parts[:-3]).startswith(f"{SENTENCES[0]} {SENTENCES[2]} Ora una domanda.")
        stage.voice.resume()
        await stage.wait_spoken()
        assert "che arriva dopo" in _played(stage)[-1]

    on_stage(story)


def test_a_patient_question_does_not_wait_for_sentences_that_last_too_long() -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        stage.voice.begin(1)
        stage.voice.add(1, REPLY * 3)
        await asyncio.sleep(3.0)
        stage.voice.ask(7, PARTS, within_seconds=4.0, after_waiting_seconds=10.0)
        asked_at = _now()
        at = await _wait_outcome(stage)
        assert at - asked_at < 4.0 + 8.0
        assert _played(stage)[-3:] == TEXTS

    on_stage(story)


def test_a_patient_question_has_an_end_to_its_patience() -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        stage.server.is_hanging = True
        stage.voice.begin(1)
        stage.voice.add(1, "Una frase che nessuno pronuncia. ")
        await asyncio.sleep(0.1)
        stage.voice.ask(7, (ASKS, OFFER), within_seconds=2.0, after_waiting_seconds=5.0)
        at = await _wait_outcome(stage, seconds=15)
        assert _outcomes(stage) == [QuestionHeard(7)]
        assert at < 7.0 + 5.0

    on_stage(story)


# --- one after another --------------------------------------------------------------------


def test_two_questions_in_a_row_and_nothing_between_them() -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        await stage.reply(1, REPLY, pace=1e6)
        await asyncio.sleep(3)
        for question in (7, 8):
            stage.voice.ask(question, PARTS, within_seconds=0.0)
            await _wait_outcome(stage, number=question - 6)
            assert await _is_silent(stage, 3)
        assert _outcomes(stage) == [QuestionHeard(7), QuestionHeard(8)]
        assert _readings(stage) == 2
        stage.voice.resume()
        await stage.wait_spoken()

    on_stage(story)


@pytest.mark.parametrize("at", [0.0, 0.3, 1.0, 2.5, 4.0])
def test_a_question_takes_the_place_of_the_one_that_is_being_read(at: float) -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        stage.voice.ask(7, PARTS, within_seconds=0.0)
        await asyncio.sleep(at)
        stage.voice.ask(8, PARTS, within_seconds=0.0)
        await _wait_outcome(stage)
        await asyncio.sleep(10)
        assert _outcomes(stage) == [QuestionHeard(8)]
        assert _readings(stage) == 1

    on_stage(story)


@pytest.mark.parametrize("at", [0.0, 0.02, 0.5, 2.2, 4.0, 5.5])
def test_a_dropped_question_is_silent_at_once_and_for_good(at: float) -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        stage.voice.ask(7, PARTS, within_seconds=0.0)
        await asyncio.sleep(at)
        stage.voice.drop_question()
        stage.voice.drop_question()
        await asyncio.sleep(0.03)
        assert await _is_silent(stage, 30)
        assert _outcomes(stage) == []
        stage.voice.resume()
        await stage.reply(1, "Va bene.")
        await stage.wait_spoken(1)
        assert _played(stage)[-1] == "Va bene."

    on_stage(story)


def test_a_question_dropped_before_it_began_leaves_the_reply_alone() -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        await stage.reply(1, REPLY, pace=60)
        stage.voice.ask(7, PARTS, within_seconds=30.0)
        await asyncio.sleep(0.1)
        stage.voice.say(1, "Non serve più.")
        stage.voice.drop_question()
        await stage.wait_spoken()
        parts = _played(stage)
        assert not set(TEXTS) & set(parts)
        assert "Non serve più." in parts
        assert " ".join(part for part in parts if part != "Non serve più.") == REPLY

    on_stage(story)


def test_a_question_dropped_while_its_sound_is_made_costs_no_further_request() -> None:
    async def story(stage: Stage) -> None:
        stage.voice.ask(7, PARTS, within_seconds=0.0)
        await asyncio.sleep(0.1)
        stage.voice.drop_question()
        await asyncio.sleep(10)
        assert len(stage.server.asked) == 1
        assert stage.server.spoken == []

    on_stage(story)


# --- pauses -------------------------------------------------------------------------------


def test_a_question_asked_while_paused_is_heard_and_the_reply_still_stands() -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        await stage.reply(1, REPLY, pace=1e6)
        await asyncio.sleep(2.05)
        stage.voice.pause()
        await asyncio.sleep(1)
        stage.voice.ask(7, PARTS, within_seconds=4.0, after_waiting_seconds=60.0)
        before = len(stage.speaker.played)
        await _wait_outcome(stage)
        assert heard(bytes(stage.speaker.played[before:])) == TEXTS
        assert await _is_silent(stage, 10)
        stage.voice.resume()
        await stage.wait_spoken()
        spoken = 1_600 * sum(map(len, [*stage.server.spoken, ASKS.text, OFFER.text]))
        assert spoken - 5 <= _samples(stage) <= spoken + 120

    on_stage(story)


@pytest.mark.parametrize("at", [0.0, 0.3, 1.0, 2.5, 4.0, 6.2])
def test_a_question_that_was_paused_and_dropped_is_never_told_as_heard(at: float) -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        await stage.reply(1, REPLY, pace=1e6)
        await asyncio.sleep(2)
        stage.voice.ask(7, PARTS, within_seconds=0.0)
        await asyncio.sleep(at)
        stage.voice.pause()
        await asyncio.sleep(0.03)
        assert await _is_silent(stage, 5)
        stage.voice.drop_question()
        assert await _is_silent(stage, 5)
        stage.voice.resume()
        await stage.wait_spoken()
        assert _outcomes(stage) == []

    on_stage(story)


def test_a_question_that_was_paused_is_read_on_and_the_reply_still_stands() -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        await stage.reply(1, REPLY, pace=1e6)
        await asyncio.sleep(2)
        stage.voice.ask(7, PARTS, within_seconds=0.0)
        await asyncio.sleep(3)
        stage.voice.pause()
        await asyncio.sleep(5)
        stage.voice.resume()
        await _wait_outcome(stage)
        assert await _is_silent(stage, 10)
        stage.voice.resume()
        await stage.wait_spoken()
        assert _outcomes(stage) == [QuestionHeard(7)]

    on_stage(story)


def test_a_pause_between_two_parts_lets_nothing_out() -> None:
    async def story(stage: Stage) -> None:
        _cache(stage, ASKS.text, OFFER.text, "Un momento.")
        stage.server.latency_seconds = 4.0
        await stage.reply(1, REPLY, pace=1e6)
        await asyncio.sleep(6)
        stage.voice.ask(7, PARTS, within_seconds=0.0)
        await asyncio.sleep(2)  # the second part is not there yet
        stage.voice.pause()
        stage.voice.say(1, "Un momento.")
        stage.voice.resume()
        assert await _is_silent(stage, 1)
        await _wait_outcome(stage)
        assert _readings(stage) == 1
        assert await _is_silent(stage, 10)

    on_stage(story)


def test_a_paused_question_can_be_asked_anew() -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        stage.voice.ask(7, PARTS, within_seconds=0.0)
        await asyncio.sleep(1)
        stage.voice.pause()
        await asyncio.sleep(1)
        stage.voice.ask(8, PARTS, within_seconds=0.0)
        await _wait_outcome(stage)
        assert _outcomes(stage) == [QuestionHeard(8)]
        assert _readings(stage) == 1

    on_stage(story)


# --- sentences of ours around it ----------------------------------------------------------


@pytest.mark.parametrize("is_cached", [True, False])
def test_what_is_said_after_the_answer_comes_before_the_reply_goes_on(is_cached: bool) -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        if is_cached:
            _cache(stage, "Approvato.")
        await stage.reply(1, REPLY, pace=1e6)
        await asyncio.sleep(2)  # inside a sentence
        stage.voice.ask(7, PARTS, within_seconds=0.0)
        await _wait_outcome(stage)
        stage.voice.say(2, "Approvato.")
        assert await _is_silent(stage, 5)
        before = len(stage.speaker.played)
        stage.voice.resume()
        await stage.wait_spoken(1)
        assert heard(bytes(stage.speaker.played[before:]))[0] == "Approvato."
        assert SpokenAll(2) in stage.told(SpokenAll)

    on_stage(story)


def test_what_is_said_and_resumed_at_once_waits_for_its_sound_before_the_reply_goes_on() -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        await stage.reply(1, REPLY, pace=1e6)
        await asyncio.sleep(2)
        stage.voice.ask(7, PARTS, within_seconds=0.0)
        await _wait_outcome(stage)
        before = len(stage.speaker.played)
        stage.voice.say(2, "Approvato.")
        stage.voice.resume()
        stage.voice.say(2, "Vado avanti.")
        await stage.wait_spoken(1)
        assert heard(bytes(stage.speaker.played[before:]))[:2] == ["Approvato.", "Vado avanti."]

    on_stage(story)


def test_a_further_question_takes_back_that_the_reply_may_go_on() -> None:
    async def story(stage: Stage) -> None:
        _cache(stage, ASKS.text)
        await stage.reply(1, REPLY, pace=1e6)
        await asyncio.sleep(10)
        stage.voice.ask(7, (ASKS,), within_seconds=0.0)
        await _wait_outcome(stage)
        before = len(stage.speaker.played)
        stage.voice.say(2, "Approvato.")
        stage.voice.resume()
        stage.voice.ask(8, (OFFER,), within_seconds=10.0)
        await _wait_outcome(stage, number=2)
        after = heard(bytes(stage.speaker.played[before:]))
        assert after == ["Approvato.", OFFER.text]

    on_stage(story)


def test_a_sentence_that_nobody_speaks_does_not_keep_the_gate_shut() -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        await stage.reply(1, REPLY, pace=1e6)
        await asyncio.sleep(15)
        stage.voice.ask(7, (ASKS, OFFER), within_seconds=0.0)
        await _wait_outcome(stage)
        stage.server.always = VoiceError("No.")
        stage.voice.say(1, "Approvato.")
        stage.voice.resume()
        await stage.wait_spoken()

    on_stage(story)


def test_what_was_said_before_a_question_is_heard_before_it() -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        stage.voice.say(1, "Negato.")
        stage.voice.ask(7, PARTS, within_seconds=4.0)
        await _wait_outcome(stage)
        stage.voice.say(1, "Approvato.")
        assert await _is_silent(stage, 3)
        stage.voice.ask(8, PARTS, within_seconds=4.0)
        await _wait_outcome(stage, number=2)
        assert _played(stage) == ["Negato.", *TEXTS, "Approvato.", *TEXTS]

    on_stage(story)


# --- the synthesiser ----------------------------------------------------------------------


def test_a_question_goes_ahead_of_all_sentences_that_wait() -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        await stage.reply(1, REPLY, pace=1e6)
        await asyncio.sleep(0.1)
        stage.voice.ask(7, PARTS, within_seconds=4.0)
        await _wait_outcome(stage)
        assert [text for _, text in stage.server.asked][1] == COMMAND.text
        assert stage.server.refusals == 0
        stage.voice.resume()
        await stage.wait_spoken()

    on_stage(story)


def test_a_question_goes_ahead_of_a_sentence_that_came_at_the_same_time() -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        stage.voice.begin(1)
        stage.voice.add(1, REPLY)
        stage.voice.ask(7, PARTS, within_seconds=4.0)
        await _wait_outcome(stage)
        assert stage.server.asked[0] == (0.0, COMMAND.text)

    on_stage(story)


def test_its_parts_are_asked_for_in_their_order() -> None:
    async def story(stage: Stage) -> None:
        stage.voice.ask(7, (COMMAND, ASKS, OFFER), within_seconds=4.0)
        await _wait_outcome(stage)
        assert [text for _, text in stage.server.asked] == [COMMAND.text, ASKS.text, OFFER.text]
        assert _played(stage) == [COMMAND.text, ASKS.text, OFFER.text]
        assert stage.server.refusals == 0

    on_stage(story)


def test_when_the_server_is_gone_another_synthesiser_reads_the_question() -> None:
    async def story(stage: Stage) -> None:
        stage.server.always = UnreachableError("No connection.")
        for question in (1, 2):
            stage.voice.ask(question, PARTS, within_seconds=0.0)
            await _wait_outcome(stage, number=question)
        assert _outcomes(stage) == [QuestionHeard(1), QuestionHeard(2)]
        assert heard(bytes(stage.speaker.played), factor=20) == TEXTS * 2
        assert [event.is_lost for event in stage.told(SpeechFailed)] == [False]
        assert stage.told(EngineChanged) == [EngineChanged("espeakng")]

    local = FakeSynthesizer("espeakng", window_seconds=0.0)
    on_stage(story, FakeSynthesizer(), local)


class Mute(FakeSynthesizer):
    """Speaks all but one text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.unspeakable = text

    async def synthesize(self, text: str) -> Sound:
        sound = await super().synthesize(text)
        if text == self.unspeakable:
            raise VoiceError("No.")
        return sound


@pytest.mark.parametrize("text", TEXTS)
def test_a_part_that_nobody_speaks_makes_the_question_unheard(text: str) -> None:
    async def story(stage: Stage) -> None:
        stage.voice.ask(7, PARTS, within_seconds=0.0)
        await _wait_outcome(stage)
        [outcome] = _outcomes(stage)
        assert isinstance(outcome, QuestionUnheard)
        assert outcome.question == 7
        assert isinstance(outcome.error, VoiceError)
        await asyncio.sleep(0.03)
        assert await _is_silent(stage, 20)
        stage.voice.resume()
        await stage.reply(1, "Va bene.")
        await stage.wait_spoken(1)

    on_stage(story, Mute(text))


# --- the speaker --------------------------------------------------------------------------


@pytest.mark.parametrize("at", [0.0, 0.01, 0.5, 1.8, 1.95, 3.0, 6.0, 6.4])
@pytest.mark.parametrize("comes_back", [True, False])
def test_a_question_is_unheard_when_the_speaker_goes_away_at_any_moment(
    at: float, comes_back: bool
) -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        await stage.reply(1, "Certo!", pace=1e6)
        stage.voice.ask(7, PARTS, within_seconds=0.0)
        await asyncio.sleep(at)
        stage.speaker.is_stuck = True
        stage.speaker.refusals = 0 if comes_back else 1_000
        await asyncio.sleep(2.3)
        stage.speaker.is_stuck = False
        await asyncio.sleep(60)
        [outcome] = _outcomes(stage)
        assert isinstance(outcome, QuestionUnheard)
        assert len([event for event in stage.told(SpeechFailed) if event.is_lost]) == 1

    on_stage(story)


def test_a_question_is_unheard_when_the_speaker_fails_before_its_sound_is_there() -> None:
    async def story(stage: Stage) -> None:
        stage.server.latency_seconds = 5.0
        stage.voice.ask(7, PARTS, within_seconds=0.0)
        await asyncio.sleep(1)
        stage.speaker.is_stuck = True
        await asyncio.sleep(2.3)
        stage.speaker.is_stuck = False
        await asyncio.sleep(30)
        [outcome] = _outcomes(stage)
        assert isinstance(outcome, QuestionUnheard)

    on_stage(story)


@pytest.mark.parametrize("at", [0.0, 0.05, 1.0, 30.0])
def test_a_question_is_unheard_while_there_is_no_speaker(at: float) -> None:
    async def story(stage: Stage) -> None:
        _cache(stage)
        stage.speaker.refusals = 1_000
        await stage.reply(1, REPLY)
        await asyncio.sleep(at)
        stage.voice.ask(7, PARTS, within_seconds=0.0)
        await asyncio.sleep(60)
        [outcome] = _outcomes(stage)
        assert isinstance(outcome, QuestionUnheard)
        stage.voice.resume()
        await stage.wait_spoken()

    on_stage(story)


# --- all of it ----------------------------------------------------------------------------

WORD = "ÿ" * 9
"""Its sound is louder than all else, so that no fade of another sound can be taken for it."""

_STEPS = st.lists(
    st.tuples(
        st.sampled_from(["ask", "ask", "drop", "pause", "resume", "say"]),
        st.sampled_from([0.0, 0.02, 0.3, 0.75, 1.1, 2.0]),
    ),
    max_size=14,
)


@settings(max_examples=40)
@given(_STEPS)
def test_whatever_happens_the_reply_is_heard_once_and_never_behind_a_question(
    steps: list[tuple[str, float]],
) -> None:
    question_sample = array("h", voiced("server", "ÿ"))[0]

    async def main() -> None:
        async with running(Stage(FakeSynthesizer(window_seconds=0.0))) as stage:
            _cache(stage, WORD, "Fatto.")
            await stage.reply(1, SENTENCES[1], pace=1e6)
            await asyncio.sleep(1)
            asked: list[int] = []
            dropped: set[int] = set()
            resumed_at: list[int] = []
            for step, seconds in [*steps, ("resume", 9.0), ("resume", 0.0)]:
                match step:
                    case "ask":
                        dropped |= set(asked) - {outcome.question for outcome in _outcomes(stage)}
                        asked.append(len(asked))
                        part = Part(WORD, is_fixed=True)
                        stage.voice.ask(asked[-1], (part, part), within_seconds=seconds)
                    case "drop":
                        dropped |= set(asked) - {outcome.question for outcome in _outcomes(stage)}
                        stage.voice.drop_question()
                    case "pause":
                        stage.voice.pause()
                    case "say":
                        stage.voice.say(2, "Fatto.")
                    case "resume":
                        resumed_at.append(len(stage.speaker.played) // 2)
                        stage.voice.resume()
                await asyncio.sleep(seconds)
            await stage.wait_spoken(1)
            await asyncio.sleep(10)

            told = [outcome.question for outcome in _outcomes(stage)]
            assert told == sorted(set(asked) - dropped)
            played = array("h", bytes(stage.speaker.played))
            is_standing, replied = False, 0
            resumptions = set(resumed_at)
            spoken = array("h", b"".join(voiced("server", text) for text in stage.server.spoken))
            letters = {*spoken} - {*array("h", voiced("server", "Fatto."))}
            for at, sample in enumerate(played):
                if at in resumptions:
                    is_standing = False
                if sample == question_sample:
                    is_standing = True
                elif sample in letters and sample == played[at - 1]:  # else it is a fade
                    assert not is_standing, "a reply behind a question"
                    replied += 1
            whole = sum(sample in letters for sample in spoken)
            fades = 2 * FADE * (len(steps) + 2) + len(spoken) // 1_600
            assert whole - fades <= replied <= whole + fades

    run(main())
