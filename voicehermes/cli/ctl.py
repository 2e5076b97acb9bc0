"""``voicehermes ctl``: tells the running daemon what to do."""

import argparse
from collections.abc import Iterator
from typing import Any, get_args

from voicehermes.adapters.triggers.control_client import COMMANDS
from voicehermes.events import TypedChoice

_DESCRIPTION = """\
Tell the running daemon what to do: bind it to a shortcut or a button.

  press, release   as the talk key going down and up
  toggle           begin to talk, or end it
  cancel           stop what the agent works on
  mute, unmute     shut the microphone, or open it again
  decision         show what the agent wants to be decided
  answer           answer it: see `voicehermes ctl answer --help`
  repeat           have it read aloud again, and answer it by voice
  status           show what it does
  quit             end it"""

_DECISION = """\
Show the decision that the agent waits for, with its id: the command that it wants to run, or its
question. Characters that cannot be seen, and letters that pass for others, are shown by their
numbers, a line feed as <U+000A>."""

_ANSWER = """\
Answer the one decision of that id, as `voicehermes ctl decision` shows it. A command is allowed
once, allowed for the session, or denied; a question is answered by a text. Silent when the server
took it; refused, with the reason, when it did not, as when it is not pending any more."""

_DESCRIPTIONS = {
    "press": "The talk key goes down.",
    "release": "The talk key goes up.",
    "toggle": "Begin to talk, or end it.",
    "cancel": "Stop what the agent works on.",
    "mute": "Shut the microphone.",
    "unmute": "Open the microphone again.",
    "decision": _DECISION,
    "answer": _ANSWER,
    "repeat": "Have the pending question read aloud again, and answer it by voice.",
    "status": "Show what the daemon does.",
    "quit": "End the daemon.",
}

_ANSWERS = """\
  voicehermes ctl answer 4f1c once
  voicehermes ctl answer 9b2e --text "tomorrow at nine\""""


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the command."""
    command = commands.add_parser(
        "ctl",
        description=_DESCRIPTION,
        epilog="examples:\n  voicehermes ctl toggle\n" + _ANSWERS,
    )
    _add_json(command, default=False)
    command.set_defaults(run=run)
    actions = command.add_subparsers(
        dest="action", metavar="ACTION", required=True, help="one of those above"
    )
    for name in COMMANDS:
        action = actions.add_parser(
            name,
            description=_DESCRIPTIONS[name],
            epilog=f"example:\n{_ANSWERS if name == 'answer' else f'  voicehermes ctl {name}'}",
        )
        _add_json(action, default=argparse.SUPPRESS)
        if name == "answer":
            _add_answer(action)


def _add_json(parser: argparse.ArgumentParser, default: object) -> None:
    text = "print the daemon's answer as JSON"
    parser.add_argument("--json", action="store_true", default=default, help=text)


def _add_answer(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="which decision")
    parser.add_argument(
        "choice",
        metavar="CHOICE",
        nargs="?",
        choices=get_args(TypedChoice),
        help="for a command: once, session or deny",
    )
    parser.add_argument("--text", help="for a question: what is answered")


def run(args: argparse.Namespace) -> int:
    """Send the command. Raises ConfigError, and TriggerError when no daemon obeys."""
    import os

    from voicehermes.adapters.triggers.control_client import request, socket_path
    from voicehermes.cli import configuration

    parts, seconds = _answer_of(args) if args.action == "answer" else ({}, None)
    setting = configuration.load(args).control.socket
    path = socket_path(setting, os.environ, configuration.state_folder())
    answer = request(path, args.action, seconds, **parts)
    for line in [_json(answer)] if args.json else _lines(answer):
        print(line)
    return 0


def _answer_of(args: argparse.Namespace) -> tuple[dict[str, str], float]:
    """The parts of an answer, and how long the daemon may take. Raises ConfigError."""
    from voicehermes.adapters.triggers.control_client import ANSWER_SECONDS, CONFIRM_SECONDS
    from voicehermes.errors import ConfigError

    if (args.choice is None) is (args.text is None):
        raise ConfigError(
            "An answer is either once, session or deny, or --text TEXT.",
            hint="See `voicehermes ctl answer --help`.",
        )
    given = {"choice": args.choice} if args.text is None else {"text": args.text}
    return {"id": args.id, **given}, CONFIRM_SECONDS + ANSWER_SECONDS


def _json(answer: dict[str, object]) -> str:
    """JSON that is readable, and harmless to a terminal: what cannot be seen is escaped."""
    import json

    text = json.dumps(answer, ensure_ascii=False)
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def _lines(answer: dict[str, object]) -> Iterator[str]:
    """What an answer tells beside that all is well."""
    from voicehermes.cli.printable import one_line
    from voicehermes.deciding.commands.characters import revealed

    match answer:
        case {"status": dict(status)}:
            for name, value in status.items():
                yield f"{name.replace('_', ' ')}: {one_line(_shown(value))}"
        case {"decision": dict(decision)}:
            for name, value in _told(decision):
                yield f"{name}: {revealed(value)}"
        case {"decision": None}:
            yield "Nothing waits to be decided."


def _told(decision: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The parts of a decision, as a person reads them."""
    import shlex
    from time import time

    for name, value in decision.items():
        match name, value:
            case "choices", list():
                yield from ((f"choice {n}", str(choice)) for n, choice in enumerate(value, 1))
            case "expires_at", int() | float():
                yield "expires", f"in {max(0, value - time()):.0f} seconds"
            case "waits", int() if value:
                yield "behind it", f"{value} more"
            case (("grants" | "expires_at" | "waits" | "is_answered"), _):
                pass
            case _:
                yield name, _shown(value)
    if decision.get("is_answered"):
        yield "answer", "on its way; the server has not taken it yet"
        return
    is_question = decision.get("kind") == "clarification"
    choices = "|".join([*decision.get("grants", ()), "deny"])
    how = "--text TEXT" if is_question else choices
    yield "answer with", f"voicehermes ctl answer {shlex.quote(str(decision.get('id')))} {how}"


def _shown(value: object) -> str:
    """True, None, 3 -> "yes", "none", "3"."""
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case _:
            return str(value)
