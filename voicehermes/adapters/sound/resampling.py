"""From what a device or file gives to frames: any rate and channel count to 16 kHz mono."""

from collections.abc import Iterator

from voicehermes.audio import FRAME_BYTES, RATE_HZ


class ToMono16k:
    """Converts a stream of s16le blocks, interleaved where there is more than one channel.

    Channels are averaged. Blocks may have any length; there is no seam between them. numpy and
    soxr are loaded only when there is something to convert.
    """

    def __init__(self, rate_hz: int, channels: int) -> None:
        self._channels = channels
        self._resampler = None
        if rate_hz != RATE_HZ:
            import soxr

            self._resampler = soxr.ResampleStream(rate_hz, RATE_HZ, 1, dtype="int16")

    def feed(self, block: bytes) -> bytes:
        """The next piece of s16le mono at RATE_HZ; the resampler holds back about 20 ms."""
        return self._convert(block, last=False)

    def finish(self) -> bytes:
        """What was held back. Called once, last."""
        return b"" if self._resampler is None else self._convert(b"", last=True)

    def _convert(self, block: bytes, *, last: bool) -> bytes:
        if self._channels == 1 and self._resampler is None:
            return block
        import numpy as np

        samples = np.frombuffer(block, "<i2")
        if self._channels > 1:
            mean = samples.reshape(-1, self._channels).mean(axis=1)
            samples = np.rint(mean).astype(np.int16)
        if self._resampler is not None:
            samples = self._resampler.resample_chunk(samples.astype(np.int16), last=last)
        return samples.astype("<i2").tobytes()


class Framer:
    """Cuts a stream of bytes into frames of FRAME_BYTES."""

    def __init__(self) -> None:
        self._left = b""

    def feed(self, pcm: bytes) -> Iterator[bytes]:
        """The frames that are whole now, oldest first; take them all before feeding again."""
        pcm = self._left + pcm
        whole = len(pcm) - len(pcm) % FRAME_BYTES
        self._left = pcm[whole:]
        return (pcm[start : start + FRAME_BYTES] for start in range(0, whole, FRAME_BYTES))
