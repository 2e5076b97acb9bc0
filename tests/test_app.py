"""The composition root, where it has a mind of its own: before all parts are there."""

import asyncio
import sys
from pathlib import Path

import pytest

from voicehermes import app
from voicehermes.adapters.triggers.control import Control
from voicehermes.adapters.triggers.control_client import request
from voicehermes.config import Config
from voicehermes.errors import ConfigError, TriggerError


@pytest.mark.parametrize(
    ("command", "parts"),
    [("decision", {}), ("answer", {"id": "a1", "choice": "deny"}), ("repeat", {})],
)
async def test_a_daemon_that_still_starts_does_not_say_that_nothing_is_pending(
    tmp_path: Path, command: str, parts: dict[str, str]
) -> None:
    path, late = tmp_path / "v.sock", app._Late()
    async with Control(path, late.status, lambda: None, late).open(late.take_trigger):
        with pytest.raises(TriggerError, match="still starting"):
            await asyncio.to_thread(request, path, command, None, **parts)


@pytest.mark.parametrize("echo", ["half-duplex", "system", "headset"])
def test_where_nothing_is_to_be_cancelled_there_is_no_canceller(
    echo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pywebrtc_audio", None)
    assert app.open_canceller(Config.model_validate({"listen": {"echo": echo}})) is None


def test_a_canceller_that_is_not_installed_is_told_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = Config.model_validate({"listen": {"echo": "aec"}})
    assert app.open_canceller(config) is not None
    monkeypatch.setitem(sys.modules, "pywebrtc_audio", None)
    with pytest.raises(ConfigError, match=r"not installed.*pip install"):
        app.open_canceller(config)


@pytest.mark.parametrize(
    "talk", [{"mode": "hold", "handsfree_start": "wake"}, {"mode": "handsfree"}]
)
def test_where_no_wake_word_begins_a_conversation_none_is_listened_for(
    talk: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pymicro_wakeword", None)
    assert app.open_wake_words(Config.model_validate({"talk": talk})) is None


def test_a_wake_word_that_there_is_not_is_told_before_anything_is_opened() -> None:
    talk = {"mode": "handsfree", "handsfree_start": "wake"}
    assert app.open_wake_words(Config.model_validate({"talk": talk})) is not None
    config = Config.model_validate({"talk": talk, "listen": {"wake_words": ("ehi",)}})
    with pytest.raises(ConfigError, match=r'no wake word "ehi"'):
        app.open_wake_words(config)
