"""``voicehermes sessions list | new | use``."""

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voicehermes.adapters.hermes.webui_api import SessionInfo
    from voicehermes.config import Config


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the command and its three parts."""
    command = commands.add_parser(
        "sessions",
        description="List the server's conversations, begin one, or choose the one to go on in.",
        epilog="example:\n  voicehermes sessions list",
    )
    parts = command.add_subparsers(metavar="PART", required=True)
    listing = parts.add_parser(
        "list",
        help="print the conversations, the newest first",
        description="Print the conversations, the newest first; * is the one in use.",
        epilog="example:\n  voicehermes sessions list --json",
    )
    listing.add_argument("--json", action="store_true", help="as JSON")
    listing.set_defaults(run=_list)
    new = parts.add_parser(
        "new",
        help="begin a conversation and use it",
        description="Begin a conversation, use it from now on, and print its id.",
        epilog="example:\n  voicehermes sessions new",
    )
    new.set_defaults(run=_new)
    use = parts.add_parser(
        "use",
        help="go on in a conversation",
        description="Go on in the conversation with this id.",
        epilog="example:\n  voicehermes sessions use 20250101_120000_ab12cd",
    )
    use.add_argument("id", metavar="ID", help="as `sessions list` prints it")
    use.set_defaults(run=_use)


def _list(args: argparse.Namespace) -> int:
    import asyncio
    import json

    from voicehermes.cli import configuration

    sessions, used = asyncio.run(_find(configuration.load(args)))
    if args.json:
        print(json.dumps([_described(s, used) for s in sessions], ensure_ascii=False, indent=2))
    elif not sessions:
        print("There is no conversation yet.")
    else:
        print("\n".join(_row(session, used) for session in sessions))
    return 0


def _new(args: argparse.Namespace) -> int:
    import asyncio

    from voicehermes.cli import configuration

    config = configuration.load(args)
    print(asyncio.run(_begin(config)))
    _warn_of_new(config)
    return 0


def _use(args: argparse.Namespace) -> int:
    import asyncio

    from voicehermes.cli import configuration
    from voicehermes.cli.printable import one_line

    config = configuration.load(args)
    title = asyncio.run(_choose(config, args.id))
    print(f"{args.id}  {one_line(title)}")
    _warn_of_new(config)
    return 0


def _warn_of_new(config: "Config") -> None:
    import sys

    if config.server.session == "new":
        print('[server] session = "new": the next start begins another one.', file=sys.stderr)


def _described(session: "SessionInfo", used: str | None) -> dict[str, object]:
    return {
        "id": session.id,
        "title": session.title,
        "profile": session.profile,
        "messages": session.message_count,
        "updated_at": session.updated_at,
        "is_working": session.active_run_id is not None,
        "is_used": session.id == used,
    }


def _row(session: "SessionInfo", used: str | None) -> str:
    from datetime import datetime

    from voicehermes.cli.printable import one_line

    mark = "*" if session.id == used else " "
    day = datetime.fromtimestamp(session.updated_at).astimezone()
    return (
        f"{mark} {one_line(session.id)}  {day:%Y-%m-%d %H:%M}  "
        f"{session.message_count:>4}  {one_line(session.title)}"
    )


async def _find(config: "Config") -> tuple["list[SessionInfo]", str | None]:
    from voicehermes.adapters.hermes.session_file import SessionFile
    from voicehermes.adapters.hermes.webui_api import WebuiApi
    from voicehermes.cli import server

    async with server.connection(config) as http:
        used = await SessionFile(server.state(), config.server).read()
        return await WebuiApi(http).sessions(), used


async def _begin(config: "Config") -> str:
    from voicehermes.adapters.hermes.session_file import SessionFile
    from voicehermes.adapters.hermes.webui_api import WebuiApi
    from voicehermes.cli import server

    wanted = config.server
    async with server.connection(config) as http:
        session = await WebuiApi(http).new_session(
            workspace=wanted.workspace, model=wanted.model, model_provider=wanted.model_provider
        )
        await SessionFile(server.state(), wanted).write(session.info.id)
        return session.info.id


async def _choose(config: "Config", session_id: str) -> str:
    from voicehermes.adapters.hermes.session_file import SessionFile
    from voicehermes.adapters.hermes.webui_api import WebuiApi
    from voicehermes.cli import server
    from voicehermes.errors import GoneError

    async with server.connection(config) as http:
        try:
            session = await WebuiApi(http).session(session_id, last=0)
        except GoneError as error:
            raise GoneError(
                str(error), hint="`voicehermes sessions list` prints the ids."
            ) from error
        await SessionFile(server.state(), config.server).write(session_id)
        return session.info.title
