"""Reads fields of JSON objects that a server sent. Pure.

Unknown fields are ignored by never being asked for; a field that is missing or has another type
is a ProtocolError that names it.
"""

import json
from collections.abc import Mapping
from typing import TypeGuard, TypeVar

from voicehermes.errors import ProtocolError

Json = Mapping[str, object]
"""A JSON object."""

T = TypeVar("T")


def parse_object(data: str | bytes) -> Json:
    """The JSON object that ``data`` is. Raises ProtocolError when it is none."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:  # a UnicodeDecodeError is a ValueError
        raise ProtocolError("The server sent something that is not JSON.") from error
    if not is_object(value):
        raise ProtocolError("The server sent JSON that is not an object.")
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
    """A number, or ``default`` where it is null or missing. Raises ProtocolError."""
    value = source.get(key)
    if value is None:
        return default
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise _mistyped(key)


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
