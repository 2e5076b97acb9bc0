"""What the errors of httpx mean, in our tree. Knows httpx's exceptions and no connection."""

import httpx

from voicehermes.adapters.hermes.answers import CHECK_ADDRESS
from voicehermes.errors import ProtocolError, ServerError, UnreachableError

Fault = httpx.HTTPError | httpx.InvalidURL
"""All that httpx raises for what happens outside; its other exceptions are misuse of it."""


class AnswerLostError(UnreachableError):
    """The request went out, or may have, and no answer to it came back."""


class BrokenOffError(AnswerLostError):
    """The connection ended before an answer to the request had come back."""


def error_of(fault: Fault, url: str) -> ServerError:
    """The error of our tree for an httpx exception that a request to ``url`` raised."""
    match fault:
        case httpx.ProxyError():
            return UnreachableError(
                f"The proxy does not connect to {url}: {_reason(fault)}.",
                hint="Check HTTPS_PROXY and NO_PROXY.",
            )
        case httpx.ConnectTimeout() | httpx.PoolTimeout():
            return UnreachableError(f"No connection to {url}: it takes too long.")
        case httpx.ConnectError():
            return _no_connection(fault, url)
        case httpx.TimeoutException():
            return AnswerLostError("The server did not answer in time.")
        case httpx.NetworkError():
            return BrokenOffError(f"The connection to {url} broke.")
        case httpx.RemoteProtocolError() if _is_broken_off(fault):
            return BrokenOffError(
                "The server closed the connection before it had answered.",
                hint="If it always does, something else answers at [server] url.",
            )
        case httpx.RemoteProtocolError():
            return ProtocolError(f"What answers at {url} does not speak HTTP.", hint=CHECK_ADDRESS)
        case httpx.UnsupportedProtocol() | httpx.LocalProtocolError() | httpx.InvalidURL():
            return ProtocolError(
                f"No request can be made to {url}: {_reason(fault)}.", hint=CHECK_ADDRESS
            )
    # DecodingError, TooManyRedirects, HTTPStatusError, and what a later httpx adds
    return ProtocolError(f"The answer of {url} makes no sense: {_reason(fault)}.")


def _no_connection(fault: httpx.ConnectError, url: str) -> UnreachableError:
    reason = _reason(fault)
    if "CERTIFICATE" in reason or "certificate" in reason:
        hint = "Name its authority in [server] ca_file."
    elif "SSL" in reason:
        hint = "Check whether [server] url should begin with http:// or https://."
    elif "[Errno -" in reason or "getaddrinfo" in reason:
        hint = "Check the host name in [server] url, and the network."
    else:
        hint = "Check that hermes-webui runs there, and [server] url."
    return UnreachableError(f"No connection to {url}: {reason}.", hint=hint)


def _is_broken_off(fault: httpx.RemoteProtocolError) -> bool:
    """Whether a well-behaved server went away, rather than something else answering."""
    reason = str(fault)
    return "disconnected" in reason or "closed connection" in reason


def _reason(fault: Exception) -> str:
    return str(fault).strip().rstrip(".") or type(fault).__name__
