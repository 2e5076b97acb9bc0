"""The composition root, where it has a mind of its own: before all parts are there."""

import asyncio
from pathlib import Path

import pytest

from voicehermes import app
from voicehermes.adapters.triggers.control import Control
from voicehermes.adapters.triggers.control_client import request
from voicehermes.errors import TriggerError


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
