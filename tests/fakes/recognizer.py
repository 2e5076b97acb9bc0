"""A recogniser that understands what the test says it does."""

import asyncio

from voicehermes.audio import Utterance
from voicehermes.errors import VoicehermesError


class FakeRecognizer:
    """Gives its transcripts in order; an error in the list is raised instead."""

    def __init__(self, *transcripts: str | VoicehermesError, seconds: float = 0.2) -> None:
        self.transcripts = list(transcripts)
        self.heard: list[Utterance] = []
        self.seconds = seconds

    async def transcribe(self, utterance: Utterance) -> str:
        assert utterance.data, "an empty utterance was sent"
        self.heard.append(utterance)
        await asyncio.sleep(self.seconds)
        result = self.transcripts.pop(0)
        if isinstance(result, VoicehermesError):
            raise result
        return result
