"""Names of keys, and chords of them."""

import itertools
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicehermes.adapters.triggers.keys import Change, Chord, parse
from voicehermes.errors import ConfigError


def members(text: str) -> list[list[str]]:
    return sorted(sorted(member) for member in parse(text, "[talk] hotkey").members)


CTRL = ["ctrl_l", "ctrl_r"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ctrl_r", [["ctrl_r"]]),
        ("right ctrl", [["ctrl_r"]]),
        ("Right-Ctrl", [["ctrl_r"]]),
        ("control_r", [["ctrl_r"]]),
        ("ctrl destro", [["ctrl_r"]]),
        ("maiusc sinistro", [["shift_l"]]),
        ("super", [["cmd_l", "cmd_r"]]),
        ("left win", [["cmd_l"]]),
        ("option", [["alt_l", "alt_r"]]),
        ("alt gr", [["<65027>", "alt_gr"]]),
        ("right", [["right"]]),
        ("f9", [["f9"]]),
        ("<f9>", [["f9"]]),
        (" F20 ", [["f20"]]),
        ("<65027>", [["<65027>"]]),
        ("<0269025043>", [["<269025043>"]]),
        ("media_play_pause", [["media_play_pause"]]),
        ("play pause", [["media_play_pause"]]),
        ("Canc", [["delete"]]),
        ("Pag Giù", [["page_down"]]),
        ("a", [["a"]]),
        ("A", [["a"]]),
        ("à", [["à"]]),
        ("1", [["1"]]),
        ("-", [["-"]]),
        ("+", [["+"]]),
        ("ctrl++", [["+"], CTRL]),
        ("ctrl + plus", [["+"], CTRL]),
        ("ctrl+-", [["-"], CTRL]),
        ("ctrl+space", [CTRL, ["space"]]),
        ("Ctrl + Alt + D", [["alt_l", "alt_r"], CTRL, ["d"]]),
        ("<ctrl>+<alt>+d", [["alt_l", "alt_r"], CTRL, ["d"]]),
        ("ctrl_l+ctrl_r", [["ctrl_l"], ["ctrl_r"]]),
        ("ctrl+ctrl", [CTRL]),
    ],
)
def test_keys_and_chords_are_understood(text: str, expected: list[list[str]]) -> None:
    assert members(text) == expected


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("spce", "space"),
        ("ctrl+spcae", "space"),
        ("cntrl", "ctrl"),
        ("f21", "f2"),
        ("media_play", "media_play_pause"),
        ("right space", "space"),
    ],
)
def test_an_unknown_key_is_refused_with_a_near_one(text: str, near: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text, "[talk] hotkey")
    assert str(caught.value).startswith("[talk] hotkey must be a key or chord like")
    assert f'Did you mean "{near}' in str(caught.value)


@pytest.mark.parametrize("text", ["", " ", "ctrl+", "+ctrl", "ctrl+ +d", "xyzzy", "<>", "\0"])
def test_what_is_no_key_at_all_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="there is no key"):
        parse(text, "[talk] hotkey")


@given(st.text(max_size=20))
def test_any_text_is_keys_or_a_configuration_error(text: str) -> None:
    with suppress(ConfigError):
        assert parse(text, "[talk] hotkey").members


@pytest.mark.parametrize(
    ("text", "can_repeat"),
    [
        ("ctrl_r", False),
        ("ctrl+shift", False),
        ("altgr", False),
        ("f9", True),
        ("ctrl+space", True),
        ("caps_lock", True),
    ],
)
def test_all_but_bare_modifiers_can_repeat(text: str, can_repeat: bool) -> None:
    assert parse(text, "[talk] hotkey").can_repeat is can_repeat


ORDERS = list(itertools.permutations(["ctrl_l", "alt_l", "d"]))


def changes(text: str, *keys: str) -> list[Change | None]:
    """What a chord makes of keys going down ("+f9") and up ("-f9")."""
    chord = Chord(parse(text, "[talk] hotkey"))
    return [chord.change(key[1:], is_down=key[0] == "+") for key in keys]


def test_a_single_key_is_pressed_and_released() -> None:
    assert changes("f9", "+f8", "+f9", "-f8", "-f9") == [None, "press", None, "release"]


def test_a_held_key_that_repeats_is_pressed_again() -> None:
    assert changes("f9", "+f9", "+f9", "-f9", "+f9") == ["press", "press", "release", "press"]


def test_a_side_is_minded_only_where_it_is_named() -> None:
    assert changes("ctrl_r", "+ctrl_l", "+ctrl_r", "-ctrl_r") == [None, "press", "release"]
    assert changes("ctrl", "+ctrl_l", "-ctrl_l", "+ctrl_r") == ["press", "release", "press"]


def test_a_chord_of_either_ctrl_is_held_while_one_of_them_is() -> None:
    keys = ("+ctrl_l", "+space", "+ctrl_r", "-ctrl_l", "-ctrl_r")
    assert changes("ctrl+space", *keys) == [None, "press", "press", None, "release"]


@pytest.mark.parametrize("down", ORDERS)
@pytest.mark.parametrize("up", ORDERS)
def test_a_chord_is_pressed_by_its_last_key_and_released_by_its_first_in_any_order(
    down: tuple[str, ...], up: tuple[str, ...]
) -> None:
    keys = [*(f"+{key}" for key in down), *(f"-{key}" for key in up)]
    once = [None, None, "press", "release", None, None]
    assert changes("ctrl+alt+d", *keys, *keys) == once * 2


def test_after_one_member_went_up_the_chord_is_pressed_again_when_it_comes_back() -> None:
    keys = ("+ctrl_l", "+space", "-space", "+space", "-ctrl_l", "+ctrl_l")
    assert changes("ctrl+space", *keys) == [None, "press", "release", "press", "release", "press"]


def test_a_key_with_another_modifier_is_another_key() -> None:
    assert changes("f9", "+shift_l", "+f9", "-f9", "-shift_l", "+f9") == [
        *(None, None, None, None),
        "press",
    ]
    assert changes("ctrl+space", "+ctrl_l", "+shift_l", "+space") == [None, None, None]


def test_a_modifier_that_may_be_held_beside_it_does_not_make_it_another_key() -> None:
    chord = Chord(parse("f10", "[talk] cancel_hotkey"), frozenset({"ctrl_r"}))
    keys = ("+ctrl_r", "+f10", "-f10", "+shift_l", "+f10")
    made = [chord.change(key[1:], is_down=key[0] == "+") for key in keys]
    assert made == [None, "press", "release", None, None]


def test_a_modifier_pressed_while_talking_changes_nothing() -> None:
    assert changes("f9", "+f9", "+shift_l", "+f9", "-shift_l", "-f9") == [
        *("press", None, "press", None),
        "release",
    ]


def test_a_bare_modifier_does_not_mind_other_keys() -> None:
    keys = ("+shift_l", "+ctrl_r", "+c", "-c", "-ctrl_r")
    assert changes("ctrl_r", *keys) == [None, "press", None, None, "release"]


def test_a_press_after_a_lost_key_up_is_passed_on() -> None:
    assert changes("ctrl+space", "+ctrl_l", "+space", "+ctrl_l", "+space")[-1] == "press"


KEYS = st.sampled_from(["ctrl_l", "ctrl_r", "shift_l", "space", "a"])


@given(st.lists(st.tuples(KEYS, st.booleans()), max_size=40))
def test_a_release_follows_a_press_and_is_never_doubled(moves: list[tuple[str, bool]]) -> None:
    chord, is_held = Chord(parse("ctrl+space", "[talk] hotkey")), False
    for key, is_down in moves:
        change = chord.change(key, is_down=is_down)
        if change == "release":
            assert is_held
            assert not is_down
        if change:
            is_held = change == "press"
    for key in ("ctrl_l", "ctrl_r", "shift_l", "space"):
        chord.change(key, is_down=False)
    assert chord.change("ctrl_l", is_down=True) is None
    assert chord.change("space", is_down=True) == "press"
