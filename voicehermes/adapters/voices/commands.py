"""Local synthesisers that are programs: each writes a WAV file of a text."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from voicehermes.adapters.sound.codecs import decode_speech
from voicehermes.audio import Sound
from voicehermes.errors import FormatError, VoiceError
from voicehermes.lexicon import Language

_Arguments = Callable[[Language, Path, int], list[str] | None]


@dataclass(frozen=True, slots=True)
class Program:
    """How a program is asked to speak."""

    executable: str
    arguments: _Arguments
    """Given the language, the WAV file to write and the speed as a percentage of the usual one;
    None where a voice for it is missing."""
    package: str
    """What to install, as a hint."""
    encoding: str = "utf-8"
    """Of the text on its standard input."""
    argument: Callable[[str, int], str] | None = None
    """Given the text and the speed: its last argument, where it does not read standard input."""


def _espeak_ng(language: Language, wav: Path, speed_percent: int) -> list[str]:
    words_per_minute = 175 * speed_percent // 100  # 175 is its own default
    return ["-v", language, "--stdin", "-w", str(wav), "-s", str(words_per_minute)]


def _pico2wave(language: Language, wav: Path, _speed_percent: int) -> list[str]:
    return ["-l", {"it": "it-IT", "en": "en-GB"}[language], "-w", str(wav)]


def _pico2wave_text(text: str, speed_percent: int) -> str:
    """With pico's mark of another speed; a text that begins with a dash is no option."""
    return f" {text}" if speed_percent == 100 else f'<speed level="{speed_percent}">{text}</speed>'


def _festival(language: Language, wav: Path, speed_percent: int) -> list[str]:
    voice = {"it": "(language_italian)", "en": "(voice_kal_diphone)"}[language]
    stretch = f"(Parameter.set 'Duration_Stretch {100 / speed_percent:.2f})"
    return ["-o", str(wav), "-eval", f"(begin {voice} {stretch})"]


def _piper(language: Language, wav: Path, speed_percent: int) -> list[str] | None:
    model = _piper_model(language)
    if model is None:
        return None
    length = f"{100 / speed_percent:.2f}"
    return ["--model", str(model), "--length_scale", length, "--output_file", str(wav)]


def _piper_model(language: Language) -> Path | None:
    """PIPER_MODEL, or the first voice of the language in ~/.local/share/piper-voices."""
    if named := os.environ.get("PIPER_MODEL"):
        return Path(named)
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return next(iter(sorted(data.glob(f"piper-voices/**/{language}_*.onnx"))), None)


PROGRAMS = {
    "espeak-ng": Program("espeak-ng", _espeak_ng, "espeak-ng"),
    "pico2wave": Program("pico2wave", _pico2wave, "libttspico-utils", argument=_pico2wave_text),
    "festival": Program("text2wave", _festival, "festival festvox-italp16k", encoding="latin-1"),
    "piper": Program("piper", _piper, "piper-tts and a voice"),
}
"""By their name in ``[speak] fallback``."""


class CommandSynthesizer:
    """Speaks with one of PROGRAMS, a process for each text."""

    window_seconds = 0.0
    max_characters = 5000

    def __init__(self, name: str, language: Language) -> None:
        self.name = name
        self.rate_percent = 0
        self._program = PROGRAMS[name]
        self._language = language

    def is_there(self) -> bool:
        """Whether the program and, where that can be seen, a voice are installed. Blocks."""
        arguments = self._program.arguments(self._language, Path("x.wav"), 100)
        return arguments is not None and shutil.which(self._program.executable) is not None

    async def synthesize(self, text: str) -> Sound:
        """See Synthesizer.synthesize. Raises VoiceError."""
        folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="voicehermes-"))
        try:
            await self._write(folder / "speech.wav", " ".join(text.split()))
            return await asyncio.to_thread(_read, folder / "speech.wav")
        except (OSError, FormatError) as error:
            raise VoiceError(f"{self.name} made no sound of a text: {error}") from error
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def _write(self, wav: Path, text: str) -> None:
        program = self._program
        speed_percent = 100 + self.rate_percent
        arguments = await asyncio.to_thread(program.arguments, self._language, wav, speed_percent)
        if arguments is None:
            raise VoiceError(f"{self.name} has no voice for this language.")
        if program.argument:
            arguments.append(program.argument(text, speed_percent))
        try:
            process = await asyncio.create_subprocess_exec(
                program.executable,
                *arguments,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError as error:
            raise VoiceError(
                f"{self.name} cannot be started: {error.strerror}.",
                hint=f"Install it: {program.package}",
            ) from error
        try:
            _, complaints = await process.communicate(
                f"{text}\n".encode(program.encoding, errors="replace")
            )
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            reason = complaints.decode(errors="replace").strip().splitlines()
            raise VoiceError(
                f"{self.name} ended with {process.returncode}: {reason[-1] if reason else ''}"
            )


def _read(wav: Path) -> Sound:
    return decode_speech(wav.read_bytes())
