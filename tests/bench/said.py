"""Italian utterances whose first and last word are known to the sample, for the benches.

Real speech is that of Debian's asterisk-core-sounds-it-wav (CC-BY-SA 3.0, one man, read where it is
installed and not copied) and the recordings in tests/data/audio; synthetic voices are espeak's,
from its wheel, and festival's, where Debian's packages are installed. What is labelled is the clean
signal, before any noise.
"""

import functools
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import soxr

from voicehermes.adapters.voices.espeakng import EspeakNg
from voicehermes.audio import RATE_HZ

Samples = np.ndarray[Any, np.dtype[np.float64]]

PROMPTS = Path("/usr/share/asterisk/sounds/it_IT_m_Carlo")
MUSIC = Path("/usr/share/asterisk/moh")
RECORDINGS = Path(__file__).parent.parent / "data" / "audio"

SPEECH_DBFS = -26.0
"""Of each utterance, where somebody speaks."""

_WINDOW = RATE_HZ // 100
_BELOW_LOUDEST_DB = 35.0
"""What is softer than the loudest 10 ms by more is no word."""

_LEAST_GAP_SECONDS = 0.05
"""Shorter ones are closures of consonants, rather than the border of two words."""

_FADE = RATE_HZ // 200

_MOST_SECONDS = 7.0
_PROMPTS = 30
_SHORT_PROMPTS = ("digits/1", "digits/6", "digits/9", "digits/3", "digits/20", "letters/s",
                  "goodbye", "hello", "vm-no", "vm-and", "cancelled", "activated")  # fmt: skip
_SENTENCES = (
    "Che tempo fa domani a Torino, nel pomeriggio?",
    "Leggimi le ultime notizie, ma soltanto quelle di sport.",
    "Crea una cartella che si chiama documenti, e copiaci dentro il file.",
    "Quanto manca alla riunione, e dove si tiene?",
    "Per favore, accendi la luce in cucina.",
    "Scrivi a Marco che arrivo tardi, verso le otto.",
)


@dataclass(frozen=True)
class Said:
    """An utterance without noise, at SPEECH_DBFS, from its first sound to its last."""

    name: str
    samples: Samples
    words: tuple[tuple[int, int], ...]
    """First sample and end of what is said in one go: two of them around a pause."""

    def with_pause(self, seconds: float) -> "Said | None":
        """The same with a pause of that length in it, between two words; None = there are not."""
        gap = _gap_in(self.samples)
        if gap is None:
            return None
        first, second = self.samples[: gap[0]].copy(), self.samples[gap[1] :].copy()
        ramp = np.linspace(1, 0, _FADE)
        first[-_FADE:] *= ramp
        second[:_FADE] *= ramp[::-1]
        pause = round(seconds * RATE_HZ)
        second_at = len(first) + pause
        samples = np.concatenate((first, np.zeros(pause), second))
        words = ((0, len(first)), (second_at, len(samples)))
        return Said(f"{self.name} with {seconds} s", samples, words)


def missing() -> str | None:
    """What must be installed first, or None."""
    if not PROMPTS.is_dir():
        return "The Italian recordings are missing: apt-get install asterisk-core-sounds-it-wav"
    return None


@functools.cache
def sentences() -> tuple[Said, ...]:
    """Utterances of several words each, into all of which a pause can be put."""
    found = [said for path in _prompts() if (said := _of_file(path)).with_pause(0.5)]
    spread = np.linspace(0, len(found) - 1, _PROMPTS).round().astype(int)
    others = (said for said in (*_recordings(), *synthetic()) if said.with_pause(0.5))
    return (*(found[at] for at in spread), *others)


@functools.cache
def short_words() -> tuple[Said, ...]:
    """Single words, some of a fifth of a second."""
    return tuple(_of_file(PROMPTS / f"{name}.wav") for name in _SHORT_PROMPTS)


@functools.cache
def babble(seconds: float) -> Samples:
    """Six people at once, at 0 dBFS."""
    length = round(seconds * RATE_HZ)
    voices = np.zeros(length)
    paths = sorted(PROMPTS.glob("vm-*.wav"))
    for voice in range(6):
        speech = np.concatenate([_read(path) for path in paths[voice::6]])
        voices += np.resize(speech[voice * RATE_HZ :], length)
    return _at(0.0, voices)


@functools.cache
def music(seconds: float) -> Samples | None:
    """Recorded music at 0 dBFS; None where Debian's asterisk-moh-opsound-wav is missing."""
    pieces = [_read(path) for path in sorted(MUSIC.glob("*.wav"))]
    if not pieces:
        return None
    return _at(0.0, np.resize(np.concatenate(pieces), round(seconds * RATE_HZ)))


def _prompts() -> Iterator[Path]:
    for path in sorted(PROMPTS.glob("*.wav")):
        if 1.0 <= soundfile.info(path).duration <= _MOST_SECONDS:
            yield path


def _recordings() -> Iterator[Said]:
    radio = _read(RECORDINGS / "radio.wav")
    yield _labelled("radio", radio)


def synthetic() -> Iterator[Said]:
    """What synthetic voices say."""
    espeak = EspeakNg()
    for number, text in enumerate(_SENTENCES):
        pitch, rate = 30 + 12 * number, 135 + 12 * number
        pcm, rate_hz = espeak.speak(text, words_per_minute=rate, pitch=pitch)
        sound = np.frombuffer(pcm, "<i2") / 32768
        yield _labelled(f"espeak {number}", soxr.resample(sound, rate_hz, RATE_HZ))
    for voice in ("voice_lp_diphone", "voice_pc_diphone"):
        for number, text in enumerate(_SENTENCES[::2]):
            sound_or_none = _of_festival(voice, text)
            if sound_or_none is not None:
                yield _labelled(f"{voice} {number}", sound_or_none)


def _of_festival(voice: str, text: str) -> Samples | None:
    with tempfile.NamedTemporaryFile(suffix=".wav") as file:
        command = ["text2wave", "-eval", f"({voice})", "-o", file.name]
        try:
            done = subprocess.run(
                command, input=text.encode("latin-1"), capture_output=True, timeout=60
            )
        except FileNotFoundError:
            return None
        return None if done.returncode else _read(Path(file.name))


def _of_file(path: Path) -> Said:
    return _labelled(path.stem, _read(path))


def _read(path: Path) -> Samples:
    samples, rate_hz = soundfile.read(path, dtype="float64")
    return np.asarray(soxr.resample(samples, rate_hz, RATE_HZ))


def _labelled(name: str, samples: Samples) -> Said:
    """The utterance cut at its first and its last sound, and brought to SPEECH_DBFS."""
    heard = np.flatnonzero(_is_sound(samples))
    samples = samples[heard[0] * _WINDOW : (heard[-1] + 1) * _WINDOW]
    loud = samples[np.repeat(_is_sound(samples), _WINDOW)]
    samples = samples * (10 ** (SPEECH_DBFS / 20) / np.sqrt(np.mean(loud**2)))
    return Said(name, samples, ((0, len(samples)),))


def _is_sound(samples: Samples) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Of each whole 10 ms, whether there is a word in it."""
    windows = samples[: len(samples) // _WINDOW * _WINDOW].reshape(-1, _WINDOW)
    levels = 10 * np.log10(np.mean(windows**2, axis=1) + 1e-12)
    return np.asarray(levels > levels.max() - _BELOW_LOUDEST_DB)


def _gap_in(samples: Samples) -> tuple[int, int] | None:
    """The longest stretch without sound in the middle half: first sample and end."""
    quiet = ~_is_sound(samples)
    quiet[: len(quiet) // 4] = quiet[-len(quiet) // 4 :] = False
    edges = np.flatnonzero(np.diff(np.concatenate(([0], quiet.astype(int), [0]))))
    gaps = [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    first, end = max(gaps, key=lambda gap: gap[1] - gap[0], default=(0, 0))
    if (end - first) * _WINDOW < _LEAST_GAP_SECONDS * RATE_HZ:
        return None
    return first * _WINDOW, end * _WINDOW


def _at(dbfs: float, sound: Samples) -> Samples:
    return np.asarray(sound * 10 ** (dbfs / 20) / np.sqrt(np.mean(sound**2)))
