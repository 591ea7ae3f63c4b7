"""Separates a whole sound chunk by chunk, as the host does with the numbers of the manifest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from . import spectrum


@dataclass(frozen=True)
class Cut:
    """How long chunks are and by how much neighbours overlap, in frames."""

    frames: int
    overlap: int
    # The last chunk ends where the sound ends, if that is longer than a chunk, instead of being filled up with zeros.
    aligned: bool = False
    # The mean of each channel is taken out of the sound first, and is in no stem.
    mean_out: bool = False


CUTS = {"stems": Cut(768, 96, aligned=True, mean_out=True), "vocals": Cut(256, 96), "lead": Cut(672, 48, aligned=True)}
"""Near its ends a chunk knows little of what surrounds a frame: voices over recorded music gain 0.4 dB from an overlap of 96
instead of 48 from the vocals' network, 0.7 dB from that of the stems (median; no more from 128). Generated mixes gain nothing, with either network.
The stems' network compares each moment with all others of its chunk, and longer chunks have fewer frames twice. What the lead's graph learns
of a chunk wants long ones, and the last one full (`room.py`, `spatial.py`)."""


def separate(run: Callable[[np.ndarray], np.ndarray], wave: np.ndarray, cut: Cut) -> np.ndarray:
    """`wave` [2, samples]; `run` takes [1, 4, BINS, frames] and gives [1, stems, 4, BINS, frames]. [stems, 2, samples].

    Chunks fade linearly into each other where they overlap; the last is filled up with zeros, or aligned.
    """
    heard = wave - wave.mean(1, keepdims=True) if cut.mean_out else wave
    mix = spectrum.analyse(torch.from_numpy(heard)[None]).numpy()
    frames = mix.shape[3]
    out = None
    weights = np.zeros(frames, np.float32)
    fade = (np.arange(cut.overlap, dtype=np.float32) + 0.5) / cut.overlap
    start = 0
    while True:
        if cut.aligned:
            start = max(0, min(start, frames - cut.frames))
        chunk = np.zeros((1, 4, spectrum.BINS, cut.frames), np.float32)
        here = min(cut.frames, frames - start)
        chunk[..., :here] = mix[..., start : start + here]
        window = np.ones(cut.frames, np.float32)
        last = start + cut.frames >= frames
        if start:
            window[:cut.overlap] = fade
        if not last:
            window[-cut.overlap:] = fade[::-1]
        stems = run(chunk)[0]
        if out is None:
            out = np.zeros((*stems.shape[:3], frames), np.float32)
        out[..., start : start + here] += (stems * window)[..., :here]
        weights[start : start + here] += window[:here]
        if last:
            break
        start += cut.frames - cut.overlap
    return spectrum.synthesise(torch.from_numpy(out / weights), wave.shape[1]).numpy()
