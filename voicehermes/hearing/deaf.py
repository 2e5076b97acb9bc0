"""An ear that hears nothing: for conversations that are typed."""

from voicehermes.attention import Attention
from voicehermes.audio import EndsBy, UtteranceEnd


class Deaf:
    """Takes every command of the session and does nothing."""

    def start(self, recording: int, *, ends_by: EndsBy = EndsBy.STOP) -> None:
        """Nothing is recorded."""

    def keep_open(self, recording: int) -> None:
        """Nothing is open."""

    def stop(self, recording: int, end: UtteranceEnd) -> None:
        """Nothing was recorded."""

    def drop(self, recording: int) -> None:
        """There is nothing to drop."""

    def attend(self, attention: Attention) -> None:
        """It hears neither speech nor wake words."""

    def note_words(self, recording: int, text: str) -> None:
        """Nothing was recorded."""

    def raise_guard(self) -> None:
        """It hears nothing anyway."""

    def mute(self) -> None:
        """It is mute already."""

    def unmute(self) -> None:
        """It stays mute."""
