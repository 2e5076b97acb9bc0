"""What a question is read from: pieces of text, ours and others'."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a question, spoken in one breath."""

    text: str
    """Speakable. An empty one is left out."""
    is_fixed: bool
    """A phrase of ours without anything of the agent's or user's in it: it is kept on the disk.
    Everything else is personal and never is."""
