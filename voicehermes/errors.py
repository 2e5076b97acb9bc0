"""Everything that can go wrong outside, as one tree.

    VoicehermesError
    ├── ConfigError            the configuration, or a command's argument
    ├── AudioError             sound in or out
    │   ├── DeviceError        a microphone or speaker is missing, busy or lost
    │   └── FormatError        bytes or a file that should be audio and is not
    ├── ServerError            the agent's server
    │   ├── UnreachableError   no connection, or it broke          (retryable)
    │   ├── UnconfirmedError   an answer of ours may have arrived, or not
    │   ├── LoginError         a login is needed, or was refused
    │   ├── RateLimitedError   too many requests                   (retryable)
    │   ├── RefusedError       the server says no and why
    │   │   ├── BusyError      the session works on another run    (retryable)
    │   │   └── GoneError      that run, session or decision is not there any more
    │   └── ProtocolError      an answer that no hermes-webui gives
    ├── VoiceError             a text that no synthesiser would speak
    │   └── UnknownVoiceError  a voice that a synthesiser does not have, now or later
    ├── TriggerError           a key or socket that cannot be listened to
    └── StoreError             a file of ours that cannot be kept or read

Adapters translate what their libraries raise into this tree, with ``raise … from``; the layers
above know only it. Anything else that is raised is a bug, and ends the program.
"""

from typing import ClassVar


class VoicehermesError(Exception):
    """Something outside failed.

    ``str(error)`` is one sentence in English, for the terminal and the log. ``phrase`` names the
    sentence of the lexicon that is spoken for it. ``hint`` is the remedy, or empty.
    """

    phrase: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    def __str__(self) -> str:
        message = super().__str__()
        return f"{message} {self.hint}" if self.hint else message


class ConfigError(VoicehermesError):
    """A configuration file, variable or argument that cannot be used."""

    phrase = "error-config"


class AudioError(VoicehermesError):
    """Sound could not be taken in or given out."""

    phrase = "error-audio"


class DeviceError(AudioError):
    """A microphone or speaker is missing, busy, refuses, or went away."""

    phrase = "error-device"


class FormatError(AudioError):
    """Bytes, or a file, that should hold audio and do not."""

    phrase = "error-format"


class ServerError(VoicehermesError):
    """The agent's server did not do what was asked."""

    phrase = "error-server"


class UnreachableError(ServerError):
    """No connection to the server, or it broke or timed out."""

    phrase = "error-unreachable"
    retryable = True


class UnconfirmedError(ServerError):
    """An answer went out, nothing waits for it any more, and nobody knows whether it arrived."""

    phrase = "error-unconfirmed"


class LoginError(ServerError):
    """The server wants a login, or refused the one it was given."""

    phrase = "error-login"


class RateLimitedError(ServerError):
    """The server asks to wait (429)."""

    phrase = "error-rate-limited"
    retryable = True


class RefusedError(ServerError):
    """The server refuses this request; the message is its own reason."""

    phrase = "error-refused"

    def __init__(self, message: str, *, hint: str = "", status: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        """HTTP status, or 0 when a 200 body said no."""


class BusyError(RefusedError):
    """The session already works on a run; ``run_id`` is that one where the server names it."""

    phrase = "error-busy"
    retryable = True

    def __init__(self, message: str, *, run_id: str | None = None) -> None:
        super().__init__(message, status=409)
        self.run_id = run_id


class GoneError(RefusedError):
    """The run, session or decision is unknown to the server, or no longer there."""

    phrase = "error-gone"


class ProtocolError(ServerError):
    """An answer that is not what a hermes-webui gives: HTML, junk, a missing field."""

    phrase = "error-protocol"


class VoiceError(VoicehermesError):
    """No audio came for a text: an unknown voice, a synthesiser that failed."""

    phrase = "error-voice"


class UnknownVoiceError(VoiceError):
    """A synthesiser has no such voice: asking it again is of no use."""


class TriggerError(VoicehermesError):
    """A trigger source that cannot work here: no display, Wayland, a socket in use."""

    phrase = "error-trigger"


class StoreError(VoicehermesError):
    """A file of ours could not be written or read."""

    phrase = "error-store"
