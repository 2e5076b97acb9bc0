"""An ear that hears nothing: for conversations that are typed."""

from voicehermes.audio import UtteranceEnd


class Deaf:
    """Takes every command of the session and does nothing."""

    def start(self, recording: int, *, not_before: float | None = None) -> None:
        """Nothing is recorded."""

    def stop(self, recording: int, end: UtteranceEnd) -> None:
        """Nothing was recorded."""

    def drop(self, recording: int) -> None:
        """There is nothing to drop."""

    def mute(self) -> None:
        """It is mute already."""

    def unmute(self) -> None:
        """It stays mute."""
