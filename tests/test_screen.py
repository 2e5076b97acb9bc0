"""What a person sees: on a terminal, and in a log."""

import asyncio
import io
import logging
import re
from collections.abc import Callable

import pytest
from rich.console import Console

from tests.virtual_clock import run
from voicehermes import lexicon
from voicehermes.cli.screen import LogScreen, TerminalScreen, meter, screen
from voicehermes.config import Config
from voicehermes.lexicon import Language
from voicehermes.ports import Display

WORDS = lexicon.load("en")
STATES = (
    "idle",
    "listening",
    "transcribing",
    "thinking",
    "speaking",
    "asking",
    "waiting",
    "muted",
    "stopped",
)


def rows(written: str) -> list[str]:
    """What a terminal shows of it: the rows that were not erased."""
    shown = [""]
    for command, text in re.findall(
        r"(\r|\n|\x1b\[\?25[lh]|\x1b\[2K|\x1b\[1A)|([^\r\n\x1b]+|\x1b)", written
    ):
        match command:
            case "\n":
                shown.append("")
            case "\x1b[2K":
                shown[-1] = ""
            case "\x1b[1A":
                assert shown.pop() == ""  # rich erases a row before it goes up
        shown[-1] += text
    return [row.rstrip() for row in shown]


def seen(talk: Callable[[Display], None]) -> list[str]:
    """The rows of a terminal, 40 wide, a moment after; the display is still up."""
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=40, color_system=None)

    async def main() -> list[str]:
        with TerminalScreen(WORDS, console) as display:
            talk(display)
            await asyncio.sleep(1)
            return rows(written.getvalue())

    return run(main())


def left(talk: Callable[[Display], None]) -> list[str]:
    """The rows of a terminal when the display is gone."""
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=40, color_system=None)

    async def main() -> None:
        with TerminalScreen(WORDS, console) as display:
            talk(display)

    run(main())
    return rows(written.getvalue())


def test_the_state_is_shown_in_words() -> None:
    assert seen(lambda display: display.show_state("state-thinking")) == ["● Hermes is thinking"]


@pytest.mark.parametrize("language", ["it", "en"])
@pytest.mark.parametrize("state", STATES)
def test_every_state_has_words(state: str, language: Language) -> None:
    assert lexicon.load(language).say(f"state-{state}")


def test_the_level_is_shown_while_listening_only() -> None:
    def talk(display: Display) -> None:
        display.show_state("state-listening")
        display.show_level(-20.0)
        display.show_level(-30.0)

    assert seen(talk) == ["● Listening  " + "█" * 10 + "░" * 10]

    def talk_on(display: Display) -> None:
        talk(display)
        display.show_state("state-transcribing")

    assert seen(talk_on) == ["● Transcribing"]


def test_levels_that_come_fast_are_drawn_together() -> None:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=40, color_system=None)

    async def main() -> None:
        with TerminalScreen(WORDS, console) as display:
            display.show_state("state-listening")
            for _ in range(100):
                display.show_level(-30.0)
                await asyncio.sleep(0.008)

    run(main())
    assert 8 <= written.getvalue().count("Listening") <= 14


def test_the_conversation_stands_above_the_state() -> None:
    def talk(display: Display) -> None:
        display.show_transcript("Che ore sono?")
        display.show_state("state-speaking")
        display.show_reply("Sono ")
        display.show_reply("le dieci.")

    assert seen(talk) == ["› Che ore sono?", "Sono le dieci.", "● Hermes is speaking"]


REPLY = (
    "Sono le dieci e un quarto, e fuori piove da questa mattina.\n\n- parolalunghissimacheneanche"
    "staunarigainterachesiandrebbeacapo\n- [rosso] :smile: 日本語日本語日本語日本語日本語日本語\n"
)


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_a_reply_looks_the_same_however_it_is_cut_into_pieces(size: int) -> None:
    def talk(display: Display) -> None:
        for at in range(0, len(REPLY), size):
            display.show_reply(REPLY[at : at + size])
        display.show_reply_end()
        display.show_transcript("E poi?")

    assert left(talk) == [
        "Sono le dieci e un quarto, e fuori piove",
        "da questa mattina.",
        "",
        "-",
        "parolalunghissimacheneanchestaunarigaint",
        "erachesiandrebbeacapo",
        "- [rosso] :smile:",
        "日本語日本語日本語日本語日本語日本語",
        "› E poi?",
        "",
    ]


@pytest.mark.parametrize("lines", [["\n\n"], ["\n", "\n"]])
def test_what_was_written_before_a_tool_stands_above_what_came_of_it(lines: list[str]) -> None:
    def talk(display: Display) -> None:
        display.show_reply("Serve il tuo permesso.")
        display.show_detail("web_search")
        display.show_detail("terminal")
        display.show_transcript("Sì")
        display.show_notice("Approvato.")
        for text in (*lines, "Fatto."):
            display.show_reply(text)

    assert left(talk) == [
        *("Serve il tuo permesso.", "web_search", "terminal", "› Sì", "Approvato."),
        *("", "Fatto.", ""),
    ]


def test_nothing_is_drawn_twice_in_between() -> None:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=40, color_system=None)

    async def main() -> None:
        with TerminalScreen(WORDS, console) as display:
            display.show_reply("Sono le dieci")
            await asyncio.sleep(1)
            display.show_reply(" e un quarto.\nPiove.")

    run(main())
    assert "quarto.\n● Ready" in written.getvalue()


def test_a_reply_that_breaks_off_stays_visible() -> None:
    assert left(lambda display: display.show_reply("Sono le")) == ["Sono le", ""]


def test_words_of_others_cannot_command_the_terminal() -> None:
    def talk(display: Display) -> None:
        display.show_transcript("a\x1b[2Jb\x07\x9b1mc")
        display.show_reply("\x1b]0;title\x07d\r\n")
        display.show_decision("\x1b[31mf")
        display.show_notice("\x1b[31me")

    assert left(talk) == ["› a[2Jb1mc", "]0;titled", "[31mf", "[31me", ""]


def logged(caplog: pytest.LogCaptureFixture, *, transcripts: bool) -> list[tuple[str, str]]:
    display = LogScreen(transcripts=transcripts)
    with caplog.at_level(logging.INFO):
        display.show_state("state-listening")
        display.show_level(-30.0)
        display.show_transcript("Che ore\nsono?")
        display.show_reply("Sono ")
        display.show_reply("le\x1b dieci.")
        display.show_reply_end()
        display.show_reply_end()
        display.show_detail("$ date")
        display.show_decision("rm -rf build")
        display.show_notice("The server is out of reach.")
    return [(record.levelname, record.getMessage()) for record in caplog.records]


def test_a_log_has_states_and_notices_and_no_words_of_the_conversation(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert logged(caplog, transcripts=False) == [
        ("INFO", "state: listening"),
        ("WARNING", "The server is out of reach."),
    ]


def test_a_log_has_the_conversation_where_that_is_switched_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert logged(caplog, transcripts=True)[1:5] == [
        ("INFO", "you: Che ore sono?"),
        ("INFO", "hermes: Sono le dieci."),
        ("INFO", "detail: $ date"),
        ("INFO", "decision: rm -rf build"),
    ]


def test_output_that_is_no_terminal_gets_log_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with screen(Config()) as display:
        assert isinstance(display, LogScreen)


@pytest.mark.parametrize(
    ("dbfs", "bar"),
    [(-96.0, "░░░░"), (-60.0, "░░░░"), (-30.0, "██░░"), (0.0, "████"), (3.0, "████")],
)
def test_the_meter_runs_from_a_quiet_room_to_full_scale(dbfs: float, bar: str) -> None:
    assert meter(dbfs, 4) == bar
