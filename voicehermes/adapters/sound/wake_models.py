"""Models of wake words: those inside pymicro-wakeword, and the user's own.

A model is a JSON file that describes it, and beside that a TensorFlow Lite file. The library
crashes on one that it cannot use, so all that can be wrong is looked for before it is loaded.
Importing this raises ImportError where the extra ``wake`` is not installed.
"""

import ctypes
import os
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field, ValidationError
from pydantic_core import PydanticCustomError
from pymicro_wakeword import MicroWakeWord, Model

from voicehermes.errors import ConfigError

BUILT_IN = tuple(sorted(model.value for model in Model))

_BANDS = 40
"""Of one step's features: what pymicro-features gives."""


def _check_text(value: str) -> str:
    """A NUL ends a file's name for the system; the name of a word may be shown and logged."""
    if not value.isprintable():
        raise PydanticCustomError("text", "Input should have no control characters")
    return value


_Text = Annotated[str, Field(min_length=1), AfterValidator(_check_text)]


class _Micro(BaseModel):
    probability_cutoff: float = Field(gt=0, lt=1)
    sliding_window_size: int = Field(ge=1, le=1000)
    feature_step_size: Literal[10]
    """Milliseconds; what pymicro-features gives."""


class _Description(BaseModel):
    """What is needed of the JSON file, see https://esphome.io/components/micro_wake_word."""

    wake_word: _Text
    model: _Text
    micro: _Micro


class WakeModel(MicroWakeWord):
    """A model whose files are read once, and may go away while it is used."""

    def reset(self) -> None:
        """Forget what came before. The library's own reads the file again."""
        self._features.clear()
        self._probabilities.clear()
        self.lib.TfLiteInterpreterDelete(self.interpreter)
        self.interpreter = self.lib.TfLiteInterpreterCreate(self.model, None)
        self.lib.TfLiteInterpreterAllocateTensors(self.interpreter)
        self.input_tensor = self.lib.TfLiteInterpreterGetInputTensor(self.interpreter, 0)
        self.output_tensor = self.lib.TfLiteInterpreterGetOutputTensor(self.interpreter, 0)


def load(name: str) -> WakeModel:
    """The model of that name, or that a JSON file of that path describes. Blocks.

    Raises ConfigError for one that is not there or cannot be used, and OSError when TensorFlow
    Lite cannot be loaded on this machine.
    """
    library = MicroWakeWord.from_builtin(Model.ALEXA)
    if name in BUILT_IN:
        path = Path(library.tflite_model).with_name(f"{name}.json")
    elif name.endswith(".json"):
        path = Path(name).expanduser()
    else:
        raise ConfigError(
            f'`[listen] wake_words`: there is no wake word "{name}".',
            hint=f"There are {', '.join(BUILT_IN)}; a model of your own is the path of its .json.",
        )
    description = _read(path)
    tflite = path.parent / description.model
    _check(tflite, library.lib)
    return WakeModel(
        tflite.stem,
        wake_word=description.wake_word,
        tflite_model=tflite,
        probability_cutoff=description.micro.probability_cutoff,
        sliding_window_size=description.micro.sliding_window_size,
        trained_languages=[],
        libtensorflowlite_c_path=library.libtensorflowlite_c_path,
    )


def _read(path: Path) -> _Description:
    try:
        return _Description.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ConfigError(
            f"{path}: this wake word cannot be read: {error.strerror}.",
            hint="See `[listen] wake_words`.",
        ) from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ConfigError(
            f"{path}: this does not describe a micro wake word: "
            f"{f'{where}: ' if where else ''}{first['msg']}.",
            hint="See https://esphome.io/components/micro_wake_word.",
        ) from error


_Report = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_ignore = _Report(lambda _data, _format, _arguments: None)
"""For what TensorFlow Lite finds wrong: it would be printed."""


def _check(path: Path, library: ctypes.CDLL) -> None:
    """Raises ConfigError for a file that is not there or not of this kind."""
    try:
        path.open("rb").close()
    except OSError as error:
        raise ConfigError(
            f"{path}: this model of a wake word cannot be read: {error.strerror}.",
            hint="It belongs beside its .json.",
        ) from error
    create = library.TfLiteModelCreateFromFileWithErrorReporter
    create.restype = ctypes.c_void_p
    create.argtypes = [ctypes.c_char_p, _Report, ctypes.c_void_p]
    model = create(os.fsencode(path), _ignore, None)
    interpreter = library.TfLiteInterpreterCreate(model, None) if model else None
    try:
        if not interpreter or not _fits(interpreter, library):
            raise ConfigError(
                f"{path}: this is not a model of a micro wake word.",
                hint="Is it damaged, or made for other software?",
            )
    finally:
        library.TfLiteInterpreterDelete(interpreter)
        library.TfLiteModelDelete(model)


def _fits(interpreter: int, library: ctypes.CDLL) -> bool:
    """Whether the model takes steps of features as bytes and gives one probability."""
    pointer = ctypes.c_void_p(interpreter)
    if (
        library.TfLiteInterpreterAllocateTensors(pointer) != 0
        or library.TfLiteInterpreterGetInputTensorCount(pointer) != 1
        or library.TfLiteInterpreterGetOutputTensorCount(pointer) != 1
    ):
        return False
    taken = library.TfLiteInterpreterGetInputTensor(pointer, 0)
    given = library.TfLiteInterpreterGetOutputTensor(pointer, 0)
    return bool(
        library.TfLiteTensorNumDims(taken) == 3
        and library.TfLiteTensorDim(taken, 2) == _BANDS
        and library.TfLiteTensorByteSize(taken) == library.TfLiteTensorDim(taken, 1) * _BANDS
        and library.TfLiteTensorByteSize(given) == 1
    )
