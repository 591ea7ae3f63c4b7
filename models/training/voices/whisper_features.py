"""What Whisper hears in everything that was generated, kept in WORK/whisper.

    python -m voices.whisper_features WORK [PREFIX ...]

One file per item and way of hearing it: `NAME.wave.npy` as it is, `NAME.worn.npy` as a microphone, a room or a telephone leaves it,
`NAME.twin.npy` the twin, worn too: f16 [T, len(STAGES), 512] at 50 Hz. `nothing-NUMBER.npy` are sounds that are no voice. What lies there
already is left.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch

from . import bystanders, items, projection, whisper, worn
from .generate import seed_of

VARIANTS = ("wave", "worn", "twin")
NOTHINGS, NOTHING_SAMPLES = 80, 320 * 250


def load_encoder(work: Path) -> whisper.WhisperEncoder:
    """As far as its last layer is needed, with the weights in WORK/whisper.npz."""
    with np.load(work / "whisper.npz") as variables:
        return whisper.WhisperEncoder.from_variables(dict(variables), max(projection.STAGES) + 1)


def samples_of(item, variant: str, name: str) -> np.ndarray | None:
    """[N] of a way of hearing an item, N a multiple of 320; none where it has no twin."""
    key = "twin" if variant == "twin" else "wave"
    if key not in item:
        return None
    frames = len(item["labels"]) // 2 * 2
    samples = items.read_wave(item[key][: frames * 160])
    if variant == "wave":
        return samples
    generator = np.random.default_rng(seed_of(f"{name}.{variant}"))
    return worn.worn(samples.astype(np.float64), generator).astype(np.float32)


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
    for prefix in prefixes or ["train-", "test-"]:
        for path in items.paths(work, prefix):
            for variant in VARIANTS if path.stem.startswith("train-") else ("wave",):
                file = folder / f"{path.stem}.{variant}.npy"
                if file.exists():
                    continue
                with np.load(path) as item:
                    samples = samples_of(item, variant, path.stem)
                if samples is not None:
                    keep(file, hear(encoder, samples))
        print(f"{prefix} heard", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
