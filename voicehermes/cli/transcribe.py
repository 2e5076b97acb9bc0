"""``voicehermes transcribe``: what is said in sound files."""

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from voicehermes.audio import Utterance
    from voicehermes.config import Config

TAKEN_UNCHECKED = (".mp4", ".mpeg", ".mpga", ".m4a", ".webm", ".aac")
"""What hermes-webui takes and libsndfile cannot read: the server says what is wrong with it."""

TAKEN_CHECKED = (".wav", ".ogg", ".flac", ".mp3")
"""What both know. Everything else is converted."""


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the command."""
    command = commands.add_parser(
        "transcribe",
        description="Print what the server understands in sound files.",
        epilog="example:\n  voicehermes transcribe memo.ogg",
    )
    command.add_argument("files", nargs="+", metavar="FILE", help="a sound file")
    command.add_argument("--json", action="store_true", help="a JSON line for each file")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the transcripts; 1 when a file has none. Raises ConfigError and ServerError."""
    import asyncio

    from voicehermes.cli import configuration

    return asyncio.run(_transcribe(configuration.load(args), args.files, as_json=args.json))


async def _transcribe(config: "Config", names: list[str], *, as_json: bool) -> int:
    import asyncio
    import json
    import sys
    from pathlib import Path

    from voicehermes.adapters.hermes.webui_voice import WebuiRecognizer
    from voicehermes.cli import server
    from voicehermes.cli.printable import printable
    from voicehermes.errors import AudioError, RefusedError

    code = 0
    async with server.connection(config) as http:
        recognizer = WebuiRecognizer(http, seconds=config.server.transcribe_seconds)
        for name in names:
            result = {"file": name}
            try:
                utterance = await asyncio.to_thread(upload_of, Path(name), config)
                result["transcript"] = text = await recognizer.transcribe(utterance)
            except (AudioError, RefusedError) as error:  # of this file; the next one may do
                code = 1
                result["error"] = str(error)
                print(f"voicehermes: {printable(str(error))}", file=sys.stderr)
            else:
                if not as_json:
                    print(printable(text if len(names) == 1 else f"{name}: {text}"), flush=True)
            if as_json:
                print(json.dumps(result, ensure_ascii=False), flush=True)
    return code


def upload_of(path: "Path", config: "Config") -> "Utterance":
    """A sound file as the server takes it: as it is, or converted. Raises AudioError."""
    from voicehermes.adapters.sound.encoders import open_encoders
    from voicehermes.adapters.sound.files import SoundFile, read_pcm
    from voicehermes.audio import RATE_HZ, SAMPLE_BYTES, Utterance, UtteranceEnd
    from voicehermes.errors import FormatError

    suffix = path.suffix.lower()
    if suffix not in TAKEN_CHECKED + TAKEN_UNCHECKED:
        pcm = read_pcm(path)
        encoder = open_encoders(config.listen.upload_format)()
        encoder.write(pcm)
        seconds = len(pcm) / SAMPLE_BYTES / RATE_HZ
        return Utterance(encoder.finish(), encoder.suffix, seconds, UtteranceEnd.FILE_ENDED)
    if suffix in TAKEN_CHECKED:
        file = SoundFile(path)
        file.open()
        file.close()
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error.strerror}.") from error
    if not data:
        raise FormatError(f"There is no sound in {path}.")
    return Utterance(data, suffix, 0.0, UtteranceEnd.FILE_ENDED)
