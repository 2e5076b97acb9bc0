"""THE state machine of a conversation. Pure: one value, changed in one place (``step``)."""

from voicehermes.dialogue.state import Dialogue, Rules
from voicehermes.dialogue.step import step

__all__ = ["Dialogue", "Rules", "step"]
