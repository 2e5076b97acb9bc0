"""Which of what the microphone hears is, or may be, sound of our own. Pure."""

import logging
import math
from collections.abc import Callable

from voicehermes.audio import EndsBy

log = logging.getLogger(__name__)

ECHO_TAIL_SECONDS = 0.3
"""How long a room still sounds after us."""


class OwnSound:
    """From when on frames may be used; what began earlier has sound of our own in it.

    In half-duplex that concerns everything. Where the echo is cancelled, or there is none, it
    concerns the answers to decisions alone: what we say ourselves must never answer.
    """

    def __init__(self, heard_until: Callable[[], float | None], *, is_half_duplex: bool) -> None:
        """``heard_until`` tells until when our newest sound is or was heard; None: none yet."""
        self._heard_until = heard_until
        self._is_half_duplex = is_half_duplex
        self._tail_seconds = ECHO_TAIL_SECONDS
        self._is_guarded = False

    def over_at(self, ends_by: EndsBy = EndsBy.SILENCE) -> float:
        """When a recording of that kind, or what comes before one, may begin; -inf = any time."""
        if not self._is_half_duplex and ends_by is not EndsBy.LONG_SILENCE:
            return -math.inf
        heard_until = self._heard_until()
        return -math.inf if heard_until is None else heard_until + self._tail_seconds

    def is_heard(self, at: float) -> bool:
        """Whether something of ours sounds then, or did just before."""
        heard_until = self._heard_until()
        return heard_until is not None and at < heard_until + self._tail_seconds

    def raise_guard(self) -> None:
        """From now on be deaf to our own sound, and for longer than before."""
        if self._is_guarded:
            return
        self._is_guarded = self._is_half_duplex = True
        self._tail_seconds = 2 * ECHO_TAIL_SECONDS
        log.warning(
            "The assistant has heard itself: from now on nobody can talk over it. Are its "
            "loudspeaker and the microphone far enough apart, and is [listen] echo right?"
        )
