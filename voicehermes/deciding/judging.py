"""What an approval's command is to those who are to allow it: read in full or not, risky or not.

Pure. What is worked out of a command is remembered for a while: a long one takes its time, and is
asked for again and again.
"""

from functools import lru_cache

from voicehermes.deciding.approving import GRANTS
from voicehermes.deciding.commands.reading import Reading, read_command
from voicehermes.deciding.commands.risks import risks_of
from voicehermes.deciding.rules import DecisionRules
from voicehermes.events import Approval, ApprovalChoice
from voicehermes.lexicon import Language, commands


def reading_of(approval: Approval, rules: DecisionRules) -> Reading:
    """Its command in words."""
    return _reading(approval.command, rules.language)


def is_summarised(approval: Approval, rules: DecisionRules) -> bool:
    """Whether the first reading of the command leaves something out."""
    return not reading_of(approval, rules).is_whole


def hides_something(approval: Approval, rules: DecisionRules) -> bool:
    """Whether even the full reading does: a blob that nobody could follow, a very long command."""
    return not reading_of(approval, rules).is_full_whole


def is_risky(approval: Approval, rules: DecisionRules) -> bool:
    """Whether the rules of risks.py call the command risky."""
    return bool(_risks(approval.command, rules.workspace))


def offered(approval: Approval, rules: DecisionRules) -> list[ApprovalChoice]:
    """What a spoken answer may grant."""
    return [
        grant
        for grant in GRANTS
        if grant in rules.voice_grants and (grant != "always" or approval.allow_permanent)
    ]


@lru_cache(maxsize=8)
def _reading(command: str, language: Language) -> Reading:
    return read_command(command, commands.load(language))


@lru_cache(maxsize=8)
def _risks(command: str, workspace: str) -> tuple[str, ...]:
    return risks_of(command, workspace)
