"""Makes the retrieval index of a voice: typical content vectors of the voice's own sound.

k-means from frames drawn at random (fixed seed, one thread) picks the centroids: with thousands of rows, drawn frames are spread as the
sound is, and a start that keeps rows apart would give rare noises more than their share.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

ROWS = 2_000
SEED = 20_261_120


def centroids(frames: np.ndarray, rows: int = ROWS, rounds: int = 20, seed: int = SEED) -> np.ndarray:
    """k-means by Lloyd's rounds; an empty cell restarts at the frame farthest from its centroid."""
    generator = np.random.default_rng(seed)
    centres = frames[generator.choice(len(frames), rows, replace=False)].copy()
    for _ in range(rounds):
        distances = _squared_distances(frames, centres)
        nearest = distances.argmin(axis=1)
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, frames)
        counts = np.bincount(nearest, minlength=rows)
        filled = counts > 0
        centres[filled] = sums[filled] / counts[filled, None]
        farthest = np.argsort(distances[np.arange(len(frames)), nearest])[::-1]
        empty = np.flatnonzero(~filled)
        centres[empty] = frames[farthest[: len(empty)]]
    return centres


def write(centres: np.ndarray, path: Path) -> None:
    """f16, little-endian, row by row, no header."""
    centres.astype("<f2").tofile(path)


def _squared_distances(frames: np.ndarray, centres: np.ndarray) -> np.ndarray:
    return (frames**2).sum(axis=1)[:, None] - 2.0 * frames @ centres.T + (centres**2).sum(axis=1)
