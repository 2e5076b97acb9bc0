"""Voice: an upload in and a transcript out; text in and MP3 out."""

from voicehermes.simulator.messages import Answer, Request, answer, refusal
from voicehermes.simulator.speech import SpeechRefusedError
from voicehermes.simulator.transcripts import UploadError
from voicehermes.simulator.world import World


def capability(world: World, request: Request) -> Answer:
    """Whether there is a recogniser."""
    available = world.scenario.transcribe.available
    provider = "local" if available else "none"
    return answer({"ok": True, "available": available, "provider": provider})


def transcribe(world: World, request: Request) -> Answer:
    """The scripted transcript, after the scripted time. It may be empty."""
    try:
        text, seconds = world.transcripts.hear(
            request.headers.get("content-type", ""), request.body
        )
    except UploadError as error:
        return refusal(400, str(error))
    if not world.scenario.transcribe.available:
        return refusal(503, "No transcription provider is available or configured")
    world.pause(seconds)
    return answer({"ok": True, "transcript": text})


def tts(world: World, request: Request) -> Answer:
    """A whole MP3. The limiter counts by login where there is one, else by address."""
    body = request.json()
    client = world.logins.token(request.cookies) or request.address
    try:
        text = world.voice.check(body, client)
    except SpeechRefusedError as error:
        return refusal(error.status, str(error))
    world.pause(world.voice.delay_seconds(text))
    return Answer(200, world.voice.speak(text, body), "audio/mpeg")
