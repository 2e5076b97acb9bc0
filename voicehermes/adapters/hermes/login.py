"""Logging in and out. The password passes through; it is neither kept nor logged."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from voicehermes.adapters.hermes import shapes
from voicehermes.adapters.hermes.http import WebuiHttp
from voicehermes.errors import ConfigError, LoginError, UnreachableError

PASSWORD_VARIABLE = "VOICEHERMES_PASSWORD"  # noqa: S105 - a name, no password
CREDENTIAL = "voicehermes-password"
"""Name of the systemd credential (LoadCredential=) that holds the password."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AuthStatus:
    """How the server wants its users to log in."""

    auth_enabled: bool
    logged_in: bool
    password: bool
    """Whether a password is a way in."""
    oidc: bool
    passkeys: bool


async def auth_status(http: WebuiHttp) -> AuthStatus:
    """How to log in, and whether we are. Needs no login. Raises ServerError."""
    status = await http.get("/api/auth/status")
    enabled = shapes.flag(status, "auth_enabled")
    return AuthStatus(
        auth_enabled=enabled,
        logged_in=shapes.flag(status, "logged_in"),
        password=shapes.flag(status, "password_auth_enabled", default=enabled),
        oidc=shapes.flag(status, "oidc_enabled"),
        passkeys=shapes.flag(status, "passkeys_enabled"),
    )


async def login(http: WebuiHttp, password: str) -> None:
    """Log in with a password and keep the cookies.

    Raises LoginError when the server refuses it, asks for none, or wants another kind of login;
    RateLimitedError after too many tries; other ServerErrors.
    """
    await check_login_by_password(http)
    await http.log_in(password)
    log.info("logged in at %s", http.url)


async def check_login_by_password(http: WebuiHttp) -> None:
    """Raises LoginError when a password is of no use to this server, ServerError otherwise.

    Worth calling before anybody is asked for the password.
    """
    status = await auth_status(http)
    if not status.auth_enabled:
        raise LoginError("The server asks for no login.", hint="voicehermes works without one.")
    if not status.password:
        ways = [("OpenID Connect", status.oidc), ("passkeys", status.passkeys)]
        named = " or ".join(name for name, is_on in ways if is_on) or "another way"
        raise LoginError(
            f"The server's login is by {named}, not by password.",
            hint="voicehermes needs a password: set HERMES_WEBUI_PASSWORD on the server.",
        )


async def logout(http: WebuiHttp) -> bool:
    """Forget the cookies, and end the login on the server; False when that cannot be reached."""
    try:
        await http.post("/api/auth/logout", {})
    except LoginError as error:
        log.info("there was no login any more: %s", error)
    except UnreachableError as error:
        log.info("logged out here alone: %s", error)
        return False
    finally:
        await http.forget_login()
    return True


def password_source(env: Mapping[str, str]) -> str | None:
    """The password that the environment or systemd gives, or None. Reads a file.

    Raises ConfigError when there is a credential that cannot be read.
    """
    if password := env.get(PASSWORD_VARIABLE):
        return password
    folder = env.get("CREDENTIALS_DIRECTORY")
    if not folder:
        return None
    path = Path(folder) / CREDENTIAL
    try:
        return path.read_text("utf-8").rstrip("\r\n") or None
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The credential {path} cannot be read: {error}.") from error
