"""What people utter that is no word, as far as speech programs can be made to say it: laughter, cries, humming, coughs.

A program says it, WORLD takes it apart, and other bodies say it again, at pitches that jump as laughter's do, or without any as a cough does.
"""

from __future__ import annotations

import numpy as np

from . import engines, world, worn
from .generate import random_design, scaled

SAID = (
    "ha ha ha ha ha", "heh heh heh", "hee hee hee hee", "ho ho ho", "ah ha ha ha", "huh huh huh", "ha", "hah hah hah hah hah hah",
    "oh oh oh", "ah", "oh", "ooh", "aah", "wow", "whoa", "hey", "yay", "ugh", "eek", "mm hmm", "uh huh", "hmm", "achoo", "ahem",
)  # fmt: skip
STRETCHES = (0.6, 0.8, 1.0, 1.4)
MEDIAN_HZ, LOWEST_HZ, HIGHEST_HZ = (110.0, 700.0), 60.0, 1_100.0
JUMP_CENTS, JUMP_FRAMES = 900.0, 8
"""How far the pitch goes up and down, and within how many frames of 10 ms."""
REST_S = (0.1, 0.6)
LONGEST_S = 8
HEARD_DB, SILENT_DB = -30.0, -45.0
"""Frames so far below the loudest are uttered, and are not; those between are not sure."""


def uttered(generator: np.random.Generator) -> np.ndarray:
    """[N] at 16 kHz."""
    text, voice = generator.choice(SAID), generator.choice(engines.FLITE_VOICES)
    samples, _ = engines.flite(str(text), str(voice), float(generator.choice(STRETCHES)))
    analysis = world.analyse(scaled(samples[: len(samples) // 160 * 160]))
    voiced = analysis.f0_hz > 0
    places = generator.uniform(-JUMP_CENTS, JUMP_CENTS, max(3, len(voiced) // JUMP_FRAMES))
    cents = np.interp(np.linspace(0.0, len(places) - 1.0, len(voiced)), np.arange(len(places)), places) * generator.uniform(0.2, 1.0)
    jumping = np.exp(generator.uniform(*np.log(MEDIAN_HZ))) * 2.0 ** (cents / 1200.0)
    f0_hz = {
        "jumping": np.where(voiced, np.clip(jumping, LOWEST_HZ, HIGHEST_HZ), 0.0),
        "breathed": np.zeros(len(voiced)),
        "as it was": analysis.f0_hz,
    }[generator.choice(["jumping", "jumping", "jumping", "breathed", "as it was"])]
    design = random_design(generator)
    once = scaled(world.synthesise(f0_hz, analysis.log_power, analysis.roughness_db, design, world.RATE_HZ))
    parts = []
    for _ in range(int(generator.integers(1, 4))):
        parts += [once, np.zeros(int(generator.uniform(*REST_S) * world.RATE_HZ))]
    samples = np.concatenate(parts)[: LONGEST_S * world.RATE_HZ]
    return worn.in_a_room(samples, generator) if generator.random() < 0.4 else samples


def labels_of(samples: np.ndarray) -> np.ndarray:
    """By frame of 20 ms: 1 where somebody is heard, 0 where nobody is, -1 where that is not sure."""
    frames = samples[: len(samples) // 320 * 320].reshape(-1, 320)
    level_db = 10.0 * np.log10((frames**2).mean(axis=1) + 1e-14)
    level_db -= level_db.max()
    return np.where(level_db > HEARD_DB, 1, np.where(level_db < SILENT_DB, 0, -1)).astype(np.int8)
