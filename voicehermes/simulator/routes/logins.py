"""Health, pages, login, profiles, and the little that is asked about the server itself."""

import math
import time

from voicehermes.simulator.logins import PROFILE_COOKIE, SESSION_COOKIE
from voicehermes.simulator.messages import Answer, Json, Request, answer, refusal
from voicehermes.simulator.sessions import MODEL, PROVIDER, WORKSPACE
from voicehermes.simulator.world import World

COOKIE_RULES = "HttpOnly; Path=/; SameSite=Lax"


def health(world: World, request: Request) -> Answer:
    """Public."""
    with world.changed:
        live = [run_id for run_id, run in world.runs.items() if run.journal.is_live]
        return answer(
            {
                "status": "ok",
                "sessions": len(world.sessions),
                "active_streams": len(live),
                "active_runs": len(live),
                "runs": live,
                "last_run_finished_at": None,
                "server_started_at": world.started_at,
                "uptime_seconds": round(time.time() - world.started_at, 1),
                "accept_loop": {"requests_total": 0, "last_request_at": time.time()},
            }
        )


def root(world: World, request: Request) -> Answer:
    """The page of the real server; ours says what it is."""
    token = world.logins.page_token(request.cookies)
    page = (
        "<!doctype html><title>Hermes</title><p>voicehermes simulator: every answer is scripted."
        f'<script>window.hermes={{csrfToken:"{token}"}}</script>'
    )
    return Answer(200, page.encode(), "text/html; charset=utf-8")


def login_page(world: World, request: Request) -> Answer:
    """Where a browser without a login is sent."""
    return Answer(200, b"<!doctype html><title>Login</title>", "text/html; charset=utf-8")


def auth_status(world: World, request: Request) -> Answer:
    """Public."""
    enabled = world.logins.is_enabled
    return answer(
        {
            "auth_enabled": enabled,
            "logged_in": world.logins.token(request.cookies) is not None,
            "oidc_enabled": False,
            "password_auth_enabled": enabled,
            "passwordless_enabled": False,
            "passkeys_enabled": False,
            "passkeys_count": 0,
            "passkey_feature_flag": False,
            "auth_disabled_acknowledged": False,
        }
    )


def login(world: World, request: Request) -> Answer:
    """Public, and the one POST that may come from a foreign page."""
    if not world.logins.is_enabled:
        return answer({"ok": True, "message": "Auth not enabled"})
    status, cookie = world.logins.log_in(request.json().get("password"), request.address)
    if status == 429:
        return refusal(429, "Too many attempts. Try again in a minute.")
    if status == 401:
        return refusal(401, "Invalid password")
    age = math.ceil(world.scenario.server.cookie_seconds)
    value = f"{SESSION_COOKIE}={cookie}; HttpOnly; Max-Age={age}; Path=/; SameSite=Lax"
    return Answer(200, b'{"ok": true}', "application/json", (("Set-Cookie", value),))


def logout(world: World, request: Request) -> Answer:
    """The cookie is worth nothing from now on; streams that are open stay open."""
    world.logins.log_out(request.cookies)
    return Answer(200, b'{"ok": true}', "application/json")


def _profiles(world: World, active: str) -> list[Json]:
    default = world.scenario.server.profiles[0]
    return [
        {
            "name": name,
            "path": f"/home/user/{'hermes' if name == default else name}",
            "is_default": name == default,
            "is_active": name == active,
            "gateway_running": False,
            "model": MODEL,
            "provider": PROVIDER,
            "has_env": False,
            "visible": True,
            "skill_count": 0,
            "enabled_skills": 0,
            "total_skills": 0,
        }
        for name in world.scenario.server.profiles
    ]


def profiles(world: World, request: Request) -> Answer:
    """All profiles."""
    active = world.logins.profile(request.cookies)
    listed = _profiles(world, active)
    return answer({"profiles": listed, "active": active, "single_profile_mode": False})


def profile_active(world: World, request: Request) -> Answer:
    """The one of this request's cookie."""
    name = world.logins.profile(request.cookies)
    is_default = name == world.scenario.server.profiles[0]
    path = f"/home/user/{'hermes' if is_default else name}"
    return answer(
        {"name": name, "path": path, "is_default": is_default, "default_workspace": WORKSPACE}
    )


def profile_switch(world: World, request: Request) -> Answer:
    """Choosing a profile is a cookie, nothing else."""
    name = request.json().get("name")
    if not isinstance(name, str) or name not in world.scenario.server.profiles:
        return refusal(404, f"Profile '{name}' does not exist.")
    cookie = world.logins.profile_cookie(name, request.cookies)
    data = {
        "profiles": _profiles(world, world.logins.profile(request.cookies)),
        "active": name,
        "is_default": name == world.scenario.server.profiles[0],
        "default_model": MODEL,
        "default_model_provider": PROVIDER,
        "default_workspace": WORKSPACE,
    }
    return answer(data, headers=(("Set-Cookie", f"{PROFILE_COOKIE}={cookie}; {COOKIE_RULES}"),))


def models(world: World, request: Request) -> Answer:
    """One scripted model."""
    badge = {"role": "primary", "label": "Primary", "provider": PROVIDER}
    group = {
        "provider": "simulator",
        "provider_id": PROVIDER,
        "models": [{"id": MODEL, "label": "scripted, no model at all"}],
    }
    return answer(
        {
            "active_provider": PROVIDER,
            "default_model": MODEL,
            "configured_model_badges": {MODEL: badge},
            "groups": [group],
            "aliases": {},
        }
    )


def settings(world: World, request: Request) -> Answer:
    """The few settings that a voice client could ask for."""
    return answer(
        {
            "default_workspace": WORKSPACE,
            "default_model": MODEL,
            "default_model_provider": PROVIDER,
            "tts_enabled": False,
            "tts_auto_read": False,
            "tts_engine": "browser",
            "tts_voice": "",
            "tts_rate": 1.0,
            "tts_pitch": 1.0,
            "language": "en",
            "bot_name": "Hermes",
            "auth_enabled": world.logins.is_enabled,
            "password_auth_enabled": world.logins.is_enabled,
            "webui_version": "simulator",
            "agent_version": "simulator",
        }
    )
