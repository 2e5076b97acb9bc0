"""Models of wake words: what cannot be used is refused in a sentence, and never crashes."""

import json
import shutil
from pathlib import Path

import pytest
from pymicro_wakeword import MicroWakeWordFeatures

from voicehermes.adapters.sound.files import read_pcm
from voicehermes.adapters.sound.wake_models import BUILT_IN, WakeModel, load
from voicehermes.errors import ConfigError

DATA = Path(__file__).parent / "data" / "wake"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The description of a model of the user's own, its model beside it."""
    shutil.copy(DATA / "computer.tflite", tmp_path)
    return Path(shutil.copy(DATA / "computer.json", tmp_path))


def change(own: Path, **fields: object) -> None:
    own.write_text(json.dumps(json.loads(own.read_text("utf-8")) | fields), "utf-8")


def refusal(name: str | Path) -> str:
    with pytest.raises(ConfigError) as refused:
        load(str(name))
    sentence = str(refused.value)
    assert "\n" not in sentence
    return sentence


def likeliest(model: WakeModel) -> float:
    """The highest probability of "computer" in its call."""
    steps = MicroWakeWordFeatures().process_streaming(read_pcm(DATA / "computer.wav"))
    return max(model.process_streaming_prob(step) or 0.0 for step in steps)


def test_the_models_inside_the_library_are_known_by_name() -> None:
    assert BUILT_IN == ("alexa", "hey_jarvis", "hey_mycroft", "okay_nabu")
    assert [load(name).wake_word for name in BUILT_IN] == [
        "Alexa", "Hey Jarvis", "Hey Mycroft", "Okay Nabu",
    ]  # fmt: skip


def test_an_unknown_name_is_told_those_that_there_are() -> None:
    assert refusal("hey_giarvis") == (
        '`[listen] wake_words`: there is no wake word "hey_giarvis". There are alexa, hey_jarvis, '
        "hey_mycroft, okay_nabu; a model of your own is the path of its .json."
    )


def test_a_model_of_ones_own_is_found_in_the_home_folder(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(own.parent))
    assert load("~/computer.json").wake_word == "computer"


def test_a_model_that_is_reset_begins_as_it_did(own: Path) -> None:
    model = load(str(own))
    first = likeliest(model)
    model.reset()
    assert first == likeliest(model) > 0.9


def test_a_file_that_goes_away_while_it_is_used_does_no_harm(own: Path) -> None:
    model = load(str(own))
    own.with_suffix(".tflite").unlink()
    model.reset()
    assert likeliest(model) > 0.9


def test_a_description_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "ehi.json"
    assert refusal(path) == (
        f"{path}: this wake word cannot be read: No such file or directory. "
        "See `[listen] wake_words`."
    )


@pytest.mark.parametrize("text", [b"", b"<html>", b"\xff\xfe", b"[]", b"{}"])
def test_a_file_that_describes_no_wake_word_is_refused(own: Path, text: bytes) -> None:
    own.write_bytes(text)
    assert refusal(own).startswith(f"{own}: this does not describe a micro wake word: ")


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("probability_cutoff", 2, "Input should be less than 1."),
        ("sliding_window_size", 0, "Input should be greater than or equal to 1."),
        ("sliding_window_size", "many", "Input should be a valid integer"),
        ("feature_step_size", 20, "Input should be 10."),
    ],
)
def test_what_a_description_has_wrong_is_named(
    own: Path, field: str, value: object, reason: str
) -> None:
    micro = {"probability_cutoff": 0.9, "sliding_window_size": 5, "feature_step_size": 10}
    change(own, micro=micro | {field: value})
    assert f"micro.{field}: {reason}" in refusal(own)


@pytest.mark.parametrize("field", ["wake_word", "model"])
@pytest.mark.parametrize("value", ["computer\0.tflite", "\x1b[2J", "com\nputer"])
def test_control_characters_in_a_description_are_refused(own: Path, field: str, value: str) -> None:
    change(own, **{field: value})
    assert f"{field}: Input should have no control characters." in refusal(own)


def test_what_a_description_lacks_is_named(own: Path) -> None:
    change(own, micro={"probability_cutoff": 0.9, "feature_step_size": 10})
    assert "micro.sliding_window_size: Field required." in refusal(own)


def test_a_model_that_is_not_beside_its_description_is_named(own: Path) -> None:
    tflite = own.with_suffix(".tflite")
    tflite.unlink()
    assert refusal(own) == (
        f"{tflite}: this model of a wake word cannot be read: No such file or directory. "
        "It belongs beside its .json."
    )


def test_a_folder_is_no_model(own: Path) -> None:
    change(own, model=".")
    assert "Is a directory" in refusal(own)


@pytest.mark.parametrize("kept_bytes", [0, 8, 20_000, 60_000])
def test_a_model_that_was_cut_off_is_refused_and_nothing_else_is_printed(
    own: Path, kept_bytes: int, capfd: pytest.CaptureFixture[str]
) -> None:
    tflite = own.with_suffix(".tflite")
    tflite.write_bytes(tflite.read_bytes()[:kept_bytes])
    assert "this is not a model of a micro wake word. Is it damaged" in refusal(own)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "text", [b"version https://git-lfs.github.com/spec/v1", b"\0\0\0\0TFL3" * 9]
)
def test_what_is_no_model_at_all_is_refused(own: Path, text: bytes) -> None:
    own.with_suffix(".tflite").write_bytes(text)
    assert "this is not a model of a micro wake word" in refusal(own)
