"""All words and rules that deciding goes by, read from the package's files at one time."""

from voicehermes.deciding.commands import programs, risks
from voicehermes.lexicon import Language, answers, choosing, commands, numbers, requests


def load(language: Language) -> None:
    """Read all of them now: later nothing waits for the disk."""
    programs.tables()
    risks.risks_of("")
    for words in (answers, choosing, commands, numbers, requests):
        words.load(language)
