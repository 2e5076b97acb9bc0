"""A program under test: plays clips on the default speaker and tells what it did when.

``python -m tests.real.play_clips through|pause|miniaudio FILE…``: prints one JSON line.
"""

import asyncio
import json
import sys
from pathlib import Path

from voicehermes.adapters.sound.codecs import decode_speech
from voicehermes.adapters.sound.miniaudio_speaker import MiniaudioSpeaker
from voicehermes.adapters.sound.null_speaker import NullSpeaker
from voicehermes.adapters.sound.speakers import open_speaker
from voicehermes.audio import Sound
from voicehermes.speaking.joining import CLAUSE_PAUSE_SECONDS, with_pause
from voicehermes.speaking.playback import ClipBegan, ClipEnded, Playback, PlaybackEvent

PAUSE_SECONDS = 1.0


async def main(manner: str, files: list[str]) -> None:
    loop = asyncio.get_running_loop()
    clips = await asyncio.to_thread(_read, files)
    told: dict[str, list[float]] = {"began": [], "ended": [], "paused": []}
    over = asyncio.Event()

    def take(event: PlaybackEvent) -> None:
        assert isinstance(event, ClipBegan | ClipEnded), event
        told["began" if isinstance(event, ClipBegan) else "ended"].append(event.at)
        if len(told["ended"]) == len(files):
            over.set()

    speaker = MiniaudioSpeaker("default") if manner == "miniaudio" else open_speaker("default")
    playback = Playback(speaker, NullSpeaker())
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(playback.run(take), name="playback")
        playback.warm()
        await asyncio.sleep(0.5)
        for tag, clip in enumerate(clips):
            playback.enqueue(tag, clip)
        if manner == "pause":
            await asyncio.sleep(0.7)
            told["paused"].append(loop.time())
            playback.pause()
            await asyncio.sleep(PAUSE_SECONDS)
            playback.resume()
        await over.wait()
        running.cancel()
    sys.stdout.write(json.dumps(told) + "\n")


def _read(files: list[str]) -> list[Sound]:
    sounds = (decode_speech(Path(name).read_bytes()) for name in files)
    return [with_pause(sound, CLAUSE_PAUSE_SECONDS) for sound in sounds]


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
