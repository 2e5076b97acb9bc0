"""``voicehermes speakable``: what of a text is spoken, sentence by sentence."""

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from voicehermes.cli.arguments import count

if TYPE_CHECKING:
    from voicehermes.speaking.clauses import Clause


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the command."""
    command = commands.add_parser(
        "speakable",
        description="Read Markdown from standard input and print each sentence that would be\n"
        'spoken, as one line {"text": …} as soon as it is complete.',
        epilog="example:\n  voicehermes speakable --delta 5 < answer.md",
    )
    command.add_argument(
        "--delta", type=count, metavar="N", help="take the text N characters at a time"
    )
    command.add_argument("--plain", action="store_true", help="the text is plain, not Markdown")
    command.add_argument("--language", choices=("it", "en"), help="instead of [ui] language")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the sentences. Raises ConfigError."""
    import json
    import os
    import sys

    from voicehermes import lexicon
    from voicehermes.cli import configuration
    from voicehermes.speaking.speakable import SpeechText

    language = args.language or configuration.load(args).ui.language
    speech = SpeechText(lexicon.load(language), plain=args.plain)
    parts: list[str] = []

    def show(clauses: "list[Clause]") -> None:
        for clause in clauses:
            parts.append(clause.text)
            if clause.ends_sentence:
                print(json.dumps({"text": " ".join(parts)}, ensure_ascii=False), flush=True)
                parts.clear()

    pieces = iter(lambda: os.read(sys.stdin.fileno(), 65_536), b"")
    for delta in deltas(pieces, args.delta):
        show(speech.feed(delta))
    show(speech.end())
    return 0


def deltas(pieces: Iterator[bytes], characters: int | None) -> Iterator[str]:
    """The text of a file's pieces as they arrive, or so many characters at a time.

    Bytes that are no UTF-8 become the replacement character.
    """
    import codecs

    left = ""
    for text in codecs.iterdecode(pieces, "utf-8", "replace"):
        if characters is None:
            yield text
            continue
        left += text
        whole = len(left) - len(left) % characters
        yield from (left[at : at + characters] for at in range(0, whole, characters))
        left = left[whole:]
    if left:
        yield left
