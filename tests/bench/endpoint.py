"""When somebody who speaks without a key is heard out: ``python -m tests.bench.endpoint``.

The daemon's own capture listens to some two hundred Italian utterances (see ``said`` and
``scenes``) and to rooms in which nobody speaks; the utterances are heard with fixed silences over
plain Silero too. Every scene has a new ear, which knows nothing of how the speaker pauses. Exit
code 1 when a goal is missed.
"""

import argparse
import itertools
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np

from tests.bench import rooms, said
from tests.bench.listening import Piece, PlainSilero, heard
from tests.bench.scenes import AFTER_SECONDS, CONDITIONS, PAUSES, Scene, scenes
from voicehermes.adapters.sound.detectors import SileroDetector, WebrtcDetector
from voicehermes.config import Listen
from voicehermes.ports import VoiceDetector
from voicehermes.statistics import percentile

GOAL_P50, GOAL_P95 = 0.60, 1.0
GOAL_TWO_MESSAGES = 0.02
GOAL_FALSE_PER_HOUR = 1.0

_MUSIC_DBFS = -30.0


def _fixed(seconds: float) -> Listen:
    return Listen(
        end_silence_seconds=seconds,
        end_silence_min_seconds=seconds,
        end_silence_max_seconds=seconds,
    )


EARS: dict[str, tuple[Callable[[], VoiceDetector], Listen]] = {
    "voicehermes": (SileroDetector, Listen()),
    'voicehermes, vad = "webrtc"': (WebrtcDetector, Listen()),
    "fixed 0.6 s over Silero": (PlainSilero, _fixed(0.6)),
    "fixed 1.0 s over Silero": (PlainSilero, _fixed(1.0)),
    "fixed 1.8 s over Silero": (PlainSilero, _fixed(1.8)),
}
OURS = "voicehermes"


@dataclass(frozen=True)
class Outcome:
    """What an ear made of a scene."""

    ear: str
    scene: str
    condition: str
    pause: float
    first_is_kept: bool
    """The first sample of all that was said in one go is in an utterance."""
    last_is_kept: bool
    delay: float | None
    """From the true end to the decision; None = there was none after it."""
    inside: int
    """Decisions before the true end."""
    messages: int
    """Utterances after those were joined whose second half began before the first was answered."""
    false_begins: int
    """Recordings without a word in them."""


def outcome(ear: str, scene: Scene) -> Outcome:
    """Let an ear hear a scene."""
    new_detector, listen = EARS[ear]
    pieces = heard(scene.pcm, new_detector(), listen)
    spoken = [piece for piece in pieces if _has_words(piece, scene)]
    kept = [piece.samples for piece in spoken]
    after = [piece.decided_at for piece in spoken if piece.decided_at >= scene.ends_at]
    return Outcome(
        ear,
        scene.said.name,
        scene.condition,
        scene.pause,
        first_is_kept=all(any(a <= first < b for a, b in kept) for first, _ in scene.words),
        last_is_kept=all(any(a < end <= b for a, b in kept) for _, end in scene.words),
        delay=after[0] - scene.ends_at if after else None,
        inside=sum(piece.decided_at < scene.ends_at for piece in spoken),
        messages=1
        + sum(
            second.began_at >= first.understood_at for first, second in itertools.pairwise(spoken)
        ),
        false_begins=len(pieces) - len(spoken),
    )


def _has_words(piece: Piece, scene: Scene) -> bool:
    begins, ends = piece.samples
    return piece.utterance is not None and any(
        begins < end and ends > first for first, end in scene.words
    )


def false_begins(room: str, minutes: int) -> tuple[str, int, float]:
    """How often somebody seems to begin to speak in a room, and in how many hours of it."""
    pcm = _recorded_music() if room == "recorded music" else _room(room, minutes)
    seconds = len(pcm) / 32_000
    return room, len(heard(pcm, SileroDetector(), Listen())), seconds / 3600


def _room(room: str, minutes: int) -> bytes:
    return b"".join(rooms.minute(room, number) for number in range(minutes))


def _recorded_music() -> bytes:
    sound = said.music(18 * 60.0)
    assert sound is not None
    return np.rint(np.clip(sound * 10 ** (_MUSIC_DBFS / 20), -1, 1) * 32767).astype("<i2").tobytes()


def main() -> int:
    """Print the tables; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="a seventh of the utterances, ours alone"
    )
    parser.add_argument("--minutes", type=int, default=20, help="of each room without speech")
    parser.add_argument("-v", action="store_true", help="name each utterance that went wrong")
    options = parser.parse_args()
    if (reason := said.missing()) is not None:
        print(reason)
        return 1
    chosen = list(scenes())[:: 7 if options.quick else 1]
    ears = [OURS] if options.quick else list(EARS)
    quiet_rooms = [room for room in rooms.ROOMS if room != "quiet"]
    if said.music(1.0) is not None:
        quiet_rooms.append("recorded music")
    minutes = 2 if options.quick else options.minutes
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        tried = [(ear, scene) for ear in ears for scene in chosen]
        outcomes = list(pool.map(outcome, *zip(*tried, strict=True), chunksize=8))
        begins = list(pool.map(false_begins, quiet_rooms, [minutes] * len(quiet_rooms)))
    seconds = sum(scene.seconds for scene in chosen)
    print(f"{len(chosen)} utterances, {seconds / 60:.0f} minutes\n")
    print_ears([[one for one in outcomes if one.ear == ear] for ear in ears])
    ours = [one for one in outcomes if one.ear == OURS]
    print_conditions(ours)
    if options.v:
        print_faults(ours)
    print("\nfalse begins where nobody speaks")
    for room, count, hours in begins:
        print(f"  {room:16} {count:3} in {hours * 60:.0f} min = {count / hours:.1f} per hour")
    return 0 if is_good(ours) and all(c / h <= GOAL_FALSE_PER_HOUR for _, c, h in begins) else 1


def print_ears(groups: Iterable[Sequence[Outcome]]) -> None:
    """One line an ear."""
    pauses = (0.0, *PAUSES)
    titles = ["whole", *(f"{pause} s" for pause in PAUSES)]
    print(
        f"{'':28}{'first':>8}{'last':>8}{'delay':>7}{'':>8}",
        f"{'decided inside, by the pause':<32}{'two':>7}",
    )
    print(
        f"{'':28}{'kept':>8}{'kept':>8}{'p50':>7}{'p95':>6}  ",
        *(f"{title:>6}" for title in titles),
        f"{'messages':>9}",
        sep="",
    )
    for group in groups:
        first, last = sum(o.first_is_kept for o in group), sum(o.last_is_kept for o in group)
        inside = [[o.inside > 0 for o in group if o.pause == pause] for pause in pauses]
        print(
            f"{group[0].ear:28}{first:>4}/{len(group)}{last:>4}/{len(group)}",
            f"{_at(group, 50):7.2f}{_at(group, 95):6.2f}  ",
            *(f"{sum(cuts) / len(cuts):6.0%}" for cuts in inside),
            f"{sum(o.messages > 1 for o in group):>5}/{len(group)}",
            sep="",
        )


def print_conditions(group: Sequence[Outcome]) -> None:
    """One line a condition, of one ear."""
    print(f"\n{group[0].ear}")
    for condition in CONDITIONS:
        part = [o for o in group if o.condition == condition]
        print(
            f"  {condition:12}p50 {_at(part, 50):.2f}  p95 {_at(part, 95):.2f}",
            f"clipped {sum(not (o.first_is_kept and o.last_is_kept) for o in part)}/{len(part)}",
            f"two messages {sum(o.messages > 1 for o in part)}",
            f"false begins {sum(o.false_begins for o in part)}",
            sep="  ",
        )


def print_faults(group: Sequence[Outcome]) -> None:
    """Each utterance that was clipped, never ended, or reached the agent in two pieces."""
    for o in group:
        if o.delay is None or not o.first_is_kept or not o.last_is_kept or o.messages > 1:
            print(f"  {o}")


def is_good(group: Sequence[Outcome]) -> bool:
    """Whether an ear reaches the goals for utterances."""
    return (
        all(o.first_is_kept and o.last_is_kept for o in group)
        and _at(group, 50) <= GOAL_P50
        and _at(group, 95) <= GOAL_P95
        and all(
            sum(o.messages > 1 for o in group if o.pause == pause)
            <= GOAL_TWO_MESSAGES * sum(o.pause == pause for o in group)
            for pause in PAUSES
        )
    )


def _at(group: Sequence[Outcome], percent: int) -> float:
    """That percentile of the delays; what was never decided has waited for all of its scene."""
    delays = [AFTER_SECONDS if o.delay is None else o.delay for o in group]
    return percentile(sorted(delays), percent)


if __name__ == "__main__":
    sys.exit(main())
