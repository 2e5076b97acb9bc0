"""What a reply says, as far as it is written, and how much of it was heard."""


class Script:
    """The text of one reply. It may be spoken again, from its start or from where it was left."""

    def __init__(self, turn: int, run_id: str | None = None, *, heard: int = 0) -> None:
        self.turn = turn
        """The turn that it was written in."""
        self.run_id = run_id
        """The run that it comes from, where that is known."""
        self.heard = heard
        """So many of its first sentences were heard."""
        self.is_complete = False
        self._pieces: list[str] = []

    def add(self, delta: str) -> None:
        """Take down a further piece."""
        self._pieces.append(delta)

    @property
    def text(self) -> str:
        """All of it, as the agent wrote it."""
        return "".join(self._pieces)

    @property
    def says_anything(self) -> bool:
        """Whether there is any text yet."""
        return any(piece.strip() for piece in self._pieces)
