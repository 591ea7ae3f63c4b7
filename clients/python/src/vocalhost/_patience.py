"""How long to go on when the server cannot be reached or is busy."""

from __future__ import annotations

import random
from dataclasses import dataclass

from .errors import VocalhostError

_FIRST_S = 0.5
_LONGEST_S = 8.0


@dataclass(frozen=True)
class Patience:
    """The rules by which requests are sent again."""

    retries: int
    """How often in a row."""
    longest_pause: float
    """Seconds. A server that asks for a longer pause is not asked again: whoever called decides."""

    def pause(self, error: VocalhostError, tries: int) -> float | None:
        """Seconds to wait after `tries` tries that failed, or `None` when the error is to be raised."""
        if not error.is_passing or tries > self.retries:
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= self.longest_pause else None
        # Not all clients at the same moment.
        return min(_FIRST_S * 2.0 ** (tries - 1), _LONGEST_S) * random.uniform(0.75, 1.25)
