"""Sound devices and how they are found by name. Knows no sound library.

Devices are addressed by name and looked up at each opening: after a replug the number of one
device is that of another (python-sounddevice issue 427).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from voicehermes.errors import DeviceError

Direction = Literal["input", "output"]

_KINDS: dict[Direction, str] = {"input": "microphone", "output": "speaker"}


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """A sound device as the system names it."""

    name: str
    inputs: int
    """Channels it records; 0 = none. Virtual devices give any number."""
    outputs: int
    """Channels it plays; 0 = none."""
    default_rate_hz: int
    """The rate it works at by itself; 0 = unknown."""
    is_default_input: bool
    is_default_output: bool
    system: str
    """The sound system that it belongs to: "ALSA", "Core Audio", "PulseAudio" …"""

    def channels(self, direction: Direction) -> int:
        """Channels in this direction; 0 = none."""
        return self.inputs if direction == "input" else self.outputs

    def is_default(self, direction: Direction) -> bool:
        """Whether the system uses it in this direction when none is named."""
        return self.is_default_input if direction == "input" else self.is_default_output


def find_device(devices: Sequence[DeviceInfo], name: str, direction: Direction) -> int:
    """The index of the device called ``name``, else of the first one with it in its name.

    "default" is the system's default device, or the first there is where the system has none.
    Letter case does not matter. Raises DeviceError that lists the devices when none fits.
    """
    wanted = name.casefold()
    able = [index for index, device in enumerate(devices) if device.channels(direction)]
    kind = _KINDS[direction]
    if not able:
        raise DeviceError(
            f"There is no {kind}.", hint="Is one plugged in, and is the sound service running?"
        )
    fits = (
        [index for index in able if wanted == "default" and devices[index].is_default(direction)]
        or [index for index in able if devices[index].name.casefold() == wanted]
        or [
            index
            for index in able
            if wanted == "default" or wanted in devices[index].name.casefold()
        ]
    )
    if fits:
        return fits[0]
    there = ", ".join(dict.fromkeys(f'"{devices[index].name}"' for index in able))
    raise DeviceError(
        f'There is no {kind} called "{name}".',
        hint=f'Set [audio] {direction} to "default" or part of one of these names: {there}.',
    )
