"""Where there can be no hotkey, and what is said then. With keys: tests/real/test_hotkey_x11.py."""

import subprocess
import sys

import pytest

from voicehermes.adapters.triggers.hotkey import Hotkeys, why_not
from voicehermes.errors import ConfigError, TriggerError


def never(_: object) -> None:
    raise AssertionError("nothing was pressed, nothing was lost")


@pytest.fixture
def pynput_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: object())


@pytest.mark.usefixtures("pynput_is_there")
@pytest.mark.parametrize(
    "environ",
    [
        {"XDG_SESSION_TYPE": "wayland", "DISPLAY": ":0"},
        {"XDG_SESSION_TYPE": "Wayland", "WAYLAND_DISPLAY": "wayland-0"},
        {"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"},
        {"XDG_SESSION_TYPE": "tty", "WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"},
    ],
)
def test_under_wayland_the_hotkey_is_refused_though_xwayland_would_answer(
    environ: dict[str, str],
) -> None:
    assert str(why_not(environ, "linux")) == (
        "No global hotkey: Wayland does not let programs listen to keys. "
        "Bind `voicehermes ctl toggle` to a shortcut of your desktop instead."
    )


@pytest.mark.usefixtures("pynput_is_there")
@pytest.mark.parametrize("environ", [{}, {"DISPLAY": ""}, {"XDG_SESSION_TYPE": "tty"}])
def test_without_a_display_the_socket_is_named(environ: dict[str, str]) -> None:
    said = str(why_not(environ, "linux"))
    assert said.startswith("No global hotkey: there is no display here. ")
    assert "voicehermes ctl toggle" in said


def test_without_pynput_the_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    said = str(why_not({"DISPLAY": ":0"}, "linux"))
    assert said.startswith("No global hotkey: pynput is not installed. ")
    assert "apt install gcc python3-dev linux-libc-dev" in said
    assert 'pip install "voicehermes[desktop]"' in said


@pytest.mark.usefixtures("pynput_is_there")
@pytest.mark.parametrize(
    ("environ", "platform"),
    [
        ({"DISPLAY": ":0"}, "linux"),
        ({"DISPLAY": ":0", "XDG_SESSION_TYPE": "x11"}, "linux"),
        ({"DISPLAY": ":0", "XDG_SESSION_TYPE": "x11", "WAYLAND_DISPLAY": "stale"}, "linux"),
        ({}, "darwin"),
    ],
)
def test_elsewhere_nothing_speaks_against_it(environ: dict[str, str], platform: str) -> None:
    assert why_not(environ, platform) is None


async def test_opening_where_it_cannot_work_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("XDG_SESSION_TYPE", "tty")
    with pytest.raises(TriggerError, match="No global hotkey: there is no display"):
        async with Hotkeys("ctrl_r", "", never).open(never):
            pass


@pytest.mark.parametrize(
    ("talk", "cancel", "said"),
    [
        ("ctlr_r", "", r"\[talk\] hotkey must be a key or chord"),
        ("f9", "f0", r"\[talk\] cancel_hotkey must be a key or chord"),
        ("ctrl+space", "space + control", r"\[talk\] cancel_hotkey must be another key"),
    ],
)
def test_wrong_keys_are_a_configuration_error(talk: str, cancel: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Hotkeys(talk, cancel, never)


def test_the_module_can_be_imported_where_pynput_cannot() -> None:
    code = "import sys, voicehermes.adapters.triggers.hotkey; sys.exit('pynput' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
