"""The settings that deciding by voice goes by. Values only."""

from dataclasses import dataclass
from typing import Literal

from voicehermes.events import ApprovalChoice
from voicehermes.lexicon import Language


@dataclass(frozen=True, slots=True)
class DecisionRules:
    """What ``[decisions]`` and ``[ui]`` say."""

    language: Language = "it"
    voice_grants: tuple[ApprovalChoice, ...] = ("once", "session")
    """What a spoken answer may grant."""
    confirm: Literal["risky", "always", "never"] = "risky"
    """Which grants need a second word. "always", and a command of which only a summary was heard,
    need it whatever this says."""
    confirm_free_text: bool = False
    """Whether an answer in the user's own words is read back before it is sent."""
    workspace: str = ""
    """Folder in which the agent may write without that being risky; "" = not known."""
