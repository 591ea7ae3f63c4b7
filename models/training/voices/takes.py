"""Takes as people record them, with long pauses and held notes: for the layer that says whether somebody speaks or sings.

    python -m voices.takes WORK

Sentences and songs with pauses of up to 2.5 s between them, in silence, noise, music or a room, and notes that are held for seconds, up to
the top of what voices reach. WORK/whisper gets what Whisper hears in each, `take-NUMBER.npy`, and whether somebody speaks,
`take-NUMBER.labels.npy`: int8 [T] at 50 Hz, 1 where somebody does, 0 where nobody does, -1 where that is not sure.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch

from . import bystanders, items, world, worn
from .generate import random_design, scaled, seed_of
from .phones import SILENCE
from .whisper_features import HIGHEST_HZ, backings, hear, keep, load_encoder

TAKES, SAMPLES = 140, 160_000
HELD_SHARE = 0.35
PAUSE_S = (0.4, 2.5)
HELD_S = (1.0, 4.0)
HELD_HZ = (150.0, HIGHEST_HZ)
MARGIN = 2
"""Frames of 20 ms beside a change that are not sure."""


def held(item, generator: np.random.Generator) -> np.ndarray:
    """A vowel of an item, held on a note that rises, falls or stays, with vibrato."""
    voiced = np.flatnonzero(item["f0"] > 0)
    row = int(generator.choice(voiced))
    frames = int(100 * generator.uniform(*HELD_S))
    time = np.arange(frames) / 100.0
    cents = generator.choice([0.0, 30.0, 60.0]) * np.sin(2.0 * np.pi * generator.uniform(4.5, 7.0) * time)
    cents += generator.choice([0.0, 0.0, 1.0]) * generator.uniform(-900.0, 900.0) * time / time[-1]
    f0_hz = np.exp(generator.uniform(*np.log(HELD_HZ))) * 2.0 ** (cents / 1200.0)
    swell = np.interp(time, [0.0, time[-1]], generator.uniform(-1.0, 0.3, 2))[:, None]
    log_power = np.repeat(item["log_power"][row : row + 1].astype(np.float32), frames, axis=0) + swell.astype(np.float32)
    rough = np.full(frames, min(float(item["rough"][row]), 0.0))
    return scaled(world.synthesise(np.clip(f0_hz, 60.0, HIGHEST_HZ), log_power, rough, random_design(generator), world.RATE_HZ))


def part(paths: list[Path], generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Something said, sung or held, and by frame of 10 ms whether somebody is heard."""
    path = paths[generator.integers(len(paths))]
    with np.load(path) as item:
        if "rough" in item and (item["f0"] > 0).any() and generator.random() < HELD_SHARE:
            samples = held(item, generator)
            return samples, np.ones(len(samples) // 160, bool)
        key = "twin" if "twin" in item and generator.random() < 0.5 else "wave"
        samples, labels = items.read_wave(item[key]).astype(np.float64), item["labels"]
        frames = min(len(samples) // 160, len(labels))
        return scaled(samples[: frames * 160]), labels[:frames] != SILENCE


def take(work: Path, paths: list[Path], generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """[SAMPLES] and labels [SAMPLES / 320]."""
    sounds, speaks = [], []
    while sum(map(len, sounds)) < SAMPLES:
        samples, heard = part(paths, generator)
        pause = int(100 * generator.uniform(*PAUSE_S))
        sounds += [samples[: len(heard) * 160] * 10.0 ** (generator.uniform(-8.0, 0.0) / 20.0), np.zeros(pause * 160)]
        speaks += [heard, np.zeros(pause, bool)]
    samples, heard = np.concatenate(sounds)[:SAMPLES], np.concatenate(speaks)[: SAMPLES // 160]
    return behind(work, samples, generator), labels_of(heard)


def behind(work: Path, samples: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """With silence, a room, noise, music or other sounds behind, and sometimes by telephone."""
    kind = generator.choice(["silence", "room", "noise", "music", "music", "other"])
    if kind == "room":
        samples = worn.in_a_room(samples, generator)
    below = {"noise": (15.0, 45.0), "music": (4.0, 25.0), "other": (6.0, 30.0)}.get(kind)
    if below:
        music = backings(work)
        sound = {
            "noise": lambda: bystanders.noise(len(samples), generator),
            "music": lambda: np.roll(music[generator.integers(len(music))], generator.integers(SAMPLES)),
            "other": lambda: bystanders.any_kind(len(samples), generator),
        }[kind]()
        sound = np.resize(sound, len(samples)).astype(np.float64)
        loud = worn.rms(samples[np.abs(samples) > 1e-4])
        samples = samples + sound * (loud * 10.0 ** (-generator.uniform(*below) / 20.0) / max(worn.rms(sound), 1e-9))
    return worn.by_telephone(samples, generator) if generator.random() < 0.2 else samples


def labels_of(heard: np.ndarray) -> np.ndarray:
    """By frame of 20 ms."""
    pairs = heard[: len(heard) // 2 * 2].reshape(-1, 2)
    labels = pairs.all(axis=1).astype(np.int8)
    for place in np.flatnonzero(np.diff(labels)):
        labels[max(0, place - MARGIN + 1) : place + MARGIN + 1] = -1
    return labels


def main(work: Path) -> None:
    """Makes what is missing."""
    torch.set_num_threads(1)
    encoder, paths = load_encoder(work), items.paths(work, "train-s") + items.paths(work, "train-parallel-kal-")
    for number in range(TAKES):
        name = f"take-{number:03d}"
        file = work / "whisper" / f"{name}.npy"
        if not file.exists():
            samples, labels = take(work, paths, np.random.default_rng(seed_of(name)))
            keep(work / "whisper" / f"{name}.labels.npy", labels)
            keep(file, hear(encoder, scaled(samples)))
    print("takes heard", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
