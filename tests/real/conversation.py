"""A conversation with nothing but real parts: server, daemon, keys, microphone and speaker."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import soundfile

from tests.real.correlation import (
    FULL_SCALE,
    Found,
    Samples,
    decoded,
    find_once,
    is_quiet,
    unexplained,
)
from tests.real.daemon import Daemon, Home, Settings, running
from tests.real.listening import RATE_HZ, Listener, listening
from tests.real.sound_card import SoundCard
from tests.real.x_server import XServer
from voicehermes.simulator.scenario import Pace, Say, Scenario, Step, Transcribe, Turn
from voicehermes.simulator.server import Simulator
from voicehermes.simulator.transcripts import read_upload
from voicehermes.speaking.joining import SENTENCE_PAUSE_SECONDS

AUDIO = Path(__file__).parents[1] / "data" / "audio"
RADIO = AUDIO / "radio.wav"
WORD = AUDIO / "cameriere.wav"

KEY = "Control_R"

JOINT_SECONDS = 0.12
"""A gap may be longer than the pause by so much: quiet edges, soft endings, the sound's blocks."""

QUICK = Pace(first_token_seconds=0.1, characters_per_second=300)


def scripted(*turns: Sequence[Step | str], pace: Pace = QUICK, **parts: object) -> Scenario:
    """A server that hears quickly and answers with these turns; a text is said."""
    steps = [[Say(step) if isinstance(step, str) else step for step in turn] for turn in turns]
    parts.setdefault("transcribe", Transcribe(delay_seconds=0.1, delay_factor=0.0))
    scenario = [Turn(steps=tuple(turn)) for turn in steps]
    return Scenario(turns=tuple(scenario), pace=pace, **parts)  # type: ignore[arg-type]


@dataclass
class Conversation:
    """All parts, running."""

    server: Simulator
    home: Home
    daemon: Daemon
    listener: Listener
    x: XServer

    @property
    def card(self) -> SoundCard:
        return self.home.card

    def press(self) -> None:
        """Hold the talk key down."""
        self.x.key_down(KEY)

    def release(self) -> None:
        """Let the talk key go."""
        self.x.key_up(KEY)

    def say(self, recording: Path) -> None:
        """Say something with the talk key held."""
        self.press()
        try:
            self.play(recording)
        finally:
            self.release()

    def play(self, recording: Path) -> None:
        """Play something into the microphone, to its end."""
        self.card.play(recording)

    def tap(self, keysym: str = KEY) -> None:
        """Press a key and let it go at once."""
        self.x.key_down(keysym)
        self.x.key_up(keysym)

    def requests(self, path: str) -> list[bytes]:
        """The bodies of the requests to an endpoint that the server worked on."""
        return [logged.body for logged in self.server.log if logged.path == path]

    def wait_for_end(self, turn: int = 1, seconds: float = 25.0) -> str:
        """Wait until a turn is over and nothing sounds; how it ended."""
        outcome = self.home.wait_for("turn_end", turn=turn, seconds=seconds)["outcome"]
        self.listener.wait_for_silence(0.3)
        return str(outcome)

    def spoken(self) -> list[tuple[str, Samples]]:
        """Each text that the server spoke, with its sound, at the listener's rate."""
        return [(text, decoded(mp3, RATE_HZ)) for text, mp3 in self.server.spoken]

    def find_in_order(self, clips: Sequence[Samples]) -> list[Found]:
        """Where each clip was heard: each once, one after another."""
        heard = self.listener.samples
        places = [find_once(clip, heard) for clip in clips]
        assert places == sorted(places, key=lambda place: place.at)
        return places

    def assert_reply_was_heard(self, sentences: Sequence[str], turn: int = 1) -> None:
        """These sentences came from the server and out of the speaker, in order and each once;
        no gap between them was longer than the late arrival of a clip forced; nothing else was
        heard."""
        spoken = self.spoken()
        assert " ".join(text for text, _ in spoken).split() == " ".join(sentences).split()
        places = self.find_in_order([clip for _, clip in spoken])
        arrivals = [event["at"] for event in self.home.events("tts_audio", turn=turn)]
        assert len(arrivals) == len(places)
        for before, after, arrived in zip(places, places[1:], arrivals[1:], strict=False):
            ended = self.listener.time_of(before.end)
            gap = (after.at - before.end) / RATE_HZ
            forced = max(0.0, arrived - ended)
            assert gap <= forced + SENTENCE_PAUSE_SECONDS + JOINT_SECONDS
        assert is_quiet(self.rest(places))

    def rest(self, places: Sequence[Found]) -> Samples:
        """What was heard beside these places."""
        return unexplained(self.listener.samples, places, round(0.05 * RATE_HZ))


class House:
    """Opens conversations for one test, all at the same home."""

    def __init__(self, folder: Path, card: SoundCard, x: XServer) -> None:
        self.folder = folder
        self.card = card
        self.x = x

    @contextmanager
    def open(self, scenario: Scenario, settings: Settings | None = None) -> Iterator[Conversation]:
        """A server that plays the scenario, a daemon, and an ear at the speaker. Cues are off."""
        with Simulator(scenario) as server, self.beside(server, settings) as conversation:
            yield conversation

    @contextmanager
    def beside(self, server: Simulator, settings: Settings | None = None) -> Iterator[Conversation]:
        """As ``open``, with a server that runs already."""
        home = self.home(server.url, settings)
        with listening(self.card) as listener, running(home) as daemon:
            try:
                yield Conversation(server, home, daemon, listener, self.x)
            except BaseException:  # for a person, to hear what went wrong
                soundfile.write(self.folder / "heard.wav", listener.samples / FULL_SCALE, RATE_HZ)
                raise
            finally:
                self.x.key_up(KEY)

    def home(self, url: str, settings: Settings | None = None) -> Home:
        """The home, configured for the server at ``url``."""
        sections: dict[str, dict[str, object]] = {
            "server": {"url": url},
            "audio": {"cues": False},
        }
        for section, keys in (settings or {}).items():
            sections.setdefault(section, {}).update(keys)
        return Home(self.folder, self.card, self.x, sections)

    def cut(self, recording: Path, begin: float, end: float) -> Path:
        """A part of a recording, in seconds, as a file of its own."""
        samples, rate_hz = soundfile.read(recording, dtype="int16")
        path = self.folder / f"{recording.stem}-{begin}-{end}.wav"
        soundfile.write(path, samples[round(begin * rate_hz) : round(end * rate_hz)], rate_hz)
        return path

    @property
    def word(self) -> Path:
        """A word, said in a second and a half."""
        return self.cut(WORD, 0.5, 2.0)

    @property
    def noise(self) -> Path:
        """A noisy room, for less than a second."""
        return self.cut(WORD, 2.0, 2.8)


def uploaded(body: bytes, rate_hz: int) -> Samples:
    """The sound in the body of an upload."""
    boundary = body[2 : body.index(b"\r\n")].decode()
    _, data = read_upload(f"multipart/form-data; boundary={boundary}", body)
    return decoded(data, rate_hz)
