"""Clips of turns at the speaker: what is being played, and what waits for it there."""

from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass
from itertools import accumulate

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
    seconds: float
    """Without the pause behind it."""

    @property
    def turn(self) -> int:
        return self.reply.turn

    @property
    def text(self) -> str:
        return self.request.text

    @property
    def ends_sentence(self) -> bool:
        return self.request.clauses[-1].ends_sentence

    def sentences_within(self, seconds: float) -> int:
        """So many sentences of the reply have ended when so much of the clip was heard.

        A synthesiser speaks evenly: the time goes by the characters.
        """
        clauses = self.request.clauses
        places = list(accumulate(len(clause.text) + 1 for clause in clauses))
        heard = places[-1] * seconds / self.seconds if self.seconds else 0.0
        ended = [
            clause.sentence + 1
            for clause, end in zip(clauses, places, strict=True)
            if clause.ends_sentence and end <= heard
        ]
        return ended[-1] if ended else clauses[0].sentence


@dataclass(slots=True)
class SayingClip:
    """A sentence of ours."""

    turn: int
    text: str
    has_begun: bool = False


Clip = ReplyClip | SayingClip

_UNSURE_SECONDS = 1.0
"""Where in a clip a sentence ends is guessed: one that ended later is better heard twice."""


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

    def leave(
        self, is_unwanted: Callable[[Clip], bool], heard_seconds: Callable[[int], float]
    ) -> None:
        """Replies are not spoken on: note the sentences that were heard by now.

        ``heard_seconds`` tells how much of a clip was heard.
        """
        for tag, clip in self._clips.items():
            if isinstance(clip, ReplyClip) and is_unwanted(clip):
                seconds = heard_seconds(tag)
                if seconds:
                    heard = clip.sentences_within(seconds - _UNSURE_SECONDS)
                    clip.reply.script.heard = max(clip.reply.script.heard, heard)

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
