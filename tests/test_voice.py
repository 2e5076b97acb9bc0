"""Text goes in, and is heard: all of it, in order, once."""

import asyncio

import pytest

from tests.fakes.speaker import FakeSpeaker
from tests.fakes.synthesizer import FakeSynthesizer, heard, voiced
from tests.voice_stage import REPLY, SENTENCES, WORDS, Stage, on_stage
from voicehermes.adapters.sound.null_speaker import NullSpeaker
from voicehermes.audio import Sound, samples_in, to_samples
from voicehermes.errors import (
    UnknownVoiceError,
    UnreachableError,
    VoiceError,
)
from voicehermes.speaking.joining import SENTENCE_PAUSE_SECONDS
from voicehermes.speaking.parts import Part
from voicehermes.speaking.playback import Playback
from voicehermes.speaking.voice import (
    EngineChanged,
    SoundBegan,
    SpeechFailed,
    SpokenAll,
    Voice,
)
from voicehermes.timeline import Timeline


@pytest.mark.parametrize("pace", [20, 60, 200, 1e6])
def test_a_reply_is_heard_whole_in_order_and_once(pace: float) -> None:
    async def story(stage: Stage) -> None:
        await stage.reply(1, REPLY, pace=pace)
        await stage.wait_spoken()
        assert stage.heard == REPLY
        assert stage.server.refusals == 0
        assert stage.told(SoundBegan) == [SoundBegan(1)]
        assert [event for _, event in stage.events][-1] == SpokenAll(1)
        assert not stage.told(SpeechFailed)

    on_stage(story)


def test_sound_begins_before_the_reply_is_written() -> None:
    async def story(stage: Stage) -> None:
        await stage.reply(1, REPLY, pace=40)
        await stage.wait_spoken()
        [began] = [at for at, event in stage.events if event == SoundBegan(1)]
        assert began < 2.5
        assert len(REPLY) / 40 > 5

    on_stage(story)


def test_there_is_no_gap_between_clips_but_the_pause_when_sound_is_ahead() -> None:
    async def story(stage: Stage) -> None:
        await stage.reply(1, REPLY, pace=1000)
        await stage.wait_spoken()
        begins, ends = stage.times("sound_begin"), stage.times("sound_end")
        assert len(begins) > 1
        # The first clip is as short as the server's window is long; all others are prefetched.
        for end, begin in list(zip(ends, begins[1:], strict=False))[1:]:
            assert begin - end < 0.001

    on_stage(story)


def test_the_timeline_tells_each_step() -> None:
    async def story(stage: Stage) -> None:
        await stage.reply(1, REPLY)
        await stage.wait_spoken()
        sentences = [record for record in stage.records if record["event"] == "sentence"]
        assert [record["index"] for record in sentences] == list(range(5))
        assert sentences[0]["characters"] == len(SENTENCES[0])
        for name in ("tts_request", "tts_audio", "sound_begin", "sound_end"):
            assert len(stage.times(name)) == len(stage.server.spoken)
        audio = next(record for record in stage.records if record["event"] == "tts_audio")
        assert audio["bytes"] == 10 * len(stage.server.spoken[0])
        assert {record["turn"] for record in stage.records} == {1}

    on_stage(story)


@pytest.mark.parametrize("text", ["", "   ", "…", "🙂 — !", "```\n"])
def test_a_reply_with_nothing_to_say_is_spoken_at_once(text: str) -> None:
    async def story(stage: Stage) -> None:
        await stage.reply(1, text)
        await stage.wait_spoken(seconds=20)
        assert not stage.told(SpeechFailed)

    on_stage(story)


def test_spoken_all_comes_when_the_last_sound_was_heard_and_not_before() -> None:
    async def story(stage: Stage) -> None:
        await stage.reply(1, "Ecco fatto.")
        await stage.wait_spoken()
        [at] = [at for at, event in stage.events if event == SpokenAll(1)]
        assert stage.voice.heard_until == pytest.approx(at - SENTENCE_PAUSE_SECONDS, abs=0.001)

    on_stage(story)


def test_what_was_heard_of_late_is_known_word_for_word() -> None:
    async def story(stage: Stage) -> None:
        await stage.reply(1, REPLY)
        await stage.wait_spoken()
        assert " ".join(stage.voice.spoken_since(0.0)) == REPLY
        stage.voice.say(2, "Ti ascolto.")
        await stage.wait_spoken(2)
        began = asyncio.get_running_loop().time()
        stage.voice.ask(1, [Part("Cancello la cartella?", is_fixed=False)], within_seconds=1.0)
        await asyncio.sleep(3)
        assert list(stage.voice.spoken_since(began)) == ["Cancello la cartella?"]
        assert list(stage.voice.spoken_since(0.0))[-2:] == ["Ti ascolto.", "Cancello la cartella?"]
        await asyncio.sleep(1)
        assert not stage.voice.spoken_since(asyncio.get_running_loop().time())

    on_stage(story)


def test_what_was_hushed_before_it_sounded_was_not_spoken() -> None:
    async def story(stage: Stage) -> None:
        await stage.reply(1, REPLY, pace=1e6)
        await asyncio.sleep(0.6)
        stage.voice.hush(1)
        await asyncio.sleep(1)
        [first] = stage.voice.spoken_since(0.0)
        assert REPLY.startswith(first)
        assert not stage.voice.spoken_since(asyncio.get_running_loop().time())

    on_stage(story)


def _loudest(stage: Stage, seconds: float) -> int:
    return max(
        map(abs, to_samples(bytes(stage.speaker.played[-samples_in(seconds, 24_000) * 2 :])))
    )


def test_a_duck_ends_when_what_it_was_for_is_over() -> None:
    async def story(stage: Stage) -> None:
        await stage.reply(1, "Ah. " * 200, pace=1e6)
        await asyncio.sleep(2)
        loud = _loudest(stage, 0.5)

        def pause_a_moment() -> None:
            stage.voice.pause()
            stage.voice.resume()

        for end in (stage.voice.unduck, pause_a_moment, lambda: stage.voice.hush(99)):
            stage.voice.duck()
            await asyncio.sleep(0.6)
            assert _loudest(stage, 0.5) < loud * 0.2
            end()
            await asyncio.sleep(0.7)
            assert _loudest(stage, 0.5) == loud
        stage.voice.duck()
        stage.voice.ask(1, [Part("Ah? Ah? Ah? Ah? Ah?", is_fixed=False)], within_seconds=0.1)
        await asyncio.sleep(1.2)
        assert _loudest(stage, 0.3) >= loud

    on_stage(story)


def test_pause_and_resume_lose_nothing() -> None:
    async def story(stage: Stage) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(stage.reply(1, REPLY), name="reply")
            for _ in range(6):
                await asyncio.sleep(1.7)
                stage.voice.pause()
                await asyncio.sleep(1.0)
                stage.voice.resume()
        await stage.wait_spoken()
        played = sum(stage.speaker.played[at] != 0 for at in range(0, len(stage.speaker.played), 2))
        spoken = sum(len(text) for text in stage.server.spoken) * 1600
        assert spoken <= played <= spoken + 6 * 150
        assert "".join(stage.server.spoken).replace(" ", "") == REPLY.replace(" ", "")

    on_stage(story)


def test_while_paused_nothing_sounds_but_cues() -> None:
    async def story(stage: Stage) -> None:
        await stage.reply(1, REPLY, pace=1e6)
        await asyncio.sleep(2)
        stage.voice.pause()
        await asyncio.sleep(0.1)
        before = len(stage.speaker.played)
        await asyncio.sleep(2)
        assert not any(stage.speaker.played[before:])
        stage.voice.cue("sent")
        await asyncio.sleep(1)
        assert bytes(stage.speaker.played[before:]).strip(b"\0").count(b"\x01") == 2400
        stage.voice.resume()
        await stage.wait_spoken()

    on_stage(story)


@pytest.mark.parametrize("at", [0.0, 0.2, 0.5, 0.8, 1.1, 2.0, 2.4, 3.0, 5.0, 8.0, 12.0])
def test_hush_is_for_good_at_any_moment(at: float) -> None:
    async def story(stage: Stage) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(stage.reply(1, REPLY, pace=30), name="reply")
            await asyncio.sleep(at)
            stage.voice.hush(1)
            count = len(stage.events)
            await asyncio.sleep(0.03)
            played = len(stage.speaker.played)
        await asyncio.sleep(30)
        assert not any(stage.speaker.played[played:])
        assert len(stage.events) == count
        # and the next turn is heard whole
        await stage.reply(2, "Va bene, mi fermo.")
        await stage.wait_spoken(2)
        assert heard(bytes(stage.speaker.played[played:])) == ["Va bene, mi fermo."]

    on_stage(story)


def test_what_is_hushed_while_paused_does_not_sound_after_the_resume() -> None:
    async def story(stage: Stage) -> None:
        await stage.reply(1, REPLY, pace=1e6)
        await asyncio.sleep(3)
        stage.voice.pause()
        await asyncio.sleep(0.5)
        stage.voice.hush(1)
        stage.voice.resume()
        played = len(stage.speaker.played)
        await asyncio.sleep(10)
        assert not any(stage.speaker.played[played:])

    on_stage(story)


def test_a_429_waits_and_repeats_and_no_text_is_lost() -> None:
    async def story(stage: Stage) -> None:
        async def other_client() -> None:
            for _ in range(3):
                await asyncio.sleep(1.9)
                stage.server.occupied_until = asyncio.get_running_loop().time() + 2

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(other_client(), name="other client")
            await stage.reply(1, REPLY, pace=1e6)
        await stage.wait_spoken()
        assert stage.server.refusals > 0
        assert stage.heard == REPLY
        assert not stage.told(SpeechFailed)

    on_stage(story)


def test_two_replies_share_the_window_and_are_heard_one_after_the_other() -> None:
    async def story(stage: Stage) -> None:
        await stage.reply(1, SENTENCES[1], pace=1e6)
        await stage.reply(2, SENTENCES[2], pace=1e6)
        await stage.wait_spoken(2)
        assert stage.server.refusals == 0
        assert stage.heard == f"{SENTENCES[1]} {SENTENCES[2]}"
        assert stage.told(SpokenAll) == [SpokenAll(1), SpokenAll(2)]

    on_stage(story)


def test_a_voice_that_the_server_lacks_is_asked_for_once_and_the_next_engine_speaks() -> None:
    missing = UnknownVoiceError('The server does not have the voice "it-IT-ElsaNeural".')

    async def story(stage: Stage) -> None:
        stage.server.always = missing
        await stage.reply(1, REPLY)
        await stage.wait_spoken()
        await stage.reply(2, "Ciao.")
        await stage.wait_spoken(2)
        assert len(stage.server.asked) == 1
        assert heard(bytes(stage.speaker.played), factor=20) == [*local.spoken]
        assert " ".join(local.spoken) == f"{REPLY} Ciao."
        assert [event.error for event in stage.told(SpeechFailed)] == [missing]
        assert stage.told(EngineChanged) == [EngineChanged("espeakng")]

    local = FakeSynthesizer("espeakng", window_seconds=0.0)
    on_stage(story, FakeSynthesizer(), local)


def test_a_broken_answer_costs_one_text_its_voice_and_no_text_at_all() -> None:
    async def story(stage: Stage) -> None:
        stage.server.faults.extend([None, VoiceError("The server sent broken audio.")])
        await stage.reply(1, REPLY)
        await stage.wait_spoken()
        assert len(local.spoken) == 1
        everything = sorted([*stage.server.spoken, *local.spoken], key=REPLY.index)
        assert " ".join(everything) == REPLY
        assert len(stage.told(SpeechFailed)) == 1

    local = FakeSynthesizer("espeakng", window_seconds=0.0)
    on_stage(story, FakeSynthesizer(), local)


def test_a_connection_that_breaks_once_is_tried_again() -> None:
    async def story(stage: Stage) -> None:
        stage.server.faults.append(UnreachableError("The connection broke."))
        await stage.reply(1, REPLY)
        await stage.wait_spoken()
        assert stage.heard == REPLY
        assert local.spoken == []
        assert not stage.told(SpeechFailed)

    local = FakeSynthesizer("espeakng", window_seconds=0.0)
    on_stage(story, FakeSynthesizer(), local)


def test_a_server_that_is_gone_rests_and_is_asked_again_later() -> None:
    async def story(stage: Stage) -> None:
        stage.server.always = UnreachableError("No connection.")
        await stage.reply(1, REPLY)
        await stage.wait_spoken()
        assert " ".join(local.spoken) == REPLY
        assert len(stage.told(SpeechFailed)) == 1
        stage.server.always = None
        await asyncio.sleep(40)
        await stage.reply(2, "Eccomi di nuovo.")
        await stage.wait_spoken(2)
        assert stage.server.spoken == ["Eccomi di nuovo."]
        assert [event.name for event in stage.told(EngineChanged)] == ["espeakng", "server"]

    local = FakeSynthesizer("espeakng", window_seconds=0.0)
    on_stage(story, FakeSynthesizer(), local)


def test_a_server_that_hangs_does_not_hold_the_reply_for_ever() -> None:
    async def story(stage: Stage) -> None:
        stage.server.is_hanging = True
        await stage.reply(1, "Questa la dice un altro.")
        await stage.wait_spoken(seconds=20)
        assert local.spoken == ["Questa la dice un altro."]

    local = FakeSynthesizer("espeakng", window_seconds=0.0)
    on_stage(story, FakeSynthesizer(), local)


def test_what_no_engine_speaks_is_told_as_lost_and_the_turn_ends() -> None:
    async def story(stage: Stage) -> None:
        stage.server.always = VoiceError("The server does not speak a text.")
        await stage.reply(1, "Nessuno la dice. E questa nemmeno.", pace=1e6)
        await stage.wait_spoken()
        assert [event.is_lost for event in stage.told(SpeechFailed)] == [False, True]
        assert not stage.told(SoundBegan)

    on_stage(story)


def test_a_sentence_of_ours_is_spoken_at_once_when_nothing_else_is() -> None:
    async def story(stage: Stage) -> None:
        stage.voice.say(3, "Annullato.")
        await stage.wait_spoken(3)
        assert stage.heard == "Annullato."
        assert not stage.told(SoundBegan)  # it is no reply

    on_stage(story)


def test_a_sentence_of_ours_comes_at_the_next_sentence_end_of_a_reply() -> None:
    async def story(stage: Stage) -> None:
        for text in ("Un momento.", "Serve una decisione."):
            stage.phrases.kept["server", text] = Sound(voiced("server", text))
        await stage.reply(1, REPLY, pace=40)
        begun = len(heard(bytes(stage.speaker.played)))
        stage.voice.say(1, "Un momento.")
        stage.voice.say(1, "Serve una decisione.")
        await stage.wait_spoken()
        parts = heard(bytes(stage.speaker.played))
        at = parts.index("Un momento.")
        assert at == begun  # what is being spoken is spoken to its end
        assert parts[at + 1] == "Serve una decisione."
        assert parts[at - 1].endswith((".", "!", "?"))
        assert at < len(parts) - 2
        assert " ".join(parts[:at] + parts[at + 2 :]) == REPLY

    on_stage(story)


def test_a_sentence_of_ours_is_synthesised_once_and_then_comes_from_the_disk() -> None:
    async def story(stage: Stage) -> None:
        for turn in (1, 2):
            stage.voice.say(turn, "Annullato.")
            await stage.wait_spoken(turn)
        assert stage.server.spoken == ["Annullato."]
        assert heard(bytes(stage.speaker.played)) == ["Annullato.", "Annullato."]

    on_stage(story)


def test_a_sentence_of_ours_from_the_disk_needs_no_server() -> None:
    async def story(stage: Stage) -> None:
        stage.voice.say(1, "Non riesco a raggiungere il server.")
        await stage.wait_spoken(1)
        stage.server.always = UnreachableError("No connection.")
        stage.voice.say(2, "Non riesco a raggiungere il server.")
        await stage.wait_spoken(2, seconds=5)
        assert len(heard(bytes(stage.speaker.played))) == 2

    on_stage(story)


def test_a_disk_that_is_full_does_not_silence_a_sentence_of_ours() -> None:
    async def story(stage: Stage) -> None:
        stage.phrases.disk_is_full = True
        stage.voice.say(1, "Annullato.")
        await stage.wait_spoken()
        assert stage.heard == "Annullato."

    on_stage(story)


def test_a_sentence_of_ours_that_still_waits_is_not_spoken_twice() -> None:
    """Whoever presses a key fifty times gets no queue of fifty sentences before the next reply."""

    async def story(stage: Stage) -> None:
        stage.voice.say(1, "Il microfono è spento.")
        await stage.wait_spoken(1)  # it is on the disk now
        stage.voice.pause()
        for turn in range(2, 30):
            stage.voice.say(turn, "Il microfono è spento.")
            stage.voice.say(turn, "Devi effettuare l'accesso.")
            await asyncio.sleep(0.01)
        stage.voice.resume()
        await stage.reply(30, "Certo!")
        await stage.wait_spoken(30, seconds=15)
        assert stage.heard.count("spento") == 2
        assert stage.heard.count("accesso") == 1
        assert "Certo!" in stage.heard
        assert {SpokenAll(turn) for turn in range(2, 30)} <= set(stage.told(SpokenAll))

    on_stage(story)


def test_a_sentence_of_ours_waits_for_the_window_and_goes_before_the_reply() -> None:
    async def story(stage: Stage) -> None:
        await stage.reply(1, REPLY, pace=1e6)
        await asyncio.sleep(0.1)
        stage.voice.say(1, "Un momento.")
        await stage.wait_spoken()
        assert stage.server.refusals == 0
        assert [text for _, text in stage.server.asked].index("Un momento.") == 1

    on_stage(story)


def test_a_hushed_turn_may_still_be_told_something() -> None:
    async def story(stage: Stage) -> None:
        await stage.reply(1, REPLY, pace=1e6)
        await asyncio.sleep(3)
        stage.voice.hush(1)
        stage.voice.say(1, "Annullato.")
        await asyncio.sleep(10)
        assert heard(bytes(stage.speaker.played))[-1] == "Annullato."

    on_stage(story)


def test_what_was_heard_of_a_run_is_counted_and_not_repeated() -> None:
    async def story(stage: Stage) -> None:
        stage.voice.begin(1)
        stage.voice.name_run(1, "run-1")
        stage.voice.add(1, " ".join(SENTENCES[:3]) + " ")
        await asyncio.sleep(20)
        stage.voice.hush(1)
        assert stage.known == {"run-1": 3}
        stage.voice.begin(2, "run-1")
        stage.voice.add(2, REPLY)
        stage.voice.end(2)
        await stage.wait_spoken(2)
        assert stage.heard == REPLY
        assert stage.known == {"run-1": 5}

    on_stage(story)


def test_without_a_speaker_the_reply_goes_by_in_silence_and_its_turn_ends() -> None:
    async def story(stage: Stage) -> None:
        stage.speaker.refusals = 1000
        await stage.reply(1, REPLY)
        await stage.wait_spoken()
        assert len(stage.told(SpeechFailed)) == 1
        assert "Plug it in." in str(stage.told(SpeechFailed)[0].error)

    on_stage(story)


def test_without_a_synthesizer_at_all_the_remedy_is_told_once() -> None:
    async def story(stage: Stage) -> None:
        voice = Voice(
            [],
            Playback(FakeSpeaker(), NullSpeaker()),
            WORDS,
            sink=stage.take,
            timeline=Timeline(asyncio.get_running_loop().time, stage.records.append),
        )
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(voice.run(), name="voice")
            voice.begin(1)
            voice.add(1, REPLY)
            voice.end(1)
            voice.cue("sent")  # cues are off
            await stage.wait_spoken()
            running.cancel()
        assert len(stage.told(SpeechFailed)) == 1
        assert "espeak-ng" in str(stage.told(SpeechFailed)[0].error)

    on_stage(story)
