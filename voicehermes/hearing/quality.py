"""What is wrong with what a microphone gave, where nothing can be made of it. Pure."""

from voicehermes.audio import FRAME_BYTES, FRAME_SAMPLES, FRAME_SECONDS, InputFault, to_samples

_FULL_SCALE = 32767

_CLIPPED_SHARE = 0.5
"""Of the samples of speech. With a third at full scale, speech 20 dB too loud, whisper-base still
understands; with six tenths, 30 dB, it writes other words (measured)."""

_QUIET_PEAK = 100
"""-50 dBFS: the noise of a microphone that works is louder than that now and then. Speech so quiet
is understood where it is detected, so this is a fault only where it was not."""

_LEAST_SECONDS = 1.0
"""Less without speech is no wonder: a tap."""

_ZEROS = bytes(FRAME_BYTES)
_ZEROS_SECONDS = 5.0


class OnlyZeros:
    """Looks at what a device gives since it was opened.

    A muted source gives zeros. So does a source that suppresses noise, but not from the beginning.
    """

    def __init__(self) -> None:
        self._zeros = 0

    def feed(self, frame: bytes) -> bool:
        """Take the next frame; True once, when there was nothing but zeros for seconds."""
        if self._zeros < 0:
            return False
        if frame != _ZEROS:
            self._zeros = -1
            return False
        self._zeros += 1
        if self._zeros * FRAME_SECONDS <= _ZEROS_SECONDS:
            return False
        self._zeros = -1
        return True


class Quality:
    """Takes the frames of one recording."""

    def __init__(self) -> None:
        self._frames = 0
        self._speech_frames = 0
        self._peak = 0
        self._clipped = 0
        self._clipped_in_speech = 0

    def feed(self, frame: bytes, *, is_speech: bool) -> None:
        """Take the next frame."""
        samples = to_samples(frame)
        peak = max(max(samples), -min(samples))
        clipped = 0
        if peak >= _FULL_SCALE:
            clipped = sum(map(samples.count, (_FULL_SCALE, -_FULL_SCALE, -_FULL_SCALE - 1)))
        self._frames += 1
        self._peak = max(self._peak, peak)
        self._clipped += clipped
        if is_speech:
            self._speech_frames += 1
            self._clipped_in_speech += clipped

    @property
    def fault(self) -> InputFault | None:
        """Why nothing can be made of what was taken; None = it is as it should be."""
        if self._speech_frames:
            is_clipped = _is_clipped(self._clipped_in_speech, self._speech_frames)
            return InputFault.CLIPPED if is_clipped else None
        if self._frames * FRAME_SECONDS < _LEAST_SECONDS:
            return None
        if self._peak == 0:
            return InputFault.ZEROS
        if self._peak < _QUIET_PEAK:
            return InputFault.TOO_QUIET
        return InputFault.CLIPPED if _is_clipped(self._clipped, self._frames) else None


def _is_clipped(samples: int, frames: int) -> bool:
    return samples >= _CLIPPED_SHARE * frames * FRAME_SAMPLES
