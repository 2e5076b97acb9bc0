"""The endpoints of hermes-webui that a voice client calls. They know values, and no socket."""

from collections.abc import Callable

from voicehermes.simulator.messages import (
    NO_LOGIN,
    NOT_FOUND,
    Answer,
    BodyError,
    Request,
    Stream,
    refusal,
)
from voicehermes.simulator.routes import chat, decisions, logins, sessions, voice
from voicehermes.simulator.world import World

Route = Callable[[World, Request], Answer | Stream]

PUBLIC = frozenset({"/health", "/login", "/api/auth/status", "/api/auth/login"})

ROUTES: dict[tuple[str, str], Route] = {
    ("GET", "/"): logins.root,
    ("GET", "/login"): logins.login_page,
    ("GET", "/health"): logins.health,
    ("GET", "/api/auth/status"): logins.auth_status,
    ("POST", "/api/auth/login"): logins.login,
    ("POST", "/api/auth/logout"): logins.logout,
    ("GET", "/api/profiles"): logins.profiles,
    ("GET", "/api/profile/active"): logins.profile_active,
    ("POST", "/api/profile/switch"): logins.profile_switch,
    ("GET", "/api/models"): logins.models,
    ("GET", "/api/settings"): logins.settings,
    ("GET", "/api/sessions"): sessions.sessions,
    ("GET", "/api/session"): sessions.session_get,
    ("POST", "/api/session/new"): sessions.session_new,
    ("GET", "/api/session/status"): sessions.session_status,
    ("POST", "/api/chat/start"): chat.chat_start,
    ("GET", "/api/chat/stream"): chat.chat_stream,
    ("GET", "/api/chat/stream/status"): chat.stream_status,
    ("GET", "/api/chat/cancel"): chat.chat_cancel,
    ("POST", "/api/chat/steer"): chat.chat_steer,
    ("GET", "/api/approval/pending"): decisions.approval_pending,
    ("GET", "/api/approval/stream"): decisions.approval_stream,
    ("POST", "/api/approval/respond"): decisions.approval_respond,
    ("GET", "/api/clarify/pending"): decisions.clarify_pending,
    ("GET", "/api/clarify/stream"): decisions.clarify_stream,
    ("POST", "/api/clarify/respond"): decisions.clarify_respond,
    ("GET", "/api/transcribe/capability"): voice.capability,
    ("POST", "/api/transcribe"): voice.transcribe,
    ("POST", "/api/tts"): voice.tts,
}


def refuse(world: World, request: Request) -> Answer | None:
    """What is refused by the request's head alone, login first, then origin; None: it may pass.

    Its body is left unread on the connection, as in hermes-webui, which takes it for the next
    request.
    """
    if refused := _require_login(world, request):
        return refused
    if request.method == "POST" and request.path != "/api/auth/login":
        reason = world.logins.refuse_origin(request.headers, request.cookies)
        if reason:
            return refusal(403, reason)
    return None


def respond(world: World, request: Request) -> Answer | Stream:
    """The answer of the endpoint to a request that may pass."""
    route = ROUTES.get((request.method, request.path))
    if route is None:
        return NOT_FOUND
    try:
        return route(world, request)
    except BodyError:
        return refusal(500, "Internal server error")


def _require_login(world: World, request: Request) -> Answer | None:
    """What a client without a login gets, or None when it may pass."""
    if request.path in PUBLIC or world.logins.token(request.cookies) is not None:
        return None
    if not world.logins.is_enabled:
        return None
    if request.path.startswith("/api/"):
        return NO_LOGIN
    return Answer(302, b"", "", (("Location", f"login?next={request.path}"),))
