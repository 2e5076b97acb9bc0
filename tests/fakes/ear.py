"""An ear whose recordings the test completes; asserts the order of what it is told."""

from collections.abc import Callable

from voicehermes.attention import Attention
from voicehermes.audio import EndsBy, Utterance, UtteranceEnd
from voicehermes.hearing.ear_events import (
    EarEvent,
    HintGone,
    PartRecorded,
    Recorded,
    SpeechHinted,
    VoiceBegan,
    WakeWordHeard,
)


class FakeEar:
    """At most one recording at a time, each started once."""

    def __init__(self) -> None:
        self.sink: Callable[[EarEvent], None]
        self.recording: int | None = None
        self.ending: int | None = None
        self.ends_by = EndsBy.STOP
        """What ends the recording under way."""
        self.kept_open: list[int] = []
        self.is_muted = False
        self.dropped: list[int] = []
        self.attention = Attention.NOTHING
        self.words: list[tuple[int, str]] = []
        """What was recognised of recordings so far."""
        self.is_guarded = False
        self._started: set[int] = set()

    def start(self, recording: int, *, ends_by: EndsBy = EndsBy.STOP) -> None:
        assert recording not in self._started, f"recording {recording} is started twice"
        assert not self.is_muted, "a recording is started while muted"
        self._started.add(recording)
        self.recording, self.ends_by = recording, ends_by

    def keep_open(self, recording: int) -> None:
        assert recording in self._started, f"recording {recording} was never started"
        if recording == self.recording:
            assert self.ends_by is not EndsBy.STOP, f"recording {recording} is open already"
            self.ends_by = EndsBy.STOP
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

    def attend(self, attention: Attention) -> None:
        assert attention is not self.attention, f"{attention} is told twice"
        assert attention is Attention.NOTHING or not self.is_muted, "it is muted and is to attend"
        self.attention = attention

    def note_words(self, recording: int, text: str) -> None:
        assert recording in self._started, f"recording {recording} was never started"
        self.words.append((recording, text))

    def raise_guard(self) -> None:
        self.is_guarded = True

    def mute(self) -> None:
        self.is_muted = True
        self.recording = self.ending = None

    def unmute(self) -> None:
        self.is_muted = False

    def notice(self, event: SpeechHinted | HintGone | VoiceBegan | WakeWordHeard) -> None:
        """Something is heard that the ear attends to."""
        wanted = Attention.WAKE_WORD if isinstance(event, WakeWordHeard) else Attention.SPEECH
        assert self.attention is wanted, f"it attends to {self.attention.value}"
        assert self.recording is None, "something is being recorded"
        self.sink(event)

    def pause(self, data: bytes) -> None:
        """The user pauses, and what was said so far is a part."""
        assert self.recording is not None, "nothing is being recorded"
        self.sink(PartRecorded(self.recording, Utterance(data, ".ogg", 3.0, UtteranceEnd.SILENCE)))

    def complete(self, data: bytes | None, rest: bytes | None = None) -> None:
        """The recording is there, with this sound or without speech; ``rest`` is behind its parts.

        It was stopped, or it ends by itself now.
        """
        if self.ending is None and self.recording is not None and self.ends_by is not EndsBy.STOP:
            self.recording, self.ending = None, self.recording
            self.end = UtteranceEnd.SILENCE if data is not None else UtteranceEnd.NOTHING_SAID
        assert self.ending is not None, "no recording is to be completed"
        recording, self.ending = self.ending, None
        utterance = None if data is None else Utterance(data, ".ogg", 1.0, self.end)
        after = None if rest is None else Utterance(rest, ".ogg", 1.0, self.end)
        self.sink(Recorded(recording, utterance, self.end, None, rest=after))
