"""``voicehermes ask | say | listen | retry``: one thing at a time, without the daemon."""

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voicehermes.adapters.outbox import Outbox
    from voicehermes.audio import Utterance
    from voicehermes.config import Config
    from voicehermes.session import Session


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the commands."""
    ask = commands.add_parser(
        "ask",
        description="Type a question to the agent; its answer is printed and spoken.\n"
        "Ctrl+C ends the command, not what the agent does.",
        epilog='example:\n  voicehermes ask "Che tempo farà domani?"',
    )
    ask.add_argument("text", metavar="TEXT", help="the question")
    ask.add_argument("--silent", action="store_true", help="print the answer only")
    ask.add_argument("--json", action="store_true", help="print one JSON object at the end")
    ask.set_defaults(run=_ask)
    say = commands.add_parser(
        "say",
        description="Speak a text with the configured voice.",
        epilog='example:\n  voicehermes say "Buongiorno, sono pronta."',
    )
    say.add_argument("text", metavar="TEXT", help="the text; Markdown is spoken as in answers")
    say.set_defaults(run=_say)
    listen = commands.add_parser(
        "listen",
        description="Record one utterance and print its transcript. It ends by itself when you "
        "have spoken, or with the Enter key.",
        epilog="example:\n  voicehermes listen",
    )
    listen.add_argument("--json", action="store_true", help="print a JSON object")
    listen.set_defaults(run=_listen)
    retry = commands.add_parser(
        "retry",
        description="Send what was said and could not be sent. What the agent has got meanwhile "
        "is not sent twice.",
        epilog="example:\n  voicehermes retry",
    )
    retry.add_argument("--silent", action="store_true", help="print the answers only")
    retry.set_defaults(run=_retry)


def _ask(args: argparse.Namespace) -> int:
    import asyncio
    import json

    from voicehermes import app
    from voicehermes.cli import configuration
    from voicehermes.cli.printing import Printing
    from voicehermes.errors import ConfigError

    if not args.text.strip():
        raise ConfigError("TEXT must not be empty.")
    config = configuration.load(args)
    display = Printing(collect=args.json)

    async def ask() -> str:
        state, journal = configuration.state_folder(), configuration.timeline_path(config)
        async with (
            app.open_setting(config, state=state, journal=journal, display=display) as setting,
            app.open_typed_session(setting, silent=args.silent) as session,
        ):
            session.ask(args.text)
            await session.wait_until_quiet()
            return session.outcome

    outcome = asyncio.run(ask())
    if args.json:
        answer = {"question": args.text, "answer": display.reply, "outcome": outcome}
        print(json.dumps(answer, ensure_ascii=False))
    return 0 if outcome == "answered" else 1


def _say(args: argparse.Namespace) -> int:
    import asyncio
    import sys

    from voicehermes import app
    from voicehermes.cli import configuration
    from voicehermes.cli.printable import printable
    from voicehermes.cli.printing import Printing
    from voicehermes.errors import ConfigError
    from voicehermes.speaking.voice import SpeechFailed, SpokenAll, VoiceEvent

    if not args.text.strip():
        raise ConfigError("TEXT must not be empty.")
    config = configuration.load(args)
    turn, lost = 1, []

    async def say() -> None:
        spoken = asyncio.Event()

        def take(event: VoiceEvent) -> None:
            match event:
                case SpokenAll():
                    spoken.set()
                case SpeechFailed(_, error, is_lost):
                    if is_lost:
                        lost.append(error)
                    print(f"voicehermes: {printable(str(error))}", file=sys.stderr)
                case _:
                    pass

        state = configuration.state_folder()
        async with (
            app.open_setting(
                config, state=state, journal=None, display=Printing(collect=True)
            ) as setting,
            app.server(config, setting.store) as http,
            app.open_voice(setting, http, take) as voice,
        ):
            voice.begin(turn)
            voice.add(turn, args.text)
            voice.end(turn)
            await spoken.wait()

    asyncio.run(say())
    return 1 if lost else 0


def _listen(args: argparse.Namespace) -> int:
    import asyncio
    import json

    from voicehermes.cli import configuration

    config = configuration.load(args)
    utterance, transcript = asyncio.run(_hear(config))
    if args.json:
        seconds = round(utterance.seconds, 3) if utterance else 0.0
        print(json.dumps({"transcript": transcript, "seconds": seconds}, ensure_ascii=False))
    elif transcript:
        print(transcript)
    return 0 if transcript else 1


async def _hear(config: "Config") -> "tuple[Utterance | None, str]":
    """Record one utterance and have it transcribed. Raises errors of our tree."""
    import asyncio
    import sys

    from voicehermes import app
    from voicehermes.adapters.hermes.webui_voice import WebuiRecognizer
    from voicehermes.audio import EndsBy, UtteranceEnd
    from voicehermes.cli import configuration
    from voicehermes.cli.printing import Printing
    from voicehermes.hearing.ear_events import EarEvent, InputFaulty, MicrophoneLost, Recorded

    loop = asyncio.get_running_loop()
    recorded: asyncio.Future[Utterance | None] = loop.create_future()
    recording = 1

    def take(event: EarEvent) -> None:
        match event:
            case Recorded(utterance=None, end=UtteranceEnd.DEVICE_LOST):
                pass  # why follows
            case Recorded(utterance=utterance):
                recorded.set_result(utterance)
            case MicrophoneLost(error) if not recorded.done():
                recorded.set_exception(error)
            case InputFaulty(fault):
                print(setting.words.say(f"input-{fault.value}"), file=sys.stderr)
            case _:
                pass

    def end_by_key() -> None:
        loop.remove_reader(sys.stdin.fileno())  # the line stays unread
        capture.stop(recording, UtteranceEnd.RELEASED)

    state = configuration.state_folder()
    async with app.open_setting(
        config, state=state, journal=None, display=Printing(collect=True)
    ) as setting:
        capture = await app.open_capture(setting, take, lambda: None)
        async with app.background(capture.run()):
            patience_seconds = config.listen.max_seconds
            capture.start(recording, ends_by=EndsBy.LONG_SILENCE, patience_seconds=patience_seconds)
            if sys.stdin.isatty():
                loop.add_reader(sys.stdin.fileno(), end_by_key)
                print(setting.words.say("listen-now"), file=sys.stderr)
            utterance = await recorded
        if utterance is None:
            print(setting.words.say("nothing-heard"), file=sys.stderr)
            return None, ""
        async with app.server(config, setting.store) as http:
            recognizer = WebuiRecognizer(http, seconds=config.server.transcribe_seconds)
            transcript = await recognizer.transcribe(utterance)
        if not transcript:
            print(setting.words.say("not-understood"), file=sys.stderr)
        return utterance, transcript


def _retry(args: argparse.Namespace) -> int:
    import asyncio

    from voicehermes import app, lexicon
    from voicehermes.adapters.outbox import Outbox
    from voicehermes.cli import configuration
    from voicehermes.cli.printing import Printing

    config = configuration.load(args)
    words = lexicon.load(config.ui.language)

    async def retry() -> int:
        state, journal = configuration.state_folder(), configuration.timeline_path(config)
        display = Printing(collect=False)
        async with app.open_setting(
            config, state=state, journal=journal, display=display
        ) as setting:
            outbox = Outbox(setting.store)
            if not await asyncio.to_thread(outbox.free_entries):
                print(words.say("nothing-kept"))
                return 0
            async with app.open_typed_session(setting, silent=args.silent) as session:
                return await _send_all(session, outbox)

    return asyncio.run(retry())


async def _send_all(session: "Session", outbox: "Outbox") -> int:
    """Send the entries one after another; ends at the first that does not arrive."""
    import asyncio

    from voicehermes.cli.printable import one_line

    for entry in await asyncio.to_thread(outbox.free_entries):
        said_at = entry.said_at.astimezone()
        shown = one_line(entry.what) if isinstance(entry.what, str) else f"({entry.what.suffix})"
        print(f"› {said_at:%Y-%m-%d %H:%M} {shown}")
        session.send_again(entry.what, entry.key, entry.said_at.timestamp())
        await session.wait_until_quiet()
        if session.outcome not in ("answered", "not understood"):
            return 1
    return 0
