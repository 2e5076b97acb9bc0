"""What a configuration may hold, and the one line that says what is wrong with it."""

import itertools
import tomllib
from pathlib import Path
from typing import Any

import pytest

from voicehermes.config import Config, parse
from voicehermes.errors import ConfigError

EXAMPLE = Path(__file__).parent.parent / "config.example.toml"


def config(text: str = "", **env: str) -> Config:
    return parse(text, place="config.toml", env=env)


def refusal(text: str = "", **env: str) -> str:
    with pytest.raises(ConfigError) as caught:
        config(text, **env)
    return str(caught.value)


def keys() -> list[tuple[str, str]]:
    return [(s, k) for s, table in Config().model_dump().items() for k in table]


def can_be(section: str, key: str, value: str) -> bool:
    """Whether the models themselves take the value."""
    table = {
        k: tuple(v) if isinstance(v, list) else v
        for k, v in tomllib.loads(f"{key}={value}").items()
    }
    try:
        Config.model_validate({section: table})
    except ValueError:
        return False
    return True


def test_nothing_at_all_gives_the_defaults() -> None:
    assert config() == Config()


def test_a_file_sets_keys_and_leaves_the_others() -> None:
    found = config('[listen]\nmax_seconds = 60\n[speak]\nfallback = ["piper"]')
    assert found.listen.max_seconds == 60.0
    assert isinstance(found.listen.max_seconds, float)
    assert found.speak.fallback == ("piper",)
    assert found.listen.vad == "auto"


def test_voice_may_grant_nothing_and_a_grant_named_twice_is_no_fault() -> None:
    assert config("[decisions]\nvoice_grants = []").decisions.voice_grants == ()
    twice = config('[decisions]\nvoice_grants = ["always", "always"]').decisions.voice_grants
    assert set(twice) == {"always"}


def test_the_tree_is_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        config().listen.max_seconds = 3
    hash(config())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[listen]\nmax_seconds = 601", "`[listen] max_seconds` must be 600 or less."),
        ("[listen]\nmax_seconds = 0", "`[listen] max_seconds` must be 1 or more."),
        ("[server]\nconnect_seconds = 0", "`[server] connect_seconds` must be more than 0."),
        ('[listen]\nmax_seconds = "60"', "`[listen] max_seconds` must be a number."),
        ("[listen]\nmax_seconds = true", "`[listen] max_seconds` must be a number."),
        ("[listen]\nmax_seconds = nan", "`[listen] max_seconds` must be a finite number."),
        ("[listen]\nmax_seconds = inf", "`[listen] max_seconds` must be a finite number."),
        ("[listen]\nmax_seconds = 1" + "0" * 400, "`[listen] max_seconds` must be a number."),
        ("[audio]\ncues = 1", "`[audio] cues` must be true or false."),
        ("[audio]\ninput = 3", "`[audio] input` must be text in quotes."),
        ("[audio]\ninput = 2024-01-01", "`[audio] input` must be text in quotes."),
        ('[audio]\ninput = ""', "`[audio] input` must not be empty."),
        ('[talk]\nmode = "held"', '`[talk] mode` must be "hold", "toggle" or "handsfree".'),
        (
            "[listen]\nend_silence_max_seconds = 0.9\nend_silence_seconds = 1.5",
            "`[listen] end_silence_seconds` must be from end_silence_min_seconds (",
        ),
        (
            '[talk]\nlocal_commands = ["quiet", "dance"]',
            'item 2 of `[talk] local_commands` must be "quiet", ',
        ),
        ('[speak]\nfallback = "piper"', "`[speak] fallback` must be a list."),
        (
            '[speak]\nfallback = ["piper", "sam"]',
            'item 2 of `[speak] fallback` must be "espeakng", "espeak-ng", "pico2wave", '
            '"festival" or "piper".',
        ),
        (
            '[decisions]\nvoice_grants = ["once", "yolo"]',
            'item 2 of `[decisions] voice_grants` must be "once", "session" or "always".',
        ),
        ('[decisions]\nvoice_grants = "once"', "`[decisions] voice_grants` must be a list."),
        (
            '[decisions]\nconfirm = "sometimes"',
            '`[decisions] confirm` must be "risky", "always" or "never".',
        ),
        ("[decisions]\nconfirm = true", '`[decisions] confirm` must be "risky", "always" or'),
        (
            "[decisions]\napproval_seconds = 9.9",
            "`[decisions] approval_seconds` must be 10 or more.",
        ),
        (
            "[decisions]\napproval_seconds = 3601",
            "`[decisions] approval_seconds` must be 3600 or less.",
        ),
        (
            '[speak]\nrate = "fast"',
            '`[speak] rate` must be a sign, a number up to 100 and "%", like "+10%".',
        ),
        (
            "[listen]\nmax_second = 3",
            "there is no key `[listen] max_second`, but there is max_seconds.",
        ),
        ("[lissen]\nmax_seconds = 3", "there is no section `[lissen]`, but there is [listen]."),
        ("[zzz]", "there is no section `[zzz]`; there are [server], [audio], [talk], "),
        ('url = "https://a.example"', "`url` must stand below `[server]`."),
        ("listen = 3", "`[listen]` must be a section with keys."),
        ("[[listen]]", "`[listen]` must be a section with keys."),
        ("[server.url]", "`[server] url` must be text in quotes."),
        ("\n\n[listen", "this is not TOML: Expected ']' at the end of a table declaration"),
        ("[listen]\nmax_seconds = 1\nmax_seconds = 2", "this is not TOML: Cannot overwrite a"),
        ("a = " + "[" * 5000, "this is not TOML: "),
        ('["a\\nb"]', "there is no section `[a b]`"),
        (
            '[control]\nsocket = "a\\u0000b"',
            "`[control] socket` must be text without control characters.",
        ),
        (
            '[audio]\ninput = "file:~nobody-of-that-name/a.wav"',
            "`[audio] input` must be a path; whose home its ~ means is not known.",
        ),
        (
            '[listen]\nwake_words = ["alexa", "~nobody-of-that-name/a.json"]',
            "item 2 of `[listen] wake_words` must be a path; whose home its ~ means is not known.",
        ),
        (
            '[log]\ntimeline = "~nobody-of-that-name/a"',
            "`[log] timeline` must be a path; whose home its ~ means is not known.",
        ),
    ],
)
def test_a_wrong_file_is_refused_in_one_line_with_file_key_and_rule(
    text: str, message: str
) -> None:
    said = refusal(text)
    assert said.startswith(f"config.toml: {message}")
    assert "\n" not in said


def test_a_syntax_error_names_its_line() -> None:
    assert "line 2" in refusal("[listen]\nmax_seconds 3")


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8787",
        "http://[::1]:8787/hermes",
        "http://localhost",
        "https://hermes.example.org/a/b",
    ],
)
def test_https_anywhere_and_http_to_this_machine_are_taken(url: str) -> None:
    assert config(f'[server]\nurl = "{url}"').server.url == url


def test_a_slash_at_the_end_of_the_address_does_not_matter() -> None:
    assert config('[server]\nurl = "https://a.example/x/"').server.url == "https://a.example/x"


@pytest.mark.parametrize(
    "url",
    ["", "a.example", "a.example:80", "ftp://a.example", "http://", "https://a.example:99999",
     "https://a b.example", "https://a.example:0", "https://[::1", "https://\\u001bm.example"],
)  # fmt: skip
def test_what_is_no_web_address_is_refused(url: str) -> None:
    assert "`[server] url` must be" in refusal(f'[server]\nurl = "{url}"')


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    said = refusal('[server]\nurl = "https://me:hush@a.example"')
    assert "must not hold a user name or password" in said
    assert "hush" not in said


def test_plain_http_to_another_machine_needs_to_be_allowed() -> None:
    text = '[server]\nurl = "http://192.168.1.2"'
    assert refusal(text).startswith("config.toml: `[server] url` must use https://")
    assert config(f"{text}\nallow_insecure_http = true").server.url == "http://192.168.1.2"


def test_a_variable_beats_the_file() -> None:
    found = config("[listen]\nmax_seconds = 60", VOICEHERMES_LISTEN__MAX_SECONDS="90")
    assert found.listen.max_seconds == 90.0


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("AUDIO__CUES", "no", False),
        ("AUDIO__CUES", "True", True),
        ("AUDIO__CUES", "0", False),
        ("AUDIO__VOLUME", "0.25", 0.25),
        ("AUDIO__VOLUME", "1", 1.0),
        ("AUDIO__INPUT", "3", "3"),
        ("SPEAK__FALLBACK", "piper, festival", ("piper", "festival")),
        ("SPEAK__FALLBACK", '["piper"]', ("piper",)),
        ("SPEAK__FALLBACK", "", ()),
        ("SERVER__SESSION", "true", "true"),
        ("DECISIONS__VOICE_GRANTS", "once", ("once",)),
        ("DECISIONS__VOICE_GRANTS", "", ()),
    ],
)
def test_a_variable_takes_the_type_of_its_key(name: str, text: str, value: object) -> None:
    section, key = name.lower().split("__")
    found: Any = config(**{f"VOICEHERMES_{name}": text})
    assert getattr(getattr(found, section), key) == value


@pytest.mark.parametrize(("section", "key"), keys())
def test_every_key_can_be_set_by_a_variable(section: str, key: str) -> None:
    default = getattr(getattr(Config(), section), key)
    text = ",".join(default) if isinstance(default, tuple) else str(default)
    assert config(**{f"VOICEHERMES_{section}__{key}".upper(): text}) == Config()


@pytest.mark.parametrize(("section", "key"), keys())
@pytest.mark.parametrize("value", ["{}", "[[]]", "nan", "-1", "1e9", '"\\u0000"', "true", '""'])
def test_every_kind_of_wrong_value_of_every_key_has_a_sentence(
    section: str, key: str, value: str
) -> None:
    if can_be(section, key, value):
        return
    assert f"`[{section}] {key}` must " in refusal(f"[{section}]\n{key} = {value}")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("LISTEN__MAX_SECONDS", "x", "`[listen] max_seconds` must be a number."),
        ("LISTEN__MAX_SECONDS", "601", "`[listen] max_seconds` must be 600 or less."),
        ("AUDIO__CUES", "maybe", "`[audio] cues` must be true or false."),
        ("SERVER__URL", "http://192.168.1.2", "`[server] url` must use https://"),
        (
            "LISTEN__MAX_SECOND",
            "1",
            "there is no key `[listen] max_second`, but there is max_seconds.",
        ),
        ("LISTEN_MAX_SECONDS", "1", "write it with two underscores, VOICEHERMES_LISTEN__MAX_SE"),
        ("LOG__", "1", "there is no key `[log] `; there are level, transcripts, timeline."),
        ("X__Y", "1", "there is no section `[x]`; there are [server], "),
    ],
)
def test_a_wrong_variable_is_refused_by_its_name(name: str, text: str, message: str) -> None:
    assert refusal(**{f"VOICEHERMES_{name}": text}).startswith(f"VOICEHERMES_{name}: {message}")


@pytest.mark.parametrize("key", ["MODEL", "SESSION", "CA_FILE"])
def test_a_variable_that_is_no_text_is_refused(key: str) -> None:
    name = f"VOICEHERMES_SERVER__{key}"
    assert refusal(**{name: "a\udcff"}).startswith(f"{name}: `[server] {key.lower()}` must be text")


def test_variables_that_are_no_keys_are_left_alone() -> None:
    others = {"VOICEHERMES_CONFIG": "x", "VOICEHERMES_PASSWORD": "a__b", "HOME__X": "y"}
    assert config(**others) == Config()


def test_a_variable_for_a_section_that_the_file_spoils_leaves_the_blame_on_the_file() -> None:
    said = refusal("listen = 3", VOICEHERMES_LISTEN__MAX_SECONDS="60")
    assert said.startswith("config.toml: `[listen]` must be a section")


def test_the_example_holds_every_key_with_its_default_below_a_comment() -> None:
    text = EXAMPLE.read_text("utf-8")
    assert parse(text, place="example", env={}) == Config()
    tables = tomllib.loads(text)
    assert [(section, key) for section, table in tables.items() for key in table] == keys()
    lines = text.splitlines()
    for before, line in itertools.pairwise(lines):
        if line[:1].isalpha() or line.startswith("["):
            assert before.startswith("# "), line
