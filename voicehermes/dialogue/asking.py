"""Asking for decisions, from the reading of a question to the answer that leaves. Pure.

Refusal is the default. An answer leaves from one place, ``send``, for the decision that was read;
what is unclear, early or unheard is asked again, or left to the server, which refuses by itself.
"""

from dataclasses import replace
from typing import assert_never

from voicehermes import lexicon
from voicehermes.deciding import prompts
from voicehermes.deciding.rules import DecisionRules
from voicehermes.dialogue.change import Change, settle
from voicehermes.dialogue.commands import (
    AnswerDecision,
    AskAgainLater,
    AskQuestion,
    CheckDecision,
    Command,
    Cue,
    PauseSound,
    Say,
)
from voicehermes.dialogue.state import (
    Answering,
    Asking,
    Dialogue,
    Idle,
    Listening,
    Prompt,
    Question,
    Rules,
    Stopped,
    Transcribing,
)
from voicehermes.events import Approval, Decision, kind_of
from voicehermes.speaking.parts import Part

SILENT_WITHIN_SECONDS = 2.5
"""The reply stops at its next sentence end, or at the latest after so long."""

HEARD_FIRST_SECONDS = {"approval": 2.0, "clarification": 10.0}
"""What there is of the reply is heard before the question if it lasts no longer: what the agent
says before it asks explains it. With the time above, an approval's question begins within 5 s."""

MOST_UNCLEAR = 2
"""After so many unclear answers it is asked again; after one more it is not."""


def ask_next(change: Change, rules: Rules) -> Change:
    """Begin with the next question that nobody has been asked, if nothing else goes on."""
    dialogue = change.dialogue
    if isinstance(dialogue.state, Listening | Transcribing | Asking | Stopped):
        return change
    new = next((q for q in dialogue.questions if not (q.is_shelved or q.is_sent)), None)
    if new is None:
        return change
    begun = read(dialogue, new, Asking(new.decision.id, "reading"), rules, is_first=True)
    return Change(begun.dialogue, change.commands, change.outcomes).and_also(
        Cue("attention"), *begun.commands
    )


def ask_again(dialogue: Dialogue, question: Question) -> Change:
    """Ask from the beginning what nobody answered; at once, unless something else goes on."""
    fresh = replace(question, is_shelved=False)
    dialogue = with_question(dialogue, fresh)
    if isinstance(dialogue.state, Listening | Transcribing | Asking):
        return Change(dialogue)
    return check(dialogue, fresh, "question").after(PauseSound())


def question_of(dialogue: Dialogue, id_: str) -> Question | None:
    """The question about that decision, while it is wanted and no answer is on its way."""
    return next((q for q in dialogue.questions if q.decision.id == id_ and not q.is_sent), None)


def shelved_question(dialogue: Dialogue) -> Question | None:
    """The oldest question that nobody answered."""
    return next((q for q in dialogue.questions if q.is_shelved), None)


def answer_to(question: Question) -> Answering:
    """That what is said from now on answers the question."""
    is_second = question.grant is not None or question.reply is not None
    may_grant = question.is_confirmation_heard if is_second else question.is_heard
    return Answering(question.decision.id, may_grant)


def read(
    dialogue: Dialogue, question: Question, state: Asking, rules: Rules, *, is_first: bool = False
) -> Change:
    """Read the prompt that the state names."""
    asked = dialogue.asked + 1
    about = (prompts.notice(state.about, rules.decisions),) if state.about else ()
    parts = (*about, *_parts(question, state.prompt, rules.decisions))
    heard_first = HEARD_FIRST_SECONDS[kind_of(question.decision)]
    ask = AskQuestion(
        asked,
        parts,
        within_seconds=SILENT_WITHIN_SECONDS if is_first else 0.0,
        after_waiting_seconds=heard_first if is_first else 0.0,
    )
    return Change(replace(dialogue, state=state, asked=asked), (ask,))


def check(dialogue: Dialogue, question: Question, prompt: Prompt, about: str = "") -> Change:
    """Read that prompt, once it is sure that the decision is still wanted."""
    id_ = question.decision.id
    asked = dialogue.asked + 1
    checking = replace(dialogue, asked=asked, state=Asking(id_, "checking", prompt, about))
    return Change(checking, (CheckDecision(id_, asked),))


def _parts(question: Question, prompt: Prompt, rules: DecisionRules) -> tuple[Part, ...]:
    decision = question.decision
    match prompt:
        case "question":
            return prompts.question(decision, rules, group=question.group)
        case "details":
            return prompts.question(decision, rules, in_full=True)
        case "again":
            return prompts.again(decision, rules)
        case "confirmation":
            assert isinstance(decision, Approval)
            assert question.grant is not None
            return prompts.confirmation(decision, question.grant, rules)
        case "read-back":
            assert question.reply is not None
            return prompts.read_back(question.reply, rules)
        case _:
            assert_never(prompt)


def unclear(dialogue: Dialogue, question: Question, about: str = "decision-unclear") -> Change:
    """Ask again, but not for ever. ``about`` names the phrase that says what was wrong."""
    question = replace(question, unclear=question.unclear + 1)
    if question.unclear > MOST_UNCLEAR:
        return give_up(dialogue, question)
    return check(with_question(dialogue, question), question, prompt_now(question), about)


def read_again(dialogue: Dialogue, question: Question) -> Change:
    """Read all of it, from the beginning and in full."""
    fresh = Question(question.decision, unclear=question.unclear, is_heard=question.is_heard)
    return check(with_question(dialogue, fresh), fresh, "details")


def read_on(dialogue: Dialogue, question: Question, prompt: Prompt) -> Change:
    """Read a further prompt about the question as it is now."""
    return check(with_question(dialogue, question), question, prompt)


def prompt_now(question: Question) -> Prompt:
    """What is read to somebody who was asked already."""
    if question.grant is not None:
        return "confirmation"
    if question.reply is not None:
        return "read-back"
    return "again" if question.is_heard else "question"


def rest(dialogue: Dialogue, question: Question) -> Change:
    """The user wants to wait."""
    asked = dialogue.asked + 1
    resting = replace(dialogue, asked=asked, state=Asking(question.decision.id, "resting"))
    return Change(resting, (AskAgainLater(question.decision.id, asked),))


def shelve(dialogue: Dialogue, question: Question, *why: Command) -> Change:
    """Nobody answers: the question stays, nothing is sent, and the reply goes on."""
    shelved = Question(question.decision, is_shelved=True)
    return Change(_leave(with_question(dialogue, shelved), question.decision.id), why)


def give_up(dialogue: Dialogue, question: Question) -> Change:
    """As ``shelve``, and the user is told how to answer later."""
    return shelve(dialogue, question, Say(f"decision-later-{kind_of(question.decision)}"))


def send(dialogue: Dialogue, question: Question, answer: str) -> Change:
    """The answer to that decision, and to no other, goes to the server, once."""
    id_ = question.decision.id
    is_about = _is_about(dialogue, id_)
    dialogue = with_question(dialogue, replace(question, is_shelved=False, is_sent=True))
    dialogue = replace(dialogue, state=Asking(id_, "sending")) if is_about else settle(dialogue)
    return Change(dialogue, (AnswerDecision(question.decision, answer),))


def refuse_all(dialogue: Dialogue, rules: Rules) -> tuple[Command, ...]:
    """The refusals of all that is wanted and not yet answered."""
    return tuple(
        AnswerDecision(question.decision, _refusal(question.decision, rules.decisions))
        for question in dialogue.questions
        if not question.is_sent
    )


def _refusal(decision: Decision, rules: DecisionRules) -> str:
    return "deny" if isinstance(decision, Approval) else decline(rules)


def decline(rules: DecisionRules) -> str:
    """The sentence that answers a clarification for a user who does not want to."""
    return lexicon.load(rules.language).say("decline")


def forget(dialogue: Dialogue, question: Question, told: Say) -> Change:
    """The decision is taken, or not wanted any more; one sentence says so."""
    left = tuple(q for q in dialogue.questions if q is not question)
    return Change(_leave(replace(dialogue, questions=left), question.decision.id), (told,))


def without_questions(dialogue: Dialogue) -> Dialogue:
    """Their run is over: what was not answered is not wanted any more."""
    left = tuple(question for question in dialogue.questions if question.is_sent)
    gone = [question.decision.id for question in dialogue.questions if not question.is_sent]
    dialogue = replace(dialogue, questions=left)
    for id_ in gone:
        dialogue = _leave(dialogue, id_)
    return dialogue


def with_question(dialogue: Dialogue, question: Question) -> Dialogue:
    """The dialogue with that question in place of the older one about the same decision."""
    id_ = question.decision.id
    questions = tuple(question if q.decision.id == id_ else q for q in dialogue.questions)
    return replace(dialogue, questions=questions)


def _is_about(dialogue: Dialogue, id_: str) -> bool:
    """Whether that decision is being asked for, or its answer heard, now."""
    match dialogue.state:
        case Asking(id=asked):
            return asked == id_
        case Listening(answering=Answering(id=asked)) | Transcribing(answering=Answering(id=asked)):
            return asked == id_
    return False


def _leave(dialogue: Dialogue, id_: str) -> Dialogue:
    """Nobody is asked about that decision any more."""
    if _is_about(dialogue, id_):
        dialogue = replace(dialogue, state=Idle())
    return settle(dialogue)
