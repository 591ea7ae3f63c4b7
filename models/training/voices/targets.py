"""The designed voices' own sound: what a conversion should come close to."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from . import items, world
from .designs import Voice
from .generate import scaled


def rendered(path: Path, voice: Voice, rate_hz: int = world.RATE_HZ) -> np.ndarray:
    """A generated utterance of the voice's source as the designed voice says it, at the reference level."""
    with np.load(path) as item:
        f0_hz = np.where(item["f0"] > 0, np.clip(item["f0"] * voice.design.pitch_factor, 50.0, 1500.0), 0.0)
        samples = world.synthesise(
            f0_hz,
            item["log_power"].astype(np.float32),
            np.minimum(item["rough"].astype(np.float64), 0.0),
            voice.design,
            rate_hz,
        )
    return scaled(samples) if rate_hz == world.RATE_HZ else samples


def training_paths(work: Path, voice: Voice, spoken: int, sung: int) -> list[Path]:
    """Utterances of the voice's source that the networks learned from."""
    return [
        *items.paths(work, f"train-spoken-{voice.source}-")[:spoken],
        *items.paths(work, f"train-sung-{voice.source}-")[:sung],
    ]


def mean_f0_hz(work: Path, voice: Voice) -> float:
    """Geometric mean over what the designed voice speaks."""
    pitches = []
    for path in training_paths(work, voice, 60, 0):
        with np.load(path) as item:
            pitches.append(item["f0"][item["f0"] > 0])
    return float(np.exp(np.log(np.concatenate(pitches)).mean()) * voice.design.pitch_factor)
