"""An ear whose recordings the test completes; asserts the order of what it is told."""

from collections.abc import Callable

from voicehermes.audio import Utterance, UtteranceEnd
from voicehermes.hearing.capture import CaptureEvent, Recorded


class FakeEar:
    """At most one recording at a time, each started once."""

    def __init__(self) -> None:
        self.sink: Callable[[CaptureEvent], None]
        self.recording: int | None = None
        self.ending: int | None = None
        self.not_before: float | None = None
        self.is_muted = False
        self.dropped: list[int] = []
        self._started: set[int] = set()

    def start(self, recording: int, *, not_before: float | None = None) -> None:
        assert recording not in self._started, f"recording {recording} is started twice"
        assert not self.is_muted, "a recording is started while muted"
        self._started.add(recording)
        self.recording, self.not_before = recording, not_before

    def stop(self, recording: int, end: UtteranceEnd) -> None:
        assert recording in self._started, f"recording {recording} was never started"
        if recording == self.recording:
            self.recording, self.ending = None, recording
            self.end = end

    def drop(self, recording: int) -> None:
        assert recording in self._started, f"recording {recording} was never started"
        if recording in (self.recording, self.ending):
            self.dropped.append(recording)
            self.recording = self.ending = None

    def mute(self) -> None:
        self.is_muted = True
        self.recording = self.ending = None

    def unmute(self) -> None:
        self.is_muted = False

    def complete(self, data: bytes | None) -> None:
        """The stopped recording is there: with this sound, or without speech."""
        assert self.ending is not None, "no recording is to be completed"
        recording, self.ending = self.ending, None
        utterance = None if data is None else Utterance(data, ".ogg", 1.0, self.end)
        self.sink(Recorded(recording, utterance, self.end, None))
