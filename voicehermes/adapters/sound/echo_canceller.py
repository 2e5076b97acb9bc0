"""WebRTC's echo canceller: the extra ``aec``."""

from collections import deque
from collections.abc import Callable
from typing import Any

from voicehermes.adapters.extras import how_to_install
from voicehermes.audio import FRAME_BYTES, PLAY_RATE_HZ, RATE_HZ, SAMPLE_BYTES, samples_in
from voicehermes.errors import ConfigError
from voicehermes.hearing.far_end import FarEnd
from voicehermes.ports import EchoCanceller

_BLOCK_BYTES = samples_in(0.01) * SAMPLE_BYTES
"""What the library works on; it pads what is not a multiple of it."""

_HELD_BYTES = samples_in(0.008) * SAMPLE_BYTES
"""So much is held back, that there is always a frame to give: 16 frames make 51.2 blocks."""

_ECHO_BLOCKS = 200
"""Two seconds: nothing of our sound comes back later than that."""

_MOST_BLOCKS = 100
"""Of the device's, that wait for a microphone which is closed."""


def open_canceller() -> EchoCanceller:
    """The echo canceller. Blocks while the library is read.

    Raises ConfigError when it is not installed.
    """
    try:
        import pywebrtc_audio
    except ImportError as error:
        raise ConfigError(
            'The echo canceller for [listen] echo = "aec" is not installed.',
            hint=f'{how_to_install("aec")}, or set [listen] echo = "half-duplex".',
        ) from error
    return WebrtcCanceller(lambda: pywebrtc_audio.EchoCanceller(sample_rate=RATE_HZ))


_TRIAL_BLOCKS = 300
"""Three seconds of our sound: what began anew has learned the way."""

_LEARNING_BLOCKS = 100
"""The first second of that. In the simulated loop whatever was left of our sound came within it
(nine hints and two words of nobody in half an hour, where the way changed at each opening)."""

_HEARD_BLOCKS = 50
"""Half a second: so long our sound is heard after it was played, on its way and in the room."""

_FORGOTTEN_BY_BLOCK = 0.1
"""What was left of the echo a tenth of a second ago tells little of now."""


class _Tried:
    """A canceller, and how much it has left of late."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self.given: Any = None
        """What it made of the newest block."""
        self.left = 0.0
        """Its power, as a running mean."""

    def take(self, near: Any, far: Any) -> None:
        self.given = self._library.process(near, far)
        power = float((self.given.astype("float32") ** 2).mean())
        self.left += (power - self.left) * _FORGOTTEN_BY_BLOCK


class WebrtcCanceller:
    """See EchoCanceller. What it gives is 8 ms late.

    It sleeps while none of our sound can be in the air: what the microphone hears then is given
    as it is. A speaker that was opened again may be otherwise late than before, and what has
    learned the echo's way needs four seconds to find that out (seen where the echo came 34 ms
    earlier); what begins anew is quicker then, and worse where nothing has changed. So both are
    tried for a while, and the one that leaves less is believed.
    """

    def __init__(self, new_library: Callable[[], Any]) -> None:
        """``new_library`` makes what has a ``process``, which takes the echo of the second array
        of samples out of the first.
        """
        import numpy as np
        import soxr

        self._new_library = new_library
        self._tried = [_Tried(new_library())]
        """The one that is believed is the first."""
        self._trial_blocks = 0
        """So many with sound of ours are still to come before the others are forgotten."""
        self._numpy = np
        self._handed: deque[tuple[bytes, float]] = deque(maxlen=_MOST_BLOCKS)
        """What was played and not looked at yet: filled by the device's thread."""
        # Quality "LQ" is as good below 6 kHz as others and holds back 20 ms, where "HQ" holds 40.
        self._resampler = soxr.ResampleStream(
            PLAY_RATE_HZ, RATE_HZ, 1, dtype="float32", quality="LQ"
        )
        self._held_seconds = 0.0
        """Of what was played: so much is in the resampler."""
        self._far_end = FarEnd()
        self._near = bytearray(_HELD_BYTES)
        self._far = bytearray(_HELD_BYTES)
        self._cancelled = bytearray()
        self._silent_blocks = _ECHO_BLOCKS

    @property
    def is_learning(self) -> bool:
        """See EchoCanceller.is_learning."""
        is_new = self._trial_blocks > _TRIAL_BLOCKS - _LEARNING_BLOCKS
        return is_new and self._silent_blocks < _HEARD_BLOCKS

    def played(self, pcm: bytes, at: float) -> None:
        """See EchoCanceller.played."""
        self._handed.append((pcm, at))

    def cancel(self, frame: bytes, ended_at: float) -> bytes:
        """See EchoCanceller.cancel."""
        while self._handed:
            self._take(*self._handed.popleft())
        self._near += frame
        self._far += self._far_end.piece(ended_at)
        while len(self._near) >= _BLOCK_BYTES:
            self._cancelled += self._cancel_block(
                bytes(self._near[:_BLOCK_BYTES]), bytes(self._far[:_BLOCK_BYTES])
            )
            del self._near[:_BLOCK_BYTES], self._far[:_BLOCK_BYTES]
        cancelled = bytes(self._cancelled[:FRAME_BYTES])
        del self._cancelled[:FRAME_BYTES]
        return cancelled

    def _take(self, pcm: bytes, at: float) -> None:
        # Of whole numbers soxr makes noise where there was silence: it dithers.
        samples = self._resampler.resample_chunk(self._array(pcm).astype("float32"))
        converted = self._numpy.rint(samples).clip(-32768, 32767).astype("<i2")
        begins_at = at - self._held_seconds
        self._held_seconds += len(pcm) / SAMPLE_BYTES / PLAY_RATE_HZ - len(converted) / RATE_HZ
        if self._far_end.played(converted.tobytes(), begins_at):
            self._tried = [self._tried[0], _Tried(self._new_library())]
            self._trial_blocks = _TRIAL_BLOCKS

    def _cancel_block(self, near: bytes, far: bytes) -> bytes:
        self._silent_blocks = 0 if far.strip(b"\0") else self._silent_blocks + 1
        if self._silent_blocks > _ECHO_BLOCKS:
            return near
        for tried in self._tried:
            tried.take(self._array(near), self._array(far))
        self._tried.sort(key=lambda tried: tried.left)
        self._trial_blocks -= not self._silent_blocks
        if self._trial_blocks <= 0:
            del self._tried[1:]
        return bytes(self._tried[0].given.tobytes())

    def _array(self, pcm: bytes) -> Any:
        return self._numpy.frombuffer(pcm, "<i2")
