"""Generates the accompaniment: songs of three stems (drums, bass, other) into a store."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from . import compose, effects, engines, seeds
from .store import Writer

SECONDS = 40.0
# Songs of the test from this number on are played by the engines of training: only seeds and singers are new.
KNOWN_ENGINES_FROM = 100


def song_seed(split: str, number: int) -> str:
    """Songs of the two splits never share a seed; the singers' generator knows a song by this name."""
    return f"{split}-{number}"


def stems(split: str, number: int, seconds: float = SECONDS) -> tuple[compose.Song, dict[str, np.ndarray], dict]:
    """The song, its stems [frames, 2] at an RMS of 0.05 (or silent), and which engine made each."""
    seed = song_seed(split, number)
    song = compose.compose(seed, seconds)
    rng, noise = seeds.rng("backing", seed), seeds.array_rng("backing", seed)
    made, used = {}, {}
    split = "train" if number >= KNOWN_ENGINES_FROM else split
    common = engines.choose("other", song.style, split, rng)
    for stem in ("drums", "bass", "other"):
        parts = [part for part in song.parts if part.stem == stem]
        used[stem] = common if rng.random() < 0.5 else engines.choose(stem, song.style, split, rng)
        if stem == "drums" and common == "own" and rng.random() < 0.5:
            used[stem] = "fluid" if split == "train" else used[stem]
        sound = engines.render(used[stem], parts, song, rng, noise)
        if stem == "other" and split == "train" and rng.random() < 0.35 and len(parts) > 1:
            # Layers by a second engine over the first.
            second = engines.choose(stem, song.style, split, rng)
            extra = engines.render(second, parts[1::2], song, rng, noise)
            sound = sound / effects.level(sound) + extra / effects.level(extra) * rng.uniform(0.3, 1)
            used[stem] += "+" + second
        if effects.level(sound) > 1e-6:
            sound = effects.instrument_chain(sound, rng, noise)
            sound *= min(0.05 / effects.level(sound), 0.95 / (np.abs(sound).max() + 1e-9))
        made[stem] = sound
    return song, made, used


def generate(folder: Path, split: str, first: int, count: int) -> None:
    """Songs `first` to `first + count - 1`."""
    writer = Writer(folder, f"{split}-backing-{first}")
    began = time.process_time()
    for number in range(first, first + count):
        if song_seed(split, number) in writer.songs:
            continue
        song, made, used = stems(split, number)
        for stem, sound in made.items():
            if effects.level(sound) > 1e-6:
                writer.add(sound, stem, song.seed, engine=used[stem], style=song.style)
        print(number, song.style, used, f"{time.process_time() - began:.0f} s of our own", flush=True)
