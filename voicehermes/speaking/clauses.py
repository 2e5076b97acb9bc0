"""The smallest pieces of a reply that may be spoken by themselves."""

from collections.abc import Iterable
from dataclasses import dataclass

_STOPS = (".", "!", "?", "…", "。", "！", "？", ",", ";", ":")


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence, or part of one up to a comma, colon or the like.

    Joined with single spaces, the clauses of one sentence give the sentence.
    """

    text: str
    """Speakable text, stripped, never empty, with at least one letter or digit."""
    sentence: int
    """Index of its sentence in the reply, from 0."""
    ends_sentence: bool
    """Whether it is the last of its sentence."""


def text_of(clauses: Iterable[Clause]) -> str:
    """The text of one request: a sentence without a stop gets one, so that a pause is heard.

    "Ricetta", "200 g di farina" -> "Ricetta. 200 g di farina."
    """
    return " ".join(
        f"{clause.text}." if clause.ends_sentence and not _has_stop(clause.text) else clause.text
        for clause in clauses
    )


def _has_stop(text: str) -> bool:
    """Whether it ends in a stop, perhaps inside quotation marks or brackets: "Vieni!»" does."""
    return text.rstrip("\"'»”’)]").endswith(_STOPS)
