"""What parts cost in words: the errors of a real recogniser in parts beside those in the whole.

Real Italian speech (Debian's asterisk-core-sounds-it-wav), parted by the daemon's own recording and
put together by its own joining; the recogniser is faster-whisper with a model that the user names.
Every pause is used that may be: the recogniser counts as quick.
"""

import importlib
import io
import random
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path

import numpy as np
import soundfile
import soxr

from tests.bench import talks
from tests.bench.said import PROMPTS, Samples, missing
from voicehermes.adapters.sound.detectors import open_detector
from voicehermes.adapters.sound.encoders import open_encoders
from voicehermes.audio import FRAME_SECONDS, RATE_HZ, EndsBy, Utterance, UtteranceEnd
from voicehermes.config import Listen
from voicehermes.hearing.recording import Recording
from voicehermes.hearing.wording import joined
from voicehermes.lexicon import wording
from voicehermes.lexicon.wording import words_of

GOAL_POINTS = 2.0

_SAID = (
    {
        "agent-alreadyon": "l'operatore è già alloggato digitare il proprio numero di operatore "
        "seguito dal tasto cancelletto",
        "confbridge-mute-extended": "per disattivare o riattivare la propria voce quando la tua "
        "voce è disattivata non puoi mandare audio agli altri partecipanti però senti ancora "
        "l'audio degli altri partecipanti attivi",
        "demo-enterkeywords": "prego inserire una o più parole chiave separate da asterisco e "
        "premere il tasto cancelletto",
        "dir-instr": "se questa è la persona che stai cercando premere uno altrimenti premere "
        "asterisco",
        "queue-youarenext": "la sua chiamata è ora la prima in lista e verrà risposta appena si "
        "libera un operatore",
        "vm-intro": "prego lasciare un messaggio dopo il segnale acustico al termine abbassare il "
        "ricevitore o premere il tasto cancelletto",
        "vm-newuser": "benvenuto nel sistema di gestione della posta vocale in primo luogo ti "
        "guiderò attraverso un breve processo di installazione",
        "vm-nobox": "non è possibile rispondere a questo messaggio perché il mittente non ha una "
        "casella di posta",
    },
    {
        "agent-user": "login operatore prego digitare il proprio numero di operatore seguito dal "
        "tasto cancelletto",
        "conf-getconfno": "prego digitare il proprio numero di conferenza seguito dal tasto "
        "cancelletto",
        "confbridge-lock-extended": "per bloccare o sbloccare la conferenza quando una conferenza "
        "è bloccata solo gli amministratori della conferenza possono entrare",
        "confbridge-pin": "prego inserire il tuo numero identificativo personale seguito dal tasto "
        "cancelletto",
        "demo-nogo": "sono spiacente ma non sono stato in grado di creare una connessione con il "
        "server asterisk dimostrativo della digium potrai trovare maggiori informazioni di debug "
        "nella console asterisk",
        "pbx-invalidpark": "sono spiacente non c'è nessuna chiamata parcheggiata su quell'interno "
        "prego riprovare",
        "vm-opts": "premere due per cambiare cartella premere tre per le opzioni avanzate premere "
        "zero per le opzioni della casella di posta",
        "vm-rec-unv": "dopo il segnale acustico registrare il proprio messaggio di non disponibile "
        "e quindi premere il tasto cancelletto",
    },
)  # fmt: skip

_DIGITS = {"zero": "0", "uno": "1", "due": "2", "tre": "3"}


def main(model: Path) -> int:
    """Print the word error rates; 1 when the goal is missed."""
    if (reason := missing()) is not None:
        print(reason)
        return 1
    recognize = open_model(model)
    errors = {"whole": 0, "in parts": 0}
    words = 0
    for number, prompts in enumerate(_SAID):
        whole, parts = recorded(speech(tuple(prompts), number))
        reference = _compared(" ".join(prompts.values()))
        words += len(reference)
        print(f"{whole.seconds:.0f} s of speech, {len(reference)} words")
        for name, utterances in (("whole", [whole]), ("in parts", parts)):
            texts, took = zip(*map(recognize, utterances), strict=True)
            text = joined(texts, wording.load("it"))
            wrong = distance(reference, _compared(text))
            errors[name] += wrong
            print(
                f"{name}: {len(utterances)} requests, {sum(took):.1f} s of work, the last "
                f"{took[-1]:.1f} s, {wrong} errors\n    {text}"
            )
    rates = {name: 100 * wrong / words for name, wrong in errors.items()}
    points = rates["in parts"] - rates["whole"]
    print(f"word error rate: whole {rates['whole']:.1f} %, in parts {rates['in parts']:.1f} %")
    print(f"goal: in parts at most {GOAL_POINTS:g} points more: {points:+.1f}")
    return 0 if points <= GOAL_POINTS else 1


def open_model(folder: Path) -> Callable[[Utterance], tuple[str, float]]:
    """What makes text of an utterance, and tells how many seconds that took."""
    faster_whisper = importlib.import_module("faster_whisper")  # no dependency of ours
    model = faster_whisper.WhisperModel(str(folder), device="cpu", compute_type="int8")

    def recognize(utterance: Utterance) -> tuple[str, float]:
        began_at = time.monotonic()
        segments, _ = model.transcribe(io.BytesIO(utterance.data), language="it", beam_size=5)
        text = " ".join(segment.text.strip() for segment in segments)
        return text, time.monotonic() - began_at

    return recognize


def speech(names: tuple[str, ...], number: int) -> Samples:
    """The prompts one after another, with pauses."""
    chance = random.Random(number)
    pieces = []
    for name in names:
        samples, rate_hz = soundfile.read(PROMPTS / f"{name}.wav", dtype="float64")
        pause = np.zeros(round(chance.choice(talks.PAUSES) * RATE_HZ))
        pieces += [np.asarray(soxr.resample(samples, rate_hz, RATE_HZ)), pause]
    return np.concatenate([np.zeros(RATE_HZ // 2), *pieces])


def recorded(samples: Samples) -> tuple[Utterance, list[Utterance]]:
    """The whole, and its parts with the rest."""
    detector = open_detector("auto")
    recording = Recording(
        1,
        open_encoders("wav"),
        None,
        ends_by=EndsBy.STOP,
        is_called=False,
        not_before=0.0,
        part_seconds=Listen().part_seconds,
    )
    parts: list[Utterance] = []
    for at, frame in enumerate(talks.frames_of(samples)):
        recording.feed(frame, at * FRAME_SECONDS, is_speech=detector.is_speech(frame))
        for part in recording.take_parts():
            parts.append(part)
            recording.note_words(None)
    whole = recording.finish(UtteranceEnd.RELEASED, 0.0)
    assert whole is not None
    return whole, [*parts, recording.rest] if recording.rest else parts


def distance(reference: list[str], heard: list[str]) -> int:
    """Words to put in, leave out or exchange."""
    row = list(range(len(heard) + 1))
    for before, word in enumerate(reference):
        last, row[0] = row[0], before + 1
        for at, other in enumerate(heard):
            cost = min(last + (word != other), row[at] + 1, row[at + 1] + 1)
            last, row[at + 1] = row[at + 1], cost
    return row[-1]


def _compared(text: str) -> list[str]:
    """Its words without what is a matter of spelling: accents, numbers."""
    plain = unicodedata.normalize("NFKD", " ".join(words_of(text)))
    words = "".join(sign for sign in plain if not unicodedata.combining(sign)).split()
    return [_DIGITS.get(word, word) for word in words]
