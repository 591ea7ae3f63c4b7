"""The phone set that content encoder and recogniser learn: CMU's 39, `ax`, and `pau` for silence."""

from __future__ import annotations

VOWELS = tuple("aa ae ah ao aw ax ay eh er ey ih iy ow oy uh uw".split())
CONSONANTS = tuple("b ch d dh f g hh jh k l m n ng p r s sh t th v w y z zh".split())
PHONES = ("pau", *sorted(VOWELS + CONSONANTS))
NUMBER = {name: number for number, name in enumerate(PHONES)}
UNVOICED = frozenset("pau ch f hh k p s sh t th".split())
SILENCE = NUMBER["pau"]
UNKNOWN = -1
"""Frames of a sound that has no counterpart in the set; no loss and no score there."""


def frame_labels(phones: list[tuple[str, float, float]], frames: int, rate_hz: float = 100.0):
    """[frames] of phone numbers from (name, start in s, end in s); what no phone covers is silence."""
    import numpy as np

    labels = np.full(frames, SILENCE, np.int8)
    for name, start_s, end_s in phones:
        labels[round(start_s * rate_hz) : round(end_s * rate_hz)] = NUMBER.get(name, UNKNOWN)
    return labels
