"""Separates a whole sound chunk by chunk, as the host does with the numbers of the manifest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from . import spectrum

FRAMES = 256
OVERLAP = 48


def separate(run: Callable[[np.ndarray], np.ndarray], wave: np.ndarray) -> np.ndarray:
    """`wave` [2, samples]; `run` takes [1, 4, BINS, FRAMES] and gives [1, stems, 4, BINS, FRAMES]. [stems, 2, samples].

    Chunks overlap by OVERLAP frames, over which they fade linearly into each other; the last is filled up with zeros.
    """
    mix = spectrum.analyse(torch.from_numpy(wave)[None]).numpy()
    frames = mix.shape[3]
    out = None
    weights = np.zeros(frames, np.float32)
    fade = (np.arange(OVERLAP, dtype=np.float32) + 0.5) / OVERLAP
    start = 0
    while True:
        chunk = np.zeros((1, 4, spectrum.BINS, FRAMES), np.float32)
        here = min(FRAMES, frames - start)
        chunk[..., :here] = mix[..., start : start + here]
        window = np.ones(FRAMES, np.float32)
        last = start + FRAMES >= frames
        if start:
            window[:OVERLAP] = fade
        if not last:
            window[-OVERLAP:] = fade[::-1]
        stems = run(chunk)[0]
        if out is None:
            out = np.zeros((*stems.shape[:3], frames), np.float32)
        out[..., start : start + here] += (stems * window)[..., :here]
        weights[start : start + here] += window[:here]
        if last:
            break
        start += FRAMES - OVERLAP
    return spectrum.synthesise(torch.from_numpy(out / weights), wave.shape[1]).numpy()
