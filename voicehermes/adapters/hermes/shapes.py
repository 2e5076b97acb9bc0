"""Reads fields of JSON objects that a server sent. Pure.

Unknown fields are ignored by never being asked for; a field that is missing or has another type
is a ProtocolError that names it.
"""

import json
import math
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TypeGuard, TypeVar

from voicehermes.errors import ProtocolError

Json = Mapping[str, object]
"""A JSON object."""

T = TypeVar("T")

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
_LAST_MOMENT = datetime(9999, 1, 1, tzinfo=UTC).timestamp()


def parse_object(data: str | bytes) -> Json:
    """The JSON object that ``data`` is. Raises ProtocolError when it is none.

    Half a character of two (``"\\ud83d"``), which JSON allows and nothing can write, is replaced.
    """
    try:
        text = data if isinstance(data, str) else data.decode(json.detect_encoding(data))
        value = json.loads(text, parse_int=_integer)
        if _SURROGATE.search(text):
            value = _whole(value)
    except (ValueError, RecursionError) as error:  # a UnicodeDecodeError is a ValueError
        raise ProtocolError("The server sent something that is not JSON.") from error
    if not is_object(value):
        raise ProtocolError("The server sent JSON that is not an object.")
    return value


def _integer(digits: str) -> int | float:
    """Infinity, as for 1e999, where a float could not hold it."""
    return int(digits) if len(digits) < sys.float_info.max_10_exp else float(digits)


def _whole(value: object) -> object:
    """A JSON value with whole characters only."""
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case list():
            return [_whole(item) for item in value]
        case dict():
            return {_whole(key): _whole(item) for key, item in value.items()}
        case _:
            return value


def is_object(value: object) -> TypeGuard[Json]:
    """Whether a JSON value is an object."""
    return isinstance(value, dict)


def text(source: Json, key: str) -> str:
    """A string that must be there. Raises ProtocolError."""
    return _required(source, key, optional_text(source, key))


def optional_text(source: Json, key: str) -> str | None:
    """A string, or None where it is null or missing. Raises ProtocolError."""
    value = source.get(key)
    if value is None or isinstance(value, str):
        return value
    raise _mistyped(key)


def number(source: Json, key: str, default: float = 0.0) -> float:
    """A finite number, or ``default`` where it is null or missing. Raises ProtocolError."""
    value = source.get(key)
    if value is None:
        return default
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise _mistyped(key)


def moment(source: Json, key: str, default: float = 0.0) -> float:
    """Unix time, one that a date can have; otherwise as ``number``."""
    return min(max(number(source, key, default), 0.0), _LAST_MOMENT)


def flag(source: Json, key: str, default: bool = False) -> bool:
    """A truth value, or ``default`` where it is null or missing. Raises ProtocolError."""
    value = source.get(key)
    if value is None:
        return default
    if isinstance(value, bool):
        return value
    raise _mistyped(key)


def member(source: Json, key: str) -> Json:
    """An object that must be there. Raises ProtocolError."""
    value = source.get(key)
    if value is None or is_object(value):
        return _required(source, key, value)
    raise _mistyped(key)


def objects(source: Json, key: str) -> tuple[Json, ...]:
    """A list's objects; what is no object in it is left out. Raises ProtocolError."""
    value = source.get(key)
    if value is None:
        return ()
    if isinstance(value, list):
        return tuple(item for item in value if is_object(item))
    raise _mistyped(key)


def texts(source: Json, key: str) -> tuple[str, ...]:
    """A list of strings, empty where it is null or missing. Raises ProtocolError."""
    value = source.get(key)
    if value is None:
        return ()
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise _mistyped(key)


def _required(source: Json, key: str, value: T | None) -> T:
    if value is None:
        raise ProtocolError(f'The server\'s answer lacks "{key}".')
    return value


def _mistyped(key: str) -> ProtocolError:
    return ProtocolError(f'The server\'s answer has a "{key}" of an unknown kind.')
