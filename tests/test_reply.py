"""A reply: clauses in, requests out, sounds in, clips out."""

from tests.fakes.synthesizer import FakeSynthesizer
from voicehermes import lexicon
from voicehermes.audio import Sound
from voicehermes.speaking.engines import Engine
from voicehermes.speaking.pacing import Request
from voicehermes.speaking.reply import Reply, Sentence
from voicehermes.speaking.script import Script

WORDS = lexicon.load("it")


def _engine() -> Engine:
    return Engine(FakeSynthesizer())


def _sound(mark: int) -> Sound:
    return Sound(bytes([mark, 0]) * 24_000)


def _requests(reply: Reply, now: float) -> list[Request]:
    """All requests of what is there, as time goes on without sound."""
    requests = []
    while (due := reply.next(now, 0.0)) is not None:
        if isinstance(due, Request):
            requests.append(due)
        else:
            assert due > now
            now = due
    return requests


def test_sentences_are_told_when_they_are_complete() -> None:
    reply = Reply(1, _engine(), WORDS, Script(1))
    assert reply.add("Certo! Domani pio", 0.0) == [Sentence(0, 6)]
    assert reply.add("ve.", 0.0) == []
    assert reply.end(0.0) == [Sentence(1, 13)]
    reply = Reply(1, _engine(), WORDS, Script(1))
    reply.add("Se piove, resto a casa, e leggo un libro.", 0.0)
    assert reply.end(0.0) == [Sentence(0, 41)]
    assert reply.end(0.0) == []


def test_clips_come_in_the_order_of_the_text_however_the_sounds_arrive() -> None:
    engine = _engine()
    reply = Reply(1, engine, WORDS, Script(1))
    requests = []
    for now, text in enumerate(("Prima frase. ", "Seconda frase. ", "Terza frase. ")):
        reply.add(text, 10.0 * now)
        requests += _requests(reply, 10.0 * now)
    reply.end(40.0)
    requests += _requests(reply, 40.0)
    assert len(requests) > 1
    for mark, request in reversed(list(enumerate(requests, 1))):
        assert not list(reply.clips())
        reply.answered(request, _sound(mark), engine, 1.0)
    assert not reply.is_over
    clips = list(reply.clips())
    assert [request for request, _ in clips] == requests
    assert [sound.pcm[0] for _, sound in clips] == list(range(1, len(requests) + 1))
    assert reply.is_sent
    assert reply.is_over


def test_a_text_that_nobody_speaks_is_passed_over() -> None:
    engine = _engine()
    reply = Reply(1, engine, WORDS, Script(1))
    reply.add("Prima frase. E poi ", 0.0)
    [first] = _requests(reply, 0.0)
    reply.add("Seconda frase.", 10.0)
    reply.end(10.0)
    [second] = _requests(reply, 10.0)
    reply.answered(second, _sound(2), engine, 1.0)
    reply.failed(first)
    assert [request for request, _ in reply.clips()] == [second]
    assert reply.is_over


def test_what_was_refused_comes_again() -> None:
    reply = Reply(1, _engine(), WORDS, Script(1))
    reply.add("Una frase.", 0.0)
    reply.end(0.0)
    [request] = _requests(reply, 0.0)
    reply.refused(request, 0.0)
    assert not reply.is_sent
    due = reply.next(0.0, 0.0)
    assert isinstance(due, float)
    assert [again.text for again in _requests(reply, due)] == ["Una frase."]


def test_sentences_that_were_heard_before_are_left_out() -> None:
    reply = Reply(1, _engine(), WORDS, Script(1, heard=2))
    reply.add("Prima. Seconda frase. Terza frase.", 0.0)
    assert reply.end(0.0) == [Sentence(2, 12)]
    assert [request.text for request in _requests(reply, 0.0)] == ["Terza frase."]


def test_all_heard_before_is_over_at_once() -> None:
    reply = Reply(1, _engine(), WORDS, Script(1, heard=9))
    reply.add("Prima. Seconda frase.", 0.0)
    reply.end(0.0)
    assert _requests(reply, 0.0) == []
    assert reply.is_over
