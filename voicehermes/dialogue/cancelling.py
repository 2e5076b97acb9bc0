"""Stopping everything at the user's word. Pure."""

from dataclasses import replace

from voicehermes.dialogue.asking import refuse_all
from voicehermes.dialogue.change import Change, open_turns
from voicehermes.dialogue.commands import CancelRun, Command, Cue, Forget
from voicehermes.dialogue.state import Dialogue, Idle, Rules


def cancel(dialogue: Dialogue, rules: Rules) -> Change:
    """Stop everything. What a run asked for ends with it; anything else is refused."""
    run, turns = dialogue.run, open_turns(dialogue)
    stop: tuple[Command, ...] = (CancelRun(run.id),) if run and run.live and run.id else ()
    refused = (q for q in dialogue.questions if q.is_sent or not stop)
    left = tuple(replace(question, is_shelved=False, is_sent=True) for question in refused)
    told = (Cue("cancelled"),) if turns or dialogue.questions else ()
    stop = stop or refuse_all(dialogue, rules)
    calm = replace(dialogue, state=Idle(), run=None, waiting=(), questions=left)
    commands = (*stop, *map(Forget, turns), *told)
    return Change(calm, commands, dict.fromkeys(turns, "cancelled"))
