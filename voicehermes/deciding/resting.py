"""How long to wait for a user who said "wait". Pure."""

WAIT_SECONDS = 20.0
"""After so long it is asked again."""

LEFT_SECONDS = 30.0
"""Earlier, if less than this would be left to answer."""

LEAST_SECONDS = 3.0
"""But not at once: who said "wait" means it."""


def seconds_to_wait(time_left: float | None) -> float:
    """From now until it is asked again; ``time_left`` None: the decision waits for ever.

    60.0 -> 20.0, 44.0 -> 14.0, 10.0 -> 3.0
    """
    if time_left is None:
        return WAIT_SECONDS
    return max(LEAST_SECONDS, min(WAIT_SECONDS, time_left - LEFT_SECONDS))
