"""Decisions answered by hand: what is shown of them, and who waits for the server's word."""

import asyncio
from collections.abc import Callable, Mapping
from typing import assert_never, get_args

from voicehermes.dialogue import Dialogue
from voicehermes.dialogue import events as on
from voicehermes.dialogue.asking import question_of
from voicehermes.errors import GoneError, RefusedError
from voicehermes.events import (
    Approval,
    ApprovalChoice,
    Clarification,
    Decision,
    TypedChoice,
    kind_of,
)


def pending(dialogue: Dialogue) -> Mapping[str, object] | None:
    """The oldest decision that is pending, such that JSON can hold it; None when there is none.

    One of which an answer is on its way is pending too, and comes after those that want one.
    """
    questions = sorted(dialogue.questions, key=lambda question: question.is_sent)
    if not questions:
        return None
    oldest, waits = questions[0], len(questions) - 1
    return {**_shown(oldest.decision), "waits": waits, "is_answered": oldest.is_sent}


def answer_of(
    dialogue: Dialogue, decision_id: str, choice: ApprovalChoice | None, text: str | None
) -> on.AnswerGiven:
    """The answer to that decision, and to no other.

    Raises GoneError when it is not pending, or an answer to it is on its way already, and
    RefusedError when it wants another kind of answer.
    """
    question = question_of(dialogue, decision_id)
    if question is None:
        if any(question.decision.id == decision_id for question in dialogue.questions):
            raise GoneError(
                "An answer to that decision is on its way already.",
                hint="`voicehermes ctl decision` shows whether the server took it.",
            )
        raise _not_pending()
    answer = choice if isinstance(question.decision, Approval) else text
    if answer is None:
        raise RefusedError("An approval takes a choice, and a question takes a text.")
    return on.AnswerGiven(decision_id, answer)


class TypedAnswers:
    """Who waits for an answer to arrive: at most one for each decision, and each is told once."""

    def __init__(self) -> None:
        self._waiting: dict[str, asyncio.Future[None]] = {}

    async def send(self, given: on.AnswerGiven, handle: Callable[[on.Event], None]) -> None:
        """Hand the answer over; returns when the server took it.

        Raises GoneError when the decision is over before that, and what kept the server from
        taking the answer.
        """
        taken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[given.id] = taken
        handle(given)
        await taken

    def take(self, event: on.Event) -> None:
        """What became of an answer."""
        match event:
            case on.DecisionAnswered(id_) if taken := self._pop(id_):
                taken.set_result(None)
            case on.DecisionNotAnswered(id_, error) if taken := self._pop(id_):
                taken.set_exception(error)

    def drop_lost(self, dialogue: Dialogue) -> None:
        """Whoever waits for an answer that is not on its way any more is told that."""
        sent = {question.decision.id for question in dialogue.questions if question.is_sent}
        for id_ in self._waiting.keys() - sent:
            if taken := self._pop(id_):
                taken.set_exception(_not_pending())

    def _pop(self, id_: str) -> "asyncio.Future[None] | None":
        """Whoever waits for that answer, and has not given up."""
        taken = self._waiting.pop(id_, None)
        return None if taken is None or taken.done() else taken


def _not_pending() -> GoneError:
    return GoneError(
        "That decision is not pending.", hint="`voicehermes ctl decision` shows what is."
    )


def _shown(decision: Decision) -> dict[str, object]:
    shown: dict[str, object] = {"id": decision.id, "kind": kind_of(decision)}
    match decision:
        case Approval(command=command, description=description):
            grants = [choice for choice in get_args(TypedChoice) if choice != "deny"]
            return {**shown, "description": description, "command": command, "grants": grants}
        case Clarification(question=question, choices=choices, expires_at=expires_at):
            expiry = {} if expires_at is None else {"expires_at": expires_at}
            return {**shown, "question": question, "choices": list(choices), **expiry}
        case _:
            assert_never(decision)
