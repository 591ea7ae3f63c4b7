"""Trains the projection: from what Whisper hears, the content that the decoders know.

    python -m voices.train_projection WORK --seconds 600

Teacher is the small encoder of `train_content`, which hears the programs' speech rightly, and nothing else. Its content of an
utterance is wanted of Whisper's features of that utterance, of the same worn by rooms and telephones, and of its twin; besides,
phones are to be named. Seconds are processor time of this process.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from . import clock, items, training_frames
from .phones import SILENCE, UNKNOWN
from .projection import Projection
from .whisper_features import VARIANTS

BATCH, FRAMES = 24, 64
LEARNING_RATE = 1.5e-3
NAMED_WEIGHT, SPOKEN_WEIGHT = 0.05, 0.05
DROPPED = 0.1
"""Of the features' channels, for a whole stretch."""
FEATURE_NOISE = 0.15
SEED = 31


@dataclass
class Heard:
    """One utterance."""

    name: str
    variants: list[np.ndarray]
    """f16 [T, stages, 512] each."""
    wanted: np.ndarray
    """f16 [T, 64]."""
    labels: np.ndarray
    """[T]."""


def read(work: Path, prefix: str, teacher) -> list[Heard]:
    """All utterances of which the features are there."""
    result = []
    for path in items.paths(work, prefix):
        files = [work / "whisper" / f"{path.stem}.{variant}.npy" for variant in VARIANTS]
        variants = [np.load(file) for file in files if file.exists()]
        if not variants:
            continue
        with np.load(path) as item:
            frames = len(item["labels"]) // 2 * 2
            labels = item["labels"][1:frames:2].astype(np.int64)
            wanted = training_frames.hear(teacher, items.read_wave(item["wave"][: frames * 160]))[::2, :64]
        result.append(Heard(path.stem, variants, wanted.astype(np.float16), labels))
    return result


def read_nothing(work: Path, teacher) -> list[Heard]:
    """Sounds that are no voice, where the content of silence is wanted."""
    silence = training_frames.hear(teacher, np.zeros(16_000))[50, :64].astype(np.float16)
    result = []
    for file in sorted((work / "whisper").glob("nothing-*.npy")):
        features = np.load(file)
        wanted = np.broadcast_to(silence, (len(features), 64))
        result.append(Heard(file.stem, [features], wanted, np.full(len(features), SILENCE)))
    return result


def speaks(labels: torch.Tensor) -> torch.Tensor:
    """1 where somebody does."""
    return (labels != SILENCE).float()


def batch(data: list[Heard], weights: list[int]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Features [BATCH, FRAMES, stages, 512], content [BATCH, FRAMES, 64], labels [BATCH, FRAMES]."""
    features, wanted, labels = [], [], []
    for item in random.choices(data, weights, k=BATCH):
        start = random.randint(0, len(item.labels) - FRAMES)
        piece = slice(start, start + FRAMES)
        features.append(random.choice(item.variants)[piece])
        wanted.append(item.wanted[piece])
        labels.append(item.labels[piece])
    return (
        torch.from_numpy(np.stack(features).astype(np.float32)),
        torch.from_numpy(np.stack(wanted).astype(np.float32)),
        torch.from_numpy(np.stack(labels)),
    )


def disturbed(features: torch.Tensor) -> torch.Tensor:
    """With some channels dropped and noise: what is special to the programs is spread thinly over many channels."""
    kept = (torch.rand(features.shape[0], 1, *features.shape[2:]) > DROPPED) / (1.0 - DROPPED)
    return features * kept + FEATURE_NOISE * torch.randn_like(features)


def figures(network: Projection, tests: dict[str, list[Heard]]) -> dict[str, tuple[float, float]]:
    """By kind: share of the sounding frames whose phone is named rightly, and mean square distance from the teacher."""
    trains = network.training
    network.eval()
    result = {}
    for kind, data in tests.items():
        right = total = 0
        apart = []
        with torch.no_grad():
            for item in data:
                content, logits, _ = network(torch.from_numpy(item.variants[0].astype(np.float32))[None])
                counts = (item.labels != SILENCE) & (item.labels != UNKNOWN)
                named = logits[0].argmax(1).numpy()
                right += int(((named == item.labels) & counts).sum())
                total += int(counts.sum())
                apart.append(np.mean((content[0].numpy() - item.wanted) ** 2))
        result[kind] = round(right / max(total, 1), 3), round(float(np.mean(apart)), 4)
    network.train(trains)
    return result


def named_figures(network: Projection, tests: dict[str, list[Heard]]) -> dict[str, dict[str, float]]:
    """`figures` with their names."""
    return {kind: {"named": named, "apart": apart} for kind, (named, apart) in figures(network, tests).items()}


def read_tests(work: Path, teacher) -> dict[str, list[Heard]]:
    """What is not learned from, by kind."""
    kinds = ("spoken-slt-", "spoken-kal16", "spoken-ked", "spoken-slt_hts", "spoken-en-us", "sung-ked")
    return {kind.strip("-"): read(work, f"test-{kind}", teacher) for kind in kinds}


def main() -> None:
    """Trains and stores WORK/projection.pt and its figures."""
    options = clock.parser(__doc__, 600.0).parse_args()
    clock.seed(SEED)
    teacher = training_frames.load_teacher(options.work)
    data = [item for item in read(options.work, "train-", teacher) if len(item.labels) >= FRAMES]
    data += read_nothing(options.work, teacher)
    weights = [len(item.labels) for item in data]
    tests = read_tests(options.work, teacher)
    print(f"{len(data)} items, {sum(weights) / 3000:.0f} minutes", flush=True)
    network = Projection()
    optimiser = torch.optim.AdamW(network.parameters(), LEARNING_RATE, weight_decay=3e-2)
    timer, step, recent = clock.Clock(options), 0, []
    while (progress := timer.progress()) < 1.0:
        for group in optimiser.param_groups:
            group["lr"] = LEARNING_RATE * min(1.0, step / 100) * max(0.01, 1.0 - progress)
        features, wanted, labels = batch(data, weights)
        content, logits, voice = network(disturbed(features))
        apart = (content - wanted).pow(2).mean()
        named = functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=UNKNOWN)
        spoken = functional.binary_cross_entropy_with_logits(voice, speaks(labels))
        loss = apart + NAMED_WEIGHT * named + SPOKEN_WEIGHT * spoken
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        recent = [*recent[-199:], (apart.item(), named.item(), spoken.item())]
        step += 1
        if timer.is_due():
            print(f"{timer.spent():.0f} s, step {step}: {np.mean(recent, 0).round(4)} {figures(network, tests)}", flush=True)
            torch.save(network.state_dict(), options.work / "projection.pt")
    torch.save(network.state_dict(), options.work / "projection.pt")
    found = named_figures(network, tests)
    found |= {"steps": step, "cpu_s": round(timer.spent())}
    (options.work / "projection_training.json").write_text(json.dumps(found, indent=2) + "\n")
    print(found, flush=True)


if __name__ == "__main__":
    main()
