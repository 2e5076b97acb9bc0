"""How loud what is played is: a factor that moves without a click. Pure."""

from voicehermes.audio import PLAY_RATE_HZ, samples_in, to_pcm, to_samples

DUCKED = 10 ** (-15 / 20)
"""While somebody may be talking over it: soft enough to be talked over, and still followed."""

DUCK_SECONDS = 0.02
"""To fall so far: as soon as can be, without a click."""

UNDUCK_SECONDS = 0.15
"""To come back: slower, so that it does not jump."""

VOLUME_SECONDS = 0.05
"""To another volume."""


class Loudness:
    """The volume that the user chose, 0 = silent and 1 = as synthesised, and less while ducked.

    Neither changes at once but over a ramp, which goes on with the samples that are played.
    """

    def __init__(self, volume: float) -> None:
        self.volume = volume
        self.is_ducked = False
        self._factor = self._aim = volume
        self._step = 0.0
        """What is added to the factor with each sample, until the aim is reached."""

    def duck(self) -> None:
        """Fall to DUCKED of the volume. Twice is once."""
        self.is_ducked = True
        self._move(DUCK_SECONDS)

    def unduck(self) -> None:
        """Rise to the volume."""
        self.is_ducked = False
        self._move(UNDUCK_SECONDS)

    def set_volume(self, volume: float) -> None:
        """Another volume."""
        self.volume = volume
        self._move(VOLUME_SECONDS)

    def scaled(self, pcm: bytes, samples: int) -> bytes:
        """The PCM as loud as it is to be; what would be too loud is clipped.

        So many samples are played: there is silence behind the PCM.
        """
        if self._factor == self._aim == 1.0 or (not pcm and not self._step):
            return pcm
        scaled = to_samples(pcm)
        for i, sample in enumerate(scaled):
            if self._step:
                self._advance(1)
            scaled[i] = max(-32768, min(32767, int(sample * self._factor)))
        self._advance(samples - len(scaled))
        return to_pcm(scaled)

    def _move(self, seconds: float) -> None:
        aim = self.volume * (DUCKED if self.is_ducked else 1.0)
        if aim != self._aim:
            self._aim = aim
            self._step = (aim - self._factor) / samples_in(seconds, PLAY_RATE_HZ)

    def _advance(self, samples: int) -> None:
        if not self._step:
            return
        self._factor += self._step * samples
        is_past = self._factor >= self._aim if self._step > 0 else self._factor <= self._aim
        if is_past:
            self._factor, self._step = self._aim, 0.0
