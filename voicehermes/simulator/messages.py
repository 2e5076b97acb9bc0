"""A request and what is answered to it, as values."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

JSON_TYPE = "application/json; charset=utf-8"


class BodyError(Exception):
    """JSON that is no object: hermes-webui stumbles over it and answers 500."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a client sent."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    """By lower-case name."""
    cookies: Mapping[str, str]
    body: bytes
    address: str
    """The client's IP address."""

    def json(self) -> Json:
        """The body's object. What is not JSON counts as {}; raises BodyError for an array."""
        try:
            value = json.loads(self.body or b"{}")
        except ValueError:
            return {}
        if not isinstance(value, dict):
            raise BodyError
        return value


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer."""

    status: int
    body: bytes
    content_type: str = JSON_TYPE
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Stream:
    """An event stream: each item is one event or one comment, complete."""

    items: Iterator[bytes] = field(repr=False)


def answer(data: Json, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Answer:
    """JSON as most of hermes-webui writes it, indented."""
    return Answer(status, json.dumps(data, indent=2, ensure_ascii=False).encode(), headers=headers)


def refusal(status: int, message: str, **extra: object) -> Answer:
    """An error in JSON."""
    return answer({"error": message, **extra}, status)


NOT_FOUND = refusal(404, "not found")
NO_SESSION = refusal(404, "Session not found")
NO_LOGIN = Answer(401, b'{"error":"Authentication required"}', "application/json")
