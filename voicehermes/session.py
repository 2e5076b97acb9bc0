"""Runs the state machine: events in, commands carried out. Thinks nothing by itself.

``Session`` is where all flows meet: triggers go through the hold function, recordings become
transcripts, transcripts become runs, runs become sound. Everything that waits is a named task of
one group; every event goes through ``dialogue.step`` on the event loop, one at a time.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from voicehermes.attention import Attention
from voicehermes.audio import InputFault, Utterance
from voicehermes.dialogue import Dialogue, Rules, step
from voicehermes.dialogue import commands as do
from voicehermes.dialogue import events as on
from voicehermes.dialogue import state as at
from voicehermes.dialogue.attending import attention
from voicehermes.errands import Errands
from voicehermes.events import (
    ApprovalChoice,
    Decision,
    Trigger,
    TriggerKind,
    kind_of,
)
from voicehermes.hearing import ear_events, hold
from voicehermes.hearing.own_words import is_own
from voicehermes.keeping import Keeping
from voicehermes.lexicon import Lexicon
from voicehermes.organs import Ear, Mouth
from voicehermes.ports import Agent, Display, Recognizer
from voicehermes.speaking import voice
from voicehermes.telling import Telling
from voicehermes.timeline import Timeline
from voicehermes.transcribing import Transcriber
from voicehermes.typed_answers import TypedAnswers, answer_of, pending
from voicehermes.watching import Watching

log = logging.getLogger(__name__)


OWN_WORDS_SECONDS = 0.8
"""What begins so soon after us, in our words, is our echo: a room's and a wireless speaker's delay.
Later, it is somebody who takes up what we said."""


_FAULTS = {
    InputFault.ZEROS: "input-zeros",
    InputFault.TOO_QUIET: "input-too-quiet",
    InputFault.CLIPPED: "input-clipped",
}
"""What is said of it."""


class Session:
    """A conversation under way, from ``run`` until ``stop``."""

    def __init__(
        self,
        *,
        rules: Rules,
        hold_rules: hold.HoldRules,
        ear: Ear,
        recognizer: Recognizer,
        agent: Agent,
        mouth: Mouth,
        keeping: Keeping,
        display: Display,
        timeline: Timeline,
        words: Lexicon,
        approval_seconds: float,
        follow_up_seconds: float,
        input_name: str,
    ) -> None:
        """``approval_seconds`` as in ``[decisions]``, ``follow_up_seconds`` as in ``[talk]``, and
        ``input_name`` as in ``[audio] input``.
        """
        self._rules = rules
        self._hold_rules = hold_rules
        self._ear = ear
        self._mouth = mouth
        self._telling = Telling(mouth, display, timeline, words)
        self._keeping = keeping
        self._timeline = timeline
        self._follow_up_seconds = follow_up_seconds
        self._input_name = input_name
        self._watching = Watching(agent, self.handle, approval_seconds)
        self._errands = Errands(
            transcriber=Transcriber(recognizer, timeline, words.language, ear.note_words),
            agent=agent,
            watching=self._watching,
            keeping=keeping,
            timeline=timeline,
            report=self._take_from_errand,
        )

        self._dialogue = Dialogue()
        self._hold = hold.Hold()
        self._deadline: asyncio.TimerHandle | None = None
        self._recording_turns: dict[int, int] = {}
        self._recorded: dict[int, ear_events.Recorded] = {}
        """What was recorded in each turn, until it is uploaded."""
        self._speech_began: dict[int, float] = {}
        """When the first word of a turn that is not over was said."""
        self._attention = Attention.NOTHING
        self._typed = TypedAnswers()
        self._inbox: deque[on.Event] = deque()
        self._is_handling = False
        self._is_stepping_hold = False
        self._stopped = asyncio.Event()
        self._quiet = asyncio.Event()
        self.outcome = ""
        """How the turn that ended last ended."""

    # --- from outside ---------------------------------------------------------------------

    async def run(self, *, attach: bool) -> None:
        """Converse until ``stop``. ``attach``: follow a run that the server works on already."""
        async with asyncio.TaskGroup() as group:
            self._errands.begin(group)
            self._attend()
            self._telling.show_state(self._dialogue, self._attention)
            self._errands.watch()
            if attach:
                self._errands.attach()
            self._attend()
            await self._stopped.wait()
            if self._deadline:
                self._deadline.cancel()
            await self._errands.end()

    def stop(self) -> None:
        """End the conversation. A run goes on by itself on the server."""
        self.handle(on.ShutdownAsked())
        self._stopped.set()

    def ask(self, text: str) -> None:
        """Submit a typed message."""
        self.handle(on.Asked(text))

    def send_again(self, what: str | Utterance, key: str, said_at: float) -> None:
        """Send what an earlier process kept under ``key``, unless the agent has it already."""
        self._keeping.adopt(self._dialogue.turn + 1, key, said_at)
        self.handle(on.Asked(what) if isinstance(what, str) else on.Recovered(what))

    async def wait_until_quiet(self) -> None:
        """Wait until nothing goes on and everything has been spoken."""
        await self._quiet.wait()

    def trigger(self, trigger: Trigger) -> None:
        """A key or socket asks for something."""
        self._timeline.note("trigger", self._dialogue.turn, kind=trigger.kind.value)
        match trigger.kind:
            case TriggerKind.CANCEL:
                self.handle(on.CancelAsked())
            case TriggerKind.MUTE:
                self.handle(on.MuteAsked())
            case TriggerKind.UNMUTE:
                self.handle(on.UnmuteAsked())
            case TriggerKind.PRESS | TriggerKind.RELEASE | TriggerKind.TOGGLE:
                self._step_hold(trigger)
            case _:
                assert_never(trigger.kind)

    def take_from_ear(self, event: ear_events.EarEvent) -> None:
        """The capture's sink."""
        match event:
            case ear_events.Recorded(recording, utterance):
                turn = self._recording_turns.pop(recording, 0)
                self._recorded[turn] = event
                if event.speech_ended_at is not None:
                    self._timeline.note("speech_end", turn, at=event.speech_ended_at)
                self.handle(on.Heard(recording, utterance))
            case ear_events.SpeechBegan(recording, began_at):
                turn = self._recording_turns.get(recording, 0)
                self._speech_began[turn] = began_at
                self._timeline.note("speech_begin", turn, at=began_at)
            case ear_events.MicrophoneLost(error):
                self.handle(on.Trouble(error))
            case ear_events.MicrophoneBack():
                log.info("the microphone is there again")
            case ear_events.InputFaulty(fault):
                where = f'([audio] input = "{self._input_name}")'
                self._telling.carry_out(do.Say(_FAULTS[fault], where), self._dialogue.turn)
            case ear_events.PartRecorded(recording, part):
                if recording in self._recording_turns:
                    self._errands.take_part(self._recording_turns[recording], recording, part)
            case ear_events.WakeWordHeard(name):
                log.info("wake word: %s", name)
                self.handle(event)
            case (
                ear_events.SpeechHinted()
                | ear_events.HintGone()
                | ear_events.VoiceBegan()
                | ear_events.StillSilent()
            ):
                self.handle(event)
            case _:
                assert_never(event)

    def take_from_mouth(self, event: voice.VoiceEvent) -> None:
        """The voice's sink."""
        match event:
            case voice.SoundBegan(turn):
                self.handle(on.SoundBegan(turn))
            case voice.SpokenAll(turn):
                self._telling.note_heard(turn)
                self.handle(on.SpokenAll(turn))
            case voice.QuestionHeard(question):
                self.handle(on.QuestionHeard(question))
            case voice.QuestionUnheard(question, error):
                self.handle(on.QuestionUnheard(question, error))
            case voice.SpeechFailed(_, error, is_lost):
                self._telling.show_notice(error.phrase if is_lost else "other-voice", str(error))
            case voice.EngineChanged(name):
                log.info("speaking goes on with %s", name)
            case _:
                assert_never(event)

    # --- decisions, from the control socket -------------------------------------------------

    def decision(self) -> Mapping[str, object] | None:
        """The decision that the user is, or was, asked for; None when nothing is pending."""
        return pending(self._dialogue)

    async def answer(
        self, decision_id: str, choice: ApprovalChoice | None, text: str | None
    ) -> None:
        """Answer that decision, and no other; returns when the server took it.

        Raises what ``TypedAnswers.send`` does.
        """
        given = answer_of(self._dialogue, decision_id, choice, text)
        await self._typed.send(given, self.handle)

    def repeat(self) -> bool:
        """Read the question again; False when there is none."""
        if all(question.is_sent for question in self._dialogue.questions):
            return False
        self.handle(on.RepeatAsked())
        return True

    def _take_from_errand(self, event: on.Event) -> None:
        """The errands' sink: whoever waits for an answer to arrive is told first."""
        self._typed.take(event)
        if isinstance(event, on.Transcribed):
            event = replace(event, is_own=self._is_own(event))
        self.handle(event)

    def _is_own(self, heard: on.Transcribed) -> bool:
        """Whether these are words that the microphone took from our own speaker."""
        began_at = self._speech_began.get(heard.turn)
        if began_at is None:
            return False
        return is_own(heard.text, self._mouth.spoken_since(began_at - OWN_WORDS_SECONDS))

    def _note_answer(self, decision: Decision, answer: str) -> None:
        """Without the words of it."""
        kind = kind_of(decision)
        choice = answer if kind == "approval" else None
        self._timeline.note("answer", self._dialogue.turn, kind=kind, id=decision.id, choice=choice)

    # --- what goes on -----------------------------------------------------------------------

    def status(self) -> Mapping[str, object]:
        """What ``voicehermes ctl status`` tells."""
        dialogue = self._dialogue
        return {
            "state": type(dialogue.state).__name__.lower(),
            "turn": dialogue.turn,
            "muted": dialogue.muted,
            "attends_to": self._attention.value,
            "run": dialogue.run.id if dialogue.run else None,
            "waiting": len(dialogue.waiting),
            "decisions": len(dialogue.questions),
        }

    # --- the hold function ----------------------------------------------------------------

    def _step_hold(self, event: Trigger | hold.Tick | hold.Ended) -> None:
        self._hold, orders = hold.step(self._hold, event, self._hold_rules)
        self._is_stepping_hold = True
        for order in orders:
            match order:
                case hold.Start(recording):
                    self.handle(on.Pressed(recording))
                case hold.Stop(recording, is_tap, too_long):
                    turn = self._recording_turns.get(recording, 0)
                    self._timeline.note("release", turn, tap=is_tap, too_long=too_long)
                    self.handle(on.Released(recording, is_tap, too_long))
                case _:
                    assert_never(order)
        self._is_stepping_hold = False
        self._set_deadline()
        self._tell_hold()

    def _set_deadline(self) -> None:
        if self._deadline:
            self._deadline.cancel()
        self._deadline = None
        if self._hold.deadline is not None:
            self._deadline = asyncio.get_running_loop().call_at(self._hold.deadline, self._tick)

    def _tick(self) -> None:
        self._step_hold(hold.Tick(asyncio.get_running_loop().time()))

    def _tell_hold(self) -> None:
        """The recording may have ended, or never begun, for a reason that hold does not know."""
        recording, state = self._hold.recording, self._dialogue.state
        if recording is None or self._is_stepping_hold:
            return
        if not isinstance(state, at.Listening) or recording.id not in (state.recording, state.key):
            self._step_hold(hold.Ended(recording.id, asyncio.get_running_loop().time()))

    # --- the state machine ----------------------------------------------------------------

    def handle(self, event: on.Event) -> None:
        """Take the event in, and carry out what follows. An event born meanwhile comes after."""
        self._inbox.append(event)
        if self._is_handling:
            return
        self._is_handling = True
        try:
            while self._inbox:
                self._dialogue, commands = step(self._dialogue, self._inbox.popleft(), self._rules)
                for command in commands:
                    self._carry_out(command)
                self._attend()
                self._telling.show_state(self._dialogue, self._attention)
        finally:
            self._is_handling = False
        self._typed.drop_lost(self._dialogue)
        self._note_quiet()
        self._tell_hold()

    def _attend(self) -> None:
        wanted = attention(self._dialogue, self._rules)
        if wanted is not self._attention:
            self._attention = wanted
            self._ear.attend(wanted)

    def _note_quiet(self) -> None:
        state, run = self._dialogue.state, self._dialogue.run
        # Somebody else's decision may wait for hours: that is nothing of ours that goes on.
        is_over = isinstance(state, at.Waiting) and run is None
        if (is_over or isinstance(state, at.Idle | at.Stopped)) and self._telling.is_all_heard:
            self._quiet.set()
        else:
            self._quiet.clear()

    def _carry_out(self, command: do.Command) -> None:
        match command:
            case do.StartRecording(turn, recording, ends_by):
                log.info("turn %d begins", turn)
                self._recording_turns[recording] = turn
                self._ear.start(recording, ends_by=ends_by)
            case do.KeepOpen(recording):
                self._ear.keep_open(recording)
            case do.StopRecording(recording, end):
                self._ear.stop(recording, end)
            case do.DropRecording(recording):
                if recording in self._recording_turns:
                    self._errands.drop_parts(self._recording_turns.pop(recording))
                self._ear.drop(recording)
            case do.RaiseGuard():
                self._ear.raise_guard()
            case do.CloseLater(window):
                self._errands.close_later(window, self._follow_up_seconds)
            case do.BeginAnew():
                self._errands.begin_anew()
            case do.SetMuted(muted):
                (self._ear.mute if muted else self._ear.unmute)()
            case do.Transcribe(turn, utterance, is_kept):
                recorded = self._recorded.pop(turn, None)
                self._errands.transcribe(
                    turn,
                    utterance,
                    recorded.rest if recorded else None,
                    recorded.device_seconds if recorded else 0.0,
                    is_kept=is_kept,
                )
            case do.DropTranscription(turn):
                self._errands.drop_transcription(turn)
            case do.Keep(turn, text, parts):
                self._errands.keep(turn, text, parts)
            case do.Forget(turn):
                self._errands.forget(turn)
            case do.Submit(turn, text):
                self._errands.submit(turn, text)
            case do.Steer(turn, text):
                self._errands.steer(turn, text)
            case do.CancelRun(run_id):
                self._errands.cancel_run(run_id)
            case do.Follow(turn, run_id):
                self._mouth.name_run(turn, run_id)
                self._errands.follow(turn, run_id)
            case do.LeaveRun(turn):
                self._errands.leave(turn)
            case do.NoteReconnect(turn, attempts):
                self._timeline.note("reconnect", turn, attempts=attempts)
            case do.NoteDecision(turn, decision):
                self._timeline.note("decision", turn, kind=kind_of(decision), id=decision.id)
            case do.LookForDecisions():
                self._watching.look()
            case do.CheckDecision(id_, question):
                self._errands.check(id_, question)
            case do.AskAgainLater(id_, question):
                self._errands.ask_again_later(id_, question)
            case do.AnswerDecision(decision, answer):
                self._note_answer(decision, answer)
                self._errands.answer(decision, answer)
            case do.EndTurn(turn, outcome):
                self._recorded.pop(turn, None)
                self._errands.drop_parts(turn)
                self._speech_began.pop(turn, None)
                log.info("turn %d ends: %s", turn, outcome)
                self.outcome = outcome
                self._timeline.note("turn_end", turn, outcome=outcome)
            case _:
                self._telling.carry_out(command, self._dialogue.turn)
