"""Passwords, cookies and the rules about foreign origins. Knows no HTTP beyond header values."""

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable, Mapping

from voicehermes.simulator.scenario import Server

SESSION_COOKIE = "hermes_session"
PROFILE_COOKIE = "hermes_profile"

FAILURES_MAX = 5

FOREIGN = "Cross-origin mismatch - check reverse proxy headers"
NO_TOKEN = "Session expired - reload the page"  # noqa: S105 - the server's words, not a secret


class Logins:
    """Who is logged in. Safe between threads."""

    def __init__(self, server: Server, now: Callable[[], float] = time.monotonic) -> None:
        self._server = server
        self._now = now
        self._key = secrets.token_bytes(32)
        self._lock = threading.Lock()
        self._expires: dict[str, float] = {}
        self._failures: dict[str, list[float]] = {}

    @property
    def is_enabled(self) -> bool:
        """Whether a password is set at all."""
        return bool(self._server.password)

    def log_in(self, password: object, address: str) -> tuple[int, str]:
        """Status and cookie of a login attempt: 200, 401, or 429 after five failures.

        The right password is refused too while the address is locked.
        """
        now = self._now()
        with self._lock:
            since = now - self._server.login_window_seconds
            failures = [at for at in self._failures.get(address, []) if at > since]
            self._failures[address] = failures
            if len(failures) >= FAILURES_MAX:
                return 429, ""
            if not isinstance(password, str) or not hmac.compare_digest(
                password.encode(), self._server.password.encode()
            ):
                failures.append(now)
                return 401, ""
            failures.clear()
            token = secrets.token_hex(32)
            self._expires[token] = now + self._server.cookie_seconds
            return 200, f"{token}.{self._sign(token)}"

    def log_out(self, cookies: Mapping[str, str]) -> None:
        """Forget this login."""
        with self._lock:
            self._expires.pop(self.token(cookies) or "", None)

    def token(self, cookies: Mapping[str, str]) -> str | None:
        """The login's token, or None when the cookie is missing, forged or too old."""
        token, _, signature = cookies.get(SESSION_COOKIE, "").partition(".")
        if not hmac.compare_digest(signature.encode(), self._sign(token).encode()):
            return None
        return token if self._expires.get(token, 0.0) > self._now() else None

    def profile(self, cookies: Mapping[str, str]) -> str:
        """The active profile of a request: its cookie's, else the default one."""
        name, _, signature = cookies.get(PROFILE_COOKIE, "").partition(".")
        is_signed = hmac.compare_digest(signature, self._profile_signature(name, cookies))
        known = name in self._server.profiles and is_signed
        return name if known else self._server.profiles[0]

    def profile_cookie(self, name: str, cookies: Mapping[str, str]) -> str:
        """The cookie's value that makes a profile the active one."""
        signature = self._profile_signature(name, cookies)
        return f"{name}.{signature}" if signature else name

    def refuse_origin(self, headers: Mapping[str, str], cookies: Mapping[str, str]) -> str:
        """Why a POST from this page is refused, or empty."""
        host = headers.get("host", "")
        sources = [headers[name] for name in ("origin", "referer") if name in headers]
        foreign = any(source.partition("://")[2].partition("/")[0] != host for source in sources)
        if foreign or headers.get("sec-fetch-site") == "cross-site":
            return FOREIGN
        if sources and self.is_enabled:
            sent = headers.get("x-hermes-csrf-token", "")
            if not hmac.compare_digest(sent.encode(), self.page_token(cookies).encode()):
                return NO_TOKEN
        return ""

    def page_token(self, cookies: Mapping[str, str]) -> str:
        """What the page sends as X-Hermes-CSRF-Token."""
        return self._sign(f"page {cookies.get(SESSION_COOKIE, '')}")

    def _profile_signature(self, name: str, cookies: Mapping[str, str]) -> str:
        if not self.is_enabled:
            return ""
        return self._sign(f"{name} {cookies.get(SESSION_COOKIE, '')}")

    def _sign(self, text: str) -> str:
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()
