"""eSpeak NG inside the process as a synthesiser: the last fallback, which needs no apt package."""

import asyncio
import importlib.util

from voicehermes.adapters.sound.codecs import to_play_rate
from voicehermes.adapters.voices.espeakng import EspeakNg
from voicehermes.audio import Sound
from voicehermes.errors import VoiceError
from voicehermes.lexicon import Language
from voicehermes.speaking.joining import trimmed

_VOICES = {"it": "it", "en": "en-us"}

_WORDS_PER_MINUTE = 165


class EspeakVoice:
    """Speaks about two hundred times faster than real time."""

    name = "espeakng"
    window_seconds = 0.0
    max_characters = 5000

    def __init__(self, language: Language) -> None:
        self.rate_percent = 0
        self._voice = _VOICES[language]

    @staticmethod
    def is_there() -> bool:
        """Whether the wheel is installed that carries the library."""
        return importlib.util.find_spec("espeakng_loader") is not None

    async def synthesize(self, text: str) -> Sound:
        """See Synthesizer.synthesize. Raises VoiceError."""
        return await asyncio.to_thread(self._speak, text)

    def _speak(self, text: str) -> Sound:
        words_per_minute = _WORDS_PER_MINUTE * (100 + self.rate_percent) // 100
        pcm, rate_hz = EspeakNg().speak(text, voice=self._voice, words_per_minute=words_per_minute)
        sound = trimmed(Sound(to_play_rate(pcm, rate_hz)))
        if not sound.pcm:
            raise VoiceError("eSpeak NG made no sound of a text.")
        return sound
