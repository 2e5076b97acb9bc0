"""What the ear waits for while nothing is recorded."""

import enum


class Attention(enum.Enum):
    """What makes a recording begin without a key."""

    NOTHING = "nothing"
    WAKE_WORD = "wake word"
    SPEECH = "speech"
