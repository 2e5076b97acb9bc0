"""ask, say, listen, retry and demo against the embedded server, by what a user sees."""

import io
import json
import os
import signal
import subprocess
import sys
import time
import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Timer

import pytest

from voicehermes.adapters.outbox import FOLDER, Outbox
from voicehermes.adapters.store import Store
from voicehermes.audio import Utterance, UtteranceEnd
from voicehermes.cli import configuration
from voicehermes.cli.main import main
from voicehermes.simulator.scenario import (
    Error,
    Fault,
    Pace,
    Say,
    Scenario,
    Speech,
    Step,
    Transcribe,
    Turn,
)
from voicehermes.simulator.server import Simulator

CLIP = Path(__file__).parent / "data" / "audio" / "cameriere.wav"
QUICK = Pace(first_token_seconds=0.0, characters_per_second=0.0)
TONE = Speech(synthesizer="tone", delay_seconds=0.0, delay_per_character=0.0, window_seconds=0.1)


@pytest.fixture
def serve(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Simulator]]:
    """Starts the embedded server with these steps as its reply, and other parts."""
    monkeypatch.setenv("VOICEHERMES_AUDIO__OUTPUT", "null")
    monkeypatch.setenv("VOICEHERMES_SPEAK__FALLBACK", "[]")
    running: list[Simulator] = []

    def start(*steps: Step, **parts: object) -> Simulator:
        turns = (Turn(steps=steps or (Say("Sono le tre."),)),)
        heard = Transcribe(default="cameriere", delay_seconds=0.0, delay_factor=0.0)
        settings = {"pace": QUICK, "speech": TONE, "turns": turns, "transcribe": heard, **parts}
        simulator = Simulator(Scenario(**settings))  # type: ignore[arg-type]
        running.append(simulator.__enter__())
        monkeypatch.setenv("VOICEHERMES_SERVER__URL", simulator.url)
        return simulator

    yield start
    for simulator in running:
        simulator.__exit__(None, None, None)


def posted(simulator: Simulator, path: str) -> list[bytes]:
    return [r.body for r in simulator.log if r.path == path and r.method == "POST"]


def kept(home: Path) -> list[str]:
    folder = configuration.state_folder() / FOLDER
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def keep(what: str | Utterance) -> None:
    """As a daemon does that could not send it."""
    outbox = Outbox(Store(configuration.state_folder()))
    key = outbox.new_key()
    if isinstance(what, str):
        outbox.keep_words(key, what)
    else:
        outbox.keep_utterance(key, what)
    outbox.leave(key)


def test_ask_prints_the_answer_and_speaks_it(
    serve: Callable[..., Simulator], capsys: pytest.CaptureFixture[str]
) -> None:
    simulator = serve(Say("Sono le **tre**."))
    assert main(["ask", "che ore sono"]) == 0
    assert capsys.readouterr() == ("Sono le **tre**.\n", "")
    assert [text for text, _ in simulator.spoken] == ["Sono le tre."]


def test_ask_can_be_silent_and_give_json(
    serve: Callable[..., Simulator], capsys: pytest.CaptureFixture[str]
) -> None:
    simulator = serve()
    assert main(["ask", "che ore sono", "--silent", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "question": "che ore sono",
        "answer": "Sono le tre.",
        "outcome": "answered",
    }
    assert simulator.spoken == []


def test_ask_fails_where_the_agent_fails(
    serve: Callable[..., Simulator], capsys: pytest.CaptureFixture[str]
) -> None:
    serve(Say("Dunque"), Error("Quota exceeded", kind="quota_exhausted"))
    assert main(["ask", "ciao", "--silent"]) == 1
    out, err = capsys.readouterr()
    assert out == "Dunque\n"
    assert err.startswith("voicehermes: Hermes non è riuscito a rispondere.")
    assert "Quota exceeded" in err


@pytest.mark.parametrize("command", ["ask", "say"])
def test_a_command_without_its_text_is_misused(
    command: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "  "]) == 2
    assert capsys.readouterr().err == "voicehermes: TEXT must not be empty.\n"


def test_a_question_that_does_not_arrive_is_kept_and_retried_once(
    serve: Callable[..., Simulator], home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    simulator = serve(faults=(Fault("/api/chat/start", status=500, body='{"error": "boom"}'),))
    assert main(["ask", "che ore sono", "--silent"]) == 1
    assert len(kept(home)) == 1
    assert main(["retry", "--silent"]) == 0
    assert "che ore sono\nSono le tre.\n" in capsys.readouterr().out
    assert kept(home) == []
    assert len(posted(simulator, "/api/chat/start")) == 2
    assert main(["retry", "--silent"]) == 0
    assert len(posted(simulator, "/api/chat/start")) == 2


def test_retry_transcribes_what_was_kept_as_sound(
    serve: Callable[..., Simulator], home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    simulator = serve()
    keep(Utterance(CLIP.read_bytes(), ".wav", 0.0, UtteranceEnd.RELEASED))
    assert main(["retry", "--silent"]) == 0
    [body] = posted(simulator, "/api/chat/start")
    assert json.loads(body)["message"] == "cameriere"
    assert kept(home) == []


def test_retry_does_not_send_what_arrived(
    serve: Callable[..., Simulator], home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    simulator = serve()
    keep("che ore sono")
    [name] = kept(home)
    folder = configuration.state_folder() / FOLDER
    saved = (folder / name).read_bytes()
    assert main(["retry", "--silent"]) == 0
    (folder / name).write_bytes(saved)  # as if we had died before it was removed
    assert main(["retry", "--silent"]) == 0
    assert len(posted(simulator, "/api/chat/start")) == 1
    assert kept(home) == []


def test_retry_keeps_what_does_not_arrive(
    serve: Callable[..., Simulator], home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    serve(faults=(Fault("/api/chat/start", times=0, status=500, body='{"error": "boom"}'),))
    keep("uno")
    keep("due")
    assert main(["retry", "--silent"]) == 1
    assert len(kept(home)) == 2


def test_say_speaks_a_text(
    serve: Callable[..., Simulator], capsys: pytest.CaptureFixture[str]
) -> None:
    simulator = serve()
    assert main(["say", "Buongiorno, sono pronta."]) == 0
    assert [text for text, _ in simulator.spoken] == ["Buongiorno, sono pronta."]
    assert capsys.readouterr() == ("", "")


def test_say_names_a_voice_that_the_server_does_not_have(
    serve: Callable[..., Simulator], capsys: pytest.CaptureFixture[str]
) -> None:
    serve(speech=Speech(voices="stock", synthesizer="tone"))
    assert main(["say", "Buongiorno."]) == 1
    assert "it-IT-ElsaNeural" in capsys.readouterr().err


def test_say_has_done_it_when_another_synthesiser_speaks(
    serve: Callable[..., Simulator], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOICEHERMES_SPEAK__FALLBACK", '["espeakng"]')
    serve(speech=Speech(voices="stock", synthesizer="tone"))
    assert main(["say", "Buongiorno."]) == 0


def test_say_writes_what_is_spoken_where_the_speaker_is_a_file(
    serve: Callable[..., Simulator], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve()
    monkeypatch.setenv("VOICEHERMES_AUDIO__OUTPUT", f"file:{home}/out.wav")
    assert main(["say", "Buongiorno."]) == 0
    with wave.open(f"{home}/out.wav") as file:
        assert max(file.readframes(file.getnframes())) > 0


def test_listen_prints_what_a_file_as_microphone_says(
    serve: Callable[..., Simulator],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    simulator = serve()
    monkeypatch.setenv("VOICEHERMES_AUDIO__INPUT", f"file:{CLIP}")
    assert main(["listen", "--json"]) == 0
    heard = json.loads(capsys.readouterr().out)
    assert heard["transcript"] == "cameriere"
    assert 0.5 < heard["seconds"] < 3
    assert len(posted(simulator, "/api/transcribe")) == 1


def test_listen_sends_no_silence(
    serve: Callable[..., Simulator],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    simulator = serve()
    with wave.open(str(home / "silence.wav"), "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", ""))
        file.writeframes(bytes(3200))
    monkeypatch.setenv("VOICEHERMES_AUDIO__INPUT", f"file:{home / 'silence.wav'}")
    monkeypatch.setenv("VOICEHERMES_LISTEN__MAX_SECONDS", "1")
    assert main(["listen"]) == 1
    out, err = capsys.readouterr()
    assert not out
    zeros, nothing = err.splitlines()
    assert "silenzio assoluto" in zeros
    assert nothing == "Non ho sentito niente."
    assert posted(simulator, "/api/transcribe") == []


def test_listen_ends_with_the_enter_key(
    serve: Callable[..., Simulator],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    serve()
    with wave.open(str(home / "silence.wav"), "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", ""))
        file.writeframes(bytes(3200))
    monkeypatch.setenv("VOICEHERMES_AUDIO__INPUT", f"file:{home / 'silence.wav'}")
    keyboard, terminal = os.openpty()
    began = time.monotonic()
    with os.fdopen(terminal) as stdin, os.fdopen(keyboard, "wb", buffering=0) as typing:
        monkeypatch.setattr("sys.stdin", stdin)
        typing.write(b"\n")
        assert main(["listen"]) == 1
    assert time.monotonic() - began < 30, "it waited for the longest utterance"
    assert capsys.readouterr().err.endswith("Non ho sentito niente.\n")


@pytest.mark.parametrize("name", ["none.wav", "text.wav"])
def test_listen_says_what_is_wrong_with_a_file(
    home: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "text.wav").write_text("Ciao")
    monkeypatch.setenv("VOICEHERMES_AUDIO__INPUT", f"file:{home / name}")
    assert main(["listen"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert name in err


def test_the_demo_shows_a_conversation_and_its_timeline(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VOICEHERMES_AUDIO__OUTPUT", f"file:{home}/demo.wav")
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    assert "il server è finto" in out
    assert "Tu: Ciao Hermes, che tempo farà domani a Roma?\nHermes: Domani a Roma" in out
    assert "turn_end      outcome=answered" in out
    with wave.open(f"{home}/demo.wav") as file:
        assert file.getnframes() / file.getframerate() > 5


def test_a_demo_by_microphone_that_gets_no_answer_does_not_claim_one(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    near, far = os.openpty()
    os.write(near, b"\x04")  # the end of input is as good as the Enter key
    monkeypatch.chdir(home)
    Timer(2, os.write, (near, b"\n")).start()
    with os.fdopen(far) as terminal:
        monkeypatch.setattr("sys.stdin", terminal)
        assert main(["demo", "--mic", "no such microphone"]) == 1
    os.close(near)
    out = capsys.readouterr().out
    assert "Premi Invio quando hai finito." in out
    assert "turn_end" in out
    assert "demo.wav" not in out


def test_a_demo_by_microphone_wants_a_terminal(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert main(["demo", "--mic", "default"]) == 2
    assert capsys.readouterr().err == (
        "voicehermes: There is no terminal to press the Enter key on. "
        "Without --mic the demo needs none.\n"
    )


def test_ctrl_c_ends_a_demo_that_waits_for_a_key(home: Path) -> None:
    near, far = os.openpty()
    command = [sys.executable, "-m", "voicehermes", "demo", "--mic", "default"]
    with subprocess.Popen(command, stdin=far, stdout=subprocess.PIPE, text=True) as demo:
        assert demo.stdout
        while "Premi Invio" not in demo.stdout.readline():
            pass
        time.sleep(0.3)
        demo.send_signal(signal.SIGINT)
        assert demo.wait(10) == 130
    os.close(near)
    os.close(far)
