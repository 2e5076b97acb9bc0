"""The composition root: the one place where adapters and flows are put together.

Each function opens a part of the house as an async context manager, so that what was opened is
closed in the reverse order, whatever happens. Adapters, and what a conversation is decided with,
are imported by the part that needs them: a command loads nothing that it does not use.
"""

import asyncio
import importlib
import logging
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

from voicehermes import lexicon
from voicehermes.config import Config
from voicehermes.deciding.rules import DecisionRules
from voicehermes.errors import TriggerError
from voicehermes.events import ApprovalChoice, Trigger
from voicehermes.hearing.capture import Capture
from voicehermes.hearing.deaf import Deaf
from voicehermes.hearing.ear_events import EarEvent
from voicehermes.hearing.hold import HoldRules
from voicehermes.keeping import Keeping
from voicehermes.organs import Ear, Mouth
from voicehermes.ports import Display, EchoCanceller, Synthesizer, WakeWords
from voicehermes.speaking.silent import Silent
from voicehermes.speaking.voice import Voice, VoiceEvent
from voicehermes.timeline import Record, Timeline

if TYPE_CHECKING:
    from voicehermes.adapters.hermes.http import WebuiHttp
    from voicehermes.adapters.store import Store
    from voicehermes.session import Session

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Setting:
    """What every part of the house is built from."""

    config: Config
    store: "Store"
    display: Display
    timeline: Timeline
    words: lexicon.Lexicon


def _import_adapters() -> None:
    for name in ("hermes.webui", "hermes.webui_voice", "sound.devices", "sound.speakers"):
        importlib.import_module(f"voicehermes.adapters.{name}")


def _load_conversation(language: lexicon.Language) -> None:
    """All that a conversation goes by, now: later nothing of it waits for the disk."""
    from voicehermes.deciding import vocabulary
    from voicehermes.lexicon import wording

    importlib.import_module("voicehermes.session")
    vocabulary.load(language)
    wording.load(language)


@asynccontextmanager
async def background(*works: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run these beside the body. When one fails the body is cancelled and the failure raised."""
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(work, name=getattr(work, "__qualname__", None)) for work in works
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()


@asynccontextmanager
async def open_setting(
    config: Config, *, state: Path, journal: Path | None, display: Display
) -> AsyncIterator[Setting]:
    """The state folder, the words and the timeline; ``journal`` is its file, None for none."""
    from voicehermes.adapters.journal import Journal
    from voicehermes.adapters.store import Store

    words = await asyncio.to_thread(lexicon.load, config.ui.language)
    now = asyncio.get_running_loop().time
    if journal is None:
        yield Setting(config, Store(state), display, Timeline(now, _ignore), words)
        return
    file = Journal(journal, since=time())
    async with background(file.run()):
        yield Setting(config, Store(state), display, Timeline(now, file.write), words)


def _ignore(record: Record) -> None:
    """No timeline is kept."""


def server(config: Config, store: "Store") -> "WebuiHttp":
    """The connection to the server, with the cookies of the last login; enter it to use it."""
    from voicehermes.adapters.hermes.http import WebuiHttp
    from voicehermes.adapters.hermes.login import password_source

    return WebuiHttp(config.server, store, password=lambda: password_source(os.environ))


def synthesizers(config: Config, http: "WebuiHttp | None") -> list[Synthesizer]:
    """Those that speak, the preferred one first; ``http`` None leaves out the server's."""
    from voicehermes.adapters.voices.local import local_synthesizers

    local = local_synthesizers(config.speak.fallback, config.ui.language)
    if http is None or config.speak.engine == "local":
        return local
    from voicehermes.adapters.hermes.webui_voice import WebuiSynthesizer
    from voicehermes.adapters.sound.codecs import decode_speech

    speak = config.speak
    on_server = WebuiSynthesizer(
        http,
        decode_speech,
        voice=speak.voice,
        rate=speak.rate,
        pitch=speak.pitch,
        engine=speak.server_engine,
    )
    return [on_server, *local]


@asynccontextmanager
async def open_voice(
    setting: Setting,
    http: "WebuiHttp | None",
    sink: Callable[[VoiceEvent], None],
    *,
    prepared: Sequence[str] = (),
    canceller: EchoCanceller | None = None,
) -> AsyncIterator[Voice]:
    """Speakers, synthesisers and cues. What was heard of a run is remembered for a restart.

    ``prepared`` are sentences whose sound is to be at hand when they are needed. ``canceller`` is
    told what is played.
    """
    from voicehermes.adapters.cues import load_cues
    from voicehermes.adapters.heard_file import HeardFile
    from voicehermes.adapters.phrase_cache import PhraseCache
    from voicehermes.adapters.sound import codecs
    from voicehermes.adapters.sound.null_speaker import NullSpeaker
    from voicehermes.adapters.sound.speakers import open_speaker
    from voicehermes.speaking.playback import Playback

    audio, speak = setting.config.audio, setting.config.speak
    heard = HeardFile(setting.store)
    await heard.read()
    voice = Voice(
        await asyncio.to_thread(synthesizers, setting.config, http),
        Playback(
            open_speaker(audio.output),
            NullSpeaker(),
            volume=audio.volume,
            played=canceller.played if canceller else None,
        ),
        setting.words,
        sink=sink,
        timeline=setting.timeline,
        cues=await asyncio.to_thread(load_cues) if audio.cues else None,
        phrases=PhraseCache(setting.store, f"{speak.voice} {speak.rate} {speak.pitch}"),
        heard=heard,
        prepared=prepared,
    )
    # The decoder's libraries are loaded meanwhile: the first answer must not wait for them.
    async with background(voice.run(), heard.run(), asyncio.to_thread(codecs.load)):
        yield voice


def open_canceller(config: Config) -> EchoCanceller | None:
    """What takes our own sound out of the microphone's, if that is wanted. Blocks.

    Raises ConfigError without the extra ``aec``.
    """
    if config.listen.echo != "aec":
        return None
    from voicehermes.adapters.sound import echo_canceller

    return echo_canceller.open_canceller()


def open_wake_words(config: Config) -> WakeWords | None:
    """What hears wake words where one begins a conversation. Blocks.

    Raises ConfigError, see what it opens.
    """
    if config.talk.mode != "handsfree" or config.talk.handsfree_start != "wake":
        return None
    from voicehermes.adapters.sound import wake_words

    return wake_words.open_wake_words(config.listen.wake_words)


async def open_capture(
    setting: Setting,
    sink: Callable[[EarEvent], None],
    own_sound: Callable[[], float | None],
    canceller: EchoCanceller | None = None,
    wake_words: WakeWords | None = None,
) -> Capture:
    """The microphone, to be run. ``own_sound`` as in Voice.heard_until.

    Raises ConfigError and AudioError, see what it opens.
    """
    from voicehermes.adapters.sound.detectors import open_detector
    from voicehermes.adapters.sound.devices import open_microphone
    from voicehermes.adapters.sound.encoders import open_encoders
    from voicehermes.hearing.wording import sounds_finished
    from voicehermes.lexicon import wording

    listen = setting.config.listen
    words = await asyncio.to_thread(wording.load, setting.config.ui.language)
    return Capture(
        open_microphone(setting.config.audio.input),
        await asyncio.to_thread(open_detector, listen.vad),
        await asyncio.to_thread(open_encoders, listen.upload_format),
        pre_roll_seconds=listen.pre_roll_seconds,
        min_speech_seconds=listen.min_speech_seconds,
        end_silence_seconds=listen.end_silence_seconds,
        end_silence_min_seconds=listen.end_silence_min_seconds,
        end_silence_max_seconds=listen.end_silence_max_seconds,
        max_seconds=listen.max_seconds,
        part_seconds=listen.part_seconds if listen.progressive == "auto" else None,
        sounds_finished=partial(sounds_finished, words=words),
        own_sound=own_sound,
        is_half_duplex=listen.echo == "half-duplex",
        canceller=canceller,
        wake_words=wake_words,
        sink=sink,
        on_level=setting.display.show_level,
        now=asyncio.get_running_loop().time,
    )


def _session(setting: Setting, http: "WebuiHttp", ear: Ear, mouth: Mouth) -> "Session":
    from voicehermes.adapters.hermes.webui import WebuiAgent
    from voicehermes.adapters.hermes.webui_voice import WebuiRecognizer
    from voicehermes.adapters.outbox import Outbox
    from voicehermes.dialogue import Rules
    from voicehermes.session import Session

    config = setting.config
    talk = config.talk
    return Session(
        rules=Rules(
            mode=talk.mode,
            handsfree_start=talk.handsfree_start,
            local_commands=frozenset(talk.local_commands),
            when_busy=talk.when_busy,
            decisions=_decision_rules(config),
            can_hear=not isinstance(ear, Deaf),
        ),
        hold_rules=HoldRules(
            "hold" if talk.mode == "hold" else "toggle",
            talk.tap_seconds,
            config.listen.max_seconds,
        ),
        ear=ear,
        recognizer=WebuiRecognizer(http, seconds=config.server.transcribe_seconds),
        agent=WebuiAgent(http, config.server, setting.store),
        mouth=mouth,
        keeping=Keeping(Outbox(setting.store)),
        display=setting.display,
        timeline=setting.timeline,
        words=setting.words,
        approval_seconds=config.decisions.approval_seconds,
        follow_up_seconds=talk.follow_up_seconds,
        input_name=config.audio.input,
    )


def _decision_rules(config: Config) -> DecisionRules:
    return DecisionRules(
        language=config.ui.language,
        voice_grants=config.decisions.voice_grants,
        confirm=config.decisions.confirm,
        confirm_free_text=config.decisions.confirm_free_text,
        workspace=config.server.workspace,
    )


@asynccontextmanager
async def open_daemon(
    setting: Setting, control_path: Path, quit_: Callable[[], None]
) -> AsyncIterator["Session"]:
    """The whole house, running. Raises TriggerError when another daemon has the control socket.

    Keys that cannot be listened to are told; everything else then works by the socket.
    """
    from voicehermes.adapters.outbox import Outbox
    from voicehermes.adapters.triggers.control import Control
    from voicehermes.adapters.triggers.hotkey import Hotkeys

    late = _Late()
    talk, display, words = setting.config.talk, setting.display, setting.words

    def tell(error: TriggerError) -> None:
        display.show_notice(f"{words.say(error.phrase)} {error}")

    async with AsyncExitStack() as stack:
        control = Control(control_path, late.status, quit_, late)
        await stack.enter_async_context(control.open(late.take_trigger))
        await asyncio.to_thread(_import_adapters)  # the control socket is answered meanwhile
        session = await stack.enter_async_context(_open_session(setting, late))
        if talk.hotkey or talk.cancel_hotkey:
            hotkeys = Hotkeys(talk.hotkey, talk.cancel_hotkey, tell)
            try:
                await stack.enter_async_context(hotkeys.open(session.trigger))
            except TriggerError as error:
                tell(error)
        if await asyncio.to_thread(Outbox(setting.store).free_entries):
            display.show_notice(words.say("kept-before"))
        yield session


@asynccontextmanager
async def open_typed_session(setting: Setting, *, silent: bool) -> AsyncIterator["Session"]:
    """A conversation that is typed, running; its answers are spoken unless ``silent``."""
    late = _Late()
    await asyncio.to_thread(_load_conversation, setting.config.ui.language)
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(server(setting.config, setting.store))
        mouth: Mouth = (
            Silent(late.take_from_mouth)
            if silent
            else await stack.enter_async_context(open_voice(setting, http, late.take_from_mouth))
        )
        session = _session(setting, http, Deaf(), mouth)
        late.join(session)
        await stack.enter_async_context(_running(session, attach=False))
        yield session


@asynccontextmanager
async def open_spoken_session(setting: Setting) -> AsyncIterator["Session"]:
    """A conversation with microphone and speaker, running; nobody presses a key."""
    async with _open_session(setting, _Late()) as session:
        yield session


@asynccontextmanager
async def _open_session(setting: Setting, late: "_Late") -> AsyncIterator["Session"]:
    await asyncio.to_thread(_load_conversation, setting.config.ui.language)
    from voicehermes.deciding import prompts

    prepared = prompts.fixed(_decision_rules(setting.config))
    canceller = await asyncio.to_thread(open_canceller, setting.config)
    wake_words = await asyncio.to_thread(open_wake_words, setting.config)
    async with (
        server(setting.config, setting.store) as http,
        open_voice(
            setting, http, late.take_from_mouth, prepared=prepared, canceller=canceller
        ) as voice,
    ):
        capture = await open_capture(
            setting, late.take_from_ear, lambda: voice.heard_until, canceller, wake_words
        )
        session = _session(setting, http, capture, voice)
        async with background(capture.run()), _running(session, attach=True):
            late.join(session)
            yield session


@asynccontextmanager
async def _running(session: "Session", *, attach: bool) -> AsyncIterator[None]:
    async with asyncio.TaskGroup() as group:
        group.create_task(session.run(attach=attach), name="session")
        await asyncio.sleep(0)  # so that it takes events from now on
        try:
            yield
        finally:
            session.stop()


class _Late:
    """Reaches the session for parts that are built before it."""

    def __init__(self) -> None:
        self._session: Session | None = None
        self._triggers: list[Trigger] = []

    def join(self, session: "Session") -> None:
        """The session is there. What was asked for meanwhile is done now."""
        self._session = session
        for trigger in self._triggers:
            session.trigger(trigger)

    def take_trigger(self, trigger: Trigger) -> None:
        if self._session is None:
            self._triggers.append(trigger)
        else:
            self._session.trigger(trigger)

    def take_from_mouth(self, event: VoiceEvent) -> None:
        if self._session is not None:
            self._session.take_from_mouth(event)

    def take_from_ear(self, event: EarEvent) -> None:
        if self._session is not None:
            self._session.take_from_ear(event)

    def status(self) -> Mapping[str, object]:
        return {"state": "starting"} if self._session is None else self._session.status()

    def decision(self) -> Mapping[str, object] | None:
        return self._started().decision()

    async def answer(
        self, decision_id: str, choice: ApprovalChoice | None, text: str | None
    ) -> None:
        await self._started().answer(decision_id, choice, text)

    def repeat(self) -> bool:
        return self._started().repeat()

    def _started(self) -> "Session":
        if self._session is None:
            raise TriggerError("voicehermes is still starting.", hint="Try again in a moment.")
        return self._session
