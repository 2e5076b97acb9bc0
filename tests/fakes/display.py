"""A display that remembers."""


class FakeDisplay:
    """Everything that was shown, by kind, in order."""

    def __init__(self) -> None:
        self.states: list[str] = []
        self.transcripts: list[str] = []
        self.replies: list[str] = []
        self.details: list[str] = []
        self.notices: list[str] = []
        self.decisions: list[str] = []
        self._reply = ""

    def show_state(self, name: str) -> None:
        assert [name] != self.states[-1:], f"{name} is shown twice"
        self.states.append(name)

    def show_level(self, dbfs: float) -> None:
        assert dbfs <= 0

    def show_transcript(self, text: str) -> None:
        self.transcripts.append(text)

    def show_reply(self, delta: str) -> None:
        self._reply += delta

    def show_reply_end(self) -> None:
        self.replies.append(self._reply)
        self._reply = ""

    def show_detail(self, text: str) -> None:
        self.details.append(text)

    def show_decision(self, text: str) -> None:
        self.decisions.append(text)

    def show_notice(self, text: str) -> None:
        self.notices.append(text)
