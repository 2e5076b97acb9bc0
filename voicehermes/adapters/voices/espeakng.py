"""eSpeak NG as a library in the process, from the wheel ``espeakng-loader``.

The library has one state for the whole process, so every call holds one lock. It speaks about
two hundred times faster than real time, and blocks: use ``asyncio.to_thread``.
"""

import ctypes
import importlib
import threading
from ctypes import POINTER, c_char_p, c_int, c_short, c_size_t, c_uint, c_void_p

from voicehermes.adapters.extras import how_to_install
from voicehermes.errors import VoiceError

# From espeak-ng's speak_lib.h.
_AUDIO_OUTPUT_SYNCHRONOUS = 2
_INITIALIZE_DONT_EXIT = 0x8000
_CHARS_UTF8 = 1
_POS_CHARACTER = 1
_RATE, _PITCH = 1, 3
_OK = 0

_RATE_MIN, _RATE_MAX = 80, 450

_HINT = f"Install it with: {how_to_install('demo')}."

_SynthCallback = ctypes.CFUNCTYPE(c_int, POINTER(c_short), c_int, c_void_p)

_lock = threading.Lock()
_loaded: "tuple[ctypes.CDLL, int] | None" = None
"""The library and its sample rate, once initialised."""


class EspeakNg:
    """Speaks with eSpeak NG. Raises VoiceError, with the remedy, where it is not installed."""

    def __init__(self) -> None:
        with _lock:
            self._library, self.rate_hz = _load()

    def speak(
        self, text: str, *, voice: str = "it", words_per_minute: int = 165, pitch: int = 50
    ) -> tuple[bytes, int]:
        """The sound of a text: s16le mono, and its sample rate in Hz.

        ``voice`` is one of espeak's names, like "it" or "en-us"; ``pitch`` is 0 to 100. Blocks.
        Raises VoiceError for an unknown voice and when nothing was made of the text.
        """
        pieces: list[bytes] = []

        def collect(samples: "ctypes._Pointer[c_short]", count: int, _events: int | None) -> int:
            if samples and count:
                pieces.append(ctypes.string_at(samples, 2 * count))
            return 0

        callback = _SynthCallback(collect)
        speed = min(max(words_per_minute, _RATE_MIN), _RATE_MAX)
        data = text.encode().replace(b"\0", b" ") + b"\0"
        with _lock:
            self._library.espeak_SetSynthCallback(callback)
            if self._library.espeak_SetVoiceByName(voice.encode()) != _OK:
                raise VoiceError(f'eSpeak NG has no voice "{voice}".')
            self._library.espeak_SetParameter(_RATE, speed, 0)
            self._library.espeak_SetParameter(_PITCH, pitch, 0)
            status = self._library.espeak_Synth(
                data, len(data), 0, _POS_CHARACTER, 0, _CHARS_UTF8, None, None
            )
            self._library.espeak_Synchronize()
        if status != _OK or not pieces:
            raise VoiceError("eSpeak NG made no sound of the text.")
        return b"".join(pieces), self.rate_hz


def _load() -> tuple[ctypes.CDLL, int]:
    """Load and initialise the library once. Held under the lock. Raises VoiceError."""
    global _loaded
    if _loaded is None:
        try:
            loader = importlib.import_module("espeakng_loader")
        except ImportError as error:
            raise VoiceError("eSpeak NG is not installed.", hint=_HINT) from error
        try:
            library = ctypes.CDLL(str(loader.get_library_path()))
        except OSError as error:
            raise VoiceError(f"eSpeak NG cannot be loaded: {error}.", hint=_HINT) from error
        library.espeak_Initialize.argtypes = [c_int, c_int, c_char_p, c_int]
        library.espeak_SetSynthCallback.argtypes = [_SynthCallback]
        library.espeak_SetVoiceByName.argtypes = [c_char_p]
        library.espeak_SetParameter.argtypes = [c_int, c_int, c_int]
        library.espeak_Synth.argtypes = [
            c_char_p,
            c_size_t,
            c_uint,
            c_int,
            c_uint,
            c_uint,
            POINTER(c_uint),
            c_void_p,
        ]
        rate_hz = library.espeak_Initialize(
            _AUDIO_OUTPUT_SYNCHRONOUS,
            0,
            str(loader.get_data_path()).encode(),
            _INITIALIZE_DONT_EXIT,
        )
        if rate_hz <= 0:
            raise VoiceError("eSpeak NG does not find its data.", hint=_HINT)
        _loaded = library, rate_hz
    return _loaded
