"""What a spoken answer does. Pure.

The words are understood by ``voicehermes.deciding``; here is what they lead to. A grant counts only
if, when the user began to say it, the command had been heard; some need a second, different word.
"""

from dataclasses import replace
from typing import assert_never

from voicehermes.deciding import prompts
from voicehermes.deciding.approving import is_confirmation, of_approval
from voicehermes.deciding.choosing import asks_for_more, of_clarification
from voicehermes.deciding.judging import is_risky, offered
from voicehermes.deciding.rules import DecisionRules
from voicehermes.dialogue.asking import (
    decline,
    question_of,
    read_again,
    read_on,
    rest,
    send,
    unclear,
)
from voicehermes.dialogue.change import Change, settle
from voicehermes.dialogue.state import Answering, Dialogue, Question, Rules
from voicehermes.events import Approval, ApprovalChoice, Clarification
from voicehermes.lexicon import answers


def take_answer(dialogue: Dialogue, answering: Answering, text: str, rules: Rules) -> Change:
    """Act on what was said in answer to a question; "" is silence."""
    question = question_of(dialogue, answering.id)
    if question is None:
        return Change(settle(dialogue))
    if not text:
        return unclear(dialogue, question, "decision-silence")
    match question.decision:
        case Approval() as approval if question.grant is not None:
            return _confirm(dialogue, question, question.grant, answering, text, rules.decisions)
        case Approval() as approval:
            return _approve(dialogue, question, approval, answering, text, rules.decisions)
        case Clarification() if question.reply is not None:
            return _confirm_reply(
                dialogue, question, question.reply, answering, text, rules.decisions
            )
        case Clarification() as clarification:
            return _choose(dialogue, question, clarification, answering, text, rules.decisions)
        case _:
            assert_never(question.decision)


def _approve(
    dialogue: Dialogue,
    question: Question,
    approval: Approval,
    answering: Answering,
    text: str,
    rules: DecisionRules,
) -> Change:
    match of_approval(text, answers.load(rules.language)):
        case "deny":
            return send(dialogue, question, "deny")
        case "wait":
            return rest(dialogue, question)
        case "repeat" | "details":
            return read_again(dialogue, question)
        case "unclear":
            return unclear(dialogue, question)
        case "once" | "session" | "always" as grant:
            if not answering.may_grant:
                return unclear(dialogue, question, "decision-too-early")
            if answering.is_cut:
                return unclear(dialogue, question)
            return _grant(dialogue, question, approval, grant, rules)
        case meaning:
            assert_never(meaning)


def _grant(
    dialogue: Dialogue,
    question: Question,
    approval: Approval,
    grant: ApprovalChoice,
    rules: DecisionRules,
) -> Change:
    """The user, who has heard the command, allows it."""
    if grant not in offered(approval, rules):
        return unclear(dialogue, question, "grant-not-by-voice")
    if not _needs_confirmation(question, approval, grant, rules):
        return send(dialogue, question, grant)
    wanted = replace(question, grant=grant, is_confirmation_heard=False, unclear=0)
    return read_on(dialogue, wanted, "confirmation")


def _needs_confirmation(
    question: Question, approval: Approval, grant: ApprovalChoice, rules: DecisionRules
) -> bool:
    """Whether a second word is needed for it."""
    if grant == "always" or not question.is_heard_in_full:
        return True
    match rules.confirm:
        case "always":
            return True
        case "risky":
            return is_risky(approval, rules)
        case "never":
            return False
        case _:
            assert_never(rules.confirm)


def _confirm(
    dialogue: Dialogue,
    question: Question,
    grant: ApprovalChoice,
    answering: Answering,
    text: str,
    rules: DecisionRules,
) -> Change:
    """The answer to the prompt for the second confirmation: one word counts as yes."""
    words = answers.load(rules.language)
    if is_confirmation(text, words):
        if answering.may_grant and not answering.is_cut:
            return send(dialogue, question, grant)
        return unclear(dialogue, question)
    match of_approval(text, words):
        case "deny":
            return send(dialogue, question, "deny")
        case "wait":
            return rest(dialogue, question)
        case "repeat" | "details":
            return read_again(dialogue, question)
        case "once" | "session" | "always" | "unclear":
            return unclear(dialogue, question)
        case meaning:
            assert_never(meaning)


def _choose(
    dialogue: Dialogue,
    question: Question,
    clarification: Clarification,
    answering: Answering,
    text: str,
    rules: DecisionRules,
) -> Change:
    words = answers.load(rules.language)
    if prompts.has_more(clarification, question.group) and asks_for_more(text, words):
        return read_on(dialogue, replace(question, group=question.group + 1), "question")
    answer = of_clarification(text, clarification.choices, words)
    match answer.meaning:
        case "cancel":
            return send(dialogue, question, decline(rules))
        case "repeat":
            return read_on(dialogue, replace(question, group=0), "question")
        case "unclear":
            return unclear(dialogue, question)
        case "choice" | "free" if not answering.may_grant:
            return unclear(dialogue, question, "decision-too-early")
        case "choice" | "free" if answering.is_cut:
            return unclear(dialogue, question)
        case "choice":
            assert answer.choice is not None
            return send(dialogue, question, answer.choice)
        case "free" if rules.confirm_free_text:
            said = replace(question, reply=text, is_confirmation_heard=False, unclear=0)
            return read_on(dialogue, said, "read-back")
        case "free":
            return send(dialogue, question, text)
        case _:
            assert_never(answer.meaning)


def _confirm_reply(
    dialogue: Dialogue,
    question: Question,
    reply: str,
    answering: Answering,
    text: str,
    rules: DecisionRules,
) -> Change:
    """The answer to the user's own words being read back."""
    match of_approval(text, answers.load(rules.language)):
        case "once" if answering.may_grant and not answering.is_cut:
            return send(dialogue, question, reply)
        case "deny":
            again = replace(question, reply=None, unclear=0)
            return read_on(dialogue, again, "again")
        case "wait":
            return rest(dialogue, question)
        case "repeat" | "details":
            return read_on(dialogue, question, "read-back")
        case _:
            return unclear(dialogue, question)
