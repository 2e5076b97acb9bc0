"""What we said of late, as it was heard. Pure."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_REMEMBERED_SECONDS = 60.0


@dataclass(slots=True)
class _Piece:
    tag: int
    text: str
    ended_at: float | None = None
    """When its last sound was heard; None: more of it is to come."""


class Spoken:
    """The texts of the clips that were heard, for a minute after their end."""

    def __init__(self, heard_until: Callable[[], float | None]) -> None:
        """``heard_until`` gives the time of our newest sound."""
        self._heard_until = heard_until
        self._pieces: deque[_Piece] = deque()

    def began(self, tag: int, text: str) -> None:
        """A clip begins to be heard."""
        self._pieces.append(_Piece(tag, text))

    def ended(self, tag: int) -> None:
        """No more of it is to come: all was heard, or the rest will not be."""
        newest = self._heard_until()
        for piece in self._pieces:
            if piece.tag == tag:
                piece.ended_at = newest
        if newest is not None:
            self._forget_before(newest - _REMEMBERED_SECONDS)

    def since(self, at: float) -> Sequence[str]:
        """The texts of the clips of which some was heard at that time or later, oldest first."""
        newest = self._heard_until()
        if newest is None:
            return []
        return [
            piece.text
            for piece in self._pieces
            if (newest if piece.ended_at is None else piece.ended_at) >= at
        ]

    def _forget_before(self, at: float) -> None:
        self._pieces = deque(
            piece for piece in self._pieces if piece.ended_at is None or piece.ended_at >= at
        )
