"""What a session does that takes time: transcribing, submitting, following, keeping.

Each errand is a named task of the session's group, and reports what came of it as an event of
the dialogue. Errors of our tree are such events too.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from voicehermes.audio import Utterance
from voicehermes.deciding.resting import seconds_to_wait
from voicehermes.dialogue import events as on
from voicehermes.errors import VoicehermesError
from voicehermes.events import Decision, TextDelta
from voicehermes.keeping import Keeping
from voicehermes.ports import Agent
from voicehermes.timeline import Timeline
from voicehermes.transcribing import Transcriber
from voicehermes.watching import Watching

log = logging.getLogger(__name__)

LAST_WAIT_SECONDS = 2.0
"""How long the end waits for a message that is just being sent."""

CHECK_SECONDS = 8.0
"""So long it may take to find out whether a decision is still wanted; the reply waits for it."""

_WORTH_WAITING_FOR = frozenset({"submit", "steer", "cancel", "keep", "forget", "answer"})


class Errands:
    """Runs errands in ``group``. What concerns the agent's run goes one after another."""

    def __init__(
        self,
        *,
        transcriber: Transcriber,
        agent: Agent,
        watching: Watching,
        keeping: Keeping,
        timeline: Timeline,
        report: Callable[[on.Event], None],
    ) -> None:
        self._transcriber = transcriber
        self._agent = agent
        self._watching = watching
        self._keeping = keeping
        self._timeline = timeline
        self._report = report
        self._agent_lane = asyncio.Lock()
        self._group: asyncio.TaskGroup | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, group: asyncio.TaskGroup) -> None:
        """From now on errands can be run."""
        self._group = group

    async def end(self) -> None:
        """What is being sent or written arrives if that is quick; the rest is let go."""
        for task in self._tasks:
            if task.get_name().split()[0] not in _WORTH_WAITING_FOR:
                task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=LAST_WAIT_SECONDS)
        for task in self._tasks:
            task.cancel()

    def attach(self) -> None:
        """Look for a run that the conversation works on; Attached follows if there is one."""
        self._spawn("attach", 0, self._attach())

    def watch(self) -> None:
        """Report the decisions that the conversation waits for."""
        self._spawn("watch", 0, self._watching.run())

    def take_part(self, turn: int, recording: int, part: Utterance) -> None:
        """Have a part of what is being said transcribed meanwhile."""
        self._spawn("part", turn, self._transcriber.take_part(turn, recording, part))

    def transcribe(
        self,
        turn: int,
        utterance: Utterance,
        rest: Utterance | None,
        device_seconds: float,
        *,
        is_kept: bool,
    ) -> None:
        """Have the utterance transcribed; Transcribed or NotTranscribed follows.

        ``rest`` is what was not in its parts. With ``is_kept`` it is on disk until its words are,
        and these before they are told.
        """
        work = self._transcribe if is_kept else self._transcribe_answer
        self._spawn("transcribe", turn, work(turn, utterance, rest, device_seconds))

    def drop_transcription(self, turn: int) -> None:
        """Nothing follows any more."""
        self._drop("transcribe", turn)
        self.drop_parts(turn)

    def drop_parts(self, turn: int) -> None:
        """What was recognised of it so far is not wanted any more."""
        self._drop("part", turn)
        self._transcriber.forget(turn)

    def keep(self, turn: int, text: str, parts: tuple[int, ...]) -> None:
        """Keep the words in place of those of the parts."""
        self._spawn("keep", turn, self._keeping.keep_words(turn, text, parts))

    def forget(self, turn: int) -> None:
        """Do not keep what was said in this turn."""
        self._spawn("forget", turn, self._keeping.forget(turn))

    def submit(self, turn: int, text: str) -> None:
        """Submit the message; Submitted or NotSubmitted follows."""
        self._spawn("submit", turn, self._submit(turn, text))

    def steer(self, turn: int, text: str) -> None:
        """Offer the run a hint; Steered follows."""
        self._spawn("steer", turn, self._steer(turn, text))

    def cancel_run(self, run_id: str) -> None:
        """Stop a run on the server."""
        self._spawn("cancel", 0, self._cancel_run(run_id))

    def follow(self, turn: int, run_id: str) -> None:
        """Report the run's events to its end, or RunLost."""
        self._spawn("follow", turn, self._follow(turn, run_id))

    def leave(self, turn: int) -> None:
        """Nothing follows of that run any more."""
        self._drop("follow", turn)

    def answer(self, decision: Decision, answer: str) -> None:
        """Send the answer; DecisionAnswered or DecisionNotAnswered follows."""
        self._spawn("answer", 0, self._answer(decision, answer))

    def check(self, decision_id: str, question: int) -> None:
        """DecisionConfirmed or DecisionGone follows, or CheckFailed when that takes too long."""
        self._watching.confirm(decision_id)
        self._spawn("check", question, self._give_up_check(decision_id, question))

    def ask_again_later(self, decision_id: str, question: int) -> None:
        """TimeToAsk follows, in good time before the decision expires."""
        seconds = seconds_to_wait(self._watching.time_left(decision_id))
        self._spawn("wait", question, self._wait(seconds, on.TimeToAsk(question)))

    def close_later(self, window: int, seconds: float) -> None:
        """TimeToClose follows after so many seconds."""
        self._spawn("wait", -window, self._wait(seconds, on.TimeToClose(window)))

    def begin_anew(self) -> None:
        """Go on in a new conversation; BegunAnew follows, or Trouble."""
        self._spawn("begin", 0, self._begin_anew())

    def _spawn(self, name: str, turn: int, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        if self._group is None:
            raise RuntimeError("nobody runs errands yet, or any more")
        task = self._group.create_task(work, name=f"{name} {turn}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _drop(self, name: str, turn: int) -> None:
        for task in self._tasks:
            if task.get_name() == f"{name} {turn}" and task is not asyncio.current_task():
                task.cancel()

    async def _attach(self) -> None:
        try:
            run_id = await self._agent.live_run()
        except VoicehermesError as error:
            self._report(on.Trouble(error))
        else:
            if run_id is not None:
                self._report(on.Attached(run_id))

    async def _transcribe(
        self, turn: int, utterance: Utterance, rest: Utterance | None, device_seconds: float
    ) -> None:
        kept = self._spawn("keep", turn, self._keeping.keep_utterance(turn, utterance))
        try:
            text = await self._recognize(turn, utterance, rest, device_seconds)
        except VoicehermesError as error:
            await asyncio.wait({kept})
            await self._keeping.leave(turn)
            self._report(on.NotTranscribed(turn, error))
            return
        await asyncio.wait({kept})
        if text:
            await self._keeping.keep_words(turn, text)
        else:
            await self._keeping.forget(turn)
        self._report(on.Transcribed(turn, text))

    async def _transcribe_answer(
        self, turn: int, utterance: Utterance, rest: Utterance | None, device_seconds: float
    ) -> None:
        try:
            text = await self._recognize(turn, utterance, rest, device_seconds, is_answer=True)
        except VoicehermesError as error:
            self._report(on.NotTranscribed(turn, error))
        else:
            self._report(on.Transcribed(turn, text))

    async def _recognize(
        self,
        turn: int,
        utterance: Utterance,
        rest: Utterance | None,
        device_seconds: float,
        *,
        is_answer: bool = False,
    ) -> str:
        self._timeline.note(
            "upload_begin",
            turn,
            bytes=len(utterance.data),
            seconds=round(utterance.seconds, 3),
            device_seconds=round(device_seconds, 4),
        )
        try:
            text = await self._transcriber.transcribe(turn, utterance, rest, is_answer=is_answer)
        except VoicehermesError as error:
            log.info("turn %d could not be transcribed: %s", turn, error)
            raise
        self._timeline.note("transcript", turn, characters=len(text))
        return text

    async def _submit(self, turn: int, text: str) -> None:
        async with self._agent_lane:
            await self._keeping.keep_words(turn, text)
            self._timeline.note("submit", turn, characters=len(text))
            try:
                run_id = await self._agent.submit(text, said_at=self._keeping.said_at(turn))
            except VoicehermesError as error:
                log.info("turn %d could not be submitted: %s", turn, error)
                await self._keeping.leave(turn)
                self._report(on.NotSubmitted(turn, error))
                return
            self._timeline.note("run_begin", turn, run=run_id)
            self._report(on.Submitted(turn, run_id))
            await self._keeping.forget(turn)

    async def _steer(self, turn: int, text: str) -> None:
        try:
            accepted = await self._agent.steer(text)
        except VoicehermesError as error:
            log.info("turn %d could not steer: %s", turn, error)
            accepted = False
        self._report(on.Steered(turn, accepted))

    async def _cancel_run(self, run_id: str) -> None:
        async with self._agent_lane:
            try:
                await self._agent.cancel(run_id)
            except VoicehermesError as error:
                self._report(on.Trouble(error))

    async def _begin_anew(self) -> None:
        async with self._agent_lane:
            try:
                await self._agent.begin_anew()
            except VoicehermesError as error:
                self._report(on.Trouble(error))
            else:
                self._report(on.BegunAnew())

    async def _follow(self, turn: int, run_id: str) -> None:
        has_text = False
        try:
            async with self._agent.follow(run_id) as events:
                async for event in events:
                    if isinstance(event, TextDelta) and not has_text:
                        has_text = True
                        self._timeline.note("first_delta", turn)
                    self._report(on.RunHappened(turn, event))
        except VoicehermesError as error:
            self._report(on.RunLost(turn, error))

    async def _answer(self, decision: Decision, answer: str) -> None:
        try:
            await self._watching.answer(decision, answer)
        except VoicehermesError as error:
            log.info("a decision could not be answered: %s", error)
            self._report(on.DecisionNotAnswered(decision.id, error))
        else:
            self._report(on.DecisionAnswered(decision.id, answer))

    async def _give_up_check(self, decision_id: str, question: int) -> None:
        await asyncio.sleep(CHECK_SECONDS)
        self._report(on.CheckFailed(question, self._watching.fault(decision_id)))

    async def _wait(self, seconds: float, event: on.Event) -> None:
        await asyncio.sleep(seconds)
        self._report(event)
