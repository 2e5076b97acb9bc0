"""Words and names joined to one reading: what belongs together by a space, the rest by a comma.

Pure. Knows nothing of shells.
"""

from enum import Enum


class Gap(Enum):
    """What lies between two pieces of a reading."""

    NONE = " "
    """Nothing: they touch in the command too."""
    PAUSE = ", "
    """An argument's end, or an operator."""
    SPACE = ""
    """A space within quotes: heard as a pause unless plain words stand on both sides of it."""


class Speech:
    """A reading that grows piece by piece."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._gap = Gap.NONE
        self._was_plain = False
        self.last = ""
        """The last piece."""

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self._parts)

    @property
    def gap(self) -> Gap:
        """What lies before the piece that comes next."""
        return self._gap

    def pause(self) -> None:
        """What follows is another argument."""
        self._gap = Gap.PAUSE

    def space(self) -> None:
        """What follows comes after a space within quotes."""
        if self._gap is Gap.NONE:
            self._gap = Gap.SPACE

    def add(self, piece: str, *, is_plain: bool = False) -> None:
        """A word of the command (plain), or a name of something in it."""
        if self._parts:
            is_prose = self._gap is Gap.SPACE and self._was_plain and is_plain
            self._parts.append(" " if is_prose or self._gap is Gap.NONE else ", ")
        self._parts.append(piece)
        self._gap = Gap.NONE
        self._was_plain = is_plain
        self.last = piece
