"""``voicehermes interpret``: how spoken answers are understood, transcript by transcript."""

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from voicehermes.lexicon.answers import AnswerWords

    Meaning = Mapping[str, str | None]
    """The keys of a printed object beside ``transcript``."""

_APPROVAL_EXAMPLE = '  echo "Ok, no, aspetta." | voicehermes interpret approval'
_CLARIFY_EXAMPLE = '  echo "La seconda." | voicehermes interpret clarify --choices "test|live"'


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the command."""
    command = commands.add_parser(
        "interpret",
        description="Read transcripts from standard input, one a line, and print how each would\n"
        "be understood as a spoken answer, as one JSON object a line.",
        epilog=f"examples:\n{_APPROVAL_EXAMPLE}\n{_CLARIFY_EXAMPLE}",
    )
    kinds = command.add_subparsers(metavar="approval|clarify", required=True)
    approval = kinds.add_parser(
        "approval", help="the answer to an approval", epilog=f"example:\n{_APPROVAL_EXAMPLE}"
    )
    approval.add_argument(
        "--choices",
        type=_grants,
        metavar='"once|session"',
        help="the grants that are offered; another one is unclear (default: all of them, "
        "whatever [decisions] voice_grants says)",
    )
    approval.set_defaults(understanding=_approval)
    clarify = kinds.add_parser(
        "clarify", help="the answer to a clarification", epilog=f"example:\n{_CLARIFY_EXAMPLE}"
    )
    clarify.add_argument(
        "--choices",
        type=_texts,
        default=(),
        metavar='"A|B|C"',
        help="the choices of the question (default: none, any answer will do)",
    )
    clarify.set_defaults(understanding=_clarify)
    for kind in (approval, clarify):
        kind.add_argument("--language", choices=("it", "en"), help="instead of [ui] language")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print what each line means, as soon as it is there. Raises ConfigError."""
    import json
    import sys

    from voicehermes.cli import configuration
    from voicehermes.cli.lines import lines
    from voicehermes.lexicon import answers

    words = answers.load(args.language or configuration.load(args).ui.language)
    understand = args.understanding(args.choices, words)
    for line in lines(sys.stdin.buffer):
        transcript = line.removesuffix("\r")
        meaning = {"transcript": transcript, **understand(transcript)}
        print(json.dumps(meaning, ensure_ascii=False), flush=True)
    return 0


def _approval(offered: tuple[str, ...] | None, words: "AnswerWords") -> "Callable[[str], Meaning]":
    """Understands answers to an approval for which these may be granted."""
    from voicehermes.deciding.approving import GRANTS, of_approval

    withheld = set(GRANTS).difference(GRANTS if offered is None else offered)

    def understand(transcript: str) -> "Meaning":
        meaning = of_approval(transcript, words)
        return {"meaning": "unclear" if meaning in withheld else meaning}

    return understand


def _clarify(choices: tuple[str, ...], words: "AnswerWords") -> "Callable[[str], Meaning]":
    """Understands answers to a clarification with these choices."""
    from voicehermes.deciding.choosing import of_clarification

    def understand(transcript: str) -> "Meaning":
        answer = of_clarification(transcript, choices, words)
        return {"meaning": answer.meaning, "choice": answer.choice}

    return understand


def _texts(text: str) -> tuple[str, ...]:
    """The choices: "staging|production"; none of an empty text."""
    return tuple(choice.strip() for choice in text.split("|")) if text.strip() else ()


def _grants(text: str) -> tuple[str, ...]:
    """What may be granted: "once|session". What else hermes-webui lists as choices is no grant."""
    from voicehermes.deciding.approving import GRANTS

    names = _texts(text)
    unknown = set(names).difference((*GRANTS, "deny"))
    if unknown:
        raise argparse.ArgumentTypeError("must be once, session, always or deny, joined by |")
    return names
