"""The connection that a command has to the configured server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from voicehermes import app
from voicehermes.adapters.hermes.http import WebuiHttp
from voicehermes.adapters.store import Store
from voicehermes.cli import configuration
from voicehermes.config import Config


def state() -> Store:
    """The store in the state folder."""
    return Store(configuration.state_folder())


def http(config: Config) -> WebuiHttp:
    """Requests with the cookies of the last login."""
    return app.server(config, state())


@asynccontextmanager
async def connection(config: Config) -> AsyncIterator[WebuiHttp]:
    """Open requests, in the configured profile. Raises ServerError."""
    async with http(config) as requests:
        if config.server.profile:
            await requests.switch_profile(config.server.profile)
        yield requests
