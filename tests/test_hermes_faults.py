"""Every exception of httpx has its place: an error of our tree, or a bug of ours."""

import inspect

import httpx
import httpx_sse
import pytest

from voicehermes.adapters.hermes.faults import AnswerLostError, BrokenOffError, error_of
from voicehermes.errors import ProtocolError, ServerError, UnreachableError

EXPECTED: dict[type[Exception], type[ServerError]] = {
    httpx.ConnectError: UnreachableError,
    httpx.ConnectTimeout: UnreachableError,
    httpx.PoolTimeout: UnreachableError,
    httpx.ProxyError: UnreachableError,
    httpx.TimeoutException: AnswerLostError,
    httpx.ReadTimeout: AnswerLostError,
    httpx.WriteTimeout: AnswerLostError,
    httpx.NetworkError: BrokenOffError,
    httpx.ReadError: BrokenOffError,
    httpx.WriteError: BrokenOffError,
    httpx.CloseError: BrokenOffError,
    httpx.RemoteProtocolError: ProtocolError,
    httpx.LocalProtocolError: ProtocolError,
    httpx.ProtocolError: ProtocolError,
    httpx.UnsupportedProtocol: ProtocolError,
    httpx.InvalidURL: ProtocolError,
    httpx.DecodingError: ProtocolError,
    httpx.TooManyRedirects: ProtocolError,
    httpx.TransportError: ProtocolError,
    httpx.RequestError: ProtocolError,
    httpx.HTTPStatusError: ProtocolError,
    httpx.HTTPError: ProtocolError,
    httpx_sse.SSEError: ProtocolError,
}

BUGS = {
    httpx.CookieConflict,  # our jar is empty
    httpx.StreamError,
    httpx.StreamConsumed,
    httpx.StreamClosed,
    httpx.ResponseNotRead,
    httpx.RequestNotRead,
}
"""Raised for misuse of httpx alone; they end the program."""


def _raised_by_httpx() -> set[type[Exception]]:
    return {
        thing
        for library in (httpx, httpx_sse)
        for _, thing in inspect.getmembers(library, inspect.isclass)
        if issubclass(thing, Exception)
    }


def _fault(kind: type[Exception]) -> Exception:
    if kind is httpx.HTTPStatusError:
        request = httpx.Request("GET", "http://h.example")
        return httpx.HTTPStatusError("no", request=request, response=httpx.Response(500))
    return kind("something went wrong")


def test_no_exception_of_httpx_is_forgotten() -> None:
    assert _raised_by_httpx() == EXPECTED.keys() | BUGS


@pytest.mark.parametrize("kind", EXPECTED, ids=lambda kind: kind.__name__)
def test_each_becomes_an_error_of_our_tree_in_one_sentence(kind: type[Exception]) -> None:
    fault = _fault(kind)
    assert isinstance(fault, httpx.HTTPError | httpx.InvalidURL), "error_of could not be called"
    error = error_of(fault, "http://h.example")
    assert type(error) is EXPECTED[kind]
    assert str(error).endswith(".")


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (
            httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed"),
            UnreachableError,
            "ca_file",
        ),
        (httpx.ConnectError("[SSL: WRONG_VERSION_NUMBER]"), UnreachableError, "https://"),
        (httpx.ConnectError("[Errno -2] Name or service not known"), UnreachableError, "host name"),
        (httpx.ConnectError("All connection attempts failed"), UnreachableError, "runs there"),
        (
            httpx.RemoteProtocolError("Server disconnected without sending a response."),
            BrokenOffError,
            "before it had answered",
        ),
        (
            httpx.RemoteProtocolError("peer closed connection without sending complete message"),
            BrokenOffError,
            "before it had answered",
        ),
        (
            httpx.RemoteProtocolError("illegal status line: b'SSH-2.0-OpenSSH_9.2'"),
            ProtocolError,
            "does not speak HTTP",
        ),
    ],
)
def test_the_remedy_fits_the_fault(
    fault: httpx.HTTPError, kind: type[ServerError], words: str
) -> None:
    error = error_of(fault, "http://h.example")
    assert type(error) is kind
    assert words in str(error)
