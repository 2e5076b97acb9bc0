"""The configuration as a frozen tree, validated once. Reads no file.

``parse`` makes a Config of TOML text and environment variables; what cannot be used is a
ConfigError of one line that names the place, the key and the rule.
"""

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)
from pydantic_core import PydanticCustomError

ENV_PREFIX = "VOICEHERMES_"


def _rule(text: str) -> PydanticCustomError:
    """An error whose text completes the sentence "`[section] key` must …"."""
    return PydanticCustomError("rule", "{text}", {"text": text})


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _check_url(value: str) -> str:
    try:
        parts = urlsplit(value)
        port_is_bad = parts.port == 0
    except ValueError:
        raise _rule("be an address like https://hermes.example.org") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or port_is_bad:
        raise _rule(
            "begin with http:// or https:// and name a host, like https://hermes.example.org"
        )
    if parts.username or parts.password:
        raise _rule("not hold a user name or password (use `voicehermes login`)")
    if parts.query or parts.fragment:
        raise _rule("not hold a query (?) or fragment (#)")
    return value.rstrip("/")


def _check_signed(unit: str) -> AfterValidator:
    def check(value: str) -> str:
        number = value.removesuffix(unit)
        signed = number[:1] in ("+", "-") and number[1:].isascii() and number[1:].isdigit()
        if not value.endswith(unit) or not signed or len(number) > 4 or abs(int(number)) > 100:
            raise _rule(f'be a sign, a number up to 100 and "{unit}", like "+10{unit}"')
        return value

    return AfterValidator(check)


def _later(values: Mapping[str, str]) -> BeforeValidator:
    """Refuses, with a sentence, values that a later version brings."""

    def check(value: object) -> object:
        if isinstance(value, str) and value in values:
            raise _rule(f'not be "{value}" yet: {values[value]}')
        return value

    return BeforeValidator(check)


Seconds = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]
PositiveSeconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Server(_Section):
    """Where the agent is and how to reach it."""

    kind: Annotated[
        Literal["webui"],
        _later({"pheby": "this version speaks with hermes-webui only"}),
    ] = "webui"
    """The server's protocol."""
    url: Annotated[str, AfterValidator(_check_url)] = "http://127.0.0.1:8787"
    """Address of hermes-webui; may carry a path."""
    session: Annotated[str, Field(min_length=1)] = "last"
    """The conversation: "last" used one, a "new" one at each start, or a session id."""
    new_after_hours: Annotated[float, Field(ge=0, le=8760, allow_inf_nan=False)] = 0.0
    """With session = "last": begin a new one after so many idle hours; 0 = never."""
    profile: str = ""
    """Hermes profile to switch to; empty = the server's active one."""
    workspace: str = ""
    """Folder on the server that new sessions work in; empty = the server's default."""
    model: str = ""
    """Model for new sessions; empty = the server's default."""
    model_provider: str = ""
    """Provider of ``model``; empty = the server's choice."""
    verify_tls: bool = True
    """Whether the server's certificate is checked."""
    ca_file: str = ""
    """PEM file of an own certificate authority; empty = the system's."""
    client_cert: str = ""
    """PEM file with a client certificate and its key; empty = none."""
    allow_insecure_http: bool = False
    """Allow plain http to another machine: words and cookie then travel readable."""
    connect_seconds: PositiveSeconds = 5.0
    """Longest wait for a connection."""
    answer_seconds: PositiveSeconds = 30.0
    """Longest wait for the answer to an ordinary request."""
    transcribe_seconds: PositiveSeconds = 120.0
    """Longest wait for a transcript; a slow server needs more than real time."""

    @model_validator(mode="after")
    def _refuse_insecure_http(self) -> "Server":
        parts = urlsplit(self.url)
        if (
            parts.scheme == "http"
            and not _is_loopback(parts.hostname or "")
            and not self.allow_insecure_http
        ):
            raise PydanticCustomError(
                "rule_of_key",
                "{text}",
                {
                    "key": "url",
                    "text": "use https:// for another machine "
                    "(or set [server] allow_insecure_http = true)",
                },
            )
        return self


class Audio(_Section):
    """Microphone and speaker."""

    input: Annotated[str, Field(min_length=1)] = "default"
    """Microphone: "default", a device's name or part of one, or "file:PATH"."""
    output: Annotated[str, Field(min_length=1)] = "default"
    """Speaker: "default", a device's name or part of one, "file:PATH", or "null" for silence."""
    volume: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 1.0
    """Loudness of all that is played, 0 to 1."""
    cues: bool = True
    """Short sounds when listening begins, ends, or heard nothing."""


class Talk(_Section):
    """How a conversation is started and stopped."""

    mode: Annotated[
        Literal["hold", "toggle"],
        _later({"handsfree": 'use "hold" or "toggle"; listening without a key is not done'}),
    ] = "hold"
    """"hold" the key while speaking, or "toggle": press to begin, press again to end."""
    hotkey: str = "ctrl_r"
    """Key or chord, e.g. "ctrl_r", "f9", "ctrl+space"; empty = no global hotkey."""
    cancel_hotkey: str = ""
    """Key or chord that cancels the agent's run; empty = none."""
    tap_seconds: Seconds = 0.3
    """A press shorter than this is a tap: be quiet."""
    when_busy: Literal["replace", "queue", "steer"] = "replace"
    """What is said while the agent works: replaces the run, waits for its end, or is a hint."""


class Listen(_Section):
    """From microphone to utterance."""

    vad: Literal["auto", "silero", "webrtc"] = "auto"
    """Voice detector; "auto" = silero where it is installed."""
    pre_roll_seconds: Annotated[float, Field(ge=0.5, le=3, allow_inf_nan=False)] = 0.5
    """Sound kept from before the key was pressed, so that no first word is clipped."""
    min_speech_seconds: Annotated[float, Field(ge=0, le=5, allow_inf_nan=False)] = 0.15
    """Less speech than this is none: nothing is sent."""
    max_seconds: Annotated[float, Field(ge=1, le=600, allow_inf_nan=False)] = 120.0
    """Longest utterance; then it ends with a cue and is sent."""
    upload_format: Literal["ogg", "wav", "flac"] = "ogg"
    """Format of the upload; ogg (Opus) is a tenth of wav."""


class Speak(_Section):
    """From reply to sound."""

    engine: Annotated[
        Literal["server", "local"],
        _later({"openai": 'use "server" or "local"'}),
    ] = "server"
    """"server" = hermes-webui's /api/tts; "local" = the first of ``fallback`` that is there."""
    voice: Annotated[str, Field(min_length=1)] = "it-IT-ElsaNeural"
    """Voice of the server's engine."""
    rate: Annotated[str, _check_signed("%")] = "+0%"
    """Speed of speech, "-100%" to "+100%"."""
    pitch: Annotated[str, _check_signed("Hz")] = "+0Hz"
    """Pitch of the voice, "-100Hz" to "+100Hz"."""
    server_engine: Literal["edge", "elevenlabs", "openai"] = "edge"
    """Synthesis engine that the server uses."""
    fallback: tuple[Literal["espeakng", "espeak-ng", "pico2wave", "festival", "piper"], ...] = (
        "espeakng",
        "espeak-ng",
        "pico2wave",
        "festival",
    )
    """Local synthesisers, tried in this order when the server gives no audio."""


class Ui(_Section):
    """What is spoken by us, shown and understood."""

    language: Literal["it", "en"] = "it"
    """Italian or English."""


class Control(_Section):
    """The control socket."""

    socket: str = ""
    """Path of the Unix socket; empty = voicehermes.sock in XDG_RUNTIME_DIR."""


class Log(_Section):
    """What is written down."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """Least level that is logged."""
    transcripts: bool = False
    """Whether what is said, by you or the agent, appears in the log."""
    timeline: str = "default"
    """JSON-lines file of what happened when: "default" = in the state folder, "" = none."""


class Config(_Section):
    """Everything that can be set."""

    server: Server = Server()
    audio: Audio = Audio()
    talk: Talk = Talk()
    listen: Listen = Listen()
    speak: Speak = Speak()
    ui: Ui = Ui()
    control: Control = Control()
    log: Log = Log()
