"""Keys by name, and the chords they make. Pure: knows no keyboard library.

A key's name is that of the physical key ("ctrl_l", "f9", "space", "a", "<65027>" for one known
by its number alone), whatever else is held: a key that changed its name with shift would never
be seen to go up again.
"""

import difflib
import re
from dataclasses import dataclass, field
from typing import Literal

from voicehermes.errors import ConfigError

_SIDED = ("alt", "cmd", "ctrl", "shift")
_ALT_GR = frozenset({"alt_gr", "<65027>"})
"""X11 has two: Mode_switch, and ISO_Level3_Shift (65027), which today's layouts use."""
_MODIFIERS = {f"{name}_{side}" for name in _SIDED for side in "lr"} | _ALT_GR

# fmt: off
_NAMED = {
    "backspace", "caps_lock", "delete", "down", "end", "enter", "esc", "home", "insert", "left",
    "menu", "num_lock", "page_down", "page_up", "pause", "print_screen", "right", "scroll_lock",
    "space", "tab", "up", "media_next", "media_play_pause", "media_previous",
    "media_volume_down", "media_volume_mute", "media_volume_up",
    *(f"f{number}" for number in range(1, 21)),
}
# fmt: on

_ALIASES = {
    "altgr": "alt_gr",
    "break": "pause",
    "canc": "delete",
    "capslock": "caps_lock",
    "command": "cmd",
    "control": "ctrl",
    "del": "delete",
    "escape": "esc",
    "ins": "insert",
    "invio": "enter",
    "maiusc": "shift",
    "meta": "cmd",
    "numlock": "num_lock",
    "option": "alt",
    "pag_giù": "page_down",
    "pag_su": "page_up",
    "pagedown": "page_down",
    "pageup": "page_up",
    "pgdn": "page_down",
    "pgup": "page_up",
    "play_pause": "media_play_pause",
    "plus": "+",
    "print": "print_screen",
    "return": "enter",
    "scrolllock": "scroll_lock",
    "spacebar": "space",
    "spazio": "space",
    "stamp": "print_screen",
    "super": "cmd",
    "win": "cmd",
    "windows": "cmd",
}

_SIDES = {"left": "l", "right": "r", "sinistro": "l", "destro": "r", "l": "l", "r": "r"}

Member = frozenset[str]
"""The keys of which one has to be down: {"ctrl_l", "ctrl_r"} for "ctrl", {"f9"} for "f9"."""


@dataclass(frozen=True, slots=True)
class Keys:
    """What a user calls a hotkey: one key, or several held together."""

    text: str
    """As it was written."""
    members: frozenset[Member]

    @property
    def can_repeat(self) -> bool:
        """Whether it auto-repeats while it is held. Bare modifiers do not."""
        return any(not member <= _MODIFIERS for member in self.members)


def parse(text: str, setting: str) -> Keys:
    """The keys of "ctrl_r", "right ctrl", "f9", "<f9>", "ctrl+alt+d", "media_play_pause" …

    ``setting`` is where it was written, such as "[talk] hotkey". Raises ConfigError for a key
    that there is not.
    """
    # A plus that follows a plus, or stands alone, is the key of that name.
    names = [part.strip() for part in re.split(r"(?<=[^+\s])\s*\+", text.strip())]
    return Keys(text, frozenset(_member(name, setting) for name in names))


def _member(written: str, setting: str) -> Member:
    bare = written[1:-1] if re.fullmatch(r"<.+>", written) else written
    if bare != written and bare.isascii() and bare.isdigit():
        return frozenset({f"<{int(bare)}>"})
    name = re.sub(r"[\s_-]+", "_", bare.casefold()) if len(bare) > 1 else bare.casefold()
    name = _ALIASES.get(name, name)
    if len(name) == 1 and name.isprintable() and not name.isspace():
        return frozenset({name})
    if name == "alt_gr":
        return _ALT_GR
    if name in _NAMED or name in _MODIFIERS:
        return frozenset({name})
    if name in _SIDED:
        return frozenset({f"{name}_l", f"{name}_r"})
    if sided := _sided(name):
        return frozenset({sided})
    known = sorted({*_NAMED, *_MODIFIERS, *_SIDED, *_ALIASES})
    near = difflib.get_close_matches(name, known, n=1)
    hint = f'Did you mean "{near[0]}"?' if near else ""
    raise ConfigError(
        f'{setting} must be a key or chord like "ctrl_r", "f9" or "ctrl+space"; '
        f'there is no key "{written}".',
        hint=hint,
    )


def _sided(name: str) -> str | None:
    """A modifier with its side before or after it: "right_ctrl", "control_r" -> "ctrl_r"."""
    for one, other in (name.partition("_")[::2], name.rpartition("_")[::2]):
        for key, side in ((one, other), (other, one)):
            key = _ALIASES.get(key, key)
            if key in _SIDED and side in _SIDES:
                return f"{key}_{_SIDES[side]}"
    return None


Change = Literal["press", "release"]


@dataclass(slots=True)
class Chord:
    """Follows the keys of one hotkey as they go down and up, in any order.

    Pressed when the last member goes down, released when the first goes up. While it is held
    every further key-down of a member is a press again: auto-repeat is passed on, since whoever
    swallowed it here would swallow the press after a lost key-up too.

    A chord with an ordinary key wants no other modifiers held when it is pressed, but those in
    ``beside``: "f9" is not "shift+f9". A chord of bare modifiers does not mind other keys, neither
    before nor after: a shortcut with the talk key makes a recording without words, of which
    nothing is sent, and one may press other keys while talking.
    """

    keys: Keys
    beside: Member = frozenset()
    """Modifiers that may be held as well."""
    _down: set[str] = field(default_factory=set)
    _is_held: bool = False

    def change(self, key: str, *, is_down: bool) -> Change | None:
        """What a key going down or up means for the chord, if anything."""
        if key in _MODIFIERS or self._is_member(key):
            if is_down:
                self._down.add(key)
            else:
                self._down.discard(key)
        if not self._is_member(key):
            return None
        is_complete = all(member & self._down for member in self.keys.members)
        if is_down and is_complete and (self._is_held or self._is_exact()):
            self._is_held = True
            return "press"
        if self._is_held and not is_complete:
            self._is_held = False
            return "release"
        return None

    def _is_member(self, key: str) -> bool:
        return any(key in member for member in self.keys.members)

    def _is_exact(self) -> bool:
        if not self.keys.can_repeat:
            return True
        return all(self._is_member(key) or key in self.beside for key in self._down)
