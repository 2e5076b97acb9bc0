"""Conversations without a key on real parts: somebody just speaks, and is answered.

What is said into the microphone is recorded speech; what the server hears in it, upload by upload,
the scenario says.
"""

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.real.conversation import RADIO, Conversation, House, uploaded
from tests.real.correlation import FULL_SCALE, QUIET, Samples, decoded, find_once
from tests.real.daemon import Settings
from tests.real.deciding import RATE
from tests.real.listening import Listener, listening, wait_until
from tests.real.sound_card import MICROPHONE
from voicehermes import audio
from voicehermes.simulator.scenario import Scenario

CALL = Path(__file__).parents[1] / "data" / "wake" / "hey_jarvis.wav"
"""A wake word."""

NOTICED_SECONDS = 0.5
"""Who is noticed at all is noticed while speaking, or so soon after."""

_WORDS = (0.7, 2.05)
"""Where in the recording "Sempre alla radio" is said, in seconds."""


class Handsfree:
    """A conversation with somebody who presses nothing."""

    def __init__(self, talk: Conversation, room: Listener, words: Path) -> None:
        self.talk = talk
        self.room = room
        self.words = words

    def say(self, recording: Path | None = None) -> None:
        """Say something, to its end."""
        self.talk.play(recording or self.words)

    @contextmanager
    def saying(self, recording: Path | None = None) -> Iterator[None]:
        """Say something while the block runs, and longer if it is longer."""
        thread = threading.Thread(target=self.say, args=(recording,), name="somebody")
        thread.start()
        try:
            yield
        finally:
            thread.join()

    def is_answered(self, turn: int) -> None:
        """Wait until that turn is answered, and heard to its end."""
        assert self.talk.wait_for_end(turn) == "answered"

    def let_it_speak(self, seconds: float = 1.0) -> None:
        """Listen to an answer for so long."""
        self.talk.listener.wait_for_sound()
        time.sleep(seconds)
        assert self.talk.home.status()["state"] == "speaking"

    def is_ignored(self, recording: Path | None = None) -> None:
        """Say something, of which nothing comes: no turn begins."""
        before, uploads = self.talk.home.status(), self.uploads
        self.say(recording)
        time.sleep(NOTICED_SECONDS)
        after = self.talk.home.status()
        assert (after["turn"], after["state"]) == (before["turn"], before["state"])
        assert self.uploads == uploads

    def wait_until_attends(self, to: str) -> None:
        """Return when the daemon waits for that while nothing is recorded."""
        status = self.talk.home.status
        wait_until(lambda: status()["attends_to"] == to, f"attention to {to}", 10.0)

    @property
    def uploads(self) -> int:
        """How many recordings the server got."""
        return len(self.talk.requests("/api/transcribe"))

    @property
    def messages(self) -> list[str]:
        """What the agent took, in order."""
        taken = [logged for logged in self.talk.server.log if logged.status == 200]
        return [
            json.loads(logged.body)["message"]
            for logged in taken
            if logged.path == "/api/chat/start"
        ]

    def assert_words_are_whole(self, upload: int) -> None:
        """The so-many-eth upload holds what is said first and what is said last, once."""
        words = decoded(self.words, audio.RATE_HZ)
        edge, blurred = round(0.4 * audio.RATE_HZ), round(0.01 * audio.RATE_HZ)
        sent = uploaded(self.talk.requests("/api/transcribe")[upload - 1], audio.RATE_HZ)
        begin = find_once(words[blurred:edge], sent).at - blurred
        end = find_once(words[-edge:-blurred], sent).end + blurred
        assert end - begin == pytest.approx(len(words), abs=2 * blurred)

    def began_to_speak(self, after: float) -> float:
        """When the first sound after that time came into the microphone."""
        heard = self.room.samples
        since = self.room.sample_at(after)
        return self.room.time_of(since + int(np.flatnonzero(np.abs(heard[since:]) > QUIET)[0]))

    def fell_silent(self, before: float) -> float:
        """When the last sound before that time came out of the speaker."""
        heard = self.talk.listener.samples[: self.talk.listener.sample_at(before)]
        return self.talk.listener.time_of(int(np.flatnonzero(np.abs(heard) > QUIET)[-1]))


@contextmanager
def handsfree(
    house: House, scenario: Scenario, settings: Settings | None = None
) -> Iterator[Handsfree]:
    """A conversation without keys in the house."""
    words = house.cut(RADIO, *_WORDS)
    hurried = {"speak": {"rate": RATE}, **without_keys(settings or {})}
    with (
        house.open(scenario, hurried) as talk,
        listening(talk.card, MICROPHONE) as room,
    ):
        yield Handsfree(talk, room, words)


def without_keys(settings: Settings) -> Settings:
    """The settings, for somebody who presses nothing."""
    talk = {"mode": "handsfree", "hotkey": "", **settings.get("talk", {})}
    return {**settings, "talk": talk}


def one_after_another(folder: Path, recordings: Sequence[Path], pause_seconds: float) -> Path:
    """One recording of several, with silence between them."""
    pause = np.zeros(round(pause_seconds * audio.RATE_HZ), "<i2")
    pieces: list[Samples] = []
    for recording in recordings:
        samples, rate_hz = soundfile.read(recording, dtype="int16")
        assert rate_hz == audio.RATE_HZ
        pieces += [samples, pause]
    path = folder / f"{'-'.join(recording.stem for recording in recordings)}.wav"
    soundfile.write(path, np.concatenate(pieces[:-1]), audio.RATE_HZ)
    return path


def slam(folder: Path) -> Path:
    """A door: loud noise that is over at once."""
    rng = np.random.default_rng(1)
    decay = np.exp(-np.arange(round(0.2 * audio.RATE_HZ)) / (0.02 * audio.RATE_HZ))
    path = folder / "slam.wav"
    noise = 0.5 * FULL_SCALE * decay * rng.uniform(-1, 1, len(decay))
    soundfile.write(path, noise.astype("<i2"), audio.RATE_HZ)
    return path
