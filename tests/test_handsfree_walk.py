"""What holds without a key whatever the user, the room, the agent and the server do."""

import random

import pytest

from tests.handsfree_world import World
from tests.test_dialogue import check
from voicehermes.attention import Attention
from voicehermes.dialogue import Rules
from voicehermes.dialogue import events as on
from voicehermes.dialogue import state as at
from voicehermes.dialogue.change import open_turns

AT_REST = {
    "always": Attention.SPEECH,
    "wake": Attention.WAKE_WORD,
    "key": Attention.NOTHING,
}


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("when_busy", ["replace", "queue", "steer"])
@pytest.mark.parametrize("start", AT_REST)
def test_it_always_comes_to_rest_and_every_turn_ends_once(
    start: str, when_busy: str, seed: int
) -> None:
    chance = random.Random(f"{start} {when_busy} {seed}")
    rules = Rules(mode="handsfree", handsfree_start=start, when_busy=when_busy)  # type: ignore[arg-type]
    world = World(rules)
    world.happen(on.UnmuteAsked())
    for _ in range(300):
        possible = world.deeds() + 2 * world.answers()
        if not possible or not chance.randrange(30):
            possible = world.interventions()
        world.happen(possible[chance.randrange(len(possible))](chance.randrange))
        check(world.dialogue)
        assert not set(world.ended) & set(open_turns(world.dialogue))

    world.happen(on.CancelAsked())
    world.happen(on.UnmuteAsked())
    for _ in range(200):
        if not (possible := world.answers()):
            break
        world.happen(possible[chance.randrange(len(possible))](chance.randrange))
    assert not world.answers(), "it never comes to rest"
    for window in world.windows:
        world.happen(on.TimeToClose(window))
    assert isinstance(world.dialogue.state, at.Idle | at.Waiting)
    assert world.attends_to is AT_REST[start]
    assert sorted(world.ended) == list(range(1, world.dialogue.turn + 1))
