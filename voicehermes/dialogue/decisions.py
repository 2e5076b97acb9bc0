"""Transitions of decisions: found, read, confirmed, answered, gone. Pure."""

from dataclasses import replace
from typing import assert_never

from voicehermes.audio import EndsBy
from voicehermes.deciding import prompts
from voicehermes.deciding.judging import hides_something, is_summarised
from voicehermes.deciding.rules import DecisionRules
from voicehermes.dialogue.asking import (
    answer_to,
    ask_again,
    check,
    decline,
    forget,
    prompt_now,
    question_of,
    read,
    read_again,
    send,
    shelve,
    shelved_question,
    with_question,
)
from voicehermes.dialogue.change import Change, settle
from voicehermes.dialogue.commands import (
    Command,
    Cue,
    NoteDecision,
    PauseSound,
    Say,
    ShowDecision,
    StartRecording,
)
from voicehermes.dialogue.events import (
    AnswerGiven,
    CheckFailed,
    DecisionAnswered,
    DecisionConfirmed,
    DecisionEvent,
    DecisionFound,
    DecisionGone,
    DecisionNotAnswered,
    QuestionHeard,
    QuestionUnheard,
    RepeatAsked,
    TimeToAsk,
)
from voicehermes.dialogue.state import (
    Answering,
    Asking,
    Dialogue,
    Listening,
    Prompt,
    Question,
    Rules,
    Transcribing,
)
from voicehermes.errors import GoneError, UnconfirmedError
from voicehermes.events import Approval, Decision, kind_of


def hear_of_decision(dialogue: Dialogue, event: DecisionEvent, rules: Rules) -> Change:
    """What became of a decision, or of asking for it."""
    match event:
        case DecisionFound(decision):
            return _find(dialogue, decision, rules)
        case DecisionConfirmed(id_):
            return _confirmed(dialogue, id_, rules)
        case DecisionGone():
            return _lose(dialogue, event)
        case QuestionHeard() | QuestionUnheard() | CheckFailed() | TimeToAsk():
            return _hear_of_reading(dialogue, event, rules)
        case AnswerGiven(id_, answer):
            question = question_of(dialogue, id_)
            return send(dialogue, question, answer) if question else Change(dialogue)
        case RepeatAsked():
            return _repeat(dialogue)
        case DecisionAnswered():
            return _answered(dialogue, event, rules)
        case DecisionNotAnswered():
            return _not_answered(dialogue, event)
        case _:
            assert_never(event)


def _find(dialogue: Dialogue, decision: Decision, rules: Rules) -> Change:
    if any(question.decision.id == decision.id for question in dialogue.questions):
        return Change(dialogue)
    question = Question(decision, is_shelved=not rules.can_hear)
    found = replace(dialogue, questions=(*dialogue.questions, question))
    told: tuple[Command, ...] = (
        NoteDecision(dialogue.run.turn if dialogue.run else dialogue.turn, decision),
        ShowDecision(prompts.shown(decision, rules.decisions)),
    )
    if not rules.can_hear:
        told = (*told, Cue("attention"), Say("decision-elsewhere"))
    return Change(settle(found), told)


def _confirmed(dialogue: Dialogue, id_: str, rules: Rules) -> Change:
    state, question = dialogue.state, question_of(dialogue, id_)
    if question and isinstance(state, Asking) and state.phase == "checking" and state.id == id_:
        return read(dialogue, question, replace(state, phase="reading"), rules)
    return Change(dialogue)


def _lose(dialogue: Dialogue, event: DecisionGone) -> Change:
    question = question_of(dialogue, event.id)
    if question is None:
        return Change(dialogue)
    expired = f"decision-expired-{kind_of(question.decision)}"
    return forget(dialogue, question, Say(expired if event.has_expired else "decision-closed"))


def _hear_of_reading(
    dialogue: Dialogue,
    event: QuestionHeard | QuestionUnheard | CheckFailed | TimeToAsk,
    rules: Rules,
) -> Change:
    state = dialogue.state
    if not isinstance(state, Asking) or event.question != dialogue.asked:
        return Change(dialogue)
    question = question_of(dialogue, state.id)
    match event, state.phase:
        case QuestionHeard(), "reading" if question:
            return _listen(dialogue, _heard(question, state.prompt, rules.decisions))
        case QuestionUnheard(_, error), "reading" if question:
            told = Say("decision-unheard", str(error))
            return shelve(dialogue, question, told)
        case CheckFailed(_, error), "checking" if question:
            told = Say(error.phrase, str(error)) if error else Say("error-unreachable")
            return shelve(dialogue, question, told)
        case TimeToAsk(), "resting" if question:
            return check(dialogue, question, prompt_now(question), "decision-reminder")
    return Change(dialogue)


def _heard(question: Question, prompt: Prompt, rules: DecisionRules) -> Question:
    """The question after a prompt was read to its end."""
    match prompt:
        case "question" if isinstance(question.decision, Approval):
            is_whole = not is_summarised(question.decision, rules)
            is_in_full = question.is_heard_in_full or is_whole
            return replace(question, is_heard=True, is_heard_in_full=is_in_full)
        case "details" if isinstance(question.decision, Approval):
            is_whole = not hides_something(question.decision, rules)
            return replace(question, is_heard=True, is_heard_in_full=is_whole)
        case "question" | "details":
            return replace(question, is_heard=True, is_heard_in_full=True)
        case "confirmation" | "read-back":
            return replace(question, is_confirmation_heard=True)
        case "again":
            return question
        case _:
            assert_never(prompt)


def _listen(dialogue: Dialogue, question: Question) -> Change:
    """The question was heard: open the microphone."""
    dialogue = with_question(dialogue, question)
    if dialogue.muted:
        return shelve(dialogue, question, Say("decision-muted"))
    turn = dialogue.turn + 1
    recording = -turn
    listening = Listening(turn, recording, False, answering=answer_to(question))
    return Change(
        replace(dialogue, state=listening, turn=turn),
        (PauseSound(), StartRecording(turn, recording, ends_by=EndsBy.LONG_SILENCE)),
    )


def _repeat(dialogue: Dialogue) -> Change:
    state = dialogue.state
    match state:
        case Asking(id=id_):
            question = question_of(dialogue, id_)
        case Listening(answering=Answering(id=id_)) | Transcribing(answering=Answering(id=id_)):
            question = question_of(dialogue, id_)
        case _:
            shelved = shelved_question(dialogue)
            return ask_again(dialogue, shelved) if shelved else Change(dialogue)
    return read_again(dialogue, question) if question else Change(dialogue)


def _answered(dialogue: Dialogue, event: DecisionAnswered, rules: Rules) -> Change:
    question = _sent_question(dialogue, event.id)
    if question is None:
        return Change(dialogue)
    phrase = _phrase_of(question.decision, event.answer, rules.decisions)
    return forget(dialogue, question, Say(phrase))


def _not_answered(dialogue: Dialogue, event: DecisionNotAnswered) -> Change:
    question = _sent_question(dialogue, event.id)
    if question is None:
        return Change(dialogue)
    told = Say(event.error.phrase, str(event.error))
    match event.error:
        case GoneError():
            return forget(dialogue, question, Say("decision-closed"))
        case UnconfirmedError():
            return forget(dialogue, question, told)
        case _:
            return shelve(dialogue, question, told)


def _phrase_of(decision: Decision, answer: str, rules: DecisionRules) -> str:
    """What is said once the server has the answer."""
    if isinstance(decision, Approval):
        return "denied" if answer == "deny" else f"approved-{answer}"
    return "declined" if answer == decline(rules) else "answered"


def _sent_question(dialogue: Dialogue, id_: str) -> Question | None:
    return next((q for q in dialogue.questions if q.decision.id == id_ and q.is_sent), None)
