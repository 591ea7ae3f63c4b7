"""Draws a voice's picture: interfering waves in three colours, another pattern for every seed, no likeness."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

SIZE = 384
WAVES = 5
LEVELS = 28
"""Few flat tones make clear contour lines and a small file."""


def draw(seed: int, colours: list[str], path: Path) -> None:
    """Writes a PNG of 384 x 384 pixels with a palette."""
    generator = np.random.default_rng(seed)
    rows, columns = np.mgrid[0:SIZE, 0:SIZE] / SIZE - 0.5
    height = np.zeros((SIZE, SIZE))
    for _ in range(WAVES):
        x, y = generator.uniform(-0.9, 0.9, 2)
        distance = np.hypot(columns - x, (rows - y) * generator.uniform(0.6, 1.6))
        height += generator.uniform(0.4, 1.0) * np.sin(
            2 * np.pi * generator.uniform(1.0, 3.2) * distance + generator.uniform(0, 6)
        )
    height = (height - height.min()) / (height.max() - height.min())
    tone = np.minimum((height * LEVELS).astype(np.uint8), LEVELS - 1)
    image = Image.fromarray(tone, mode="P")
    image.putpalette(gradient(colours).tobytes())
    image.save(path, optimize=True)


def gradient(colours: list[str]) -> np.ndarray:
    """[LEVELS, 3] from the first colour to the last."""
    points = np.array([[int(colour[start : start + 2], 16) for start in (1, 3, 5)] for colour in colours])
    place = np.linspace(0, len(points) - 1, LEVELS)
    channels = [np.interp(place, np.arange(len(points)), points[:, channel]) for channel in range(3)]
    return np.stack(channels, axis=1).round().astype(np.uint8)
