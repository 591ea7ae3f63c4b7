"""Makes the retrieval index of a voice: 800 typical content vectors of the voice's own speech.

The speech program speaks our sentences in the voice, the content encoder hears it, and k-means (k-means++ start, fixed
seed, one thread) picks the centroids. A voice made of two shares the frames of both.
"""

from __future__ import annotations

import numpy as np
import reference
import speech
import words

ROWS = 800
SEED = 20_261_120
SPEECH_S = 720.0
"""Speech per source voice behind an index; a voice made of two hears this much of each."""
STRETCHES = (0.85, 1.0, 1.0, 1.2)
"""Speaking rates used in turn, so that the index knows fast and slow speech."""


def spoken_content(encoder: reference.ContentEncoder, level: float, voice: str) -> np.ndarray:
    """[frames, 64] of at least SPEECH_S of speech."""
    frames = []
    heard_s = 0.0
    texts = iter(words.sentences(SEED, 4000))
    for number, text in enumerate(texts):
        samples = speech.flite(text, voice, STRETCHES[number % len(STRETCHES)])
        samples = samples * (level / reference.sounding_rms(samples))
        frames.append(encoder.encode(samples)[:, :64])
        heard_s += len(samples) / speech.FLITE_RATE_HZ
        if heard_s >= SPEECH_S:
            return np.concatenate(frames).astype(np.float64)
    raise ValueError("the sentences ran out before enough was spoken")


def centroids(frames: np.ndarray, rows: int = ROWS, rounds: int = 20) -> np.ndarray:
    """k-means by Lloyd's rounds; an empty cell restarts at the frame farthest from its centroid."""
    generator = np.random.default_rng(SEED)
    centres = _spread_start(frames, rows, generator)
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


def write(centres: np.ndarray, path) -> None:
    """f16, little-endian, row by row, no header."""
    centres.astype("<f2").tofile(path)


def _spread_start(frames: np.ndarray, rows: int, generator: np.random.Generator) -> np.ndarray:
    """k-means++: each further centre is drawn with a chance proportional to its squared distance from those chosen."""
    chosen = [frames[generator.integers(len(frames))]]
    distances = ((frames - chosen[0]) ** 2).sum(axis=1)
    for _ in range(rows - 1):
        place = np.searchsorted(np.cumsum(distances), generator.random() * distances.sum())
        chosen.append(frames[min(place, len(frames) - 1)])
        distances = np.minimum(distances, ((frames - chosen[-1]) ** 2).sum(axis=1))
    return np.array(chosen)


def _squared_distances(frames: np.ndarray, centres: np.ndarray) -> np.ndarray:
    return (frames**2).sum(axis=1)[:, None] - 2.0 * frames @ centres.T + (centres**2).sum(axis=1)
