"""Fields of JSON objects that a server sent, whatever it sent."""

from datetime import UTC, datetime

import pytest

from voicehermes.adapters.hermes import shapes
from voicehermes.errors import ProtocolError


@pytest.mark.parametrize(
    "data",
    ["", "[]", "null", '"a"', "[" * 100_000, '{"a":' * 100_000, b"\xff", b'{"a":"\xed\xa0\xbd"}'],
)
def test_what_is_no_object_is_an_error_of_ours(data: str | bytes) -> None:
    with pytest.raises(ProtocolError):
        shapes.parse_object(data)


def test_half_a_character_is_replaced_and_whole_ones_stay() -> None:
    found = shapes.parse_object(r'{"a\ud800": ["x\udfff", {"b": "\ud83c\udf89 \\ud800 è"}]}')
    assert found == {"a\ufffd": ["x\ufffd", {"b": "🎉 \\ud800 è"}]}
    assert shapes.parse_object(b'\xef\xbb\xbf{"a": "\xc3\xa8"}') == {"a": "è"}


@pytest.mark.parametrize("value", ["9" * 400, "9" * 5000, "-1e999", "NaN", "Infinity", "true"])
def test_a_number_that_is_none_is_an_error_of_its_field_alone(value: str) -> None:
    found = shapes.parse_object(f'{{"a": {value}, "b": 3}}')
    assert shapes.number(found, "b") == 3.0
    with pytest.raises(ProtocolError, match='"a"'):
        shapes.number(found, "a")


@pytest.mark.parametrize("value", [1e308, -1e308, 253_402_300_800])
def test_a_moment_is_one_that_a_date_can_have(value: float) -> None:
    assert datetime.fromtimestamp(shapes.moment({"a": value}, "a"), UTC).year in (1970, 9999)
