"""A display for commands that print one answer: the answer on stdout, the rest on stderr."""

import sys

from voicehermes.cli.printable import one_line, printable
from voicehermes.lexicon import Lexicon


class Printing:
    """Prints the reply as it comes, unless ``collect``: then it is only remembered."""

    def __init__(self, *, collect: bool) -> None:
        self.reply = ""
        self.notices: list[str] = []
        self._collect = collect

    def show_state(self, name: str) -> None:
        """Nothing: the command is its own state."""

    def show_level(self, dbfs: float) -> None:
        """Nothing: nobody is listened to."""

    def show_transcript(self, text: str) -> None:
        """Nothing: the user has just typed it."""

    def show_reply(self, delta: str) -> None:
        self.reply += delta
        if not self._collect:
            print(printable(delta), end="", flush=True)

    def show_reply_end(self) -> None:
        if self.reply and not self._collect:
            print(flush=True)

    def show_detail(self, text: str) -> None:
        print(f"({one_line(text)})", file=sys.stderr)

    def show_decision(self, text: str) -> None:
        print(one_line(text), file=sys.stderr)

    def show_notice(self, text: str) -> None:
        self.notices.append(text)
        print(f"voicehermes: {one_line(text)}", file=sys.stderr)


class Conversing(Printing):
    """Prints both sides of a conversation."""

    def __init__(self, words: Lexicon) -> None:
        super().__init__(collect=False)
        self._words = words

    def show_transcript(self, text: str) -> None:
        print(f"{self._words.say('you')}: {printable(text)}", flush=True)

    def show_reply(self, delta: str) -> None:
        if not self.reply:
            print("Hermes: ", end="")
        super().show_reply(delta)
