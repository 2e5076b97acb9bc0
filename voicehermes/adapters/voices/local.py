"""The synthesisers of this machine that ``[speak] fallback`` names."""

from collections.abc import Iterable

from voicehermes.adapters.voices.commands import CommandSynthesizer
from voicehermes.adapters.voices.espeak_voice import EspeakVoice
from voicehermes.lexicon import Language
from voicehermes.ports import Synthesizer


def local_synthesizers(names: Iterable[str], language: Language) -> list[Synthesizer]:
    """Those of ``names`` that are installed, in that order. Blocks on the disk."""
    there: list[Synthesizer] = []
    for name in names:
        if name == EspeakVoice.name:
            if EspeakVoice.is_there():
                there.append(EspeakVoice(language))
        elif (command := CommandSynthesizer(name, language)).is_there():
            there.append(command)
    return there
