"""Whether a function's time grows with its input, or with the square of it.

Told by a ratio: no machine is too slow or too busy for it.
"""

import time
from collections.abc import Callable

TRIES = 3
QUICK_SECONDS = 0.5
"""What takes no longer, on a machine however slow, is quick enough whatever it would become."""
LINEAR = 3.2
"""Twice the input takes twice the time, and four times where every part looks at every other."""


def is_linear(work: Callable[[str], object], piece: str, characters: int) -> bool:
    """Whether so many characters of the piece take about twice as long as half of them."""

    def seconds(size: int) -> float:
        text = (piece * size)[:size]
        least = float("inf")
        for _ in range(TRIES):
            begun = time.process_time()
            work(text)
            least = min(least, time.process_time() - begun)
        return least

    whole = seconds(characters)
    return whole < QUICK_SECONDS or whole < LINEAR * seconds(characters // 2)
