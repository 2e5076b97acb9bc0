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
        self.ends_by_itself = False
        """Whether the recording under way does."""
        self.kept_open: list[int] = []
        self.is_muted = False
        self.dropped: list[int] = []
        self._started: set[int] = set()

    def start(
        self, recording: int, *, not_before: float | None = None, ends_by_itself: bool = False
    ) -> None:
        assert recording not in self._started, f"recording {recording} is started twice"
        assert not self.is_muted, "a recording is started while muted"
        self._started.add(recording)
        self.recording, self.not_before = recording, not_before
        self.ends_by_itself = ends_by_itself

    def keep_open(self, recording: int) -> None:
        assert recording in self._started, f"recording {recording} was never started"
        if recording == self.recording:
            assert self.ends_by_itself, f"recording {recording} is open already"
            self.ends_by_itself = False
            self.kept_open.append(recording)

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
        """The recording is there, with this sound or without speech.

        It was stopped, or it ends by itself now.
        """
        if self.ending is None and self.recording is not None and self.ends_by_itself:
            self.recording, self.ending = None, self.recording
            self.end = UtteranceEnd.SILENCE if data is not None else UtteranceEnd.NOTHING_SAID
        assert self.ending is not None, "no recording is to be completed"
        recording, self.ending = self.ending, None
        utterance = None if data is None else Utterance(data, ".ogg", 1.0, self.end)
        self.sink(Recorded(recording, utterance, self.end, None))
