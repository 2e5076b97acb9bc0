"""Plays one reply of the scenario as a run: a thread that writes its journal, whoever follows."""

import json
import re
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Any, assert_never

from voicehermes.simulator.decisions import Decision, ask_approval, ask_clarification
from voicehermes.simulator.journal import CANCELLED, Event
from voicehermes.simulator.scenario import (
    Approval,
    Clarify,
    Compress,
    Emit,
    Error,
    Interim,
    Pause,
    Reason,
    Say,
    Step,
    Tool,
)
from voicehermes.simulator.sessions import MODEL, Session
from voicehermes.simulator.world import Run, World

Json = dict[str, Any]

METERING_SECONDS = 0.1
"""Between two ``metering`` events while text flows."""

_BLOCKED = "BLOCKED: {} The user has NOT consented to this action. Do not retry or rephrase it."
_NO_ANSWER = "The user did not provide a response within the time limit. Use your best judgement."


class _OverError(Exception):
    """The run was cancelled, has failed, or the server closes: nothing more is played."""


def pieces(text: str, size: int) -> list[str]:
    """Text as a model streams it: "Ciao, mondo" with size 4 is "Ciao", ",", " mon", "do"."""
    return [
        word[start : start + size]
        for word in re.findall(r"\s*\S+|\s+$", text)
        for start in range(0, len(word), size)
    ]


class Player:
    """The worker of one run. ``play`` is called once, in a thread of its own."""

    def __init__(self, world: World, run: Run) -> None:
        self._world = world
        self._run = run
        self._pace = run.turn.pace or world.scenario.pace
        self._began = time.monotonic()
        self._first_text_ms: int | None = None
        self._metered = 0.0
        self._after_tool = False
        self._answer = ""

    def play(self) -> None:
        """Everything from ``context_status`` to the end."""
        prefill = {"status": "not_configured", "source": "none", "label": "", "message_count": 0}
        try:
            self._emit("context_status", session_id=self._session.id, prefill=prefill)
            self._wait(self._pace.first_token_seconds)
            self._steps(self._run.turn.steps)
            self._finish()
        except _OverError:
            self._unwind()

    @property
    def _session(self) -> Session:
        return self._run.session

    def _steps(self, steps: Sequence[Step]) -> None:
        for step in steps:
            match step:
                case Say():
                    self._say(self._filled(step.say))
                case Reason():
                    self._emit("reasoning", text=self._filled(step.reason))
                case Interim():
                    self._run.spoken += self._filled(step.interim)
                    self._close_segment(already_streamed=False)
                case Tool():
                    self._use_tool(step)
                case Pause():
                    self._wait(step.pause)
                case Emit():
                    self._emit(step.emit, **step.data)
                case Compress():
                    self._compress(step)
                case Error():
                    self._fail(step)
                case Approval():
                    self._ask_approval(step)
                case Clarify():
                    self._ask_clarification(step)
                case _:
                    assert_never(step)

    def _say(self, text: str) -> None:
        if self._after_tool:
            text = f"\n\n{text}"
            self._after_tool = False
        began, written = time.monotonic(), 0
        for piece in pieces(text, self._pace.delta_characters):
            written += len(piece)
            if self._pace.characters_per_second:
                due = began + written / self._pace.characters_per_second
                self._wait(max(0.0, due - time.monotonic()))
            if self._first_text_ms is None:
                self._first_text_ms = round(1000 * (time.monotonic() - self._began))
            self._run.spoken += piece
            self._emit("token", text=piece)
            if time.monotonic() - self._metered >= METERING_SECONDS:
                self._meter()

    def _use_tool(self, step: Tool) -> None:
        call = self._start_tool(step.tool, dict(step.args))
        self._wait(step.seconds)
        self._end_tool(call, step.preview)

    def _ask_approval(self, step: Approval) -> None:
        command = self._filled(step.approval)
        call = self._start_tool("terminal", {"command": command})
        key = step.description
        choice: str | None = "session"
        if key not in self._session.granted | self._world.always_granted:
            decision = ask_approval(command, key, step.allow_permanent)
            self._put(decision, {**decision.payload, "pending_count": 1})
            choice = self._wait_answer(decision, self._world.scenario.decisions.approval_seconds)
        match choice:
            case None:
                wording = "Command timed out without user response."
                self._end_tool(call, _BLOCKED.format(wording))
                self._steps(step.expired)
            case "deny":
                self._end_tool(call, _BLOCKED.format("Command denied by user."))
                self._steps(step.denied)
            case _:
                self._grant(key, choice)
                note = f"Command required approval ({key}) and was approved by the user."
                output = {"output": step.output, "exit_code": 0, "error": None, "approval": note}
                self._end_tool(call, json.dumps(output))
                self._steps(step.granted)

    def _grant(self, key: str, choice: str) -> None:
        with self._world.changed:
            if choice == "session":
                self._session.granted.add(key)
            elif choice == "always":
                self._world.always_granted.add(key)

    def _ask_clarification(self, step: Clarify) -> None:
        seconds = self._world.scenario.decisions.clarify_seconds
        question = self._filled(step.clarify)
        call = self._start_tool(
            "clarify", {"question": question, "choices": str(list(step.choices))}
        )
        decision = ask_clarification(question, step.choices, self._session.id, seconds)
        self._put(decision, decision.payload)
        answer = self._wait_answer(decision, seconds)
        told: Json = {"question": question, "choices_offered": list(step.choices)}
        self._end_tool(
            call, json.dumps(told | {"user_response": answer or _NO_ANSWER}, ensure_ascii=False)
        )
        if answer is None:
            self._steps(step.expired)
        else:
            self._answer = answer
            self._steps(step.answered)

    def _put(self, decision: Decision, data: Json) -> None:
        self._meter()
        with self._world.changed:
            self._emit(decision.kind, **data)
            self._world.desk.put(self._session.id, decision)

    def _wait_answer(self, decision: Decision, seconds: float) -> str | None:
        """The answer, or None when it expired. Only a clarification's expiry is announced."""
        until = None if decision.kind == "clarify" and not seconds else seconds
        self._wait(until, lambda: decision.answer is not None)
        with self._world.changed:
            if decision.answer is None:
                self._world.desk.take(decision.kind, self._session.id, decision.kind == "clarify")
                self._world.changed.notify_all()
            return decision.answer

    def _start_tool(self, name: str, args: Json) -> Json:
        if self._run.spoken.strip():
            self._close_segment(already_streamed=True)
        call: Json = {"name": name, "args": args, "tid": f"call_{secrets.token_hex(6)}"}
        function = {"name": name, "arguments": json.dumps(args)}
        with self._world.changed:
            self._check()
            self._session.messages[-1].setdefault("tool_calls", []).append(
                {"id": call["tid"], "type": "function", "function": function}
            )
        self._emit("tool", event_type="tool.started", preview=None, **call)
        return call

    def _end_tool(self, call: Json, preview: str) -> None:
        with self._world.changed:
            self._check()
            tool = {"name": call["name"], "tool_name": call["name"], "tool_call_id": call["tid"]}
            self._session.add("tool", preview, **tool)
        more = {"preview": preview, "is_error": False}
        self._emit("tool_complete", event_type="tool.completed", **call, **more)
        self._meter()
        self._after_tool = True

    def _close_segment(self, already_streamed: bool) -> None:
        """The text so far becomes a message of its own, and is told once more."""
        text, self._run.spoken = self._run.spoken.strip(), ""
        with self._world.changed:
            self._check()
            self._session.add("assistant", text, reasoning=None, finish_reason="tool_calls")
        self._emit("interim_assistant", text=text, already_streamed=already_streamed)

    def _compress(self, step: Compress) -> None:
        """The conversation moves on to a new session; the old one is left as it is."""
        old = self._session
        self._emit("compressing", session_id=old.id, message=step.compress)
        with self._world.changed:
            self._check()
            moved = self._run.session = old.moved()
            self._world.sessions[moved.id] = moved
        ids = {"old_session_id": old.id, "new_session_id": moved.id}
        more = {"continuation_session_id": moved.id, "message": step.compress, "usage": {}}
        self._emit("compressed", session_id=moved.id, **ids, **more)

    def _fail(self, step: Error) -> None:
        message = self._filled(step.error)
        with self._world.changed:
            self._check()
            session = self._session
            data: Json = {"type": step.kind, "message": message, "session_id": session.id}
            if step.hint:
                data["hint"] = self._filled(step.hint)
            session.free()
            if step.kind == "interrupted":
                last = len(self._run.journal.events)
                run_id = self._run.journal.run_id
                data |= {"recovery_control": True, "stream_id": run_id, "journal_last_seq": last}
            else:
                self._record_failure(message, step.kind)
                whole = session.whole()
                data |= {"details": message, "session": whole, "old_session_id": session.id}
            self._emit("apperror", **data)
        raise _OverError

    def _record_failure(self, message: str, kind: str) -> None:
        session = self._session
        if kind != "no_response":
            asked = next(m for m in reversed(session.messages) if m["role"] == "user")
            asked["content"] = f"[Workspace::v1: {session.workspace}]\n{asked['content']}"
        if text := self._run.spoken.strip():
            session.add("assistant", text, _partial=True)
        session.add("assistant", f"**Error:** {message}", _error=True, provider_details=message)

    def _finish(self) -> None:
        seconds = round(time.monotonic() - self._began, 3)
        with self._world.changed:
            self._check()
            text = self._run.spoken.strip() or "(empty)"
            timing = {"_turnDuration": seconds, "_firstTokenMs": self._first_text_ms}
            self._session.add(
                "assistant", text, reasoning=None, finish_reason="stop", _usedModel=MODEL, **timing
            )
            self._session.free()
            self._world.desk.announce("approval", self._session.id)
            usage = _usage() | {"duration_seconds": seconds, "tps": 0.0, "used_model": MODEL}
            if self._first_text_ms is not None:
                usage["ttft_ms"] = self._first_text_ms
            self._emit("done", session=self._session.whole(), usage=usage)
        self._meter(with_usage=False)
        if self._run.is_first:
            self._make_title()
        self._emit("stream_end", session_id=self._session.id)

    def _make_title(self) -> None:
        self._wait(self._world.scenario.server.title_seconds)
        title = " ".join(self._run.message.split()[:5])
        with self._world.changed:
            self._session.title = title
        ids = {"session_id": self._session.id, "title": title}
        self._emit("title_status", status="llm", reason="llm", **ids)
        self._emit("title", **ids)

    def _unwind(self) -> None:
        """After a cancel: the journal gets its own event and the session is free again."""
        if self._run.journal.cancelled is None:
            return
        self._world.pause(self._world.scenario.server.unwind_seconds)
        with self._world.changed:
            self._run.journal.events.append(Event("cancel", CANCELLED))
            self._session.free()
            self._world.changed.notify_all()

    def _emit(self, name: str, /, **data: object) -> None:
        with self._world.changed:
            self._check()
            self._run.journal.events.append(Event(name, data))
            self._world.changed.notify_all()

    def _meter(self, with_usage: bool = True) -> None:
        self._metered = time.monotonic()
        data: Json = {"tps": None, "tps_available": False, "estimated": False}
        data |= {"high": None, "low": None, "active": 1}
        if self._first_text_ms is not None:
            data["ttft_ms"] = self._first_text_ms
        data["session_id"] = self._session.id
        if with_usage:
            data["usage"] = _usage()
        self._emit("metering", **data)

    def _wait(self, seconds: float | None, until: Callable[[], bool] = lambda: False) -> None:
        journal = self._run.journal
        self._world.pause(seconds, lambda: until() or journal.cancelled is not None)
        self._check()

    def _check(self) -> None:
        if self._run.journal.cancelled is not None or self._world.is_closing:
            raise _OverError

    def _filled(self, text: str) -> str:
        return text.replace("{message}", self._run.message).replace("{answer}", self._answer)


def _usage() -> Json:
    return {
        "input_tokens": 0,
        "output_tokens": 0,
        "estimated_cost": 0,
        "cache_read_tokens": 0,
        "cache_write_tokens": 0,
        "cache_hit_percent": None,
        "context_length": 131072,
        "threshold_tokens": 98304,
        "last_prompt_tokens": 0,
        "post_compression_context_tokens_estimate": None,
    }
