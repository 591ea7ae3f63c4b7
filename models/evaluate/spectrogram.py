"""Draws sounds as spectrograms, one below the other, into a small PNG."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import paths  # noqa: F401  (finds the module picture)
from PIL import Image

import picture

WIDTH, HEIGHT = 640, 112
"""Of one sound."""
WINDOW = 512
HIGHEST_DB, LOWEST_DB = -12.0, -84.0
COLOURS = ["#0b0b1e", "#5b2a86", "#e06c4a", "#fff6c9"]


def draw(sounds: list[np.ndarray], path: Path) -> None:
    """All that is there of each sound, 0 to half of its rate, all on one scale of 72 dB."""
    gap = np.zeros((6, WIDTH), np.uint8)
    bands = [band for samples in sounds for band in (_tones(samples), gap)]
    image = Image.fromarray(np.concatenate(bands[:-1]), mode="P")
    image.putpalette(picture.gradient(COLOURS).tobytes())
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, optimize=True)


def _tones(samples: np.ndarray) -> np.ndarray:
    """[HEIGHT, WIDTH] of places in the palette: the loudest bin of each patch."""
    starts = np.linspace(0, max(len(samples) - WINDOW, 0), 4 * WIDTH).astype(int)
    padded = np.pad(samples, (0, WINDOW))
    frames = padded[starts[:, None] + np.arange(WINDOW)] * np.hanning(WINDOW)
    power = np.abs(np.fft.rfft(frames, axis=1)[:, 1:]) ** 2 / (WINDOW / 4) ** 2
    edges = np.linspace(0, power.shape[1], HEIGHT + 1).astype(int)[:-1]
    patches = np.maximum.reduceat(power.reshape(WIDTH, 4, -1).max(axis=1), edges, axis=1)
    level = (10.0 * np.log10(patches + 1e-12) - LOWEST_DB) / (HIGHEST_DB - LOWEST_DB)
    tones = np.clip(level, 0.0, 1.0) * (picture.LEVELS - 1)
    return tones.round().astype(np.uint8).T[::-1]
