"""The ends of clips, so that they join without clicks or holes. Pure.

A synthesiser's file begins and ends with quiet: the encoder's delay and padding, and its own idea
of a pause. ``trimmed`` takes that away, ``with_pause`` puts a short natural pause behind.
"""

from dataclasses import replace

from voicehermes.audio import PLAY_RATE_HZ, SAMPLE_BYTES, Sound, samples_in, to_pcm, to_samples

SENTENCE_PAUSE_SECONDS = 0.15
"""After a sentence; a reader takes 0.1 to 0.3 s."""

CLAUSE_PAUSE_SECONDS = 0.06
"""Where a sentence was cut at a comma."""

EDGE_SECONDS = 0.01
"""Quiet that is left before the first sound and after the last: the fades lie in it."""

FADE_SECONDS = 0.005
"""Ramp at an end or a stop: shorter clicks, longer is heard as a swell."""

_BLOCK = samples_in(0.005, PLAY_RATE_HZ)

_SPEECH_BELOW_PEAK = 10 ** (-30 / 20)
"""Vowels lie within 30 dB of a clip's peak: what is louder is speech for certain."""

_SOUND_BELOW_PEAK = 10 ** (-50 / 20)
"""Soft consonants (a final s, an f) lie 30 to 45 dB below the peak, quiet lower still."""

_SOUND_FLOOR = 8
"""Never under this amplitude (-72 dBFS): an MP3 decoder's own noise."""

_CLOSURE_BLOCKS = 24
"""120 ms: a consonant may stand off by so much, as the t in "est" does by its closure."""

_PEAK_STRIDE = 4
"""The peak of a speech clip shows in every fourth sample just as well, four times as fast."""


def trimmed(sound: Sound) -> Sound:
    """The sound without the quiet at its ends but for EDGE_SECONDS, and with tiny fades.

    A sound that is all quiet becomes EDGE_SECONDS long at most.
    """
    samples = to_samples(sound.pcm)
    peak = max(map(abs, samples[::_PEAK_STRIDE]), default=0)
    sounding = max(_SOUND_FLOOR, round(peak * _SOUND_BELOW_PEAK))
    speaking = max(_SOUND_FLOOR, round(peak * _SPEECH_BELOW_PEAK))
    edge = samples_in(EDGE_SECONDS, PLAY_RATE_HZ)
    blocks = -(-len(samples) // _BLOCK)

    def is_louder(block: int, amplitude: int) -> bool:
        piece = samples[block * _BLOCK : (block + 1) * _BLOCK]
        return max(piece) > amplitude or min(piece) < -amplitude

    def outermost(order: range) -> int | None:
        """The outermost block of sound, seen from the end where ``order`` begins."""
        inner = next((block for block in order if is_louder(block, speaking)), None)
        if inner is None:
            return None
        found, step = inner, order.step
        for block in range(inner - step, order.start - step, -step):
            if abs(block - found) > _CLOSURE_BLOCKS:
                break
            if is_louder(block, sounding):
                found = block
        return found

    first = outermost(range(blocks))
    last = outermost(range(blocks - 1, -1, -1))
    if first is None or last is None:
        return replace(sound, pcm=bytes(min(edge, len(samples)) * SAMPLE_BYTES))
    begin = max(0, first * _BLOCK - edge)
    end = min(len(samples), (last + 1) * _BLOCK + edge)
    pcm = to_pcm(samples[begin:end])
    return replace(sound, pcm=faded(pcm, rising=True, falling=True))


def after_silence(sound: Sound, seconds: float) -> Sound:
    """The sound with silence before it."""
    silence = bytes(samples_in(seconds, PLAY_RATE_HZ) * SAMPLE_BYTES)
    return replace(sound, pcm=silence + sound.pcm)


def with_pause(sound: Sound, seconds: float) -> Sound:
    """The sound with so much silence behind it."""
    return replace(sound, pcm=sound.pcm + bytes(samples_in(seconds, PLAY_RATE_HZ) * SAMPLE_BYTES))


def faded(pcm: bytes, *, rising: bool = False, falling: bool = False) -> bytes:
    """The PCM with a ramp of FADE_SECONDS at its beginning (rising) and its end (falling).

    What is shorter than a ramp gets one of its own length.
    """
    samples = to_samples(pcm)
    ramp = min(samples_in(FADE_SECONDS, PLAY_RATE_HZ), len(samples))
    for i in range(ramp):
        if rising:
            samples[i] = samples[i] * i // ramp
        if falling:
            samples[-1 - i] = samples[-1 - i] * i // ramp
    return to_pcm(samples)
