"""What Whisper hears in everything that was generated, kept in WORK/whisper.

    python -m voices.whisper_features WORK [PREFIX ...]

One file per item and way of hearing it: `NAME.wave.npy` as it is, `NAME.worn.npy` as a microphone, a room or a telephone leaves it,
`NAME.twin.npy` the twin, worn too, `NAME.backed.npy` what is spoken with music behind it, `NAME.high.npy` what is sung as another body sings it
at the top of what voices reach: f16 [T, len(STAGES), 512] at 50 Hz.
`nothing-NUMBER.npy` are sounds that are no voice, `nothing-backing-NUMBER.npy` the music. What lies there already is left.
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path

import numpy as np
import torch

from . import bystanders, items, projection, whisper, world, worn
from .generate import random_design, scaled, seed_of
from .instruments import BACKINGS

VARIANTS = ("wave", "worn", "twin", "backed", "high")
ONLY = {"backed": "train-spoken-", "high": "train-sung-"}
"""Ways in which only some items are heard: how their names begin."""
HIGH_HZ, HIGHEST_HZ = (450.0, 1_150.0), 1_450.0
"""Where the median pitch of what is sung high lies, and no pitch above."""
BACKING_BELOW_DB = (3.0, 20.0)
NOTHINGS, NOTHING_SAMPLES = 80, 320 * 250


def load_encoder(work: Path) -> whisper.WhisperEncoder:
    """As far as its last layer is needed, with the weights in WORK/whisper.npz."""
    with np.load(work / "whisper.npz") as variables:
        return whisper.WhisperEncoder.from_variables(dict(variables), max(projection.STAGES) + 1)


@functools.lru_cache(maxsize=1)
def backings(work: Path) -> list[np.ndarray]:
    """The music that `instruments` made, but for what the pitch network is measured with, at 16 kHz."""
    return [items.read_wave(np.load(path)["wave"]) for path in sorted((work / "music").glob("backing-*.npz"))[:BACKINGS]]


def samples_of(work: Path, item, variant: str, name: str) -> np.ndarray | None:
    """[N] of a way of hearing an item, N a multiple of 320; none where it is not heard so."""
    if not name.startswith(ONLY.get(variant, "")):
        return None
    key = "twin" if variant == "twin" else "wave"
    if key not in item:
        return None
    frames = len(item["labels"]) // 2 * 2
    samples = items.read_wave(item[key][: frames * 160])
    if variant == "wave":
        return samples
    generator = np.random.default_rng(seed_of(f"{name}.{variant}"))
    if variant == "high":
        return sung_high(item, generator)[: frames * 160].astype(np.float32)
    if variant == "backed":
        music = backings(work)[generator.integers(len(backings(work)))]
        music = np.roll(music, generator.integers(len(music)))[: len(samples)]
        level = worn.rms(samples) * 10.0 ** (-generator.uniform(*BACKING_BELOW_DB) / 20.0)
        return samples + (level / max(worn.rms(music), 1e-9) * np.resize(music, len(samples))).astype(np.float32)
    return worn.worn(samples.astype(np.float64), generator).astype(np.float32)


def sung_high(item, generator: np.random.Generator) -> np.ndarray:
    """What is sung, by another body and high, at the reference level."""
    f0_hz = item["f0"]
    voiced = f0_hz > 0
    moved = f0_hz * (np.exp(generator.uniform(*np.log(HIGH_HZ))) / np.median(f0_hz[voiced])) if voiced.any() else f0_hz
    moved = np.where(voiced, np.clip(moved, 60.0, HIGHEST_HZ), 0.0)
    log_power, rough = item["log_power"].astype(np.float32), np.minimum(item["rough"].astype(np.float64), 0.0)
    return scaled(world.synthesise(moved, log_power, rough, random_design(generator), world.RATE_HZ))


def hear(encoder: whisper.WhisperEncoder, samples: np.ndarray) -> np.ndarray:
    """[N] to f16 [N / 320, len(STAGES), 512]."""
    with torch.inference_mode():
        mel = whisper.scaled_log_mel(torch.from_numpy(np.asarray(samples, np.float32))[None])
        return projection.normalised(encoder.stages(mel))[0].numpy().astype(np.float16)


def keep(file: Path, features: np.ndarray) -> None:
    """Written beside first, so that a file under its name is always whole."""
    partial = file.with_name(f".{file.name}")
    with partial.open("wb") as stream:
        np.save(stream, features)
    partial.rename(file)


def keep_archive(file: Path, **arrays: np.ndarray) -> None:
    """`keep` for several arrays."""
    partial = file.with_name(f".{file.name}")
    with partial.open("wb") as stream:
        np.savez(stream, **arrays)
    partial.rename(file)


def main(work: Path, prefixes: list[str]) -> None:
    """Hears what has not been heard yet."""
    torch.set_num_threads(1)
    encoder = load_encoder(work)
    folder = work / "whisper"
    folder.mkdir(exist_ok=True)
    for number in range(NOTHINGS):
        file = folder / f"nothing-{number:03d}.npy"
        if not file.exists():
            generator = np.random.default_rng(seed_of(file.stem))
            level = 0.06 * 10.0 ** (-generator.uniform(0.0, 40.0) / 20.0)
            keep(file, hear(encoder, level * bystanders.any_kind(NOTHING_SAMPLES, generator)))
    for number, music in enumerate(backings(work)):
        file = folder / f"nothing-backing-{number:03d}.npy"
        if not file.exists():
            piece = music[: len(music) // 320 * 320]
            keep(file, hear(encoder, 0.06 / max(worn.rms(piece), 1e-9) * piece))
    for prefix in prefixes or ["train-", "test-"]:
        for path in items.paths(work, prefix):
            for variant in VARIANTS if path.stem.startswith("train-") else ("wave",):
                file = folder / f"{path.stem}.{variant}.npy"
                if file.exists():
                    continue
                with np.load(path) as item:
                    samples = samples_of(work, item, variant, path.stem)
                if samples is not None:
                    keep(file, hear(encoder, samples))
        print(f"{prefix} heard", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
