"""Writes a configuration as TOML, with the models' own words as comments."""

import ast
import inspect
import json
import textwrap
from typing import Literal, get_args, get_origin

from annotated_types import Ge, Le
from pydantic.fields import FieldInfo

from voicehermes import config as models
from voicehermes.config import Config

_HEAD = """\
# The configuration of voicehermes: every key with its default.
# A variable VOICEHERMES_SECTION__KEY beats the file, e.g. VOICEHERMES_LISTEN__MAX_SECONDS=60.
# The password of the server never stands here: use `voicehermes login`.
"""


def toml_of(config: Config) -> str:
    """The configuration as bare TOML."""
    return "\n".join(_section(name, config, {}) for name in Config.model_fields)


def example() -> str:
    """The default configuration as TOML with comments; config.example.toml is this."""
    words = _docstrings()
    sections = [_section(name, Config(), words) for name in Config.model_fields]
    return "\n".join([_HEAD, *sections])


def _section(name: str, config: Config, words: dict[str, str]) -> str:
    model = getattr(config, name)
    kind = type(model).__name__
    lines = [*_comment(words.get(kind)), f"[{name}]"]
    for key, value in model:
        if words:
            text = words[f"{kind}.{key}"]
            lines += _comment(f"{text} {_limits(type(model).model_fields[key], text)}")
        lines.append(f"{key} = {_value(value)}")
    return "\n".join(lines) + "\n"


def _limits(field: FieldInfo, text: str) -> str:
    """What a key may hold where ``text`` does not say it: 'One of "ogg", "wav", "flac".'."""
    if get_origin(field.annotation) is Literal:
        choices = [_value(choice) for choice in get_args(field.annotation)]
        is_said = len(choices) == 1 or all(choice in text for choice in choices)
        return "" if is_said else f"One of {', '.join(choices)}."
    low = [mark.ge for mark in field.metadata if isinstance(mark, Ge)]
    high = [mark.le for mark in field.metadata if isinstance(mark, Le)]
    return f"From {low[0]} to {high[0]}." if low and high else ""


def _value(value: object) -> str:
    # What JSON writes for text, numbers, booleans and flat lists is TOML as well.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(text: str | None) -> list[str]:
    if not text:
        return []
    return textwrap.wrap(text.replace("``", '"'), 98, initial_indent="# ", subsequent_indent="# ")


def _docstrings() -> dict[str, str]:
    """The docstrings of the models ("Listen") and of their fields ("Listen.max_seconds")."""
    words: dict[str, str] = {}
    for model in ast.parse(inspect.getsource(models)).body:
        if isinstance(model, ast.ClassDef):
            words[model.name] = ast.get_docstring(model) or ""
            key = ""
            for node in model.body:
                match node:
                    case ast.AnnAssign(target=ast.Name(id=name)):
                        key = name
                    case ast.Expr(value=ast.Constant(value=str(text))) if key:
                        words[f"{model.name}.{key}"] = text
    return words
