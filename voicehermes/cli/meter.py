"""How loud the microphone is, how loud its room, and what the detector takes it for, live."""

import math
import shutil
import sys
from typing import TYPE_CHECKING

from voicehermes.adapters.sound.detectors import Gate
from voicehermes.audio import FRAME_SECONDS, SILENCE_DBFS, level_dbfs
from voicehermes.cli import screen
from voicehermes.hearing.quality import OnlyZeros

if TYPE_CHECKING:
    from voicehermes.lexicon import Lexicon
    from voicehermes.ports import Microphone, VoiceDetector

_DRAWN_SECONDS = 0.1
_PRINTED_SECONDS = 1.0
"""From one line to the next, on a terminal and elsewhere."""

_ERASE = "\x1b[K"
"""What is left of the line that stood there."""

_SILENCE, _SOUND, _SPEECH = range(3)
_PHRASES = ("meter-silence", "meter-sound", "meter-speech")


class Meter:
    """Takes frames and makes a line of those since the last one."""

    def __init__(self, detector: "VoiceDetector", words: "Lexicon") -> None:
        self._detector = detector
        self._gate = Gate()
        self._words = words
        self._loudest_dbfs = SILENCE_DBFS
        self._verdict = _SILENCE

    def take(self, frame: bytes) -> None:
        """Take the next frame."""
        self._loudest_dbfs = max(self._loudest_dbfs, level_dbfs(frame))
        verdict = _SOUND if self._gate.is_open(frame) else _SILENCE
        if self._detector.is_speech(frame):
            verdict = _SPEECH
        self._verdict = max(self._verdict, verdict)

    def line(self) -> str:
        """The loudest level and the surest verdict: "█████┊██░░░  -32 dBFS  room -55 dBFS  speech".

        The room's level is marked in the bar.
        """
        loudest_dbfs, floor_dbfs = round(self._loudest_dbfs), round(self._gate.room.floor_dbfs)
        bar = screen.meter(loudest_dbfs)
        mark = min(screen.meter(floor_dbfs).count("█"), len(bar) - 1)
        room = self._words.say("meter-room", dbfs=floor_dbfs)
        verdict = self._words.say(_PHRASES[self._verdict])
        self._loudest_dbfs, self._verdict = SILENCE_DBFS, _SILENCE
        return f"{bar[:mark]}┊{bar[mark + 1 :]}  {loudest_dbfs:3} dBFS  {room}  {verdict}"


async def show(
    microphone: "Microphone", detector: "VoiceDetector", words: "Lexicon", seconds: float | None
) -> None:
    """Print lines for so many seconds of sound, None for ever. Raises AudioError.

    On a terminal each line stands in place of the one before.
    """
    is_terminal = sys.stdout.isatty()
    line_frames = round((_DRAWN_SECONDS if is_terminal else _PRINTED_SECONDS) / FRAME_SECONDS)
    lines = math.inf if seconds is None else max(1, seconds / FRAME_SECONDS // line_frames)
    meter, zeros, count = Meter(detector, words), OnlyZeros(), 0
    try:
        async with microphone.open() as frames:
            async for frame in frames:
                meter.take(frame)
                count += 1
                if zeros.feed(frame):
                    _print(words.say("input-zeros"), is_terminal=is_terminal, stays=True)
                if count % line_frames == 0:
                    _print(meter.line(), is_terminal=is_terminal, stays=not is_terminal)
                if count == lines * line_frames:
                    return
    finally:
        if is_terminal:
            print()


def _print(line: str, *, is_terminal: bool, stays: bool) -> None:
    if is_terminal:
        line = f"\r{line if stays else line[: shutil.get_terminal_size().columns - 1]}{_ERASE}"
    print(line, end="\n" if stays else "", flush=True)
