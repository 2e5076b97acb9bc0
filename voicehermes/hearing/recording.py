"""One utterance in the making: trimming, parting and encoding while the user speaks."""

from collections.abc import Callable

from voicehermes.audio import FRAME_SECONDS, EndsBy, InputFault, Utterance, UtteranceEnd
from voicehermes.hearing.encoding import Encoding
from voicehermes.hearing.endpoint import Endpoint
from voicehermes.hearing.onset import Onset
from voicehermes.hearing.parts import Parts
from voicehermes.hearing.quality import Quality
from voicehermes.hearing.trimming import Trimmer
from voicehermes.ports import UtteranceEncoder


class Recording:
    """Takes frames as they come; at the end only the last ones are left to be encoded.

    It makes the whole of them, and beside it parts, for a recogniser that works meanwhile.
    """

    def __init__(
        self,
        id_: int,
        new_encoder: Callable[[], UtteranceEncoder],
        endpoint: Endpoint | None,
        *,
        ends_by: EndsBy,
        is_called: bool,
        not_before: float,
        part_seconds: float | None,
    ) -> None:
        """``part_seconds``: least speech in a part; None = it is not parted."""
        self.id = id_
        self.not_before = not_before
        """A frame that comes after the start and began before this does not belong to it."""
        self.ends_by = ends_by
        self.is_called = is_called
        """Whether a wake word began it."""
        self.endpoint = endpoint
        """What ends it when nobody stops it; None = nothing does."""
        self.frames = 0
        """How many it has taken."""
        self.over_cue = Onset()
        """What there is to believe that somebody speaks over a cue of ours."""
        self.speech_began_at: float | None = None
        """When the first frame with speech began; None = no speech yet."""
        self.speech_ended_at: float | None = None
        """When the last frame with speech ended."""
        self.stopped_at: float | None = None
        """When it was stopped: it lasts until the sound of that instant is there."""
        self.end: UtteranceEnd | None = None
        """Why it was stopped."""
        self.rest: Utterance | None = None
        """Once it is finished: what no part has; None = nothing, or there are no parts."""
        self.fault: InputFault | None = None
        """Once it is finished: why nothing can be made of it."""
        self._quality = Quality()
        self._trimmer = Trimmer()
        self._whole = Encoding(new_encoder())
        self._parts = None if part_seconds is None else Parts(part_seconds, new_encoder)

    def feed(self, frame: bytes, ended_at: float, *, is_speech: bool) -> UtteranceEnd | None:
        """Take the next frame, whose sound ended at that time; returns why it is over, or None."""
        self.frames += 1
        if is_speech:
            if self.speech_began_at is None:
                self.speech_began_at = ended_at - FRAME_SECONDS
            self.speech_ended_at = ended_at
        self._quality.feed(frame, is_speech=is_speech)
        kept = self._trimmer.feed(frame, is_speech)
        self._whole.add(kept)
        if self._parts:
            self._parts.feed(kept, is_speech)
        return self.endpoint.feed(is_speech) if self.endpoint else None

    def take_parts(self) -> list[Utterance]:
        """The parts that are complete since the last call."""
        return self._parts.take() if self._parts else []

    def note_words(self, sounds_finished: bool | None) -> None:
        """One more part is understood; whether all words so far sound finished, None = no idea."""
        if self._parts is None:
            return
        self._parts.note_words()
        if self.endpoint and self._parts.are_known:
            self.endpoint.note_words(sounds_finished)

    def finish(self, end: UtteranceEnd, min_speech_seconds: float) -> Utterance | None:
        """The utterance, or None when there was no more speech than that. Called once, last.

        What is at fault is no utterance either: ``fault`` says so.
        """
        self.fault = self._quality.fault
        if self.fault is not None:
            return None
        speech_seconds = self._trimmer.speech_seconds
        if not speech_seconds or speech_seconds < min_speech_seconds:
            return None
        if end is UtteranceEnd.NOTHING_SAID:  # each click was too short, all of them are not
            return None
        if self._parts:
            self.rest = self._parts.finish(end, min_speech_seconds)
        return self._whole.finish(end)
