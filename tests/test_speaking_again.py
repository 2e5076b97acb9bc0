"""What was said is said again: from its start, or from the first sentence that was not heard."""

import asyncio
from itertools import count
from math import log10

import pytest

from tests.fakes.synthesizer import FakeSynthesizer
from tests.voice_stage import REPLY, SENTENCES, WORDS, Stage, on_stage
from voicehermes.audio import to_samples
from voicehermes.speaking.clauses import Clause
from voicehermes.speaking.clips import ReplyClip
from voicehermes.speaking.pacing import Request
from voicehermes.speaking.reply import Reply
from voicehermes.speaking.script import Script
from voicehermes.speaking.voice import SoundBegan, SpokenAll


def test_before_anything_was_said_there_is_nothing_to_say_again() -> None:
    async def story(stage: Stage) -> None:
        assert not stage.voice.speak_again(1, from_start=True)
        stage.voice.begin(2)
        stage.voice.add(2, "\n")
        assert not stage.voice.speak_again(3, from_start=True)
        assert not stage.voice.speak_again(3, from_start=False)
        await asyncio.sleep(5)
        assert stage.told(SpokenAll) == []

    on_stage(story)


def test_a_reply_that_was_heard_is_repeated_whole_as_often_as_wanted() -> None:
    async def story(stage: Stage) -> None:
        await stage.reply(1, REPLY)
        await stage.wait_spoken(1)
        for turn in (2, 3):
            assert stage.voice.speak_again(turn, from_start=True)
            stage.voice.end(turn)  # ends with its text already
            await stage.wait_spoken(turn)
        assert stage.heard == f"{REPLY} {REPLY} {REPLY}"
        assert [event.turn for event in stage.told(SoundBegan)] == [1, 2, 3]

    on_stage(story)


def test_of_a_reply_that_was_heard_there_is_nothing_to_go_on_with() -> None:
    async def story(stage: Stage) -> None:
        await stage.reply(1, REPLY)
        await stage.wait_spoken(1)
        assert not stage.voice.speak_again(2, from_start=False)
        await asyncio.sleep(5)
        assert stage.heard == REPLY
        assert stage.told(SpokenAll) == [SpokenAll(1)]

    on_stage(story)


def test_a_reply_of_which_nothing_can_be_spoken_is_none_to_repeat() -> None:
    async def story(stage: Stage) -> None:
        await stage.reply(1, "* * *")
        await stage.wait_spoken(1)
        assert not stage.voice.speak_again(2, from_start=True)

    on_stage(story)


@pytest.mark.parametrize("at", [3.0, 6.0, 9.0, 12.0, 16.0])
def test_a_reply_that_was_hushed_goes_on_with_the_sentence_that_was_cut_off(at: float) -> None:
    async def story(stage: Stage) -> None:
        await asyncio.gather(stage.reply(1, REPLY, pace=600), _hush(stage, 1, at))
        before = stage.heard
        begun = stage.told(SoundBegan)
        assert begun == [SoundBegan(1)]
        assert stage.voice.speak_again(2, from_start=False)
        await stage.wait_spoken(2)
        after = stage.heard[len(before) :].strip()
        first = next(i for i, sentence in enumerate(SENTENCES) if after.startswith(sentence))
        assert after == " ".join(SENTENCES[first:])
        whole = [i for i, sentence in enumerate(SENTENCES) if sentence in before]
        assert first <= len(whole)  # none is lost
        assert first >= len(whole) - 1  # and at most one is heard twice

    on_stage(story)


async def _hush(stage: Stage, turn: int, at: float) -> None:
    await asyncio.sleep(at)
    stage.voice.hush(turn)


def test_what_is_written_after_a_hush_is_kept_and_comes_when_it_goes_on() -> None:
    async def story(stage: Stage) -> None:
        stage.voice.begin(1)
        stage.voice.add(1, "Prima frase. ")
        await asyncio.sleep(4)
        stage.voice.hush(1)
        stage.voice.add(1, "Seconda frase. ")
        await asyncio.sleep(4)
        assert stage.heard == "Prima frase."
        assert stage.voice.speak_again(2, from_start=False)
        await asyncio.sleep(4)
        stage.voice.add(1, "Terza frase.")
        stage.voice.end(1)
        await stage.wait_spoken(2)
        assert stage.heard == "Prima frase. Seconda frase. Terza frase."
        assert SpokenAll(1) not in stage.told(SpokenAll)

    on_stage(story)


def test_a_live_reply_goes_on_under_its_own_turn_too() -> None:
    async def story(stage: Stage) -> None:
        stage.voice.begin(1)
        stage.voice.add(1, "Prima frase. ")
        await asyncio.sleep(4)
        stage.voice.hush(1)
        assert stage.voice.speak_again(1, from_start=False)
        stage.voice.add(1, "Seconda frase.")
        stage.voice.end(1)
        await stage.wait_spoken(1)
        assert stage.heard == "Prima frase. Seconda frase."

    on_stage(story)


def test_a_repeat_stands_in_for_what_is_still_being_spoken() -> None:
    async def story(stage: Stage) -> None:
        stage.voice.begin(1)
        stage.voice.add(1, "Prima frase. Seconda frase. ")
        await asyncio.sleep(2)
        assert stage.voice.speak_again(1, from_start=True)
        stage.voice.add(1, "Terza frase.")
        stage.voice.end(1)
        await stage.wait_spoken(1)
        assert stage.heard.endswith("Prima frase. Seconda frase. Terza frase.")
        assert stage.heard.count("Terza frase.") == 1
        assert stage.told(SpokenAll) == [SpokenAll(1)]

    on_stage(story)


def test_a_new_reply_is_the_last_one_as_soon_as_it_says_something() -> None:
    async def story(stage: Stage) -> None:
        await stage.reply(1, "Vecchia risposta.")
        await stage.wait_spoken(1)
        stage.voice.begin(2)
        assert stage.voice.speak_again(3, from_start=True)
        await stage.wait_spoken(3)
        stage.voice.add(2, "Nuova risposta.")
        stage.voice.end(2)
        await stage.wait_spoken(2)
        assert stage.voice.speak_again(4, from_start=True)
        await stage.wait_spoken(4)
        assert stage.heard == "Vecchia risposta. Vecchia risposta. Nuova risposta. Nuova risposta."

    on_stage(story)


def test_what_is_repeated_for_a_turn_that_says_nothing_yet_comes_before_its_own_reply() -> None:
    async def story(stage: Stage) -> None:
        await stage.reply(1, "Vecchia risposta.")
        await stage.wait_spoken(1)
        stage.voice.begin(2)
        assert stage.voice.speak_again(2, from_start=True)
        await asyncio.sleep(0.5)
        stage.voice.add(2, "Nuova risposta. ")
        await asyncio.sleep(10)
        assert stage.told(SpokenAll) == [SpokenAll(1)]
        stage.voice.add(2, "E basta.")
        stage.voice.end(2)
        await stage.wait_spoken(2)
        assert stage.heard == "Vecchia risposta. Vecchia risposta. Nuova risposta. E basta."
        assert stage.voice.speak_again(3, from_start=True)
        await stage.wait_spoken(3)
        assert stage.heard.endswith("E basta. Nuova risposta. E basta.")

    on_stage(story)


def test_a_repeat_of_the_new_reply_stands_in_for_the_repeat_of_the_old_one() -> None:
    async def story(stage: Stage) -> None:
        await stage.reply(1, "Vecchia risposta.")
        await stage.wait_spoken(1)
        stage.voice.begin(2)
        assert stage.voice.speak_again(2, from_start=True)
        stage.voice.add(2, "Nuova risposta.")
        assert stage.voice.speak_again(2, from_start=True)
        stage.voice.end(2)
        await stage.wait_spoken(2)
        assert stage.heard == "Vecchia risposta. Nuova risposta."

    on_stage(story)


def test_what_is_written_after_a_hush_that_came_before_all_text_is_kept_too() -> None:
    async def story(stage: Stage) -> None:
        await stage.reply(1, "Vecchia risposta.")
        await stage.wait_spoken(1)
        stage.voice.begin(2)
        stage.voice.hush(2)
        stage.voice.add(2, "Nuova risposta.")
        stage.voice.end(2)
        await asyncio.sleep(5)
        assert stage.heard == "Vecchia risposta."
        assert stage.voice.speak_again(2, from_start=False)
        await stage.wait_spoken(2)
        assert stage.heard == "Vecchia risposta. Nuova risposta."

    on_stage(story)


def test_what_was_left_unfinished_ends_in_the_turn_in_which_it_is_said_again() -> None:
    async def story(stage: Stage) -> None:
        stage.voice.begin(1)
        stage.voice.add(1, "Prima frase. Una che rest")
        stage.voice.hush(1)  # and its run is left: it never ends
        assert stage.voice.speak_again(2, from_start=True)
        stage.voice.end(2)
        await stage.wait_spoken(2)
        assert stage.heard == "Prima frase. Una che rest."

    on_stage(story)


def test_what_was_heard_before_a_restart_is_not_gone_on_with() -> None:
    async def story(stage: Stage) -> None:
        stage.known["run-1"] = 1
        stage.voice.begin(1, "run-1")
        stage.voice.add(1, "Prima frase. Seconda frase. Terza frase.")
        stage.voice.end(1)
        stage.voice.hush(1)
        assert stage.voice.speak_again(2, from_start=False)
        await stage.wait_spoken(2)
        assert stage.heard == "Seconda frase. Terza frase."
        assert stage.known["run-1"] == 3

    on_stage(story)


def test_where_a_clip_is_left_goes_by_its_characters() -> None:
    clauses = (
        Clause("Sì.", 4, True),
        Clause("Domani piove,", 5, False),
        Clause("e fa freddo.", 5, True),
        Clause("Copriti bene.", 6, True),
    )
    clip = ReplyClip(Reply(1, None, WORDS, Script(1)), Request(clauses), 4.5)
    assert clip.sentences_within(0.0) == 4
    assert clip.sentences_within(0.45) == 5
    assert clip.sentences_within(3.0) == 5
    assert clip.sentences_within(3.3) == 6
    assert clip.sentences_within(4.5) == 7


def test_a_louder_step_is_heard_as_one_and_there_are_only_so_many() -> None:
    async def story(stage: Stage) -> None:
        turns = count(1)

        async def level() -> float:
            await asyncio.sleep(1)  # the volume moves over a ramp
            stage.speaker.played.clear()
            turn = next(turns)
            stage.voice.say(turn, "Un momento.")
            await stage.wait_spoken(turn)
            return 20 * log10(max(to_samples(bytes(stage.speaker.played))))

        before = await level()
        stage.voice.change_volume(-1)
        assert await level() == pytest.approx(before - 4, abs=0.3)
        stage.voice.change_volume(-100)
        assert await level() == pytest.approx(before - 20, abs=0.3)
        stage.voice.change_volume(100)
        assert await level() == pytest.approx(before + 8, abs=0.3)
        stage.voice.change_volume(-2)
        assert await level() == pytest.approx(before, abs=0.3)

    on_stage(story)


def test_the_next_request_is_spoken_faster_and_the_pace_knows_it() -> None:
    local = FakeSynthesizer("espeakng", window_seconds=0.0)

    async def story(stage: Stage) -> None:
        stage.voice.change_rate(2)
        assert [synthesizer.rate_percent for synthesizer in stage.synthesizers] == [20, 20]
        stage.voice.change_rate(-1)
        assert stage.server.rate_percent == 10
        stage.voice.change_rate(-100)
        assert stage.server.rate_percent == -50
        stage.voice.change_rate(100)
        assert stage.server.rate_percent == 100

    on_stage(story, FakeSynthesizer(), local)


def test_sentences_of_ours_at_another_speed_are_not_kept() -> None:
    async def story(stage: Stage) -> None:
        stage.voice.change_rate(1)
        stage.voice.say(1, "Un momento.")
        await stage.wait_spoken(1)
        assert stage.phrases.kept == {}
        stage.voice.change_rate(-1)
        stage.voice.say(2, "Un momento.")
        await stage.wait_spoken(2)
        assert stage.phrases.kept.keys() == {("server", "Un momento.")}
        stage.voice.change_rate(1)
        stage.voice.say(3, "Un momento.")
        await stage.wait_spoken(3)
        assert stage.server.spoken == ["Un momento.", "Un momento."]  # then from the disk

    on_stage(story)


def test_a_sentence_whose_speed_changes_while_it_is_made_is_not_kept() -> None:
    async def story(stage: Stage) -> None:
        stage.voice.change_rate(1)
        stage.voice.say(1, "Un momento.")
        await asyncio.sleep(0.1)
        stage.voice.change_rate(-1)
        await stage.wait_spoken(1)
        assert stage.phrases.kept == {}

    on_stage(story)
