"""Clips of turns at the speaker: what is being played, and what waits for it there."""

from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass

from voicehermes.speaking.pacing import Request
from voicehermes.speaking.reply import Reply
from voicehermes.speaking.spoken import Spoken
from voicehermes.speaking.voice_events import SoundBegan
from voicehermes.timeline import Timeline


@dataclass(slots=True)
class ReplyClip:
    """The sound of a request of a reply."""

    reply: Reply
    request: Request

    @property
    def turn(self) -> int:
        return self.reply.turn

    @property
    def text(self) -> str:
        return self.request.text

    @property
    def ends_sentence(self) -> bool:
        return self.request.clauses[-1].ends_sentence


@dataclass(slots=True)
class SayingClip:
    """A sentence of ours."""

    turn: int
    text: str
    has_begun: bool = False


Clip = ReplyClip | SayingClip


class Clips:
    """Those that have not been heard to their end, by tag. A question's are not among them."""

    def __init__(
        self,
        tags: Iterator[int],
        timeline: Timeline,
        heard: MutableMapping[str, int],
        spoken: Spoken,
        sink: Callable[[SoundBegan], None],
    ) -> None:
        """``heard`` is kept up to date with how many sentences of each run were heard."""
        self._tags = tags
        self._timeline = timeline
        self._heard = heard
        self._spoken = spoken
        self._sink = sink
        self._clips: dict[int, Clip] = {}

    @property
    def turns(self) -> set[int]:
        """Those of which something is still to be heard."""
        return {clip.turn for clip in self._clips.values()}

    def add(self, clip: Clip) -> int:
        """A new one; returns its tag."""
        tag = next(self._tags)
        self._clips[tag] = clip
        return tag

    def pop(self, is_unwanted: Callable[[Clip], bool]) -> set[int]:
        """Forget some; returns their tags."""
        tags = {tag for tag, clip in self._clips.items() if is_unwanted(clip)}
        for tag in tags:
            del self._clips[tag]
            self._spoken.ended(tag)
        return tags

    def began(self, tag: int, at: float) -> None:
        """The first sample is heard."""
        clip = self._clips.get(tag)
        if clip is not None:
            self._spoken.began(tag, clip.text)
        match clip:
            case SayingClip():
                clip.has_begun = True
            case ReplyClip(reply, request):
                self._timeline.note("sound_begin", reply.turn, at=at, clip=request.start)
                if not reply.has_sounded:
                    reply.has_sounded = True
                    self._sink(SoundBegan(reply.turn))

    def ended(self, tag: int, at: float) -> None:
        """The last sample was heard."""
        self._spoken.ended(tag)
        match self._clips.pop(tag, None):
            case ReplyClip(reply, request):
                self._timeline.note("sound_end", reply.turn, at=at, clip=request.start)
                last = request.clauses[-1]
                script = reply.script
                script.heard = last.sentence + last.ends_sentence
                if script.run_id:
                    self._heard[script.run_id] = script.heard
