"""Where a person sees what goes on: a state line below the conversation, or lines of a log."""

import asyncio
import logging
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Self

from voicehermes import lexicon
from voicehermes.audio import SILENCE_DBFS
from voicehermes.cli.printable import one_line, printable
from voicehermes.config import Config
from voicehermes.lexicon import Lexicon
from voicehermes.ports import Display

if TYPE_CHECKING:
    from types import TracebackType

    from rich.console import Console, Group

log = logging.getLogger(__name__)

REFRESH_SECONDS = 0.08
"""Text and levels that come faster are shown together: a Raspberry Pi has other things to do."""

METER_WIDTH = 20
METER_FLOOR_DBFS = -60.0
"""What the meter shows as nothing: a quiet room."""

_STYLES = {
    "state-listening": "bold red",
    "state-transcribing": "yellow",
    "state-thinking": "yellow",
    "state-speaking": "green",
    "state-asking": "bold yellow",
    "state-waiting": "bold yellow",
    "state-muted": "magenta",
}


def screen(config: Config) -> AbstractContextManager[Display]:
    """The display that fits standard output; enter it while it is to be shown."""
    if sys.stdout.isatty():
        return TerminalScreen(lexicon.load(config.ui.language))
    return nullcontext(LogScreen(transcripts=config.log.transcripts))


def meter(dbfs: float, width: int = METER_WIDTH) -> str:
    """A level as a bar: -60.0 → "░░░░░░", -30.0 → "███░░░", 0.0 → "██████"."""
    share = 1 - dbfs / METER_FLOOR_DBFS
    full = round(width * min(1.0, max(0.0, share)))
    return "█" * full + "░" * (width - full)


class LogScreen:
    """Says what goes on in the log. The words of a conversation only if ``transcripts``."""

    def __init__(self, *, transcripts: bool) -> None:
        self._transcripts = transcripts
        self._reply: list[str] = []

    def show_state(self, name: str) -> None:
        log.info("state: %s", name.removeprefix("state-"))

    def show_level(self, dbfs: float) -> None:
        """Nothing: levels are for the eye."""

    def show_transcript(self, text: str) -> None:
        if self._transcripts:
            log.info("you: %s", one_line(text))

    def show_reply(self, delta: str) -> None:
        if self._transcripts:
            self._reply.append(delta)

    def show_reply_end(self) -> None:
        if self._reply:
            log.info("hermes: %s", one_line("".join(self._reply)))
            self._reply.clear()

    def show_detail(self, text: str) -> None:
        if self._transcripts:
            log.info("detail: %s", one_line(text))

    def show_decision(self, text: str) -> None:
        if self._transcripts:
            log.info("decision: %s", one_line(text))

    def show_notice(self, text: str) -> None:
        log.warning("%s", one_line(text))


class TerminalScreen:
    """Prints the conversation and keeps a state line below it, with a meter while listening.

    Rows of the reply are printed for good as soon as they are full; the last one stays with the
    state line, which is drawn anew at most every REFRESH_SECONDS. Lives on the event loop.
    """

    def __init__(self, words: Lexicon, console: "Console | None" = None) -> None:
        from rich.console import Console
        from rich.live import Live

        self._words = words
        self._console = console or Console(highlight=False, markup=False, emoji=False)
        self._state = "state-idle"
        self._dbfs = SILENCE_DBFS
        self._row = ""
        """The last row of the reply, not yet full."""
        self._is_row_printed = False
        """Whether it was printed all the same, its line feed with it."""
        self._refresh: asyncio.TimerHandle | None = None
        self._live = Live(self, console=self._console, auto_refresh=False, transient=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: "TracebackType | None",
    ) -> None:
        self.show_reply_end()
        if self._refresh:
            self._refresh.cancel()
        self._live.stop()

    def show_state(self, name: str) -> None:
        self._state = name
        self._dbfs = SILENCE_DBFS
        self._live.refresh()

    def show_level(self, dbfs: float) -> None:
        self._dbfs = dbfs
        self._refresh_soon()

    def show_transcript(self, text: str) -> None:
        self._print(f"› {text}", "bold")

    def show_reply(self, delta: str) -> None:
        text = printable(delta)
        if text and self._is_row_printed:
            text, self._is_row_printed = text.removeprefix("\n"), False
        *full, last = (self._row + text).split("\n")
        self._row = ""  # or it would be drawn below each row that is printed now
        for paragraph in full:
            self._print(paragraph)
        # Words are wrapped from the left, so all rows but the last are as they will be.
        for row in self._rows(last)[:-1]:
            self._print(row)
            last = last[len(row) :].lstrip()
        self._row = last
        self._refresh_soon()

    def show_reply_end(self) -> None:
        row, self._row = self._row, ""
        if row:
            self._print(row)
        self._is_row_printed = False

    def show_detail(self, text: str) -> None:
        # What was written before a tool is whole, and its end belongs above what comes of the tool.
        is_row_printed = self._is_row_printed or bool(self._row)
        self.show_reply_end()
        self._is_row_printed = is_row_printed
        self._print(text, "dim")

    def show_decision(self, text: str) -> None:
        self._print(text, "bold yellow")

    def show_notice(self, text: str) -> None:
        self._print(text, "yellow")

    def _print(self, text: str, style: str = "") -> None:
        from rich.text import Text

        self._console.print(Text(printable(text), style))

    def _rows(self, paragraph: str) -> list[str]:
        from rich.text import Text

        rows = Text(paragraph).wrap(self._console, self._console.width)
        return [row.plain for row in rows]

    def __rich__(self) -> "Group":
        """What is drawn anew: the reply's unfinished row and the state line."""
        from rich.console import Group
        from rich.text import Text

        state = Text(f"● {self._words.say(self._state)}", _STYLES.get(self._state, "dim"))
        if self._state == "state-listening":
            state.append(f"  {meter(self._dbfs)}")
        return Group(*([Text(self._row)] if self._row else []), state)

    def _refresh_soon(self) -> None:
        if self._refresh is None:
            loop = asyncio.get_running_loop()
            self._refresh = loop.call_later(REFRESH_SECONDS, self._refresh_now)

    def _refresh_now(self) -> None:
        self._refresh = None
        self._live.refresh()
