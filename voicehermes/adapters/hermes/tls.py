"""Which certificates are trusted and shown, from ``[server]``."""

import ssl
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from voicehermes.config import Server
from voicehermes.errors import ConfigError


def tls_context(server: Server) -> ssl.SSLContext | bool:
    """What httpx takes as ``verify``. Reads files: call it in a thread.

    Raises ConfigError when a file that the configuration names cannot be used.
    """
    if urlsplit(server.url).scheme == "http":
        return False  # nothing to verify, and no time spent on loading certificates
    if server.ca_file:
        context = _trusting(server.ca_file)
    else:
        context = httpx.create_ssl_context()
        context.load_default_certs()  # the system's, besides those that httpx brings
    if not server.verify_tls:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if server.client_cert:
        _show(context, server.client_cert)
    return context


def _trusting(ca_file: str) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=Path(ca_file).expanduser())
    except OSError as error:  # an SSLError is one
        raise ConfigError(f"[server] ca_file must be a PEM file: {ca_file}: {error}.") from error


def _show(context: ssl.SSLContext, client_cert: str) -> None:
    try:
        context.load_cert_chain(Path(client_cert).expanduser())
    except OSError as error:
        raise ConfigError(
            f"[server] client_cert must be a PEM file with certificate and key: "
            f"{client_cert}: {error}."
        ) from error
