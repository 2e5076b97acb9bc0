"""Imports point one way, and third parties stay at the edge."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "voicehermes"

NOUN, THINKING, FLOW, OUTSIDE, APP, COMMANDS = range(6)

LAYERS = {
    "voicehermes": NOUN,
    "voicehermes.errors": NOUN,
    "voicehermes.attention": NOUN,
    "voicehermes.audio": NOUN,
    "voicehermes.events": NOUN,
    "voicehermes.config": NOUN,
    "voicehermes.ports": NOUN,
    "voicehermes.lexicon": NOUN,
    "voicehermes.timeline": NOUN,
    "voicehermes.speaking.clauses": NOUN,
    "voicehermes.speaking.parts": NOUN,
    "voicehermes.statistics": THINKING,
    "voicehermes.deciding": THINKING,
    "voicehermes.dialogue": THINKING,
    "voicehermes.hearing": FLOW,
    "voicehermes.hearing.ear_events": NOUN,
    "voicehermes.hearing.encoding": THINKING,
    "voicehermes.hearing.endpoint": THINKING,
    "voicehermes.hearing.far_end": THINKING,
    "voicehermes.hearing.frame_clock": THINKING,
    "voicehermes.hearing.hold": THINKING,
    "voicehermes.hearing.onset": THINKING,
    "voicehermes.hearing.lookout": THINKING,
    "voicehermes.hearing.own_sound": THINKING,
    "voicehermes.hearing.own_words": THINKING,
    "voicehermes.hearing.past": THINKING,
    "voicehermes.hearing.quality": THINKING,
    "voicehermes.hearing.parts": THINKING,
    "voicehermes.hearing.trimming": THINKING,
    "voicehermes.hearing.wording": THINKING,
    "voicehermes.speaking": FLOW,
    "voicehermes.speaking.breaks": THINKING,
    "voicehermes.speaking.inline": THINKING,
    "voicehermes.speaking.joining": THINKING,
    "voicehermes.speaking.loudness": THINKING,
    "voicehermes.speaking.markdown": THINKING,
    "voicehermes.speaking.pacing": THINKING,
    "voicehermes.speaking.sentences": THINKING,
    "voicehermes.speaking.speakable": THINKING,
    "voicehermes.speaking.spoken": THINKING,
    "voicehermes.speaking.tables": THINKING,
    "voicehermes.organs": NOUN,
    "voicehermes.session": FLOW,
    "voicehermes.telling": FLOW,
    "voicehermes.transcribing": FLOW,
    "voicehermes.typed_answers": FLOW,
    "voicehermes.errands": FLOW,
    "voicehermes.keeping": FLOW,
    "voicehermes.watching": FLOW,
    "voicehermes.adapters": OUTSIDE,
    "voicehermes.assets": OUTSIDE,
    "voicehermes.simulator": OUTSIDE,
    "voicehermes.app": APP,
    "voicehermes.cli": COMMANDS,
    "voicehermes.__main__": COMMANDS,
}
"""A module belongs where its longest prefix in this table does."""

EDGE = ("voicehermes.adapters", "voicehermes.simulator", "voicehermes.cli", "voicehermes.config")
"""Who may import third parties."""

INPUT_AND_OUTPUT = {"asyncio", "threading", "socket", "subprocess", "selectors", "tempfile", "time"}
"""What pure thinking has no use for."""


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def layer_of(module: str) -> int:
    name = module
    while name not in LAYERS or (name == "voicehermes" and module != name):
        assert "." in name, f"{module}: add it to LAYERS"
        name = name.rpartition(".")[0]
    return LAYERS[name]


def imports_of(module: str) -> set[str]:
    """All modules that a module imports, anywhere in its code."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            assert node.module is not None
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            submodules = names & MODULES.keys()
            found |= submodules
            if len(submodules) < len(names):
                found.add(node.module)
    return found


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_from_its_own_layer_and_those_below(module: str) -> None:
    ours = {name for name in imports_of(module) if name.split(".")[0] == "voicehermes"}
    above = {name for name in ours if layer_of(name) > layer_of(module)}
    assert not above


@pytest.mark.parametrize("module", MODULES)
def test_third_parties_are_imported_at_the_edge_only(module: str) -> None:
    tops = {name.split(".")[0] for name in imports_of(module)}
    third = tops - sys.stdlib_module_names - {"voicehermes"}
    if not module.startswith(EDGE):
        assert not third


@pytest.mark.parametrize("module", [m for m in MODULES if layer_of(m) == THINKING])
def test_pure_thinking_imports_no_input_or_output(module: str) -> None:
    assert not {name.split(".")[0] for name in imports_of(module)} & INPUT_AND_OUTPUT
