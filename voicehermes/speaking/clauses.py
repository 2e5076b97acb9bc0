"""The smallest pieces of a reply that may be spoken by themselves."""

from dataclasses import dataclass


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
