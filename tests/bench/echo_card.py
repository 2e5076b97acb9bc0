"""The same through real devices: ``python -m tests.bench.echo_card [--seconds 60]``.

The virtual sound card plays what the speaker gives into the microphone. The assistant speaks in a
process of its own, in real time; nobody else does, so whatever it notices is itself.
"""

import argparse
import asyncio
import json
import subprocess
import sys
from contextlib import suppress

from tests.bench.talker import Talker, replies
from tests.real.sound_card import IN_TIME, missing, open_sound_card
from voicehermes.adapters.sound.devices import open_microphone
from voicehermes.adapters.sound.speakers import open_speaker

MODES = ("headset", "half-duplex", "aec")
"""The first one hears the echo and does nothing about it."""

LATENCIES_MS = (20, 100, 250)

_START_SECONDS = 60.0
"""For a process, and for what is said besides the seconds that were asked for."""


def main() -> int:
    """Print the table; 1 when the assistant began a conversation with itself."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="of the assistant's speech")
    parser.add_argument("--speak", choices=MODES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.speak:
        asyncio.run(_speak(options.speak, options.seconds))
        return 0
    if (reason := missing()) is not None:
        print(reason)
        return 1
    return 0 if _measure(options.seconds) else 1


def _measure(seconds: float) -> bool:
    is_met = True
    print(f"{seconds:.0f} seconds of the assistant's speech through the virtual sound card")
    print(f"{'echo':12} {'loop':>6} {'self-triggers':>14} {'hints':>6}")
    for mode in MODES:
        for latency_ms in LATENCIES_MS if mode == "aec" else LATENCIES_MS[1:2]:
            with open_sound_card() as card, card.looped(latency_ms):
                command = [*IN_TIME, sys.executable, "-m", "tests.bench.echo_card"]
                done = subprocess.run(
                    [*command, "--speak", mode, "--seconds", str(seconds)],
                    env=card.env,
                    check=True,
                    stdout=subprocess.PIPE,
                    timeout=2 * seconds + _START_SECONDS,
                )
            told = json.loads(done.stdout)
            print(
                f"{mode:12} {latency_ms:3d} ms {len(told['begins']):14d} {len(told['hints']):6d}",
                flush=True,
            )
            is_met &= mode == "headset" or not told["begins"]
    return is_met


async def _speak(mode: str, seconds: float) -> None:
    """What is measured: prints when it hinted and began, one JSON line."""
    talker = Talker(mode, open_speaker("default"), open_microphone("default"))
    speech = await asyncio.to_thread(lambda: list(replies(seconds)))
    with suppress(TimeoutError):  # who interrupts himself does not come to an end
        async with asyncio.timeout(2 * seconds):
            await talker.speak(speech)
    print(json.dumps({"hints": talker.told.hints, "begins": talker.told.begins}))


if __name__ == "__main__":
    sys.exit(main())
