"""What an HTTP answer of hermes-webui means: its content, or an error of our tree. Pure.

hermes-webui answers JSON throughout. Whatever else comes is from a proxy, a login page, another
program, or a server that is overloaded; each is told apart so that the user knows what to check.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from voicehermes.adapters.hermes.shapes import Json, parse_object
from voicehermes.errors import (
    BusyError,
    GoneError,
    LoginError,
    ProtocolError,
    RateLimitedError,
    RefusedError,
    ServerError,
    UnreachableError,
)

CHECK_ADDRESS = "Check [server] url: its host, port and path, and any proxy in front of it."
LOG_IN = "Run `voicehermes login`."
LOG_IN_RIGHTLY = (
    "Run `voicehermes login` again, or correct VOICEHERMES_PASSWORD or the systemd credential."
)
_REASON_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer, read whole."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def content_type(self) -> str:
        """Without its parameters, in lower case; "" when there is none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


def content(answer: Answer) -> Json:
    """The JSON object of a successful answer. Raises ServerError for every other one."""
    check(answer)
    try:
        return parse_object(answer.body)
    except ProtocolError as error:
        raise ProtocolError(
            f"The server answered with {_kind(answer)}, not with JSON.", hint=CHECK_ADDRESS
        ) from error


def check(answer: Answer) -> None:
    """Raises the error of our tree that an unsuccessful answer means."""
    if not 200 <= answer.status < 300:
        raise error_of(answer)


def error_of(answer: Answer) -> ServerError:
    """The error that an answer means whose status is not a success."""
    status = answer.status
    if 300 <= status < 400:
        return _redirected(answer)
    details = _details(answer)
    if details is None:
        return _error_without_reason(answer)
    reason = _reason(details, status)
    match status:
        case 401:
            return LoginError(
                _sentence(reason), hint=LOG_IN_RIGHTLY if "password" in reason else LOG_IN
            )
        case 404:
            return _not_found(reason)
        case 409:
            return _conflict(details, reason)
        case 413:
            return _too_large(reason)
        case 429:
            return RateLimitedError(_sentence(reason))
        case 403 if "mismatch" in reason or "reload" in reason:
            # Its CSRF check, which only an Origin or Referer sets off; we send neither.
            return RefusedError(
                _sentence(reason),
                hint="A proxy adds an Origin or Referer header: it must not.",
                status=status,
            )
    return RefusedError(_sentence(reason), status=status)


def _redirected(answer: Answer) -> ProtocolError:
    target = answer.headers.get("location", "")
    if "login" in target or "auth" in target:
        return ProtocolError(
            "The server answered with a redirect to a login page.",
            hint="A proxy in front wants its own login, or the path in [server] url is wrong.",
        )
    where = f" to {_printable(target[:200])}" if target else ""
    return ProtocolError(f"The server answered with a redirect{where}.", hint=CHECK_ADDRESS)


def _error_without_reason(answer: Answer) -> ServerError:
    """For answers whose body is not the JSON of hermes-webui."""
    status = answer.status
    match status:
        case 401 | 407:
            return LoginError(
                f"Something in front of the server wants its own login ({status}).",
                hint="voicehermes cannot log in to a proxy; let it pass voicehermes by.",
            )
        case 413:
            return _too_large("")
        case 429:
            return RateLimitedError("The server asks to wait.")
        case 503 if not answer.body:
            # With more than 128 requests at work, open event streams among them.
            return UnreachableError("The server is overloaded.", hint="Close unused tabs of it.")
        case 502 | 503 | 504:
            return UnreachableError(
                f"The proxy says that the server does not answer ({status}).",
                hint="Check that hermes-webui runs.",
            )
    return ProtocolError(
        f"The server answered {status} with {_kind(answer)}, not with JSON.", hint=CHECK_ADDRESS
    )


def _not_found(reason: str) -> ServerError:
    if reason.strip().lower() == "not found":  # it knows no such path
        return ProtocolError(
            "The server knows no such address: it is another program, or another version.",
            hint=CHECK_ADDRESS,
        )
    if "not found" in reason.lower():
        return GoneError(_sentence(reason), status=404)
    return RefusedError(_sentence(reason), status=404)


def _conflict(details: Json, reason: str) -> ServerError:
    active = details.get("active_stream_id")
    if isinstance(active, str) or "active stream" in reason:
        return BusyError(
            "The session is still working on another request.",
            run_id=active if isinstance(active, str) and active else None,
        )
    if details.get("code") == "session_profile_mismatch":
        profile = details.get("profile")
        return RefusedError(
            f'The session belongs to the profile "{profile}".',
            hint=f'Set [server] profile = "{profile}", or [server] session = "new".',
            status=409,
        )
    if details.get("stale") is True:
        return GoneError(_sentence(reason), status=409)
    return RefusedError(_sentence(reason), status=409)


def _too_large(reason: str) -> RefusedError:
    return RefusedError(
        _sentence(reason or "the server or its proxy takes no upload of this size"),
        hint="Say it in shorter pieces.",
        status=413,
    )


def _details(answer: Answer) -> Json | None:
    """The JSON object of an error, or None where the body is none."""
    try:
        return parse_object(answer.body)
    except ProtocolError:
        return None


def _reason(details: Json, status: int) -> str:
    """The server's own words, on one line, without what commands a terminal."""
    reason = details.get("error") or details.get("message")
    if not isinstance(reason, str) or not reason.strip():
        return f"{status} {_status_name(status)}".strip()
    return " ".join(_printable(reason).split())[:_REASON_CHARACTERS]


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() or c.isspace() else "\ufffd" for c in text)


def _sentence(reason: str) -> str:
    """Input "invalid voice", output "The server refuses: invalid voice."."""
    return f"The server refuses: {reason.rstrip('.')}."


def _status_name(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _kind(answer: Answer) -> str:
    if not answer.body:
        return "nothing"
    if "html" in answer.content_type or answer.body.lstrip()[:1] == b"<":
        return "a web page"
    if answer.content_type == "application/json":
        return "broken JSON"  # as a proxy makes it that loses a header, or cuts the answer
    return answer.content_type or "something unknown"
