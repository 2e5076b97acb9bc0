"""What a session's messages say about its last turn. Pure.

hermes-webui writes things of its own among them: errors as assistant messages, the replies that
were cut off, prompts that it gave to the model in the user's name.
"""

import math
import re
from collections.abc import Sequence

from voicehermes.adapters.hermes.shapes import Json, is_object

Messages = Sequence[Json]
"""A session's messages, or some of them, oldest first."""

_WORKSPACE_LINE = re.compile(r"\A\[Workspace::v1: [^\]\n]*\]\n")
"""Left before a user's words when a turn failed."""

_SYSTEM_PROMPT = "[System: "
"""Begins what the server says to the model in the user's name."""

_NO_REPLY = "(empty)"
"""The content of an assistant message when the model returned nothing."""


def content_of(message: Json) -> str:
    """A message's text; of a list of parts, the text parts joined."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part.get("text") for part in content if is_object(part)]
    return "\n".join(part for part in parts if isinstance(part, str))


def is_users(message: Json) -> bool:
    """Whether the user said it."""
    return message.get("role") == "user" and not content_of(message).startswith(_SYSTEM_PROMPT)


def users_words(message: Json) -> str:
    """What the user said, as it was sent, stripped.

    Input "[Workspace::v1: /home/user]\\nChe ore sono? ", output "Che ore sono?".
    """
    return _WORKSPACE_LINE.sub("", content_of(message)).strip()


def last_turn(messages: Messages) -> Messages:
    """The messages after the user's last one."""
    for index in range(len(messages) - 1, -1, -1):
        if is_users(messages[index]):
            return messages[index + 1 :]
    return messages


def earlier_turns(messages: Messages) -> Messages:
    """The messages before the user's last one."""
    for index in range(len(messages) - 1, -1, -1):
        if is_users(messages[index]):
            return messages[:index]
    return ()


def reply_parts(turn: Messages) -> list[str]:
    """The texts that the assistant wrote in a turn, without those of the server's own."""
    return [
        text
        for message in turn
        if message.get("role") == "assistant"
        and not message.get("_error")
        and (text := content_of(message).strip())
        and text != _NO_REPLY
    ]


def is_complete(turn: Messages) -> bool:
    """Whether the turn ended with an answer: its last assistant message is a whole one.

    One that calls a tool is not the last word of a run, but that of one that was cut off there.
    """
    unfinished = ("_error", "_partial", "tool_calls")
    for message in reversed(turn):
        if message.get("role") == "assistant":
            return not any(message.get(mark) for mark in unfinished)
    return False


def error_of(turn: Messages) -> str | None:
    """What the server wrote in place of an answer, or None.

    Input "**Error:** HTTP 500: no", output "Error: HTTP 500: no".
    """
    for message in turn:
        if message.get("_error"):
            return content_of(message).partition("\n")[0].replace("*", "").strip()
    return None


def is_cancelled(turn: Messages) -> bool:
    """Whether somebody cancelled the turn."""
    return (error_of(turn) or "").startswith("Task cancelled")


def turn_of(messages: Messages, text: str, since: float) -> Messages | None:
    """What followed the user's newest message ``text``; None where there is none of that time.

    It counts when it was written at Unix time ``since`` or later. After a failed turn the
    server keeps it without a time; then the next message's is taken.
    """
    end = len(messages)
    for index in range(len(messages) - 1, -1, -1):
        if is_users(messages[index]):
            if users_words(messages[index]) == text.strip() and _time(messages[index:]) >= since:
                return messages[index + 1 : end]
            end = index
    return None


def _time(messages: Messages) -> float:
    """Unix time of the first message that has one; infinity when none has."""
    times = (message.get("timestamp") for message in messages)
    return next((float(at) for at in times if isinstance(at, int | float)), math.inf)


def ends_with(streamed: str, text: str) -> bool:
    """Whether ``text`` is what was streamed last. White space does not count."""
    return bool(text.strip()) and _squeezed(streamed).endswith(_squeezed(text))


def unheard(streamed: str, parts: Sequence[str]) -> str | None:
    """What of a reply's parts was not streamed; None when the two differ otherwise.

    White space does not count: tokens have more of it than messages.
    Input "Guardo. \\n\\nSono le", ["Guardo.", "Sono le tre."], output " tre.".
    """
    if not parts or ends_with(streamed, parts[-1]):
        return ""
    whole = "\n\n".join(parts)
    position = 0
    for letter in _squeezed(streamed):
        while position < len(whole) and whole[position].isspace():
            position += 1
        if position == len(whole) or whole[position] != letter:
            return None
        position += 1
    rest = whole[position:]
    return rest.lstrip(" ") if streamed[-1:].isspace() else rest


def _squeezed(text: str) -> str:
    return "".join(text.split())
