"""Synthesisers of this machine: those that are there speak, and none leaves a process behind."""

import asyncio
import importlib.util
import os
import shutil
import stat
import wave
from pathlib import Path

import pytest

from voicehermes.adapters.voices.commands import PROGRAMS, CommandSynthesizer
from voicehermes.adapters.voices.espeak_voice import EspeakVoice
from voicehermes.adapters.voices.local import local_synthesizers
from voicehermes.audio import level_dbfs
from voicehermes.errors import VoiceError
from voicehermes.lexicon import Language

TEXT = "Perché no? È già ora di pranzo."

ALL = ("espeakng", "espeak-ng", "pico2wave", "festival", "piper")


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder that programs are found in, besides the system's own tools."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("sh", "cat", "cp", "sleep", "env"):
        if path := shutil.which(tool):
            (folder / tool).symlink_to(path)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("PIPER_MODEL", raising=False)
    return folder


def _install(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IEXEC)


def _wav(path: Path) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(22_050)
        file.writeframes(b"\x00\x20\x00\xe0" * 5_000)
    return path


def _record(folder: Path, name: str, wav: Path, option: str) -> None:
    """A program that writes down how it was called and what it was told, and makes a sound."""
    _install(
        folder,
        name,
        f'printf "%s\\n" "$@" > {folder}/arguments\n'
        f"cat > {folder}/input\n"
        f'while [ "$1" != {option} ]; do shift; done\n'
        f'cp {wav} "$2"',
    )


@pytest.mark.parametrize(
    ("name", "executable", "option"),
    [
        ("espeak-ng", "espeak-ng", "-w"),
        ("pico2wave", "pico2wave", "-w"),
        ("festival", "text2wave", "-o"),
        ("piper", "piper", "--output_file"),
    ],
)
async def test_each_program_is_called_as_it_wants(
    bin_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    executable: str,
    option: str,
) -> None:
    monkeypatch.setenv("PIPER_MODEL", "/voices/it_IT-paola-medium.onnx")
    _record(bin_folder, executable, _wav(tmp_path / "made.wav"), option)
    sound = await CommandSynthesizer(name, "it").synthesize(f"-x {TEXT}\nCiao.")
    assert 0.4 < sound.seconds < 0.5
    arguments = (bin_folder / "arguments").read_text("utf-8")
    told = (bin_folder / "input").read_bytes().decode(PROGRAMS[name].encoding)
    if name == "pico2wave":
        assert arguments.endswith(f"\n -x {TEXT} Ciao.\n")
        assert "it-IT" in arguments
    else:
        assert told == f"-x {TEXT} Ciao.\n"
    if name == "piper":
        assert "/voices/it_IT-paola-medium.onnx" in arguments


@pytest.mark.parametrize(
    ("name", "executable", "option", "faster"),
    [
        ("espeak-ng", "espeak-ng", "-w", "-s\n218\n"),
        ("pico2wave", "pico2wave", "-w", f'\n<speed level="125">{TEXT}</speed>\n'),
        ("festival", "text2wave", "-o", "(Parameter.set 'Duration_Stretch 0.80)"),
        ("piper", "piper", "--output_file", "--length_scale\n0.80\n"),
    ],
)
async def test_each_program_is_told_to_speak_faster_as_it_wants(
    bin_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    executable: str,
    option: str,
    faster: str,
) -> None:
    monkeypatch.setenv("PIPER_MODEL", "/voices/it_IT-paola-medium.onnx")
    _record(bin_folder, executable, _wav(tmp_path / "made.wav"), option)
    voice = CommandSynthesizer(name, "it")
    await voice.synthesize(TEXT)
    assert faster not in (bin_folder / "arguments").read_text("utf-8")
    voice.rate_percent = 25
    await voice.synthesize(TEXT)
    assert faster in (bin_folder / "arguments").read_text("utf-8")


def test_only_what_is_installed_is_offered_in_the_order_asked_for(bin_folder: Path) -> None:
    _install(bin_folder, "text2wave", "")
    _install(bin_folder, "espeak-ng", "")
    _install(bin_folder, "piper", "")  # but no voice
    names = [voice.name for voice in local_synthesizers(("festival", "piper", "espeak-ng"), "it")]
    assert names == ["festival", "espeak-ng"]


def test_piper_is_offered_with_a_voice_of_the_language(bin_folder: Path, tmp_path: Path) -> None:
    _install(bin_folder, "piper", "")
    voices = tmp_path / "data" / "piper-voices" / "it"
    voices.mkdir(parents=True)
    (voices / "it_IT-paola-medium.onnx").write_text("")
    assert [voice.name for voice in local_synthesizers(("piper",), "it")] == ["piper"]
    assert local_synthesizers(("piper",), "en") == []


async def test_a_program_that_is_gone_is_a_voice_error_with_the_remedy(bin_folder: Path) -> None:
    with pytest.raises(VoiceError, match="libttspico-utils"):
        await CommandSynthesizer("pico2wave", "it").synthesize(TEXT)


async def test_a_program_that_fails_is_a_voice_error_with_its_reason(bin_folder: Path) -> None:
    _install(bin_folder, "espeak-ng", "cat > /dev/null; echo no such voice >&2; exit 3")
    with pytest.raises(VoiceError, match="ended with 3: no such voice"):
        await CommandSynthesizer("espeak-ng", "it").synthesize(TEXT)


async def test_a_program_that_reads_nothing_and_fails_is_a_voice_error(bin_folder: Path) -> None:
    _install(bin_folder, "espeak-ng", "exit 1")
    with pytest.raises(VoiceError, match="ended with 1"):
        await CommandSynthesizer("espeak-ng", "it").synthesize(TEXT * 3000)


@pytest.mark.parametrize("script", ["cat > /dev/null", 'cat > "$5"'])
async def test_a_program_that_makes_no_sound_is_a_voice_error(
    bin_folder: Path, script: str
) -> None:
    _install(bin_folder, "espeak-ng", script)
    with pytest.raises(VoiceError, match="made no sound"):
        await CommandSynthesizer("espeak-ng", "it").synthesize(TEXT)


async def test_a_program_that_hangs_is_ended_with_its_request(bin_folder: Path) -> None:
    _install(bin_folder, "espeak-ng", f"echo $$ > {bin_folder}/pid; exec sleep 100")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await CommandSynthesizer("espeak-ng", "it").synthesize(TEXT)
    with pytest.raises(ProcessLookupError):
        os.kill(int((bin_folder / "pid").read_text()), 0)


@pytest.mark.skipif(
    importlib.util.find_spec("espeakng_loader") is None, reason="espeakng-loader is not installed"
)
@pytest.mark.parametrize("language", ["it", "en"])
async def test_espeak_in_the_process_speaks(language: Language) -> None:
    sound = await EspeakVoice(language).synthesize(TEXT)
    assert 1.0 < sound.seconds < 6.0
    assert level_dbfs(sound.pcm) > -35


async def test_espeak_in_the_process_speaks_as_fast_as_it_is_told() -> None:
    voice = EspeakVoice("it")
    seconds = {}
    for percent in (-50, 0, 50):
        voice.rate_percent = percent
        seconds[percent] = (await voice.synthesize(TEXT)).seconds
    assert seconds[-50] > 1.5 * seconds[0]
    assert seconds[50] < 0.8 * seconds[0]


async def test_what_is_installed_here_speaks_italian() -> None:
    for voice in await asyncio.to_thread(local_synthesizers, ALL, "it"):
        sound = await voice.synthesize(TEXT)
        assert 1.0 < sound.seconds < 6.0, voice.name
        assert level_dbfs(sound.pcm) > -35, voice.name
