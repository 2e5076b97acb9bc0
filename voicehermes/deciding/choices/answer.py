"""What an answer to a clarification means."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Answer:
    """The meaning of one answer."""

    meaning: Literal["choice", "free", "repeat", "cancel", "unclear"]
    """"free" is to be sent as it was said; "unclear" is asked again."""
    choice: str | None = None
    """The choice verbatim, exactly when the meaning is "choice"."""


FREE, REPEAT, CANCEL = Answer("free"), Answer("repeat"), Answer("cancel")
UNCLEAR = Answer("unclear")


def chosen(choice: str) -> Answer:
    """That choice."""
    return Answer("choice", choice)
