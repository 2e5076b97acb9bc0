"""How the embedded server speaks: its checks, its limiter, and MP3 as edge-tts sends it."""

import io
import re
import threading
import time
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import soundfile
import soxr

from voicehermes.adapters.voices.espeakng import EspeakNg
from voicehermes.errors import VoiceError
from voicehermes.simulator.scenario import Speech

RATE_HZ = 24_000
TEXT_MAX = 5000

DEFAULT_VOICE = "zh-CN-XiaoxiaoNeural"

STOCK_VOICES = frozenset(
    f"{locale}-{name}Neural"
    for locale, names in {
        "zh-CN": ("Xiaoxiao", "Xiaoyi", "Yunxi", "Yunjian", "Yunyang"),
        "en-US": ("Aria", "Guy"),
        "fr-CA": ("Antoine", "Jean", "Sylvie", "Thierry"),
        "fr-FR": ("Denise", "Eloise", "Henri"),
        "id-ID": ("Gadis",),
    }.items()
    for name in names
)

ITALIAN_VOICES = frozenset(
    f"it-IT-{name}Neural" for name in ("Elsa", "Diego", "Isabella", "GiuseppeMultilingual")
)

_ESPEAK = {"zh": "cmn", "en": "en-us", "fr": "fr", "id": "id", "it": "it"}
"""espeak's voice for the language of ours."""

WORDS_PER_MINUTE = 165
"""Espeak's rate at "+0%"."""

_TONE_SECONDS = 0.06
"""Of sound for each character, about as long as speech takes."""

Samples = npt.NDArray[np.float32]


class SpeechRefusedError(Exception):
    """A request that is refused with this status and sentence."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Limiter:
    """Accepts one request per window and client; a refused one changes nothing."""

    def __init__(self, window_seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._window = window_seconds
        self._now = now
        self._accepted: dict[str, float] = {}
        self._lock = threading.Lock()

    def accepts(self, client: str) -> bool:
        """Whether this client's request comes late enough; if so, its window begins now."""
        now = self._now()
        with self._lock:
            if now - self._accepted.get(client, -self._window) < self._window:
                return False
            self._accepted[client] = now
            return True


class Voice:
    """POST /api/tts without HTTP. Safe between threads."""

    def __init__(self, script: Speech) -> None:
        self._script = script
        self._limiter = Limiter(script.window_seconds)
        self.spoken: list[tuple[str, bytes]] = []
        """Each text that was spoken, with its MP3, in the order in which they were ready."""
        self._espeak: EspeakNg | None = None
        if script.synthesizer != "tone":
            try:
                self._espeak = EspeakNg()
            except VoiceError:
                if script.synthesizer == "espeak":
                    raise

    def delay_seconds(self, text: str) -> float:
        """How long the synthesis of this text takes in the scenario."""
        return self._script.delay_seconds + self._script.delay_per_character * len(text)

    def check(self, request: Mapping[str, Any], client: str) -> str:
        """The text to speak. Raises SpeechRefusedError, in hermes-webui's order of checks."""
        rate = _checked(request, "rate", "%")
        pitch = _checked(request, "pitch", "Hz")
        text = request.get("text")
        if text and not isinstance(text, str):
            raise SpeechRefusedError(400, "invalid request body")
        text = (text or "").strip()
        if not text:
            raise SpeechRefusedError(400, "text is required")
        if len(text) > TEXT_MAX:
            raise SpeechRefusedError(400, f"text too long (max {TEXT_MAX} characters)")
        if not self._limiter.accepts(client):
            raise SpeechRefusedError(429, "rate limit exceeded — please wait")
        self._check_engine(request)
        if rate[0] not in "+-" or pitch[0] not in "+-":  # passes the check, then edge-tts raises
            raise SpeechRefusedError(500, "TTS generation failed")
        return text

    def speak(self, text: str, request: Mapping[str, Any]) -> bytes:
        """The MP3 of a text that was checked."""
        if self._espeak is None:
            samples = tone(text)
        else:
            language = str(request.get("voice") or DEFAULT_VOICE).partition("-")[0]
            faster = int(str(request.get("rate") or "+0%").rstrip("%"))
            pcm, rate_hz = self._espeak.speak(
                text,
                voice=_ESPEAK[language],
                words_per_minute=WORDS_PER_MINUTE * (100 + faster) // 100,
            )
            raw = np.frombuffer(pcm, dtype="<i2").astype(np.float32) / 32768
            samples = soxr.resample(raw, rate_hz, RATE_HZ)
        data = encode_mp3(samples)
        self.spoken.append((text, data))
        return data

    def _check_engine(self, request: Mapping[str, Any]) -> None:
        match request.get("engine"):
            case "elevenlabs":
                raise SpeechRefusedError(503, "ELEVENLABS_API_KEY not configured")
            case "openai":
                raise SpeechRefusedError(503, "OpenAI API key not configured")
        allowed = STOCK_VOICES
        if self._script.voices == "italian":
            allowed |= ITALIAN_VOICES
        if (request.get("voice") or DEFAULT_VOICE) not in allowed:
            raise SpeechRefusedError(400, "invalid voice")


def _checked(request: Mapping[str, Any], name: str, unit: str) -> str:
    value = request.get(name) or f"+0{unit}"
    pattern = rf"[+-]?\d{{1,3}}{unit}"
    if not re.fullmatch(pattern, str(value)) or abs(int(str(value).removesuffix(unit))) > 100:
        raise SpeechRefusedError(400, f"invalid {name}")
    return str(value)


def tone(text: str) -> Samples:
    """A sound that no other text has: a note for each character, drawn by the text's checksum."""
    notes = np.random.default_rng(zlib.crc32(text.encode())).uniform(200, 3000, len(text))
    frequency = np.repeat(notes, round(_TONE_SECONDS * RATE_HZ))
    phase = np.cumsum(2 * np.pi * frequency / RATE_HZ)
    return (0.3 * np.sin(phase)).astype(np.float32)


def encode_mp3(samples: Samples) -> bytes:
    """MP3 at 24,000 Hz, mono, as edge-tts sends it."""
    file = io.BytesIO()
    soundfile.write(file, samples, RATE_HZ, format="MP3", subtype="MPEG_LAYER_III")
    return file.getvalue()
