"""miniaudio, shared by what records and plays where PortAudio cannot. All calls block."""

from typing import Any

from voicehermes.adapters.sound.names import DeviceInfo, Direction, find_device
from voicehermes.adapters.sound.noise import without_noise
from voicehermes.errors import DeviceError

_NULL = "Null"
"""The backend that miniaudio takes, without a word, where it finds no sound system."""


def load() -> Any:
    """The module. Raises DeviceError where it is not installed."""
    try:
        import miniaudio
    except ImportError as error:
        raise DeviceError("miniaudio is not installed.") from error
    return miniaudio


def query_devices() -> list[DeviceInfo]:
    """All devices that there are now. Raises DeviceError where there is no sound system."""
    with without_noise():
        return [info for info, _ in _query()]


def find_microphone(name: str) -> Any:
    """miniaudio's id of the microphone with that name; None = the default. Raises DeviceError."""
    return _find(name, "input")


def find_speaker(name: str) -> Any:
    """miniaudio's id of the speaker with that name; None = the default. Raises DeviceError."""
    return _find(name, "output")


def refuse_null(backend: str) -> None:
    """Raises DeviceError when that is the backend which neither records nor plays."""
    if backend == _NULL:
        raise DeviceError("There is no sound system.", hint="Is PipeWire or PulseAudio running?")


def _find(name: str, direction: Direction) -> Any:
    if name == "default":
        return None
    found = _query()
    return found[find_device([info for info, _ in found], name, direction)][1]


def _query() -> list[tuple[DeviceInfo, Any]]:
    miniaudio = load()
    try:
        devices = miniaudio.Devices()
        refuse_null(devices.backend)
        inputs, outputs = devices.get_captures(), devices.get_playbacks()
    except miniaudio.MiniaudioError as error:
        raise DeviceError(f"The sound devices cannot be listed: {error}.") from error
    return [
        (
            DeviceInfo(
                name=device["name"],
                inputs=_channels(device) if is_input else 0,
                outputs=0 if is_input else _channels(device),
                default_rate_hz=max((form["samplerate"] for form in device["formats"]), default=0),
                is_default_input=is_input and position == 0,
                is_default_output=not is_input and position == 0,
                system=devices.backend,
            ),
            device["id"],
        )
        for is_input, group in ((True, inputs), (False, outputs))
        for position, device in enumerate(group)
    ]


def _channels(device: dict[str, Any]) -> int:
    return max((form["channels"] for form in device["formats"]), default=1) or 1
