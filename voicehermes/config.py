"""The configuration as a frozen tree, validated once. Reads no file.

``parse`` makes a Config of TOML text and environment variables; what cannot be used is a
ConfigError of one line that names the place, the key and the rule.
"""

import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal, get_origin
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from voicehermes.errors import ConfigError
from voicehermes.events import LOCAL_COMMANDS, LocalCommand

ENV_PREFIX = "VOICEHERMES_"
"""Of variables that set a key: VOICEHERMES_LISTEN__MAX_SECONDS sets `[listen] max_seconds`."""


def _rule(text: str) -> PydanticCustomError:
    """An error whose text completes the sentence "`[section] key` must …"."""
    return PydanticCustomError("rule", "{text}", {"text": text})


def is_loopback(url: str) -> bool:
    """Whether an address leads to this machine itself."""
    host = urlsplit(url).hostname or ""
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
    is_odd = any(character.isspace() or not character.isprintable() for character in value)
    if parts.scheme not in ("http", "https") or not parts.hostname or port_is_bad or is_odd:
        raise _rule(
            "begin with http:// or https:// and name a host, like https://hermes.example.org"
        )
    if "@" in parts.netloc:
        raise _rule("not hold a user name or password (use `voicehermes login`)")
    if "?" in value or "#" in value:
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


def _check_text(value: str) -> str:
    """Names and paths: a NUL ends them for the system, a lone surrogate is no text."""
    if any(c < " " or "\ud800" <= c <= "\udfff" for c in value):
        raise _rule("be text without control characters")
    return value


Text = Annotated[str, AfterValidator(_check_text)]
Name = Annotated[str, Field(min_length=1), AfterValidator(_check_text)]


def _check_path(value: str) -> str:
    try:
        Path(value).expanduser()
    except RuntimeError:
        raise _rule("be a path; whose home its ~ means is not known") from None
    return value


FilePath = Annotated[Text, AfterValidator(_check_path)]
"""May begin with ~; empty where the key says what that means."""


def _check_device(value: str) -> str:
    if value.startswith("file:"):
        _check_path(value.removeprefix("file:"))
    return value


Device = Annotated[Name, AfterValidator(_check_device)]


def _check_wake_word(value: str) -> str:
    if value.endswith(".json"):
        _check_path(value)
    return value


WakeWord = Annotated[Name, AfterValidator(_check_wake_word)]


def _later(values: Mapping[str, str]) -> BeforeValidator:
    """Refuses, with a sentence, values that a later version brings."""

    def check(value: object) -> object:
        if isinstance(value, str) and value in values:
            raise _rule(f'not be "{value}" yet: {values[value]}')
        return value

    return BeforeValidator(check)


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
    session: Name = "last"
    """The conversation: "last" used one, a "new" one at each start, or a session id."""
    new_after_hours: Annotated[float, Field(ge=0, le=8760, allow_inf_nan=False)] = 0.0
    """With session = "last": begin a new one after so many idle hours; 0 = never."""
    profile: Text = ""
    """Hermes profile to switch to; empty = the server's active one."""
    workspace: Text = ""
    """Folder on the server that new sessions work in; empty = the server's default."""
    model: Text = ""
    """Model for new sessions; empty = the server's default."""
    model_provider: Text = ""
    """Provider of ``model``; empty = the server's choice."""
    verify_tls: bool = True
    """Whether the server's certificate is checked."""
    ca_file: FilePath = ""
    """PEM file of an own certificate authority; empty = the system's."""
    client_cert: FilePath = ""
    """PEM file with a client certificate and its key; empty = none."""
    allow_insecure_http: bool = False
    """Allow plain http to another machine: words and cookie then travel readable."""
    connect_seconds: PositiveSeconds = 5.0
    """Longest wait for a connection, in seconds."""
    answer_seconds: PositiveSeconds = 30.0
    """Longest wait for the answer to an ordinary request, in seconds."""
    transcribe_seconds: PositiveSeconds = 120.0
    """Longest wait for a transcript, in seconds; a slow server needs more than real time."""

    @model_validator(mode="after")
    def _refuse_insecure_http(self) -> "Server":
        is_plain = urlsplit(self.url).scheme == "http"
        if is_plain and not is_loopback(self.url) and not self.allow_insecure_http:
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

    input: Device = "default"
    """Microphone: "default", a device's name or part of one, or "file:PATH"."""
    output: Device = "default"
    """Speaker: "default", a device's name or part of one, "file:PATH", or "null" for silence."""
    volume: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 1.0
    """Loudness of all that is played."""
    cues: bool = True
    """Short sounds: what you said is sent, or waits, nothing was heard, a decision is wanted …"""


class Talk(_Section):
    """How a conversation is started and stopped."""

    mode: Literal["hold", "toggle", "handsfree"] = "hold"
    """"hold" the key while speaking; "toggle": press to begin, and to end; "handsfree": speak."""
    hotkey: Text = "ctrl_r"
    """Key or chord, e.g. "ctrl_r", "f9", "ctrl+space"; empty = no global hotkey."""
    cancel_hotkey: Text = ""
    """Key or chord that cancels the agent's run; empty = none."""
    tap_seconds: Annotated[float, Field(ge=0, le=5, allow_inf_nan=False)] = 0.3
    """A press of fewer seconds is a tap: be quiet."""
    when_busy: Literal["replace", "queue", "steer"] = "replace"
    """What is said while the agent works: replaces the run, waits for its end, or is a hint."""
    handsfree_start: Literal["always", "wake", "key"] = "always"
    """What begins a conversation in "handsfree": any speech ("always"), a wake word, or the key."""
    follow_up_seconds: Annotated[float, Field(ge=1, le=600, allow_inf_nan=False)] = 8.0
    """With "wake" and "key": seconds after an answer in which you can just go on speaking."""
    local_commands: tuple[LocalCommand, ...] = LOCAL_COMMANDS
    """What the assistant itself does at your word; all else goes to the agent."""


class Listen(_Section):
    """From microphone to utterance."""

    vad: Literal["auto", "silero", "webrtc"] = "auto"
    """Voice detector; "auto" = silero where it is installed."""
    pre_roll_seconds: Annotated[float, Field(ge=0.5, le=3, allow_inf_nan=False)] = 0.5
    """Seconds kept from before the key was pressed, so that no first word is clipped."""
    end_silence_seconds: Annotated[float, Field(ge=0.3, le=5, allow_inf_nan=False)] = 0.54
    """Seconds of silence that end what is said without a key, as a rule."""
    end_silence_min_seconds: Annotated[float, Field(ge=0.2, le=5, allow_inf_nan=False)] = 0.4
    """The least: after what sounds finished."""
    end_silence_max_seconds: Annotated[float, Field(ge=0.3, le=10, allow_inf_nan=False)] = 1.2
    """The most: in mid-thought, and after the answer to a decision."""
    min_speech_seconds: Annotated[float, Field(ge=0, le=5, allow_inf_nan=False)] = 0.15
    """Less speech than so many seconds is none: nothing is sent."""
    max_seconds: Annotated[float, Field(ge=1, le=600, allow_inf_nan=False)] = 120.0
    """Longest utterance in seconds; then it ends with a cue and is sent."""
    echo: Literal["half-duplex", "aec", "system", "headset"] = "half-duplex"
    """How the assistant does not hear itself: "half-duplex" = deaf while it speaks; "aec" = its own
    sound is subtracted (extra `aec`), "system" = the sound server does that, "headset" = there is
    nothing to hear. With the last three you can talk over it."""
    wake_words: tuple[WakeWord, ...] = ("okay_nabu",)
    """Wake words ("okay_nabu", "hey_jarvis", "hey_mycroft", "alexa"), or model files (.json)."""
    progressive: Literal["auto", "off"] = "auto"
    """Recognise what you say in parts, while you speak on: "auto" = unless that costs time."""
    part_seconds: Annotated[float, Field(ge=1, le=30, allow_inf_nan=False)] = 2.5
    """Least seconds of speech in a part."""
    upload_format: Literal["ogg", "wav", "flac"] = "ogg"
    """Format of the upload; ogg (Opus) is a tenth of wav."""

    @model_validator(mode="after")
    def _order_silences(self) -> "Listen":
        low, middle, high = (
            self.end_silence_min_seconds,
            self.end_silence_seconds,
            self.end_silence_max_seconds,
        )
        if not low <= middle <= high:
            raise PydanticCustomError(
                "rule_of_key",
                "{text}",
                {
                    "key": "end_silence_seconds",
                    "text": f"be from end_silence_min_seconds ({low:g}) to "
                    f"end_silence_max_seconds ({high:g})",
                },
            )
        return self


class Speak(_Section):
    """From reply to sound."""

    engine: Annotated[
        Literal["server", "local"],
        _later({"openai": 'use "server" or "local"'}),
    ] = "server"
    """"server" = hermes-webui's /api/tts; "local" = the first of ``fallback`` that is there."""
    voice: Name = "it-IT-ElsaNeural"
    """Voice of the server's engine."""
    rate: Annotated[str, _check_signed("%")] = "+0%"
    """Speed of the server's voice, "-100%" to "+100%"."""
    pitch: Annotated[str, _check_signed("Hz")] = "+0Hz"
    """Pitch of the server's voice, "-100Hz" to "+100Hz"."""
    server_engine: Literal["edge", "elevenlabs", "openai"] = "edge"
    """Synthesis engine that the server uses."""
    fallback: tuple[Literal["espeakng", "espeak-ng", "pico2wave", "festival", "piper"], ...] = (
        "espeakng",
        "espeak-ng",
        "pico2wave",
        "festival",
    )
    """Local synthesisers ("espeakng", "espeak-ng", "pico2wave", "festival", "piper"), tried in this
    order when the server gives no audio."""


class Decisions(_Section):
    """What the agent asks you to decide, and how you answer by voice."""

    voice_grants: tuple[Literal["once", "session", "always"], ...] = ("once", "session")
    """What your voice can allow: "once", this "session", "always" (which is confirmed in any case);
    empty = nothing."""
    confirm: Literal["risky", "always", "never"] = "risky"
    """When allowing wants a second word, "confermo": if it is "risky", "always", or "never"."""
    confirm_free_text: bool = False
    """Whether an answer in your own words is read back before it is sent."""
    approval_seconds: Annotated[float, Field(ge=10, le=3600, allow_inf_nan=False)] = 60.0
    """Seconds that an approval is thought to wait for its answer where the server does not say."""


class Ui(_Section):
    """What is spoken by us, shown and understood."""

    language: Literal["it", "en"] = "it"
    """Italian ("it") or English ("en")."""


class Control(_Section):
    """The control socket."""

    socket: FilePath = ""
    """Path of the Unix socket; empty = voicehermes.sock in XDG_RUNTIME_DIR or the state folder."""


class Log(_Section):
    """What is written down."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """Least level that is logged. On a terminal "info" is left to the screen."""
    transcripts: bool = False
    """Whether what is said, by you or the agent, appears in the log."""
    timeline: FilePath = "default"
    """JSON-lines file of what happened when: "default" = in the state folder, "" = none."""


class Config(_Section):
    """Everything that can be set."""

    server: Server = Server()
    audio: Audio = Audio()
    talk: Talk = Talk()
    listen: Listen = Listen()
    speak: Speak = Speak()
    decisions: Decisions = Decisions()
    ui: Ui = Ui()
    control: Control = Control()
    log: Log = Log()


def parse(text: str, *, place: str, env: Mapping[str, str]) -> Config:
    """The configuration that TOML text and environment variables give together.

    ``place`` is where the text is from, as the user knows it; a variable beats the text. Raises
    ConfigError, whose message is one line, for the first thing that cannot be used.
    """
    try:
        tables: dict[str, Any] = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(_line(f"{place}: this is not TOML: {error}.")) from error
    tables = {name: _with_tuples(table) for name, table in tables.items()}
    variables = _override(tables, env)
    try:
        return Config.model_validate(tables)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = _where(first)
        origin = variables.get(where[:2], place)
        raise ConfigError(_line(f"{origin}: {_sentence(first, where)}.")) from error


def _line(text: str) -> str:
    """The text without line breaks, which a key or a value can hold."""
    return " ".join(text.split())


def _with_tuples(table: object) -> object:
    """A TOML table with its lists as the tuples of a frozen tree."""
    if not isinstance(table, dict):
        return table
    return {key: tuple(v) if isinstance(v, list) else v for key, v in table.items()}


def _override(tables: dict[str, Any], env: Mapping[str, str]) -> dict[tuple[str | int, ...], str]:
    """Set in ``tables`` what variables set; returns which variable set which (section, key)."""
    variables: dict[tuple[str | int, ...], str] = {}
    for name, value in sorted(env.items()):
        if not name.startswith(ENV_PREFIX):
            continue
        section, separator, key = name.removeprefix(ENV_PREFIX).lower().partition("__")
        if not separator:  # not a key, like VOICEHERMES_PASSWORD, unless an underscore is missing
            meant = {f"{s}_{k}": (s, k) for s in Config.model_fields for k in _keys(s)}.get(section)
            if meant:
                better = ENV_PREFIX + "__".join(meant).upper()
                raise ConfigError(f"{name}: write it with two underscores, {better}.")
            continue
        if section not in Config.model_fields or key not in _keys(section):
            raise ConfigError(_line(f"{name}: {_unknown(section, key)}."))
        table = tables.setdefault(section, {})
        if isinstance(table, dict):
            table[key] = _typed(value, _keys(section)[key])
            variables[section, key] = name
    return variables


def _keys(section: str) -> dict[str, Any]:
    """The keys of a section with the types of their values."""
    model = Config.model_fields[section].annotation
    assert isinstance(model, type)
    assert issubclass(model, BaseModel)
    return {key: field.annotation for key, field in model.model_fields.items()}


def _typed(value: str, kind: object) -> object:
    """A variable's text as the type of its key; as it is where that cannot be, to be refused.

    "yes" → True, "2.5" → 2.5, "pico2wave, festival" → ("pico2wave", "festival")
    """
    if kind is bool:
        words = {"true": True, "1": True, "yes": True, "on": True}
        words |= {"false": False, "0": False, "no": False, "off": False}
        return words.get(value.strip().lower(), value)
    if kind is float:
        try:
            return float(value)
        except ValueError:
            return value
    if get_origin(kind) is tuple:
        return tuple(item.strip(" \t\"'") for item in value.strip(" []").split(",") if item.strip())
    return value


def _where(error: ErrorDetails) -> tuple[str | int, ...]:
    """Section, key and index of an error; a rule between two keys names the one to blame."""
    blamed = error.get("ctx", {}).get("key")
    return (*error["loc"], blamed) if blamed else error["loc"]


def _sentence(error: ErrorDetails, where: tuple[str | int, ...]) -> str:
    """An error of pydantic's as a sentence of ours, without its full stop."""
    section, *rest = where
    if error["type"] == "extra_forbidden":
        if not rest and not isinstance(error["input"], dict):
            return _outside(str(section))
        return _unknown(*map(str, where))
    if not rest:
        return f"`[{section}]` must be a section with keys"
    key, *index = rest
    item = f"item {int(index[0]) + 1} of " if index else ""
    return f"{item}`[{section}] {key}` must {_rule_of(error)}"


def _rule_of(error: ErrorDetails) -> str:
    """What a value must, as the end of "`[section] key` must …"."""
    limits = error.get("ctx", {})
    match error["type"]:
        case "rule" | "rule_of_key":
            return str(limits["text"])
        case "bool_type":
            return "be true or false"
        case "float_type":
            return "be a number"
        case "string_type":
            return "be text in quotes"
        case "tuple_type":
            return "be a list"
        case "literal_error":
            return "be " + str(limits["expected"]).replace("'", '"')
        case "string_unicode":
            return "be text in UTF-8"
        case "string_too_short":
            return "not be empty"
        case "finite_number":
            return "be a finite number"
        case "greater_than":
            return f"be more than {limits['gt']:g}"
        case "greater_than_equal":
            return f"be {limits['ge']:g} or more"
        case "less_than_equal":
            return f"be {limits['le']:g} or less"
    raise NotImplementedError(error["type"])  # held by a test over all fields


def _unknown(section: str, key: str = "") -> str:
    """That a section or key does not exist, and which one may have been meant."""
    if section not in Config.model_fields:
        sections = [f"[{name}]" for name in Config.model_fields]
        return f"there is no section `[{section}]`{_meant(f'[{section}]', sections)}"
    return f"there is no key `[{section}] {key}`{_meant(key, _keys(section))}"


def _outside(key: str) -> str:
    """That a key stands before any section, and in which it belongs."""
    homes = [section for section in Config.model_fields if key in _keys(section)]
    home = f"`[{homes[0]}]`" if len(homes) == 1 else "its section, like `[server]`"
    return f"`{key}` must stand below {home}"


def _meant(word: str, words: Iterable[str]) -> str:
    """A suggestion, with its separator: the nearest of the words, else all of them."""
    words = list(words)
    near = get_close_matches(word, words, n=1)
    return f", but there is {near[0]}" if near else f"; there are {', '.join(words)}"
