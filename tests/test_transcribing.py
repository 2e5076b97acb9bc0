"""Transcribing: parts while the user speaks, the rest at the end, or else the whole."""

import asyncio
from collections.abc import Callable, Coroutine

import pytest

from tests.fakes.recognizer import FakeRecognizer
from tests.virtual_clock import run
from voicehermes.audio import Utterance, UtteranceEnd
from voicehermes.deciding import vocabulary
from voicehermes.errors import RefusedError, UnreachableError, VoicehermesError
from voicehermes.lexicon import wording
from voicehermes.timeline import Record, Timeline
from voicehermes.transcribing import Transcriber

vocabulary.load("it")
wording.load("it")


def sound(data: bytes, seconds: float = 3.0) -> Utterance:
    return Utterance(data, ".ogg", seconds, UtteranceEnd.SILENCE)


WHOLE, REST = sound(b"whole", 9.0), sound(b"rest")
REFUSED = RefusedError("Local transcription failed.")


class Stage:
    """A transcriber with a recogniser of the test's own."""

    def __init__(self, *transcripts: str | VoicehermesError, seconds: float = 1.0) -> None:
        self.recognizer = FakeRecognizer(*transcripts, seconds=seconds)
        self.words: list[tuple[int, str]] = []
        self.records: list[Record] = []
        loop = asyncio.get_running_loop()
        self.transcriber = Transcriber(
            self.recognizer,
            Timeline(loop.time, self.records.append),
            "it",
            lambda recording, text: self.words.append((recording, text)),
        )

    async def part(self, data: bytes = b"part", turn: int = 1) -> None:
        await self.transcriber.take_part(turn, turn + 10, sound(data))

    async def end(
        self, rest: Utterance | None = REST, *, turn: int = 1, is_answer: bool = False
    ) -> str:
        return await self.transcriber.transcribe(turn, WHOLE, rest, is_answer=is_answer)

    def sent(self) -> list[bytes]:
        return [utterance.data for utterance in self.recognizer.heard]


def on_stage(
    scene: Callable[[Stage], Coroutine[None, None, None]],
    *transcripts: str | VoicehermesError,
    seconds: float = 1.0,
) -> Stage:
    async def main() -> Stage:
        stage = Stage(*transcripts, seconds=seconds)
        await scene(stage)
        return stage

    return run(main())


def test_without_parts_the_whole_is_sent() -> None:
    async def scene(stage: Stage) -> None:
        assert await stage.end(None) == "che ore sono"

    assert on_stage(scene, "che ore sono").sent() == [b"whole"]


def test_with_parts_the_end_asks_for_the_rest_only() -> None:
    async def scene(stage: Stage) -> None:
        await stage.part(b"one")
        await stage.part(b"two")
        assert await stage.end() == "Che tempo fa. Domani a Milano? E a Roma?"

    stage = on_stage(scene, "Che tempo fa.", "Domani a Milano?", "E a Roma?")
    assert stage.sent() == [b"one", b"two", b"rest"]


def test_where_nothing_was_said_after_the_last_part_nothing_more_is_sent() -> None:
    async def scene(stage: Stage) -> None:
        await stage.part()
        assert await stage.end(None) == "Ciao."

    assert on_stage(scene, "Ciao.").sent() == [b"part"]


def test_the_words_so_far_are_told_as_each_part_arrives() -> None:
    async def scene(stage: Stage) -> None:
        await stage.part()
        await stage.part()

    stage = on_stage(scene, "Vorrei un tavolo per.", "Domani sera.")
    assert stage.words == [(11, "Vorrei un tavolo per."), (11, "Vorrei un tavolo per Domani sera.")]


def test_parts_are_asked_for_one_after_another_and_the_rest_behind_them() -> None:
    async def scene(stage: Stage) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(stage.part(b"one"))
            group.create_task(stage.part(b"two"))
            end = group.create_task(stage.end())
            await asyncio.sleep(0.5)
            assert stage.sent() == [b"one"]
            await asyncio.sleep(1)
            assert stage.sent() == [b"one", b"two"]
        assert end.result() == "uno due tre"

    assert on_stage(scene, "uno", "due", "tre").sent() == [b"one", b"two", b"rest"]


def test_a_part_that_fails_is_sent_again_with_the_whole() -> None:
    async def scene(stage: Stage) -> None:
        await stage.part()
        await stage.part()
        await stage.part()
        assert await stage.end() == "tutto"

    stage = on_stage(scene, "uno", UnreachableError("Gone."), "tutto")
    assert stage.sent() == [b"part", b"part", b"whole"]
    assert stage.words == [(11, "uno")]


def test_a_rest_that_the_server_refuses_is_sent_again_with_the_whole() -> None:
    async def scene(stage: Stage) -> None:
        await stage.part()
        assert await stage.end() == "tutto"

    assert on_stage(scene, "uno", REFUSED, "tutto").sent() == [b"part", b"rest", b"whole"]


def test_a_server_that_is_gone_at_the_end_is_not_waited_for_twice() -> None:
    async def scene(stage: Stage) -> None:
        await stage.part()
        with pytest.raises(UnreachableError):
            await stage.end()

    on_stage(scene, "uno", UnreachableError("Gone."))


def test_a_part_without_words_adds_nothing_to_the_others() -> None:
    async def scene(stage: Stage) -> None:
        for _ in range(3):
            await stage.part()
        assert await stage.end() == "Accendi la luce in cucina. Grazie."

    invented = "Sottotitoli creati dalla comunità Amara.org"
    on_stage(scene, "", "Accendi la luce", invented, "in cucina. Grazie.")


def test_inventions_alone_are_handed_on_for_others_to_judge() -> None:
    invented = "Sottotitoli creati dalla comunità Amara.org"

    async def scene(stage: Stage) -> None:
        await stage.part()
        assert await stage.end() == invented

    on_stage(scene, "", invented)


def test_an_answer_of_which_a_part_gave_no_words_is_asked_for_as_a_whole() -> None:
    """What is left of it could be a yes that was not meant."""

    async def scene(stage: Stage) -> None:
        await stage.part()
        assert await stage.end(is_answer=True) == "no, per carità, non approvare"

    stage = on_stage(scene, "", "approva", "no, per carità, non approvare")
    assert stage.sent() == [b"part", b"rest", b"whole"]


def test_a_long_answer_may_come_in_parts() -> None:
    async def scene(stage: Stage) -> None:
        await stage.part()
        assert await stage.end(is_answer=True) == "Mettilo nella cartella dei documenti"

    assert on_stage(scene, "Mettilo nella", "cartella dei documenti").sent() == [b"part", b"rest"]


def test_a_server_that_is_far_too_slow_gets_no_further_part_of_this_turn() -> None:
    async def scene(stage: Stage) -> None:
        await stage.part(b"one")
        assert stage.words == []
        assert await stage.end() == "uno due"

    assert on_stage(scene, "uno", "due", seconds=10).sent() == [b"one", b"rest"]


def test_a_part_that_waited_while_the_server_proved_too_slow_is_sent_with_the_whole() -> None:
    async def scene(stage: Stage) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(stage.part(b"one"))
            group.create_task(stage.part(b"two"))
        assert await stage.end() == "tutto"

    assert on_stage(scene, "uno", "tutto", seconds=10).sent() == [b"one", b"whole"]


def test_and_no_part_of_the_next_turn_until_it_is_quick_again() -> None:
    async def scene(stage: Stage) -> None:
        await stage.part(b"one", turn=1)
        await stage.end(turn=1)
        await stage.part(b"two", turn=2)
        stage.recognizer.seconds = 1
        await stage.end(turn=2)
        await stage.part(b"three", turn=3)
        await stage.end(turn=3)

    stage = on_stage(scene, "uno", "due", "tre", "quattro", "cinque", seconds=10)
    assert stage.sent() == [b"one", b"rest", b"whole", b"three", b"rest"]


def test_a_server_that_is_slow_in_proportion_is_not_left() -> None:
    """Its work is the same in parts, and begins earlier."""

    async def scene(stage: Stage) -> None:
        await stage.part()
        await stage.part()

    assert on_stage(scene, "uno", "due", seconds=5.5).sent() == [b"part", b"part"]


def test_an_utterance_of_unknown_length_says_nothing_about_the_server() -> None:
    async def scene(stage: Stage) -> None:
        await stage.transcriber.transcribe(1, sound(b"kept", 0.0), None, is_answer=False)
        await stage.part(turn=2)
        await stage.end(turn=2)

    stage = on_stage(scene, "prima", "uno", "due", seconds=6)
    assert stage.sent() == [b"kept", b"part", b"rest"]


def test_what_was_heard_of_a_turn_that_was_dropped_is_forgotten() -> None:
    async def scene(stage: Stage) -> None:
        await stage.part()
        stage.transcriber.forget(1)
        assert await stage.end() == "tutto"

    assert on_stage(scene, "uno", "tutto").sent() == [b"part", b"whole"]


def test_when_each_part_was_understood_is_in_the_timeline_without_its_words() -> None:
    async def scene(stage: Stage) -> None:
        await stage.part()

    [record] = on_stage(scene, "uno due").records
    assert record == {"t": 1.0, "turn": 1, "event": "part", "seconds": 3.0, "characters": 7}
