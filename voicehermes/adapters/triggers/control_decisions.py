"""How a line of the control socket answers a decision. Knows no socket.

``{"command": "answer", "id": "a1", "choice": "once"}`` is for an approval,
``{"command": "answer", "id": "c1", "text": "the second"}`` for a clarification.
"""

from collections.abc import Mapping
from typing import Protocol, get_args

from voicehermes.errors import TriggerError
from voicehermes.events import ApprovalChoice, TypedChoice

_CHOICES: tuple[TypedChoice, ...] = get_args(TypedChoice)
_LISTED = f"{', '.join(_CHOICES[:-1])} or {_CHOICES[-1]}"
_PARTS = {"command", "id", "choice", "text"}
_FORM = 'Write {"command": "answer", "id": …} with a "choice" or a "text".'


class Decisions(Protocol):
    """What the agent waits for, to be seen and answered.

    Each method raises an error of our tree when that cannot be done now.
    """

    def decision(self) -> Mapping[str, object] | None:
        """The decision that is pending; None when there is none.

        Has "id", "kind" ("approval" or "clarification"), "waits", the number of those behind it,
        and "is_answered", whether an answer is on its way; then "description", "command" and
        "grants", or "question" and "choices"; "expires_at" (Unix time) where it is known. All of
        it is such that JSON can hold it.
        """
        ...

    async def answer(
        self, decision_id: str, choice: ApprovalChoice | None, text: str | None
    ) -> None:
        """Answer the one decision of that id, by a choice or else by a text.

        Returns when the server took it. Raises GoneError when that one is not pending.
        """
        ...

    def repeat(self) -> bool:
        """Read the pending decision again; False when there is none."""
        ...


def answer_in(
    message: Mapping[str, object], pending: Mapping[str, object] | None
) -> tuple[str, TypedChoice | None, str | None]:
    """The id of a decision, and the choice or else the text that a message answers it with.

    Raises TriggerError, with the remedy, for all that is no answer, or none to that decision.
    """
    decision_id, choice, text = (message.get(part) for part in ("id", "choice", "text"))
    if not _PARTS.issuperset(message) or (choice is None) is (text is None):
        raise TriggerError(
            "An answer has an id and either a choice or a text, and nothing else.", hint=_FORM
        )
    if not isinstance(decision_id, str) or not decision_id:
        raise TriggerError("An answer names the decision that it is for.", hint=_FORM)
    _check_unicode(decision_id)
    _check_kind(choice, pending if pending and pending["id"] == decision_id else {})
    return decision_id, None if choice is None else _choice(choice), _text(text)


def _check_kind(choice: object, pending: Mapping[str, object]) -> None:
    """Refuse a choice for a clarification, and a text for an approval."""
    match pending.get("kind"), choice is None:
        case "approval", True:
            raise TriggerError(
                "This is a command to be allowed or not; a text is no answer to it.",
                hint=f"Choose {_LISTED}.",
            )
        case "clarification", False:
            raise TriggerError(
                "This is a question, which is answered by a text.",
                hint="Use `voicehermes ctl answer ID --text TEXT`.",
            )


def _choice(choice: object) -> TypedChoice:
    for known in _CHOICES:
        if choice == known:
            return known
    what = f'"{choice}" cannot' if isinstance(choice, str) else "That cannot"
    raise TriggerError(f"{what} be chosen here.", hint=f"Choose {_LISTED}.")


def _text(text: object) -> str | None:
    if text is None:
        return None
    if not isinstance(text, str) or not text.strip():
        raise TriggerError("The text of the answer is empty.", hint="Say what to answer.")
    _check_unicode(text)
    return text


def _check_unicode(text: str) -> None:
    """Refuse lone surrogates, which JSON can write and no server can be sent."""
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise TriggerError("The answer is not valid Unicode.", hint="Write it in UTF-8.")
