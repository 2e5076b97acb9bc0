"""What the embedded server is to play, as a frozen tree. Knows no socket and no clock.

A scenario is written in TOML, each table below being a table of the file; italian.toml, the
default, is an example. Everything has a default, and what cannot be used is a ConfigError that
names the place. A reply is a list of steps; each step is a table, and the key that it holds
says which kind it is::

    [[turns]]
    when = ["rilascio"]
    steps = [
      { say = "Controllo subito." },
      { approval = "systemctl restart backup", granted = [{ say = "Fatto." }] },
    ]
"""

import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, Field, Tag, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from voicehermes.errors import ConfigError

_STRICT = ConfigDict(extra="forbid")

Seconds = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]


# The steps of a reply. In every text, {message} stands for what the user wrote, and {answer} for
# the user's last answer to a clarification.


@dataclass(frozen=True, config=_STRICT)
class Say:
    """Stream text, word by word, at the turn's pace."""

    say: str


@dataclass(frozen=True, config=_STRICT)
class Reason:
    """Show reasoning of the model."""

    reason: str


@dataclass(frozen=True, config=_STRICT)
class Interim:
    """Text before a tool call that was not streamed: its only copy is ``interim_assistant``."""

    interim: str


@dataclass(frozen=True, config=_STRICT)
class Tool:
    """Use a tool."""

    tool: str
    """Its name, like "terminal"."""
    args: Mapping[str, Any] = Field(default_factory=dict)
    preview: str = ""
    """What it gives back, shown in ``tool_complete``."""
    seconds: Seconds = 0.0
    """How long it takes."""


@dataclass(frozen=True, config=_STRICT)
class Pause:
    """Silence in the middle of a reply; heartbeats go on."""

    pause: Seconds


@dataclass(frozen=True, config=_STRICT)
class Emit:
    """Any other event, known or unknown: ``warning``, ``state_saved``, junk."""

    emit: str
    """Name of the event."""
    data: Mapping[str, Any] = Field(default_factory=dict)


@dataclass(frozen=True, config=_STRICT)
class Compress:
    """Compress the conversation: it goes on under another session id."""

    compress: str
    """The message shown."""


@dataclass(frozen=True, config=_STRICT)
class Error:
    """End the run with ``apperror``."""

    error: str
    """The message."""
    kind: str = "error"
    """Its type: "error", "rate_limit", "auth_mismatch", "no_response", "interrupted" …"""
    hint: str = ""


@dataclass(frozen=True, config=_STRICT)
class Approval:
    """Ask whether a command may run."""

    approval: str
    """The command."""
    description: str = "dangerous command"
    """Why it is asked; the same one is not asked again once granted for the session."""
    allow_permanent: bool = True
    output: str = ""
    """What the command prints when it may run."""
    granted: tuple["Step", ...] = ()
    denied: tuple["Step", ...] = ()
    expired: tuple["Step", ...] = ()


@dataclass(frozen=True, config=_STRICT)
class Clarify:
    """Ask the user a question."""

    clarify: str
    """The question."""
    choices: tuple[str, ...] = ()
    """Empty for a free answer."""
    answered: tuple["Step", ...] = ()
    expired: tuple["Step", ...] = ()


_TROUBLES = {
    "unexpected_keyword_argument": "There is no such key",
    "tuple_type": "This must be a list",
    "dataclass_type": "This must be a table",
}
"""What is said instead of pydantic's own words, by its kind of error."""

_KINDS = {
    "say": Say,
    "reason": Reason,
    "interim": Interim,
    "tool": Tool,
    "pause": Pause,
    "emit": Emit,
    "compress": Compress,
    "error": Error,
    "approval": Approval,
    "clarify": Clarify,
}


def _kind(value: object) -> str | None:
    if isinstance(value, dict):
        return next((key for key in _KINDS if key in value), None)
    return next((key for key, kind in _KINDS.items() if isinstance(value, kind)), None)


Step = Annotated[
    Annotated[Say, Tag("say")]
    | Annotated[Reason, Tag("reason")]
    | Annotated[Interim, Tag("interim")]
    | Annotated[Tool, Tag("tool")]
    | Annotated[Pause, Tag("pause")]
    | Annotated[Emit, Tag("emit")]
    | Annotated[Compress, Tag("compress")]
    | Annotated[Error, Tag("error")]
    | Annotated[Approval, Tag("approval")]
    | Annotated[Clarify, Tag("clarify")],
    Discriminator(
        _kind,
        custom_error_type="step",
        custom_error_message=f"A step must hold one of the keys {', '.join(_KINDS)}",
    ),
]


@dataclass(frozen=True, config=_STRICT)
class Pace:
    """How fast the model writes."""

    first_token_seconds: Seconds = 0.6
    """From the message to the first text."""
    characters_per_second: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 60.0
    """0 = all at once."""
    delta_characters: Annotated[int, Field(ge=1)] = 7
    """Longest piece of text in one event."""


@dataclass(frozen=True, config=_STRICT)
class Turn:
    """One reply."""

    steps: tuple[Step, ...]
    when: tuple[str, ...] = ()
    """Played whenever the message holds one of these, whatever its case. Turns without are
    played in their order, the last of them again and again."""
    pace: Pace | None = None
    """None: the scenario's."""


@dataclass(frozen=True, config=_STRICT)
class Server:
    """The server itself."""

    password: str = ""
    """Empty: no login is needed."""
    profiles: tuple[str, ...] = ("default", "casa")
    """The first is the default one."""
    heartbeat_seconds: Annotated[float, Field(gt=0)] = 5.0
    """Silence on an event stream after which a comment is sent."""
    idle_seconds: Annotated[float, Field(gt=0)] = 30.0
    """An idle connection is closed after this."""
    cookie_seconds: Seconds = 2_592_000.0
    """A login is good for this long, however much it is used."""
    login_window_seconds: Seconds = 60.0
    """Five wrong passwords within this time lock the login."""
    unwind_seconds: Seconds = 0.3
    """From ``cancel`` until the session takes a new message."""
    title_seconds: Seconds = 0.05
    """From ``done`` to ``stream_end`` in the first turn of a session, when a title is made."""


@dataclass(frozen=True, config=_STRICT)
class Clip:
    """The transcript of an upload of a certain length."""

    seconds: Seconds
    """The nearest clip within 0.3 s is taken."""
    text: str


@dataclass(frozen=True, config=_STRICT)
class Transcribe:
    """What the server hears in uploads."""

    clips: tuple[Clip, ...] = ()
    """Looked at first."""
    texts: tuple[str, ...] = ()
    """For uploads that no clip describes, in this order."""
    default: str = "Ciao, come stai?"
    """When there is nothing left."""
    delay_seconds: Seconds = 0.3
    delay_factor: Annotated[float, Field(ge=0)] = 0.2
    """Of the upload's length, added to the delay."""
    available: bool = True
    """False: there is no recogniser, 503."""


@dataclass(frozen=True, config=_STRICT)
class Speech:
    """How the server speaks."""

    voices: Literal["stock", "italian"] = "italian"
    """"stock" has no Italian voice, like an unchanged hermes-webui."""
    synthesizer: Literal["auto", "espeak", "tone"] = "auto"
    """"tone" is a quick sound unique to the text; "auto" takes espeak where it is installed."""
    delay_seconds: Seconds = 0.35
    delay_per_character: Annotated[float, Field(ge=0)] = 0.004
    window_seconds: Seconds = 2.0
    """Least time between the starts of two requests of one client."""


@dataclass(frozen=True, config=_STRICT)
class Decisions:
    """How long the agent waits for a person."""

    approval_seconds: Seconds = 60.0
    clarify_seconds: Seconds = 3600.0
    """0 = for ever."""


@dataclass(frozen=True, config=_STRICT)
class Fault:
    """Something that goes wrong at one endpoint."""

    path: str
    """Like "/api/tts"; "*" for every one."""
    times: Annotated[int, Field(ge=0)] = 1
    """How often; 0 = always."""
    after: Annotated[int, Field(ge=0)] = 0
    """So many requests are answered well before."""
    delay_seconds: Seconds = 0.0
    """Before anything else is done."""
    status: Annotated[int, Field(ge=200, le=599)] | None = None
    """Answer this and do nothing else; None: the request is worked on."""
    body: str = ""
    """Of that answer."""
    content_type: str = "application/json; charset=utf-8"
    location: str = ""
    """Of a redirect."""
    close_after_events: Annotated[int, Field(ge=0)] | None = None
    """Cut the connection after so many events of a stream."""
    close_after_bytes: Annotated[int, Field(ge=0)] | None = None
    """Cut the connection after so many bytes of the body."""
    drop_answer: bool = False
    """Do the work and cut the connection without a word."""


@dataclass(frozen=True, config=_STRICT)
class Scenario:
    """Everything the server plays. The defaults are a plain server that repeats the message."""

    server: Server = Server()
    pace: Pace = Pace()
    transcribe: Transcribe = Transcribe()
    speech: Speech = Speech()
    decisions: Decisions = Decisions()
    turns: tuple[Turn, ...] = (Turn(steps=(Say("Hai detto: {message}"),)),)
    faults: tuple[Fault, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Scenario":
        """The scenario in a TOML text. Raises ConfigError."""
        try:
            return _ADAPTER.validate_python(tomllib.loads(text))
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(f"The scenario is not TOML: {error}.") from error
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            trouble = _TROUBLES.get(first["type"], first["msg"])
            raise ConfigError(f"In the scenario, `{place}`: {trouble}.") from error

    @classmethod
    def italian(cls) -> "Scenario":
        """The default: a friendly Italian who admits that every word is scripted."""
        return cls.parse((resources.files(__package__) / "italian.toml").read_text("utf-8"))


_ADAPTER = TypeAdapter(Scenario)
