"""One transition in the making, and what all of them need. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from voicehermes.dialogue.commands import Command
from voicehermes.dialogue.state import (
    Asking,
    Dialogue,
    Fragment,
    Idle,
    Listening,
    Rules,
    Speaking,
    Thinking,
    Transcribing,
    Waiting,
)


@dataclass(frozen=True, slots=True)
class Change:
    """The next dialogue, what to do, and how the turns end that end with it."""

    dialogue: Dialogue
    commands: tuple[Command, ...] = ()
    outcomes: Mapping[int, str] = field(default_factory=dict)

    def and_also(self, *commands: Command, outcomes: Mapping[int, str] | None = None) -> "Change":
        """The same with these commands behind its own, and these outcomes in place of its own."""
        return Change(
            self.dialogue, self.commands + commands, {**self.outcomes, **(outcomes or {})}
        )

    def after(self, *commands: Command) -> "Change":
        """The same with these commands before its own."""
        return Change(self.dialogue, commands + self.commands, self.outcomes)


def opened(dialogue: Dialogue, rules: Rules) -> Dialogue:
    """The user has begun a conversation, or goes on with it: its time begins anew.

    Where any speech begins one, there is nothing to open.
    """
    if rules.mode != "handsfree" or rules.handsfree_start == "always":
        return dialogue
    return replace(dialogue, is_open=True, window=dialogue.window + 1)


def fragments_of(dialogue: Dialogue) -> tuple[Fragment, ...]:
    """The utterances of the message that is being said; none when nothing is."""
    if isinstance(dialogue.state, Listening | Transcribing):
        return dialogue.state.fragments
    return ()


def settle(dialogue: Dialogue) -> Dialogue:
    """The same with the state that fits its run and its questions.

    Unless the user is being listened to or asked.
    """
    if isinstance(dialogue.state, Listening | Transcribing | Asking):
        return dialogue
    if any(question.is_shelved for question in dialogue.questions):
        return replace(dialogue, state=Waiting())
    if dialogue.run is None:
        return replace(dialogue, state=Idle())
    return replace(dialogue, state=Speaking() if dialogue.run.sounding else Thinking())


def open_turns(dialogue: Dialogue) -> tuple[int, ...]:
    """The turns that have begun and not ended, oldest first."""
    turns = {message.turn for message in dialogue.waiting}
    turns |= {fragment.turn for fragment in fragments_of(dialogue)}
    if dialogue.run:
        turns.add(dialogue.run.turn)
    if isinstance(dialogue.state, Listening):
        turns.add(dialogue.state.turn)
    return tuple(sorted(turns))
