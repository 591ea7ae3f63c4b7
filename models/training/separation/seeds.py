"""Seeds that are the same in every process: Python's own hash of a string is salted and must not be used."""

from __future__ import annotations

import hashlib
import random

import numpy as np


def number(*parts: object) -> int:
    """A 63-bit number that depends on the text of the parts alone."""
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def rng(*parts: object) -> random.Random:
    """A generator for choices."""
    return random.Random(number(*parts))


def array_rng(*parts: object) -> np.random.Generator:
    """A generator for arrays of noise."""
    return np.random.default_rng(number(*parts))
