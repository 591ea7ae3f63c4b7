"""Takes as people record them, for the layer that tells voices from everything else.

    python -m voices.takes WORK

WORK/whisper gets what Whisper hears in each, `KIND-NUMBER.npy`, and whether somebody is heard, `KIND-NUMBER.labels.npy`: int8 [T] at 50 Hz, 1
where somebody is, 0 where nobody is, -1 where that is not sure. Kinds:

    take    sentences, songs and laughter with pauses of up to 2.5 s between them, in silence, noise, music or a room
    held    notes that are held for seconds, up to the top of what voices reach
    laugh   laughter and other utterances that are no words
    vowel   vowels made by a formula, as voices of machines and of tests have them
    breath  breaths, made of noise, alone and between what is said
    piece   music without a voice
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
from scipy import signal

from . import bystanders, items, laughter, music, world, worn
from .generate import random_design, scaled, seed_of
from .phones import SILENCE
from .whisper_features import HIGHEST_HZ, hear, keep, load_encoder

COUNTS = {"take": 200, "held": 200, "laugh": 240, "vowel": 100, "breath": 120, "piece": music.PIECES}
SAMPLES = 160_000
HELD_SHARE, LAUGHTER_SHARE = 0.35, 0.15
VOWEL_S, VOWEL_HZ = 5.0, (80.0, 700.0)
FORMANTS_HZ = ((280.0, 900.0), (700.0, 2_400.0), (2_000.0, 3_200.0), (3_000.0, 4_200.0))
BREATH_TAKE_S, BREATH_S, BREATH_BELOW_DB = 6.0, (0.3, 1.6), (0.0, 25.0)
HELD_TAKE_S, REST_S = 6.0, (0.05, 0.6)
QUIETEST_PIECE_DB = 25.0
PAUSE_S = (0.4, 2.5)
HELD_S = (1.0, 4.0)
HELD_HZ = ((150.0, 600.0), (600.0, HIGHEST_HZ))
"""The lower and the higher half of the notes."""
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
    f0_hz = np.exp(generator.uniform(*np.log(HELD_HZ[generator.integers(len(HELD_HZ))]))) * 2.0 ** (cents / 1200.0)
    swell = np.interp(time, [0.0, time[-1]], generator.uniform(-1.0, 0.3, 2))[:, None]
    log_power = np.repeat(item["log_power"][row : row + 1].astype(np.float32), frames, axis=0) + swell.astype(np.float32)
    rough = np.full(frames, min(float(item["rough"][row]), 0.0))
    return scaled(world.synthesise(np.clip(f0_hz, 60.0, HIGHEST_HZ), log_power, rough, random_design(generator), world.RATE_HZ))


def part(paths: list[Path], generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Something said, sung, held or laughed, and by frame of 10 ms whether somebody is heard."""
    if generator.random() < LAUGHTER_SHARE:
        samples = laughter.uttered(generator)
        heard = np.repeat(laughter.labels_of(samples) == 1, 2)
        return samples[: len(heard) * 160], heard
    path = paths[generator.integers(len(paths))]
    with np.load(path) as item:
        if "rough" in item and (item["f0"] > 0).any() and generator.random() < HELD_SHARE:
            samples = held(item, generator)
            return samples, np.ones(len(samples) // 160, bool)
        key = "twin" if "twin" in item and generator.random() < 0.5 else "wave"
        samples, labels = items.read_wave(item[key]).astype(np.float64), item["labels"]
        frames = min(len(samples) // 160, len(labels))
        return scaled(samples[: frames * 160]), labels[:frames] != SILENCE


def take(paths: list[Path], pieces: list[np.ndarray], generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """[SAMPLES] and labels [SAMPLES / 320]."""
    sounds, speaks = [], []
    while sum(map(len, sounds)) < SAMPLES:
        samples, heard = part(paths, generator)
        pause = int(100 * generator.uniform(*PAUSE_S))
        sounds += [samples[: len(heard) * 160] * 10.0 ** (generator.uniform(-8.0, 0.0) / 20.0), np.zeros(pause * 160)]
        speaks += [heard, np.zeros(pause, bool)]
    samples, heard = np.concatenate(sounds)[:SAMPLES], np.concatenate(speaks)[: SAMPLES // 160]
    return behind(pieces, samples, generator), labels_of(heard)


def behind(pieces: list[np.ndarray], samples: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """With silence, a room, noise, music or other sounds behind, and sometimes by telephone."""
    kind = generator.choice(["silence", "room", "noise", "music", "music", "music", "music", "other"])
    if kind == "room":
        samples = worn.in_a_room(samples, generator)
    below = {"noise": (15.0, 45.0), "music": (3.0, 25.0), "other": (6.0, 30.0)}.get(kind)
    if below:
        sound = {
            "noise": lambda: bystanders.noise(len(samples), generator),
            "music": lambda: np.roll(pieces[generator.integers(len(pieces))], generator.integers(SAMPLES)),
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


def held_take(paths: list[Path], generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Note after note, and labels."""
    sounds, sings = [], []
    while sum(map(len, sounds)) < HELD_TAKE_S * world.RATE_HZ:
        with np.load(paths[generator.integers(len(paths))]) as item:
            if "rough" not in item or not (item["f0"] > 0).any():
                continue
            note = held(item, generator)
        note = note[: len(note) // 160 * 160]
        rest = int(100 * generator.uniform(*REST_S))
        sounds += [note, np.zeros(rest * 160)]
        sings += [np.ones(len(note) // 160, bool), np.zeros(rest, bool)]
    samples = np.concatenate(sounds)
    if generator.random() < 0.3:
        samples = worn.in_a_room(samples, generator)
    if generator.random() < 0.3:
        samples = worn.coloured(samples, generator)
    return samples, labels_of(np.concatenate(sings))


def vowels(generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Harmonics under formants, vowel after vowel at a pitch that wanders, and labels."""
    count = round(VOWEL_S * world.RATE_HZ)
    time = np.arange(count) / world.RATE_HZ
    octaves = generator.uniform(0.0, 0.4) * np.sin(2.0 * np.pi * generator.uniform(0.3, 3.0) * time + generator.uniform(0.0, 6.0))
    octaves += generator.uniform(0.0, 0.04) * np.sin(2.0 * np.pi * generator.uniform(4.5, 7.0) * time)
    f0_hz = np.exp(generator.uniform(*np.log(VOWEL_HZ))) * 2.0**octaves
    phase = 2.0 * np.pi * np.cumsum(f0_hz) / world.RATE_HZ
    length = int(generator.choice([count, count, 24_000, 9_600]))
    samples = np.zeros(count)
    for start in range(0, count, length):
        part = slice(start, start + length)
        formants = [(np.exp(generator.uniform(*np.log(bounds))), generator.uniform(50.0, 160.0)) for bounds in FORMANTS_HZ]
        fall = generator.uniform(0.6, 1.6)
        for number in range(1, int(7_500.0 / f0_hz[part].max()) + 1):
            hz = number * f0_hz[part]
            gain = sum(1.0 / (1.0 + ((hz - centre) / width) ** 2) / place for place, (centre, width) in enumerate(formants, 1))
            samples[part] += gain * number**-fall * np.sin(number * phase[part])
        samples[part] *= 10.0 ** (generator.uniform(-14.0, 0.0) / 20.0)
    samples += generator.standard_normal(count) * 10.0 ** (generator.uniform(-70.0, -35.0) / 20.0) * worn.rms(samples)
    rest = int(100 * generator.uniform(*REST_S))
    silence = np.zeros(rest * 160)
    heard = np.concatenate([np.zeros(rest, bool), np.ones(count // 160, bool), np.zeros(rest, bool)])
    return scaled(np.concatenate([silence, samples, silence])), labels_of(heard)


def breath(generator: np.random.Generator) -> np.ndarray:
    """Noise in the band of a throat that swells and ebbs, at the reference level."""
    count = int(generator.uniform(*BREATH_S) * 100) * 160
    low_hz, high_hz = generator.uniform(150.0, 800.0), generator.uniform(2_500.0, 7_000.0)
    noise = signal.sosfilt(
        signal.butter(int(generator.integers(1, 4)), (low_hz, high_hz), "bandpass", fs=world.RATE_HZ, output="sos"),
        generator.standard_normal(count),
    )
    place = np.arange(count) / count
    swell = np.sin(np.pi * place ** generator.uniform(0.5, 1.8)) ** generator.uniform(0.7, 2.5)
    return scaled(noise * swell)


def breath_take(paths: list[Path], generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Breath after breath, in half of the takes with something said behind some of them, and labels."""
    says = generator.random() < 0.5
    sounds, heard = [], []
    while sum(map(len, sounds)) < BREATH_TAKE_S * world.RATE_HZ:
        one = breath(generator)
        sounds.append(one * 10.0 ** (-generator.uniform(*BREATH_BELOW_DB if says else (0.0, 10.0)) / 20.0))
        heard.append(np.repeat(laughter.labels_of(one), 2))
        if says and generator.random() < 0.5:
            samples, speaks = part(paths, generator)
            sounds.append(samples)
            heard.append(speaks.astype(np.int8))
        rest = int(100 * generator.uniform(*REST_S))
        sounds.append(np.zeros(rest * 160))
        heard.append(np.zeros(rest, np.int8))
    labels = np.concatenate(heard)
    pairs = labels[: len(labels) // 2 * 2].reshape(-1, 2)
    return scaled(np.concatenate(sounds)), np.where(pairs[:, 0] == pairs[:, 1], pairs[:, 0], -1).astype(np.int8)


def sound(kind: str, number: int, paths: list[Path], pieces: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """One of `COUNTS`, as it is heard, and labels."""
    generator = np.random.default_rng(seed_of(f"{kind}-{number:03d}"))
    if kind == "take":
        samples, labels = take(paths, pieces[: -music.TEST_PIECES], generator)
        return scaled(samples), labels
    if kind == "held":
        return held_take(paths, generator)
    if kind == "breath":
        return breath_take(paths, generator)
    if kind == "vowel":
        return vowels(generator)
    if kind == "laugh":
        samples = laughter.uttered(generator)
        return samples, laughter.labels_of(samples)
    piece = pieces[number] * 10.0 ** (-generator.uniform(0.0, QUIETEST_PIECE_DB) / 20.0)
    return piece, np.zeros(len(piece) // 320, np.int8)


def main(work: Path) -> None:
    """Makes what is missing."""
    torch.set_num_threads(1)
    encoder, paths = load_encoder(work), items.paths(work, "train-s") + items.paths(work, "train-parallel-kal-")
    pieces = music.read(work)
    for kind, count in COUNTS.items():
        for number in range(count):
            file = work / "whisper" / f"{kind}-{number:03d}.npy"
            if not file.exists():
                samples, labels = sound(kind, number, paths, pieces)
                keep(file.with_suffix(".labels.npy"), labels)
                keep(file, hear(encoder, samples[: len(samples) // 320 * 320]))
        print(f"{kind}: {count} heard", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
