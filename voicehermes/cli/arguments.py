"""Kinds of command-line arguments. argparse shows the function's name when one is wrong."""

import argparse
import math


def count(text: str) -> int:
    """A whole number, 1 or more."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


def port(text: str) -> int:
    """A TCP port, or 0 for any that is free."""
    number = int(text)
    if not 0 <= number <= 65_535:
        raise argparse.ArgumentTypeError("must be from 0 to 65535")
    return number


def seconds(text: str) -> float:
    """A time that passes."""
    number = float(text)
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError("must be more than 0")
    return number
