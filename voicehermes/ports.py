"""The outside as the flows see it: what a microphone, speaker, server or key must do for us.

Adapters implement these; tests have a fake of each that asserts the protocol. Every method that
waits does so on the event loop and may be cancelled; every one raises errors of our tree only.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from voicehermes.audio import Sound, Utterance
from voicehermes.events import ApprovalChoice, Decision, DecisionKind, RunEvent, Trigger


class Microphone(Protocol):
    """Where the user's voice comes in."""

    def open(self) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Start recording; the iterator gives frames (FRAME_BYTES each) in order, without end.

        A file as microphone gives silence after its end. Raises DeviceError (of a file:
        FormatError) when it cannot be opened, and from the iterator when the device goes away.
        """
        ...

    def hurry(self, *, is_wanted: bool) -> None:
        """Whether each frame is wanted as soon as it is there; so it is from the beginning.

        Else some come together, the oldest a quarter of a second late, which costs less. May be
        said at any time, whether open or not.
        """
        ...


class SoundSource(Protocol):
    """What a speaker plays. ``read`` is called on the device's own thread."""

    def read(self, samples: int) -> bytes:
        """Exactly so many samples of s16le mono at PLAY_RATE_HZ; silence where there is none."""
        ...


class Speaker(Protocol):
    """Where sound goes out."""

    def open(self, source: SoundSource) -> AbstractAsyncContextManager[None]:
        """Pull from ``source`` at the device's pace until closed.

        Raises DeviceError when the device cannot be opened.
        """
        ...

    @property
    def delay_seconds(self) -> float:
        """From a sample being read to its being heard; an estimate, 0.0 while closed."""
        ...


class VoiceDetector(Protocol):
    """Tells speech from anything else, frame by frame. Keeps the state that it needs."""

    def is_speech(self, frame: bytes) -> bool:
        """Whether the newest frame (FRAME_BYTES) has speech in it."""
        ...

    @property
    def is_sure(self) -> bool | None:
        """Whether the newest frame, with speech in it, sounds as nothing but speech does.

        None: it cannot tell, of any frame.
        """
        ...

    def reset(self) -> None:
        """Forget what came before: another utterance begins."""
        ...


class WakeWords(Protocol):
    """Tells when one of several wake words was said. Keeps the state that it needs."""

    def heard(self, frame: bytes) -> str | None:
        """The wake word whose end is in the newest frame (FRAME_BYTES), or None."""
        ...

    def reset(self) -> None:
        """Forget what came before."""
        ...


class EchoCanceller(Protocol):
    """Takes our own sound out of what the microphone hears."""

    def cancel(self, frame: bytes, ended_at: float) -> bytes:
        """The frame (FRAME_BYTES, s16le mono at RATE_HZ) without the echo, as long.

        ``ended_at`` is the loop time at which its sound ended.
        """
        ...

    @property
    def is_learning(self) -> bool:
        """Whether some of our sound may still be left in what it gives: the way is new to it."""
        ...

    def played(self, pcm: bytes, at: float) -> None:
        """Our own sound, s16le mono at PLAY_RATE_HZ, that begins to be heard at that loop time.

        Called on the device's thread, with silence too; returns at once.
        """
        ...


class UtteranceEncoder(Protocol):
    """Encodes an utterance while it is spoken."""

    suffix: str
    """File name suffix with the dot."""

    def write(self, pcm: bytes) -> None:
        """Encode a further piece of s16le mono at RATE_HZ."""
        ...

    def finish(self) -> bytes:
        """Encode what is left and return the whole file. Called once, last."""
        ...


class Recognizer(Protocol):
    """Makes text of an utterance."""

    async def transcribe(self, utterance: Utterance) -> str:
        """The transcript, stripped; "" when nothing was understood. Raises ServerError."""
        ...


class Synthesizer(Protocol):
    """Makes sound of text."""

    name: str
    """As in ``[speak] engine`` and ``fallback``; shown to the user."""

    window_seconds: float
    """Least time between the starts of two requests; 0.0 for a local synthesiser."""

    max_characters: int
    """Longest text of one request."""

    rate_percent: int
    """Speed of the voice over its own, -50 to 100; may be set between requests."""

    async def synthesize(self, text: str) -> Sound:
        """The sound of ``text``, with the silence at both ends trimmed.

        Raises RateLimitedError when the request came too early and may be repeated,
        UnreachableError when the server cannot be reached, and VoiceError when this
        synthesiser will not speak this text.
        """
        ...


class Agent(Protocol):
    """The agent behind its server, seen from one conversation."""

    async def submit(self, text: str, *, said_at: float | None = None) -> str:
        """Send a message; returns the id of the run that works on it.

        When the answer to the request is lost, the message is looked for in the session before
        it is sent again, so it is never doubled. With ``said_at`` (Unix time) it may have been
        sent since then, and is looked for first. Raises BusyError when the session works on
        another run, and ServerError.
        """
        ...

    def follow(self, run_id: str) -> AbstractAsyncContextManager[AsyncIterator[RunEvent]]:
        """The run's events from its beginning to its end, each once.

        The last one is a RunEnd, always. Lost connections are mended inside; when they cannot
        be, UnreachableError is raised from the iterator.
        """
        ...

    async def cancel(self, run_id: str) -> bool:
        """Stop a run; False when it was over already. Raises ServerError."""
        ...

    async def steer(self, text: str) -> bool:
        """Hand the running run a hint; False when it does not take one now. Raises ServerError."""
        ...

    async def begin_anew(self) -> None:
        """Go on in a new conversation: the next message is its first. Raises ServerError."""
        ...

    async def live_run(self) -> str | None:
        """The id of the run that the conversation works on now, or None. Raises ServerError."""
        ...

    def watch_decisions(
        self, kind: DecisionKind
    ) -> AbstractAsyncContextManager[AsyncIterator[Decision | None]]:
        """What the conversation waits for of this kind: now, and at each change that is told.

        The same may be told twice, and that an approval expired may not be told at all. Ends
        when the conversation goes on in another session; raises ServerError, on entering and
        from the iterator, when the stream cannot be had any more. Lost connections are not mended.
        """
        ...

    async def pending_decision(self, kind: DecisionKind) -> Decision | None:
        """What the conversation waits for of this kind now. Raises ServerError."""
        ...

    async def answer_approval(self, approval_id: str, choice: ApprovalChoice) -> None:
        """Answer the one approval of that id.

        Raises GoneError when it is not waited for any more: nothing was approved then. Raises
        ServerError; after an UnreachableError the answer may have arrived.
        """
        ...

    async def answer_clarification(self, clarification_id: str, text: str) -> None:
        """Answer the one question of that id. Raises as ``answer_approval`` does."""
        ...


class TriggerSource(Protocol):
    """A key, button or socket that starts, stops and cancels."""

    def open(self, sink: Callable[[Trigger], None]) -> AbstractAsyncContextManager[None]:
        """Listen until closed. ``sink`` is called on the event loop.

        Raises TriggerError, with the remedy, when it cannot work here.
        """
        ...


class Display(Protocol):
    """Where a person sees what goes on: a terminal, or plain log lines."""

    def show_state(self, name: str) -> None:
        """The state changed; ``name`` is a phrase of the lexicon such as "state-listening"."""
        ...

    def show_level(self, dbfs: float) -> None:
        """Level of the newest microphone frame, while listening."""
        ...

    def show_transcript(self, text: str) -> None:
        """What the user said."""
        ...

    def show_reply(self, delta: str) -> None:
        """A further piece of the reply, as the agent wrote it."""
        ...

    def show_reply_end(self) -> None:
        """The reply is at its end."""
        ...

    def show_detail(self, text: str) -> None:
        """What the agent is doing meanwhile: a tool, a provider's retry."""
        ...

    def show_decision(self, text: str) -> None:
        """What the agent wants decided, nothing in it hidden."""
        ...

    def show_notice(self, text: str) -> None:
        """A sentence of ours to the user: a refusal, a fault and its remedy."""
        ...


class Outbox(Protocol):
    """Keeps what was said until the agent has it. Every method blocks on the disk.

    Each raises StoreError.
    """

    def new_key(self) -> str:
        """A key for something that is being said now."""
        ...

    def keep_utterance(self, key: str, utterance: Utterance) -> None:
        """Keep the audio."""
        ...

    def keep_words(self, key: str, text: str) -> None:
        """Keep the words, in place of the audio. On disk when this returns."""
        ...

    def forget(self, key: str) -> None:
        """It has arrived, or the user took it back."""
        ...

    def leave(self, key: str) -> None:
        """Give up for now: ``voicehermes retry`` may have it."""
        ...
