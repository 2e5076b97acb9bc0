"""An ear that hears nothing: for conversations that are typed."""

from voicehermes.audio import UtteranceEnd


class Deaf:
    """Takes every command of the session and does nothing."""

    def start(
        self, recording: int, *, not_before: float | None = None, ends_by_itself: bool = False
    ) -> None:
        """Nothing is recorded."""

    def keep_open(self, recording: int) -> None:
        """Nothing is open."""

    def stop(self, recording: int, end: UtteranceEnd) -> None:
        """Nothing was recorded."""

    def drop(self, recording: int) -> None:
        """There is nothing to drop."""

    def mute(self) -> None:
        """It is mute already."""

    def unmute(self) -> None:
        """It stays mute."""
