"""Hold-to-talk: what each sequence of keys, commands and time decides."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicehermes.events import Trigger, TriggerKind
from voicehermes.hearing.hold import Ended, Hold, HoldRules, Order, Start, Stop, Tick, step

GRACE = 0.05
MAX = 60.0
HOLD = HoldRules(mode="hold", tap_seconds=0.3, max_seconds=MAX, release_grace_seconds=GRACE)
TOGGLE = HoldRules(mode="toggle", tap_seconds=0.3, max_seconds=MAX, release_grace_seconds=GRACE)

Event = Trigger | Tick | Ended


def press(at: float) -> Trigger:
    """A bare modifier, or the socket."""
    return Trigger(TriggerKind.PRESS, at)


def release(at: float) -> Trigger:
    return Trigger(TriggerKind.RELEASE, at)


def toggle(at: float) -> Trigger:
    return Trigger(TriggerKind.TOGGLE, at)


def down(at: float) -> Trigger:
    """An auto-repeating key."""
    return Trigger(TriggerKind.PRESS, at, can_repeat=True)


def up(at: float) -> Trigger:
    return Trigger(TriggerKind.RELEASE, at, can_repeat=True)


def stop(recording: int, *, is_tap: bool = False, too_long: bool = False) -> Stop:
    return Stop(recording, is_tap=is_tap, too_long=too_long)


def follow(events: Iterable[Event], rules: HoldRules = HOLD) -> list[tuple[float, Order]]:
    """What is decided and when, with a Tick at each deadline, as the session does it."""
    hold = Hold()
    decided: list[tuple[float, Order]] = []

    def take(event: Event) -> None:
        nonlocal hold
        hold, orders = step(hold, event, rules)
        decided.extend((event.at, order) for order in orders)

    for event in events:
        while hold.deadline is not None and hold.deadline <= event.at:
            take(Tick(hold.deadline))
        take(event)
    while hold.deadline is not None:
        take(Tick(hold.deadline))
    return decided


def repeats(since: float, until: float) -> list[Trigger]:
    """Presses alone, as pynput gives them."""
    count = round((until - since) / 0.04)
    return [down(since + 0.04 * n) for n in range(count)]


def pairs(since: float, until: float) -> list[Trigger]:
    """False releases, each with its press, as plain X clients get them."""
    return [event for d in repeats(since, until) for event in (up(d.at), down(d.at + 0.001))]


def test_a_bare_modifier_starts_and_stops_at_once() -> None:
    assert follow([press(1.0), release(3.0)]) == [(1.0, Start(1)), (3.0, stop(1))]


def test_recordings_are_numbered_upwards() -> None:
    events = [press(1.0), release(2.0), press(3.0), release(4.0)]
    assert [d.recording for _, d in follow(events)] == [1, 1, 2, 2]


@pytest.mark.parametrize(
    ("released_at", "is_tap"), [(1.0, True), (1.29, True), (1.31, False), (9.0, False)]
)
def test_a_short_press_is_a_tap(released_at: float, is_tap: bool) -> None:
    assert follow([press(1.0), release(released_at)])[-1] == (released_at, stop(1, is_tap=is_tap))


def test_a_tap_of_an_ordinary_key_is_judged_by_the_true_time_of_its_release() -> None:
    assert follow([down(1.0), up(1.28)])[-1] == (1.28 + GRACE, stop(1, is_tap=True))


def test_without_tap_seconds_there_are_no_taps() -> None:
    rules = HoldRules(mode="hold", tap_seconds=0.0, max_seconds=MAX)
    assert follow([press(1.0), release(1.0)], rules)[-1] == (1.0, stop(1))


@pytest.mark.parametrize("repeating", [repeats, pairs])
@pytest.mark.parametrize(
    ("rules", "stops_at"), [(HOLD, 5.0), (TOGGLE, MAX + 1.0)], ids=["hold", "toggle"]
)
def test_auto_repeat_neither_stops_nor_starts(
    repeating: Callable[[float, float], list[Trigger]], rules: HoldRules, stops_at: float
) -> None:
    decided = follow([down(1.0), *repeating(1.5, 5.0), up(5.0)], rules)
    assert [order.recording for _, order in decided] == [1, 1]
    assert decided[1][0] == pytest.approx(stops_at, abs=GRACE + 0.01)


def test_after_repeats_without_releases_the_release_is_known_to_be_real_and_stops_at_once() -> None:
    assert follow([down(1.0), *repeats(1.5, 2.0), up(2.0)])[-1] == (2.0, stop(1))


def test_the_first_false_release_comes_without_a_warning() -> None:
    assert follow([down(1.0), up(1.5), down(1.501), up(4.0)]) == [
        (1.0, Start(1)),
        (4.0 + GRACE, stop(1)),
    ]


def test_a_real_release_and_press_after_the_grace_are_two_recordings() -> None:
    events = [down(1.0), up(2.0), down(2.0 + GRACE), up(3.0)]
    assert [order for _, order in follow(events)] == [Start(1), stop(1), Start(2), stop(2)]


def test_a_late_tick_changes_nothing_that_was_decided() -> None:
    hold, _ = step(Hold(), down(1.0), HOLD)
    hold, _ = step(hold, up(1.2), HOLD)
    hold, decided = step(hold, down(5.0), HOLD)  # the loop was busy: no Tick in between
    assert decided == (stop(1, is_tap=True), Start(2))


def test_a_lost_key_up_ends_at_the_longest_time() -> None:
    assert follow([press(1.0)]) == [(1.0, Start(1)), (1.0 + MAX, stop(1, too_long=True))]
    assert follow([down(1.0), *repeats(1.5, 3.0)])[-1] == (1.0 + MAX, stop(1, too_long=True))


@pytest.mark.parametrize(("key_down", "key_up"), [(press, release), (down, up)])
def test_the_next_press_after_a_lost_key_up_is_in_step_again(
    key_down: Callable[[float], Trigger], key_up: Callable[[float], Trigger]
) -> None:
    decided = follow([key_down(1.0), key_down(100.0), key_up(102.0)])
    assert [order for _, order in decided] == [
        Start(1),
        stop(1, too_long=True),
        Start(2),
        stop(2),
    ]


def test_a_key_still_held_after_the_longest_time_starts_nothing_until_it_is_pressed_anew() -> None:
    events = [down(1.0), *repeats(1.5, MAX + 5), up(MAX + 5), down(MAX + 6), up(MAX + 7)]
    assert [order for _, order in follow(events)] == [
        Start(1),
        stop(1, too_long=True),
        Start(2),
        stop(2),
    ]


def test_a_press_while_recording_goes_on_with_it_and_its_release_ends_it() -> None:
    """The key-up between them was lost: both things said are in one recording."""
    assert follow([press(1.0), press(5.0), release(8.0)]) == [(1.0, Start(1)), (8.0, stop(1))]
    assert follow([down(1.0), down(5.0), up(8.0)])[1:] == [(8.0 + GRACE, stop(1))]


def test_a_second_release_stops_nothing() -> None:
    assert follow([press(1.0), release(2.0), release(3.0)])[-1] == (2.0, stop(1))


def test_of_two_releases_of_a_key_the_first_counts() -> None:
    assert follow([down(1.0), up(1.28), up(1.32)])[-1] == (1.28 + GRACE, stop(1, is_tap=True))


def test_two_sources_make_one_recording_which_the_first_release_ends() -> None:
    held = [down(1.0), *repeats(1.5, 2.0), press(2.0), *repeats(2.0, 3.0)]
    events = [*held, release(3.0), *repeats(3.0, 4.0), up(4.0), release(5.0)]
    assert follow(events) == [(1.0, Start(1)), (3.0, stop(1))]


def test_a_release_that_came_before_the_recording_does_not_end_it() -> None:
    """The key's release is still in its grace when the socket starts another recording."""
    events = [down(1.0), release(1.5), up(2.0), press(2.01), release(9.0)]
    assert [order for _, order in follow(events)] == [Start(1), stop(1), Start(2), stop(2)]
    assert follow(events)[-1][0] == 9.0


def test_toggle_mode_starts_at_one_press_and_stops_at_the_next() -> None:
    events = [press(1.0), release(1.1), press(5.0), release(5.1)]
    assert follow(events, TOGGLE) == [(1.0, Start(1)), (5.0, stop(1))]
    keys = [down(1.0), up(1.1), down(5.0), up(5.1)]
    assert follow(keys, TOGGLE) == [(1.0, Start(1)), (5.0, stop(1))]


def test_toggle_mode_takes_a_fast_double_press_as_a_tap() -> None:
    events = [down(1.0), up(1.08), down(1.2), up(1.28)]
    assert follow(events, TOGGLE) == [(1.0, Start(1)), (1.2, stop(1, is_tap=True))]


def test_toggling_works_in_hold_mode_and_a_stray_release_does_not_end_it() -> None:
    assert follow([toggle(1.0), release(2.0), toggle(5.0)]) == [(1.0, Start(1)), (5.0, stop(1))]


def test_toggling_ends_what_the_held_key_began_and_the_key_then_starts_nothing() -> None:
    events = [down(1.0), *repeats(1.5, 3.0), toggle(3.0), *repeats(3.01, 5.0), up(5.0)]
    assert follow(events) == [(1.0, Start(1)), (3.0, stop(1))]


def test_the_talk_key_takes_over_what_was_toggled_on() -> None:
    events = [toggle(1.0), press(4.0), release(6.0)]
    assert follow(events) == [(1.0, Start(1)), (6.0, stop(1))]


def test_a_recording_that_ended_otherwise_is_not_stopped_again() -> None:
    pressed: list[Event] = [press(1.0), Ended(1, 2.0), release(3.0)]
    assert follow(pressed) == [(1.0, Start(1))]
    held: list[Event] = [down(1.0), *repeats(1.5, 2.0), Ended(1, 2.0), *repeats(2.0, 4.0), up(4.0)]
    assert follow(held) == [(1.0, Start(1))]


def test_the_end_of_an_older_recording_does_not_concern_the_newer() -> None:
    events: list[Event] = [press(1.0), release(2.0), press(3.0), Ended(1, 3.5), release(4.0)]
    assert follow(events)[-1] == (4.0, stop(2))


@pytest.mark.parametrize("kind", [TriggerKind.CANCEL, TriggerKind.MUTE, TriggerKind.UNMUTE])
def test_other_triggers_decide_nothing(kind: TriggerKind) -> None:
    assert follow([press(1.0), Trigger(kind, 2.0), release(3.0)])[1:] == [(3.0, stop(1))]


def test_nothing_is_due_while_nothing_goes_on() -> None:
    assert Hold().deadline is None
    hold, _ = step(Hold(), press(1.0), HOLD)
    assert hold.deadline == 1.0 + MAX
    hold, _ = step(hold, release(2.0), HOLD)
    assert hold.deadline is None


def test_of_a_release_on_the_verge_of_too_long_the_release_counts() -> None:
    events = [down(1.0), up(1.0 + MAX - 0.01)]
    assert follow(events)[-1] == (1.0 + MAX - 0.01 + GRACE, stop(1))


# Properties, over anything that can happen.

SHORT = 5.0


def rules_of(mode: Literal["hold", "toggle"]) -> HoldRules:
    return HoldRules(mode=mode, tap_seconds=0.3, max_seconds=SHORT)


GAPS = st.sampled_from([0.0, 0.001, 0.02, 0.049, 0.05, 0.051, 0.1, 0.29, 0.31, 1.0, 2.5, 6.0])
MODES = st.sampled_from(["hold", "toggle"]).map(rules_of)  # type: ignore[arg-type]
MAKERS: list[Callable[[float], Event]] = [
    press,
    release,
    toggle,
    down,
    up,
    Tick,
    lambda at: Trigger(TriggerKind.CANCEL, at),
    *(partial(Ended, recording) for recording in range(4)),
]


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    at = 0.0
    events: list[Event] = []
    for gap, make in draw(st.lists(st.tuples(GAPS, st.sampled_from(MAKERS)), max_size=30)):
        at += gap
        events.append(make(at))
    return events


@given(histories(), MODES)
def test_starts_and_ends_alternate_and_each_is_of_the_recording_that_goes_on(
    events: list[Event], rules: HoldRules
) -> None:
    hold, going_on, newest = Hold(), None, 0
    for event in [*events, Tick(1e6), Tick(1e6)]:
        hold, orders = step(hold, event, rules)
        for order in orders:
            if isinstance(order, Start):
                assert going_on is None
                assert order.recording == newest + 1
                going_on = newest = order.recording
            else:
                assert order.recording == going_on
                going_on = None
        if isinstance(event, Ended) and event.recording == going_on:
            going_on = None
        assert (hold.recording.id if hold.recording else None) == going_on
    assert going_on is None
    assert hold.deadline is None


@given(histories(), MODES)
def test_no_recording_is_longer_than_the_longest(events: list[Event], rules: HoldRules) -> None:
    began: dict[int, float] = {}
    for at, order in follow(events, rules):
        if isinstance(order, Start):
            began[order.recording] = at
        else:
            length = at - began[order.recording]
            assert length <= SHORT + GRACE + 1e-9
            assert not order.too_long or length >= SHORT - 1e-9


@given(histories(), MODES)
def test_a_deadline_is_met_by_one_tick(events: list[Event], rules: HoldRules) -> None:
    hold = Hold()
    for event in events:
        hold, _ = step(hold, event, rules)
        if hold.deadline is not None:
            after, _ = step(hold, Tick(hold.deadline), rules)
            assert after.deadline is None or after.deadline > hold.deadline


@given(
    st.lists(st.tuples(st.floats(0.001, 4.0), st.floats(0.06, 9.0)), min_size=1, max_size=10),
    st.booleans(),
    st.sampled_from([repeats, pairs]),
)
def test_no_press_of_a_person_is_lost_and_each_tap_is_one(
    presses: list[tuple[float, float]],
    can_repeat: bool,
    repeating: Callable[[float, float], list[Trigger]],
) -> None:
    """Any key, pressed and let go any number of times; held long enough it auto-repeats."""
    at, events, expected = 0.0, list[Event](), list[bool]()
    for held, rest in presses:
        if can_repeat:
            events += [down(at), *repeating(at + 0.5, at + held), up(at + held)]
        else:
            events += [press(at), release(at + held)]
        expected.append(at + held - at < 0.3)
        at += held + rest
    decided = [order for _, order in follow(events, rules_of("hold"))]
    assert [d.recording for d in decided] == [
        n for i in range(len(presses)) for n in (i + 1, i + 1)
    ]
    assert [d.is_tap for d in decided if isinstance(d, Stop)] == expected
