"""``voicehermes login`` and ``logout``."""

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voicehermes.config import Config


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add both commands."""
    login = commands.add_parser(
        "login",
        description="Log in to hermes-webui. The password comes from VOICEHERMES_PASSWORD, from\n"
        "the systemd credential voicehermes-password, or is asked for; only the cookies are kept.",
        epilog="example:\n  voicehermes login --config ~/office.toml",
    )
    login.set_defaults(run=_login)
    logout = commands.add_parser(
        "logout",
        description="End the login, on the server too, and forget the cookies.",
        epilog="example:\n  voicehermes logout",
    )
    logout.set_defaults(run=_logout)


def _login(args: argparse.Namespace) -> int:
    import asyncio
    import os

    from voicehermes.adapters.hermes.login import password_source
    from voicehermes.cli import configuration

    config = configuration.load(args)
    password = password_source(os.environ)
    if password is None:
        asyncio.run(_check(config))  # nobody types a password that is of no use
        password = _ask(config.server.url)
    asyncio.run(_log_in(config, password))
    print(f"Logged in at {config.server.url}.")
    return 0


def _logout(args: argparse.Namespace) -> int:
    import asyncio
    import sys

    from voicehermes.cli import configuration

    config = configuration.load(args)
    if asyncio.run(_log_out(config)):
        print(f"Logged out at {config.server.url}.")
        return 0
    print(
        f"voicehermes: Logged out on this machine only: {config.server.url} cannot be reached. "
        "There the login lasts until it expires.",
        file=sys.stderr,
    )
    return 1


def _ask(url: str) -> str:
    import getpass
    import sys

    from voicehermes.errors import ConfigError

    hint = "Set VOICEHERMES_PASSWORD, or the systemd credential voicehermes-password."
    if not sys.stdin.isatty():
        raise ConfigError("There is no terminal to ask for the password on.", hint=hint)
    try:
        password = getpass.getpass(f"Password for {url}: ")
    except EOFError:
        password = ""
    if not password:
        raise ConfigError("No password was given.", hint=hint)
    return password


async def _check(config: "Config") -> None:
    from voicehermes.adapters.hermes.login import check_login_by_password
    from voicehermes.cli import server

    async with server.http(config) as http:
        await check_login_by_password(http)


async def _log_in(config: "Config", password: str) -> None:
    from voicehermes.adapters.hermes.login import login
    from voicehermes.cli import server

    async with server.http(config) as http:
        await login(http, password)


async def _log_out(config: "Config") -> bool:
    from voicehermes.adapters.hermes.login import logout
    from voicehermes.cli import server

    async with server.http(config) as http:
        return await logout(http)
