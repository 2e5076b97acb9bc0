"""Decisions in a conversation on real parts: asked by the embedded server, answered by a voice.

What is said into the microphone is one recorded word; what the server hears in it, the scenario
says. Sentences of ours are on the disk, as they are for a user who has been asked before.
"""

import asyncio
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from urllib.request import Request, urlopen

import numpy as np

from tests.real.conversation import RADIO, Conversation, House, scripted
from tests.real.correlation import (
    FIT,
    QUIET,
    Found,
    Samples,
    decoded,
    find_all,
    find_halves,
    is_quiet,
)
from tests.real.daemon import Home, Settings
from tests.real.listening import RATE_HZ, wait_until
from voicehermes import lexicon
from voicehermes.adapters.phrase_cache import PhraseCache
from voicehermes.adapters.sound.codecs import decode_speech
from voicehermes.adapters.store import Store
from voicehermes.audio import Sound
from voicehermes.config import Speak
from voicehermes.deciding import prompts
from voicehermes.deciding.rules import DecisionRules
from voicehermes.events import Approval, Clarification, Decision
from voicehermes.simulator.decisions import Kind
from voicehermes.simulator.scenario import Scenario, Speech, Step, Transcribe
from voicehermes.simulator.speech import Voice

WORDS = lexicon.load("it")

RATE = "+100%"
"""The voices speak so much faster: nobody waits for a test."""

COMMAND = "uptime"
"""One that no rule calls risky."""

RISKY = "rm -rf build"

CAUSE = "dangerous command"

_WORD = (0.7, 1.3)
"""Where in a recording one word is said, in seconds."""

_OFFERS = (["once", "session"], ["once", "session", "details"])


def hearing(*texts: str) -> Transcribe:
    """A server that hears this, upload by upload, and nothing in any further one."""
    return Transcribe(texts=texts, default="", delay_seconds=0.1, delay_factor=0.0)


def asking(*steps: Step | str, hears: Sequence[str] = (), **parts: object) -> Scenario:
    """A server that plays these steps for the first message, and hears these answers."""
    return replace(scripted(steps, transcribe=hearing("Fallo.", *hears)), **parts)  # type: ignore[arg-type]


def parts_of(decision: Decision) -> list[str]:
    """What is read aloud when that is asked for first."""
    return [part.text for part in prompts.question(decision, DecisionRules())]


def approval_parts(command: str = COMMAND, description: str = CAUSE) -> list[str]:
    """As ``parts_of``, of an approval."""
    return parts_of(Approval("any", command, description, allow_permanent=True))


def clarification_parts(question: str, choices: Sequence[str] = ()) -> list[str]:
    """As ``parts_of``, of a clarification."""
    return parts_of(Clarification("any", question, tuple(choices), None))


class Deciding:
    """A conversation in which something is to be decided."""

    def __init__(self, talk: Conversation, word: Path) -> None:
        self.talk = talk
        self._word = word

    @property
    def home(self) -> Home:
        return self.talk.home

    def begin(self) -> None:
        """Say the message that the run answers."""
        self.talk.say(self._word)

    def wait_until_asked(self, kind: Kind = "approval", besides: Sequence[str] = ()) -> str:
        """Wait until the server waits for a decision that is not one of these; its id."""
        wait_until(lambda: self.pending(kind) not in (None, *besides), "decision", 15.0)
        return self.pending(kind) or ""

    def wait_until_closed(self) -> None:
        """Wait until the server waits for no approval any more."""
        wait_until(lambda: self.pending("approval") is None, "end of the decision", 15.0)

    def wait_until_heard(self, text: str, times: int = 1, part: slice = slice(None)) -> None:
        """Wait until a text was heard to its end, or that part of its sound, so many times."""
        wait_until(
            lambda: len(self.places(text, part)) >= times,
            f"{text!r} at the speaker",
            20.0,
            every_seconds=0.1,  # to look for it is a lot of work
        )

    def wait_until_begun(self, text: str, times: int = 1) -> None:
        """Wait until a text has begun to sound for that time."""
        self.wait_until_heard(text, times, part=slice(RATE_HZ // 2))

    def seconds_until_silent(self, since: float, before: Found | None = None) -> float:
        """How long after that time the last sound came; the last before that place, if given."""
        heard = self.talk.listener.samples[: before.at if before else None]
        last = int(np.flatnonzero(np.abs(heard) > QUIET)[-1])
        return self.talk.listener.time_of(last) - since

    def pending(self, kind: Kind) -> str | None:
        """The id of what the server waits for."""
        world = self.talk.server.world
        with world.changed:
            return next((d.id for (k, _), d in world.desk.open.items() if k == kind), None)

    @property
    def session_id(self) -> str:
        """The server's session in which the run works."""
        [run] = self.talk.server.world.runs.values()
        return run.session.id

    def say(self, recording: Path | None = None) -> None:
        """Say something, whether anybody listens or not."""
        self.talk.play(recording or self._word)

    def toggled(self, key: str) -> None:
        """Say something between two presses of the key."""
        self.talk.tap(key)
        self.home.wait_for_state("listening")
        self.say()
        self.talk.tap(key)

    def reply(self, recording: Path | None = None) -> None:
        """Say something once the microphone is open, and wait until the server has heard it."""
        uploads = len(self.uploaded_at)
        self.home.wait_for_state("listening", 25.0)
        self.say(recording)
        self.wait_for_upload(uploads + 1)

    @property
    def uploaded_at(self) -> list[float]:
        """When each recording came to the server."""
        return [logged.at for logged in self.talk.server.log if logged.path == "/api/transcribe"]

    def wait_for_upload(self, count: int) -> None:
        """Return when the server got so many recordings."""
        wait_until(lambda: len(self.uploaded_at) >= count, f"upload {count}", 15.0)

    def sent(self, kind: Kind = "approval") -> list[tuple[str, str]]:
        """The answers to decisions that the server got, each with the id that it is for."""
        told = [json.loads(body) for body in self.talk.requests(f"/api/{kind}/respond")]
        assert {body["session_id"] for body in told} <= {self.session_id}
        if kind == "approval":
            return [(body["approval_id"], body["choice"]) for body in told]
        return [(body["clarify_id"], body["response"]) for body in told]

    def answer_elsewhere(self, approval_id: str, choice: str) -> float:
        """Answer as another client of the server does; when that was taken."""
        body = {"session_id": self.session_id, "approval_id": approval_id, "choice": choice}
        data = json.dumps(body).encode()
        url = f"{self.talk.server.url}/api/approval/respond"
        with urlopen(Request(url, data, {"Content-Type": "application/json"})) as answer:
            assert json.load(answer)["ok"] is True
        return time.monotonic()

    def sounds(self, text: str) -> list[Samples]:
        """How that text may sound; a synthesiser does not speak it twice in the same way."""
        spoken = [sound for words, sound in self.talk.spoken() if words == text]
        remembered = _remembered_sounds(RATE).get(text)
        return spoken if remembered is None else [*spoken, remembered]

    def places(self, text: str, part: slice = slice(None)) -> list[Found]:
        """Where that text was heard, or that part of its sound."""
        found: list[Found] = []
        for sound in self.sounds(text):
            for place in self.all_places(sound[part]):
                if all(abs(place.at - other.at) > RATE_HZ // 4 for other in found):
                    found.append(place)
        return sorted(found, key=lambda place: place.at)

    def all_places(self, sound: Samples, least: float = FIT) -> list[Found]:
        """Where that sound was heard."""
        return find_all(sound, self.talk.listener.samples, least)

    def heard(self, text: str) -> Found:
        """Where that text was heard: whole, and once."""
        [place] = self.places(text)
        return place

    def interrupted(self, text: str) -> tuple[Found, Found]:
        """Where the two parts of a text were heard that stood still once: each word once."""
        [sound] = self.sounds(text)
        return find_halves(sound, self.talk.listener.samples, round(0.2 * RATE_HZ))

    def assert_heard(self, *texts: str) -> list[Found]:
        """These texts were heard, each whole, in this order, and nothing else; where."""
        heard = self.in_order(*texts)
        assert is_quiet(self.talk.rest(heard))
        return heard

    def in_order(self, *texts: str) -> list[Found]:
        """Where these texts were heard, each whole and as often as it is named, in this order."""
        found = [(place, text) for text in set(texts) for place in self.places(text)]
        found.sort(key=lambda at: at[0].at)
        order = [text for _, text in found]
        assert order == list(texts), f"heard was {order}"
        return [place for place, _ in found]


@contextmanager
def deciding(
    house: House, scenario: Scenario, settings: Settings | None = None
) -> Iterator[Deciding]:
    """A conversation in the house, with sentences of ours on the disk."""
    folder = house.folder / "state" / "voicehermes"
    folder.mkdir(parents=True, exist_ok=True)
    sounds = {text: decode_speech(mp3) for text, mp3 in _remembered(RATE).items()}
    asyncio.run(_keep(folder, sounds))
    with house.open(scenario, _quick(settings or {})) as talk:
        yield Deciding(talk, house.cut(RADIO, *_WORD))


def _quick(settings: Settings) -> Settings:
    """The settings, for somebody in a hurry."""
    silence = {"end_silence_min_seconds": 0.3, "end_silence_seconds": 0.3}
    quick: Settings = {"speak": {"rate": RATE}, "listen": {**silence, "end_silence_max_seconds": 1}}
    hurried = {name: {**keys, **settings.get(name, {})} for name, keys in quick.items()}
    return {**settings, **hurried}


async def _keep(folder: Path, sounds: Mapping[str, Sound]) -> None:
    speak = Speak()
    phrases = PhraseCache(Store(folder), f"{speak.voice} {RATE} {speak.pitch}")
    for text, sound in sounds.items():
        await phrases.put("server", text, sound)


@cache
def _remembered(rate: str) -> dict[str, bytes]:
    """Sentences of ours around decisions, with their sound."""
    names = ("a", "cl", "conf", "dec", "denied", "error-un", "grant-", "read-back-")
    fixed = [
        text
        for name, text in WORDS.phrases.items()
        if name.startswith(names) and "{" not in text and not name.startswith("answer-")
    ]
    offers = [", ".join(WORDS.say(f"answer-{name}") for name in names) for names in _OFFERS]
    texts = [*fixed, *(WORDS.say("approval-offer", answers=offer) for offer in offers)]
    voice = Voice(Speech())
    speak = Speak()
    return {text: voice.speak(text, {"voice": speak.voice, "rate": rate}) for text in texts}


@cache
def _remembered_sounds(rate: str) -> dict[str, Samples]:
    return {text: decoded(mp3, RATE_HZ) for text, mp3 in _remembered(rate).items()}
