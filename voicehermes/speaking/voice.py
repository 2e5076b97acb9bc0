"""Replies, questions, sentences of ours and cues, from text to what was heard.

``Voice`` joins what the rest of this folder does: text becomes clauses, clauses become paced
requests, their sound is joined and played in order. It knows no server, file or device.
"""

import asyncio
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from itertools import count
from typing import NoReturn, assert_never

from voicehermes.audio import Sound
from voicehermes.errors import RateLimitedError, VoiceError
from voicehermes.lexicon import Lexicon
from voicehermes.ports import Synthesizer
from voicehermes.speaking.clips import Clip, Clips, ReplyClip, SayingClip
from voicehermes.speaking.engines import Engines
from voicehermes.speaking.failures import Failures
from voicehermes.speaking.joining import (
    CLAUSE_PAUSE_SECONDS,
    SENTENCE_PAUSE_SECONDS,
    with_pause,
)
from voicehermes.speaking.manner import Manner
from voicehermes.speaking.pacing import Request
from voicehermes.speaking.parts import Part
from voicehermes.speaking.phrases import Memory, Phrases
from voicehermes.speaking.playback import (
    ClipBegan,
    ClipEnded,
    ClipLost,
    Playback,
    PlaybackEvent,
    SpeakerFailed,
)
from voicehermes.speaking.questions import Questions
from voicehermes.speaking.replies import Replies, Told
from voicehermes.speaking.reply import Reply
from voicehermes.speaking.sayings import Sayings
from voicehermes.speaking.script import Script
from voicehermes.speaking.spoken import Spoken
from voicehermes.speaking.voice_events import (
    EngineChanged,
    QuestionHeard,
    QuestionUnheard,
    SoundBegan,
    SpeechFailed,
    SpokenAll,
    VoiceEvent,
)
from voicehermes.timeline import Timeline

__all__ = [
    "EngineChanged",
    "QuestionHeard",
    "QuestionUnheard",
    "SoundBegan",
    "SpeechFailed",
    "SpokenAll",
    "Voice",
    "VoiceEvent",
]


class Voice:
    """Speaks, while ``run`` runs. All other methods are for the event loop and return at once.

    Replies are spoken in the order in which they began. Of each, every clause is spoken once, in
    order, or told as SpeechFailed.

    Sentences of ours and questions cut in at the end of a sentence, in the order in which they were
    asked for. From a question's first sound on, all but it stands still until ``resume``.
    """

    def __init__(
        self,
        synthesizers: Sequence[Synthesizer],
        playback: Playback,
        lexicon: Lexicon,
        *,
        sink: Callable[[VoiceEvent], None],
        timeline: Timeline,
        cues: Mapping[str, Sound] | None = None,
        phrases: Memory | None = None,
        heard: MutableMapping[str, int] | None = None,
        prepared: Sequence[str] = (),
    ) -> None:
        """``synthesizers`` in order of preference; ``cues`` by name, none = cues are off.

        ``phrases`` are sentences of ours that were synthesised before; ``prepared`` will be among
        them as soon as there is time. ``heard`` is kept up to date with how many sentences of each
        run were heard.
        """
        self._engines = Engines(synthesizers)
        self._playback = playback
        self._manner = Manner(self._engines, playback)
        self._lexicon = lexicon
        self._sink = sink
        self._timeline = timeline
        self._cues = cues or {}
        self._prepared = prepared
        self._heard = {} if heard is None else heard

        self._replies = Replies()
        self._turns: dict[int, set[asyncio.Task[None]]] = {}
        """Those that have not been heard to their end, with what is under way for them."""
        tags = count(1)
        self._spoken = Spoken(lambda: playback.heard_until)
        self._clips = Clips(tags, timeline, self._heard, self._spoken, sink)
        self._changed = asyncio.Event()
        self._failures = Failures(sink, synthesizers[0].name if synthesizers else "")
        self._phrases = Phrases(self._engines, phrases, self._changed)
        self._sayings = Sayings(self._phrases, self._failures, self._changed)
        self._questions = Questions(
            playback,
            self._phrases,
            self._failures,
            tags=tags,
            spoken=self._spoken,
            sink=sink,
            changed=self._changed,
        )
        self._is_going_on = False
        """Whether the gate opens as soon as what was said before has its sound."""

    async def run(self) -> NoReturn:
        """Speak until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._playback.run(self._take), name="playback")
            preparing = self._phrases.prepare(self._prepared, self._is_idle)
            tasks.create_task(preparing, name="prepare phrases")
            while True:
                self._changed.clear()
                self._play_what_arrived()
                question_at = self._play_question()
                self._tell_who_is_done()
                request_at = self._request_what_is_due(tasks)
                times = [at for at in (question_at, request_at) if at is not None]
                wake_at = min(times, default=None)
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(wake_at):
                        await self._changed.wait()

    # --- from outside ---------------------------------------------------------------------

    def begin(self, turn: int, run_id: str | None = None) -> None:
        """A reply is going to be spoken. The speaker is opened.

        With ``run_id``, the sentences of that run that were heard before are left out.
        """
        if not any(reply.turn == turn for reply in self._replies):
            heard = self._heard.get(run_id, 0) if run_id else 0
            self._replies.begin(self._reply(turn, Script(turn, run_id, heard=heard)))
            self._turns.setdefault(turn, set())
            self._playback.warm()

    def name_run(self, turn: int, run_id: str) -> None:
        """The run that the turn's reply comes from is known now."""
        self._replies.name_run(turn, run_id)

    def add(self, turn: int, delta: str) -> None:
        """A further piece of the reply's text. Nothing when it never began.

        When it was hushed, the piece is not spoken, but kept for ``speak_again``.
        """
        self._note_sentences(self._replies.add(turn, delta, self._now()))
        self._changed.set()

    def end(self, turn: int) -> None:
        """The reply's text is complete; SpokenAll follows once it has been heard."""
        self._note_sentences(self._replies.end(turn, self._now()))
        self._changed.set()

    def speak_again(self, turn: int, *, from_start: bool) -> bool:
        """Speak the last reply again, as one of ``turn``, or only what was not heard of it.

        What is spoken now falls silent; a reply that says nothing yet comes after it. False when
        there is nothing to say; nothing is begun then. What is still added to the last reply, or
        ends it, in the turn that it was begun in, is spoken too.
        """
        self._silence(lambda reply: reply.script.says_anything)
        script = self._replies.last
        if script is None:
            return False
        if from_start:
            script.heard = 0
        reply = self._reply(turn, script)
        sentences = reply.add(script.text, self._now())
        if script.is_complete:
            sentences += reply.end(self._now())
            if reply.is_over:
                return False
        self._replies.begin_again(reply)
        self._turns.setdefault(turn, set())
        self._playback.warm()
        self._note_sentences([(turn, sentences)])
        self._changed.set()
        return True

    def say(self, turn: int, text: str) -> None:
        """Speak a sentence of ours: at the next sentence end of what is spoken, or at once.

        It stands in for the same sentence if that still waits: nobody wants to hear ten times
        that the microphone is off. While a question is up or keeps all standing still, it comes
        right after ``resume``, before the reply goes on, or before the next question.
        """
        self._turns.setdefault(turn, set())
        self._take_back(text)
        if any(map(str.isalnum, text)):
            is_shut = self._playback.is_shut and not self._is_going_on
            is_kept = self._questions.is_reading or is_shut
            self._sayings.add(turn, text, is_kept=is_kept)
        self._changed.set()

    def ask(
        self,
        question: int,
        parts: Sequence[Part],
        *,
        within_seconds: float,
        after_waiting_seconds: float = 0.0,
    ) -> None:
        """Read a question, then let all sound stand still until ``resume``.

        QuestionHeard or QuestionUnheard follows. The reply stops at the next end of a sentence
        once the question's first sound is there, and after ``within_seconds`` at the latest; what
        is cut off goes on after ``resume``. What there is of the reply by now is heard first if it
        lasts no longer than ``after_waiting_seconds``. A question that is being read is replaced,
        and a pause ends, but for the reply.
        """
        self._is_going_on = False
        self._sayings.let_out()
        self._playback.unduck()
        self._playback.hold()
        begin_by = self._now() + within_seconds
        after = None
        is_short = 0.0 < self._seconds_waiting() <= after_waiting_seconds
        if is_short and not self._playback.is_shut:
            after = self._arrival_of_all()
            begin_by += after_waiting_seconds
        self._questions.ask(question, parts, begin_by=begin_by, after=after)
        self._playback.warm()
        self._changed.set()

    def drop_question(self) -> None:
        """The question falls silent at once, for good: no event of it follows.

        If it had begun, all sound still stands still until ``resume``; else the reply goes on.
        """
        self._questions.drop()

    def cue(self, name: str) -> None:
        """Play a short sound at once, over everything, even while paused."""
        if self._cues:
            self._playback.cue(self._cues[name])

    def pause(self) -> None:
        """Silence at once; what sounds stands still. Cues are heard."""
        self._playback.pause()

    def resume(self) -> None:
        """Go on where the sound was paused, or else stands still after a question.

        A question that was paused is read on, and the rest then stands still as before.
        """
        self._playback.resume()
        if not self._questions.is_reading:
            self._sayings.let_out()
            self._is_going_on = True
            self._go_on()
            self._changed.set()

    def hush(self, turn: int) -> None:
        """Drop all sound and text of the turn, for good: no event of it follows.

        Only ``speak_again`` brings back what its reply said.
        """
        self._silence(_of_turn(turn))
        self._turns.pop(turn, None)
        self._sayings.drop(lambda saying: saying.turn == turn)
        self._playback.drop(self._clips.pop(lambda clip: clip.turn == turn))
        self._playback.unduck()
        self._changed.set()

    def change_volume(self, steps: int) -> None:
        """Be louder by so many steps, or softer, as far as that can be heard and borne."""
        self._manner.change_volume(steps)

    def change_rate(self, steps: int) -> None:
        """Speak faster by so many steps, or slower, from the next request on."""
        self._manner.change_rate(steps)

    def duck(self) -> None:
        """Be much softer at once: somebody may be talking over it.

        ``unduck``, ``pause``, ``hush`` and ``ask`` end that.
        """
        self._playback.duck()

    def unduck(self) -> None:
        """Be as loud as before again."""
        self._playback.unduck()

    @property
    def heard_until(self) -> float | None:
        """Loop time at which our newest sound is or was heard; None: there was none yet."""
        return self._playback.heard_until

    def spoken_since(self, at: float) -> Sequence[str]:
        """The texts of which some was heard at that loop time or later, oldest first.

        They go back a minute.
        """
        return self._spoken.since(at)

    def _reply(self, turn: int, script: Script) -> Reply:
        return Reply(turn, self._engines.best(self._now()), self._lexicon, script)

    def _silence(self, is_unwanted: Callable[[Reply], bool]) -> None:
        """Let some replies fall silent, and note how far they were heard."""
        for reply in self._replies.take_out(is_unwanted):
            for task in self._turns[reply.turn]:
                task.cancel()

        def is_of_one(clip: Clip) -> bool:
            return isinstance(clip, ReplyClip) and is_unwanted(clip.reply)

        self._clips.leave(is_of_one, self._playback.heard_seconds)
        self._playback.drop(self._clips.pop(is_of_one))

    def _take_back(self, text: str) -> None:
        """Forget a sentence of ours that nobody has begun to hear."""
        self._sayings.drop(lambda saying: saying.text == text)
        self._playback.drop(self._clips.pop(lambda clip: _waits_to_say(clip, text)))

    def _is_idle(self) -> bool:
        return not (self._replies or self._turns or self._questions.is_reading)

    # --- one round ------------------------------------------------------------------------

    def _play_what_arrived(self) -> None:
        """Give the speaker all clips that are next in their order."""
        if not (self._questions.is_reading or self._playback.is_shut):
            self._sayings.let_out()
        while ready := self._sayings.pop_ready():
            saying, sound = ready
            tag = self._clips.add(SayingClip(saying.turn, saying.text))
            self._playback.interject(tag, with_pause(sound, SENTENCE_PAUSE_SECONDS))
        self._go_on()
        for reply in self._replies:
            for request, sound in reply.clips():
                clip = ReplyClip(reply, request, sound.seconds)
                pause = SENTENCE_PAUSE_SECONDS if clip.ends_sentence else CLAUSE_PAUSE_SECONDS
                tag = self._clips.add(clip)
                sound = with_pause(sound, pause)
                self._playback.enqueue(tag, sound, ends_sentence=clip.ends_sentence)
            if not reply.is_over:
                break

    def _go_on(self) -> None:
        """Open the gate, if that is wanted and nothing that was said before is still to come."""
        if self._is_going_on and not self._sayings.are_waited_for:
            self._is_going_on = False
            self._playback.release()

    def _play_question(self) -> float | None:
        """Let the question begin or go on; the time at which to look again, None: when told."""
        if self._sayings.are_waited_for:
            return None
        return self._questions.play(self._now())

    def _tell_who_is_done(self) -> None:
        """SpokenAll for each turn of which nothing is left."""
        unheard = self._clips.turns | self._sayings.turns
        unheard.update(reply.turn for reply in self._replies if not reply.is_over)
        for turn in [turn for turn in self._turns if turn not in unheard]:
            if self._turns.pop(turn, None) is not None:  # else hushed by who was told before
                self._replies.take_out(_of_turn(turn))
                self._sink(SpokenAll(turn))

    def _request_what_is_due(self, tasks: asyncio.TaskGroup) -> float | None:
        """Start what can start now; the time at which to look again, None: when told."""
        self._sayings.start(tasks)
        self._questions.start(tasks)
        if self._phrases.is_waiting or self._questions.lacks_sound:
            return None
        for reply in self._replies:
            due = reply.next(self._now(), self._playback.queued_seconds)
            while isinstance(due, Request):
                self._start(tasks, reply, due)
                due = reply.next(self._now(), self._playback.queued_seconds)
            if not reply.is_sent:
                return due
        return None

    def _seconds_waiting(self) -> float:
        """How long what there is of the replies, as text or sound, will sound."""
        to_come = sum(reply.seconds_to_come for reply in self._replies)
        return self._playback.queued_seconds + to_come

    def _arrival_of_all(self) -> Callable[[], bool]:
        """Tells whether the sound of all that there is now of the replies was queued."""
        places = [(reply, reply.end_place) for reply in self._replies]

        def has_arrived() -> bool:
            spoken = set(self._replies)
            return all(reply.is_at(place) for reply, place in places if reply in spoken)

        return has_arrived

    # --- what takes time ------------------------------------------------------------------

    def _start(self, tasks: asyncio.TaskGroup, reply: Reply, request: Request) -> None:
        name = f"speech of turn {reply.turn}"
        task = tasks.create_task(self._fulfil(reply, request), name=name)
        under_way = self._turns[reply.turn]
        under_way.add(task)
        task.add_done_callback(under_way.discard)

    async def _fulfil(self, reply: Reply, request: Request) -> None:
        """Get the sound of a request of a reply."""
        self._timeline.note("tts_request", reply.turn, characters=len(request.text))
        self._playback.warm()
        try:
            sound, engine = await self._engines.speak(
                request.text, reply.engine, self._failures.teller(reply.turn)
            )
        except RateLimitedError:
            reply.refused(request, self._now())
        except VoiceError as error:
            reply.failed(request)
            self._failures.tell_lost(reply.turn, error)
        else:
            self._timeline.note(
                "tts_audio", reply.turn, bytes=sound.encoded_bytes, seconds=round(sound.seconds, 3)
            )
            reply.answered(request, sound, engine, self._now())
            self._failures.spoken_by(engine)
        self._changed.set()

    # --- what is told ---------------------------------------------------------------------

    def _take(self, event: PlaybackEvent) -> None:
        """The playback's sink."""
        match event:
            case ClipBegan(tag, at):
                self._clips.began(tag, at)
                self._questions.clip_began(tag)
            case ClipEnded(tag, at):
                self._clips.ended(tag, at)
                self._questions.clip_ended(tag)
                self._changed.set()
            case ClipLost(_, error):
                self._questions.lose(error)
            case SpeakerFailed(error):
                self._sink(SpeechFailed(0, error, is_lost=True))
                self._questions.lose(error)
            case _:
                assert_never(event)

    def _note_sentences(self, told: Told) -> None:
        for turn, sentences in told:
            for sentence in sentences:
                self._timeline.note(
                    "sentence", turn, index=sentence.index, characters=sentence.characters
                )

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


def _of_turn(turn: int) -> Callable[[Reply], bool]:
    return lambda reply: reply.turn == turn


def _waits_to_say(clip: Clip, text: str) -> bool:
    return isinstance(clip, SayingClip) and clip.text == text and not clip.has_begun
