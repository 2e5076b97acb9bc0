"""Encoding: a few frames at a time, in their order, each once."""

from tests.fakes.microphone import PlainEncoder
from voicehermes.audio import FRAME_SECONDS, UtteranceEnd
from voicehermes.hearing.encoding import Encoding


def test_frames_are_encoded_in_order_and_counted() -> None:
    encoding = Encoding(PlainEncoder())
    for letter in (b"a", b"b", b"c"):
        encoding.add([letter])
    utterance = encoding.finish(UtteranceEnd.RELEASED)
    assert utterance.data == b"abc"
    assert utterance.suffix == ".wav"
    assert utterance.seconds == 3 * FRAME_SECONDS
    assert utterance.end is UtteranceEnd.RELEASED


def test_many_frames_at_once_are_encoded_little_by_little() -> None:
    encoder = PlainEncoder()
    encoding = Encoding(encoder)
    encoding.add([b"x"] * 100)
    assert 0 < len(encoder.written) < 10
    encoding.add([])
    assert len(encoder.written) < 20


def test_what_was_not_encoded_yet_is_at_the_end() -> None:
    encoding = Encoding(PlainEncoder())
    encoding.add([b"x"] * 100)
    assert encoding.finish(UtteranceEnd.RELEASED).data == b"x" * 100
