"""An outbox in memory."""

from voicehermes.audio import Utterance
from voicehermes.errors import StoreError


class FakeOutbox:
    """What is kept, and what was left for a retry, by key."""

    def __init__(self) -> None:
        self.kept: dict[str, Utterance | str] = {}
        self.left: dict[str, Utterance | str] = {}
        self.disk_is_full = False
        self._count = 0

    def new_key(self) -> str:
        self._count += 1
        return f"key-{self._count}"

    def keep_utterance(self, key: str, utterance: Utterance) -> None:
        self._write()
        self.kept[key] = utterance

    def keep_words(self, key: str, text: str) -> None:
        self._write()
        self.kept[key] = text

    def forget(self, key: str) -> None:
        assert key not in self.left, f"{key} was left for a retry and is forgotten"
        self.kept.pop(key, None)

    def leave(self, key: str) -> None:
        if key in self.kept:
            self.left[key] = self.kept.pop(key)

    def _write(self) -> None:
        if self.disk_is_full:
            raise StoreError("Cannot write: No space left on device.")
