"""``voicehermes demo``: a whole conversation with the embedded server."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from voicehermes.config import Config
    from voicehermes.lexicon import Lexicon
    from voicehermes.session import Session

QUESTION = "demo/question.ogg"
QUESTION_TEXT = "Ciao Hermes, che tempo farà domani a Roma?"
RECORDING = "demo.wav"
TIMELINE = "timeline.jsonl"
SPOKEN = "spoken"
"""The ``--mic`` of the clip that comes with the program."""


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the command."""
    command = commands.add_parser(
        "demo",
        description="Ask the embedded, scripted server a question by voice and hear its answer. "
        "Needs no server, no microphone and, if need be, no speaker: then demo.wav is written.",
        epilog="example:\n  voicehermes demo",
    )
    command.add_argument(
        "--mic",
        metavar="NAME",
        default=SPOKEN,
        help='a real microphone, like "default", instead of the clip with the question',
    )
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Converse once; 1 when there was no answer.

    Raises VoiceError, with the remedy, without the extra ``demo``, and ConfigError where nobody
    can press a key.
    """
    import asyncio
    import dataclasses
    import tempfile
    from pathlib import Path

    from voicehermes import lexicon
    from voicehermes.adapters.voices.espeakng import EspeakNg
    from voicehermes.cli import configuration
    from voicehermes.simulator.scenario import Scenario, Transcribe
    from voicehermes.simulator.server import Simulator

    EspeakNg()
    if args.mic != SPOKEN:
        _check_terminal()
    config = configuration.load(args)
    words = lexicon.load(config.ui.language)
    print(words.say("demo-scripted"))
    scenario = dataclasses.replace(
        Scenario.italian(), transcribe=Transcribe(texts=(QUESTION_TEXT,), default=QUESTION_TEXT)
    )
    with Simulator(scenario) as server, tempfile.TemporaryDirectory() as folder:
        config, state = _config(config, args.mic, server.url), Path(folder)
        is_answered = asyncio.run(_converse(config, state, words))
        _show_timeline(state / TIMELINE, words)
    if is_answered and config.audio.output == f"file:{RECORDING}":
        print(words.say("demo-recorded", file=RECORDING))
    return 0 if is_answered else 1


def _check_terminal() -> None:
    import sys

    from voicehermes.errors import ConfigError

    if not sys.stdin.isatty():
        raise ConfigError(
            "There is no terminal to press the Enter key on.",
            hint="Without --mic the demo needs none.",
        )


def _config(config: "Config", mic: str, url: str) -> "Config":
    """The user's, with the embedded server, the clip as microphone and a speaker that is there."""
    from voicehermes.assets import asset
    from voicehermes.config import Audio, Config, Server, Talk, Ui

    input_ = f"file:{asset(QUESTION)}" if mic == SPOKEN else mic
    return Config(
        server=Server(url=url, session="new"),
        audio=Audio(input=input_, output=_output(config.audio.output)),
        talk=Talk(mode="toggle"),
        listen=config.listen,
        ui=Ui(language=config.ui.language),
    )


def _output(configured: str) -> str:
    from voicehermes.adapters.sound.devices import list_devices
    from voicehermes.errors import DeviceError

    if configured != "default":
        return configured
    try:
        has_speaker = any(device.outputs for device in list_devices())
    except DeviceError:
        has_speaker = False
    return configured if has_speaker else f"file:{RECORDING}"


async def _converse(config: "Config", state: "Path", words: "Lexicon") -> bool:
    """Whether there was an answer."""
    import asyncio
    from pathlib import Path

    from voicehermes import app
    from voicehermes.adapters.sound.files import read_pcm
    from voicehermes.audio import RATE_HZ, SAMPLE_BYTES
    from voicehermes.cli.printing import Conversing

    journal, display = state / TIMELINE, Conversing(words)
    async with (
        app.open_setting(config, state=state, journal=journal, display=display) as setting,
        app.open_spoken_session(setting) as session,
    ):
        if config.audio.input.startswith("file:"):
            clip = Path(config.audio.input.removeprefix("file:"))
            pcm = await asyncio.to_thread(read_pcm, clip)
            await _ask_by_clip(session, len(pcm) / SAMPLE_BYTES / RATE_HZ)
        else:
            await _ask_by_keyboard(session, words)
        await session.wait_until_quiet()
    return bool(display.reply)


async def _ask_by_clip(session: "Session", seconds: float) -> None:
    import asyncio

    _toggle(session)
    await asyncio.sleep(seconds)
    _toggle(session)


async def _ask_by_keyboard(session: "Session", words: "Lexicon") -> None:
    for phrase in ("demo-press", "demo-press-again"):
        print(words.say(phrase), flush=True)
        await _key_pressed()
        _toggle(session)


async def _key_pressed() -> None:
    """The Enter key was pressed, or the terminal is gone. A thread that waits outlives Ctrl+C."""
    import asyncio
    import os
    import sys

    terminal, loop, is_pressed = sys.stdin.fileno(), asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(terminal, is_pressed.set)
    try:
        await is_pressed.wait()
    finally:
        loop.remove_reader(terminal)
    await asyncio.to_thread(os.read, terminal, 4096)  # it is there: nothing to wait for


def _toggle(session: "Session") -> None:
    import asyncio

    from voicehermes.events import Trigger, TriggerKind

    session.trigger(Trigger(TriggerKind.TOGGLE, asyncio.get_running_loop().time()))


def _show_timeline(path: "Path", words: "Lexicon") -> None:
    """One row for each thing that happened."""
    import json

    print(f"\n{words.say('demo-timeline')}")
    for line in path.read_text("utf-8").splitlines():
        record = json.loads(line)
        fields = _fields(record, but=("t", "event", "turn", "since"))
        print(f"{record['t']:8.3f} s  {record['event']:<13} {fields}".rstrip())


def _fields(record: dict[str, object], *, but: Sequence[str]) -> str:
    return "  ".join(f"{name}={value}" for name, value in record.items() if name not in but)
