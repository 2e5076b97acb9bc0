"""What comes with the program is found, in a checkout and in a wheel."""

import re
from pathlib import Path

from voicehermes.adapters.cues import load_cues
from voicehermes.assets import asset
from voicehermes.audio import level_dbfs

SOURCES = Path(__file__).parent.parent / "voicehermes"


def test_an_asset_is_a_file() -> None:
    assert asset("cues/sent.wav").is_file()


def test_the_cues_are_those_that_the_program_asks_for() -> None:
    asked = {
        name
        for path in SOURCES.rglob("*.py")
        for name in re.findall(r'Cue\("([^"]+)"\)|\.cue\("([^"]+)"\)', path.read_text("utf-8"))
        for name in name
        if name
    }
    assert asked == set(load_cues())


def test_cues_are_short_and_quiet_and_begin_and_end_without_a_click() -> None:
    for name, cue in load_cues().items():
        assert 0.08 < cue.seconds < 0.7, name
        assert -45 < level_dbfs(cue.pcm) < -20, name
        first, last = cue.pcm[:2], cue.pcm[-2:]
        assert abs(int.from_bytes(first, "little", signed=True)) < 50, name
        assert abs(int.from_bytes(last, "little", signed=True)) < 50, name
