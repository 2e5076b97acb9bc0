"""What the assistant itself does at the user's word. Pure."""

from dataclasses import replace
from typing import assert_never

from voicehermes.dialogue.cancelling import cancel
from voicehermes.dialogue.change import Change, settle
from voicehermes.dialogue.commands import (
    BeginAnew,
    ChangeRate,
    ChangeVolume,
    Command,
    Cue,
    EndSpeech,
    Say,
    SpeakAgain,
)
from voicehermes.dialogue.running import be_quiet
from voicehermes.dialogue.state import Dialogue, Rules, Run
from voicehermes.events import LocalCommand


def has_object(dialogue: Dialogue, command: LocalCommand) -> bool:
    """Whether there is something of ours to do it with.

    "Annulla" after "Ho prenotato." means the booking, and "continua" after "Posso procedere?" is an
    answer: both are for the agent then.
    """
    match command:
        case "cancel":
            return dialogue.run is not None
        case "continue":
            return dialogue.run is not None or dialogue.is_unheard
        case _:
            return True


def obey(dialogue: Dialogue, command: LocalCommand, turn: int, rules: Rules) -> Change:
    """Do that; ``turn`` is the one in which it was said, and listening is over."""
    match command:
        case "quiet":
            return be_quiet(dialogue)
        case "sleep":
            return be_quiet(replace(dialogue, is_open=False)).and_also(Cue("closed"))
        case "cancel":
            return cancel(dialogue, rules)
        case "new-conversation":
            return cancel(dialogue, rules).and_also(BeginAnew())
        case "repeat":
            return _speak_again(dialogue, turn, from_start=True)
        case "continue":
            if dialogue.run and not dialogue.run.quiet:
                return Change(settle(dialogue))  # it goes on where it stopped
            return _speak_again(dialogue, turn, from_start=False)
        case "softer":
            return _speak_so(dialogue, ChangeVolume(-1))
        case "louder":
            return _speak_so(dialogue, ChangeVolume(1))
        case "slower":
            return _speak_so(dialogue, ChangeRate(-1))
        case "faster":
            return _speak_so(dialogue, ChangeRate(1))
        case _:
            assert_never(command)


def _speak_again(dialogue: Dialogue, turn: int, *, from_start: bool) -> Change:
    """The reply that is being given, or else the last one."""
    dialogue = replace(dialogue, is_unheard=False)
    if run := dialogue.run:
        again = settle(replace(dialogue, run=replace(run, quiet=False, sounding=False)))
        more = () if run.live else (EndSpeech(run.turn),)
        return Change(again, (SpeakAgain(run.turn, from_start), *more))
    run = Run(turn, live=False, outcome="local command")
    spoken = SpeakAgain(turn, from_start), EndSpeech(turn)
    return Change(settle(replace(dialogue, run=run)), spoken)


def _speak_so(dialogue: Dialogue, change: Command) -> Change:
    """Speak otherwise from now on. Where nothing sounds, a sentence lets it be heard."""
    is_heard = dialogue.run is not None and dialogue.run.sounding
    sample = () if is_heard else (Say("voice-sample"),)
    return Change(settle(dialogue), (change, *sample))
