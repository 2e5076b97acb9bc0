"""Standard input, line by line."""

from collections.abc import Iterator
from typing import BinaryIO


def lines(file: BinaryIO) -> Iterator[str]:
    """The lines of a file without their line feeds, each as soon as it is there.

    Bytes that are no UTF-8 become the replacement character.
    """
    for line in iter(file.readline, b""):
        yield line.decode("utf-8", "replace").removesuffix("\n")
