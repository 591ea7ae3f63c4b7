"""Trains the content encoder: name the phone of each frame, and hear the same in an utterance and its twin.

    python -m voices.train_content WORK --seconds 1000

Everything is augmented as log mel spectra: formant warps, equalisation, noise, smeared time, blanked times and bands.
Seconds are processor time of this process.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

import precision

from . import clock, initial, items
from .networks import ContentNetwork
from .phones import PHONES, SILENCE, UNKNOWN
from .spectra import CONTENT_FLOOR, CONTENT_MELS

BATCH = 10
"""Utterances per step; each is heard twice."""
FRAMES = 160
LEARNING_RATE = 2e-3
CONSISTENCY_WEIGHT = 1.0
LABEL_SMOOTHING = 0.05
SEED = 11


def warp(log_mel: torch.Tensor, factor: float) -> torch.Tensor:
    """Formants moved along the mel axis, about its low end: [T, 64]."""
    source = (torch.arange(CONTENT_MELS) * factor).clamp(0, CONTENT_MELS - 1.001)
    low = source.long()
    share = source - low
    return log_mel[:, low] * (1 - share) + log_mel[:, low + 1] * share


def augment(log_mel: torch.Tensor) -> torch.Tensor:
    """[T, 64] as another microphone, room and body might have it."""
    if random.random() < 0.6:
        log_mel = warp(log_mel, random.uniform(0.86, 1.16))
    curve = torch.randn(1, 1, 6) * 0.6
    log_mel = log_mel + functional.interpolate(curve, CONTENT_MELS, mode="linear", align_corners=True)[0]
    if random.random() < 0.25:
        decay = random.uniform(0.3, 0.75)
        weights = decay ** torch.arange(12.0) * random.uniform(0.1, 0.5)
        weights[0] = 1.0
        power = torch.exp(log_mel).T[:, None]
        power = functional.conv1d(functional.pad(power, (11, 0)), weights.flip(0)[None, None])
        log_mel = torch.log(power[:, 0].T)
    if random.random() < 0.7:
        tilt = torch.linspace(0.0, random.uniform(-3.0, 1.0), CONTENT_MELS)
        grain = torch.log(torch.rand_like(log_mel) * 0.8 + 0.6)
        log_mel = torch.logaddexp(log_mel, random.uniform(-11.0, -2.5) + tilt + grain)
    log_mel = torch.logaddexp(log_mel + random.uniform(-1.0, 1.0), torch.tensor(np.log(CONTENT_FLOOR)))
    if random.random() < 0.35:
        start, length = random.randrange(FRAMES - 14), random.randint(3, 14)
        log_mel[start : start + length] = log_mel.mean()
    if random.random() < 0.35:
        band, width = random.randrange(CONTENT_MELS - 8), random.randint(2, 8)
        log_mel[:, band : band + width] = log_mel.mean()
    return log_mel


def batch(data: list[items.Labelled], weights: list[float], count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """[2 * count, FRAMES, 64]: as uttered, then twins; labels [count, FRAMES / 2]."""
    heard, twins, labels = [], [], []
    for item in random.choices(data, weights, k=count):
        start = random.randint(0, (len(item.log_mel) - FRAMES) // 2) * 2
        heard.append(augment(item.log_mel[start : start + FRAMES].float()))
        twin = item.twin_log_mel if item.twin_log_mel is not None else item.log_mel
        twins.append(augment(twin[start : start + FRAMES].float()))
        labels.append(item.labels[start // 2 : (start + FRAMES) // 2])
    return torch.stack(heard + twins), torch.stack(labels)


def accuracy(network: ContentNetwork, data: list[items.Labelled]) -> float:
    """Share of the frames that sound whose phone is named rightly."""
    right = total = 0
    training = network.training
    network.eval()
    with torch.no_grad():
        for item in data:
            named = network(item.log_mel.float()[None])[1][0].argmax(1)
            counts = (item.labels != SILENCE) & (item.labels != UNKNOWN)
            right += int(((named == item.labels) & counts).sum())
            total += int(counts.sum())
    network.train(training)
    return right / max(total, 1)


def read(work: Path) -> tuple[list[items.Labelled], list[float]]:
    """What is learned from, and how often to take each."""
    data = [items.labelled(path) for path in items.paths(work, "train-")]
    data = [item for item in data if len(item.log_mel) >= FRAMES]
    weights = [len(item.log_mel) * (1.5 if "formant" in item.name or "parallel" in item.name else 1.0) for item in data]
    print(f"{len(data)} items, {sum(len(item.log_mel) for item in data) / 6000:.0f} minutes", flush=True)
    return data, weights


def read_tests(work: Path) -> dict[str, list[items.Labelled]]:
    """What is not learned from, by kind."""
    kinds = ("spoken-slt-", "spoken-kal16", "spoken-ked", "spoken-slt_hts", "spoken-en-us", "sung-ked")
    return {kind.strip("-"): [items.labelled(path) for path in items.paths(work, f"test-{kind}")] for kind in kinds}


def accuracies(network: ContentNetwork, tests: dict[str, list[items.Labelled]]) -> dict[str, float]:
    """`accuracy` of each kind."""
    return {kind: round(accuracy(network, test), 3) for kind, test in tests.items()}


def losses(network: ContentNetwork, log_mel: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Of a `batch`: how wrongly phones are named (cross entropy), and how far twins are apart (mean square)."""
    with precision.autocast():
        content, logits = network(log_mel)
    content, logits = content.float(), logits.float()
    named = functional.cross_entropy(
        logits.reshape(-1, len(PHONES)),
        labels.repeat(2, 1).reshape(-1),
        ignore_index=UNKNOWN,
        label_smoothing=LABEL_SMOOTHING,
    )
    one, other = content.chunk(2)
    return named, (one - other).pow(2).mean()


def main() -> None:
    """Trains, and stores weights and figures in WORK."""
    parser = clock.parser(__doc__, 1000.0)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--initial", type=Path, help="content.onnx of a package to start from")
    options = parser.parse_args()
    clock.seed(SEED)
    data, weights = read(options.work)
    tests = read_tests(options.work)
    network = ContentNetwork()
    weights_file = options.work / "content.pt"
    if options.resume:
        network.load_state_dict(torch.load(weights_file))
    if options.initial:
        left = initial.load(network, initial.tensors(options.initial))
        print("fresh:", left, flush=True)
    optimiser = torch.optim.AdamW(network.parameters(), LEARNING_RATE, weight_decay=1e-2)
    timer, step, recent = clock.Clock(options), 0, []
    while (progress := timer.progress()) < 1.0:
        for group in optimiser.param_groups:
            group["lr"] = LEARNING_RATE * min(1.0, step / 100) * max(0.01, 1.0 - progress)
        named, apart = losses(network, *batch(data, weights, BATCH))
        loss = named + CONSISTENCY_WEIGHT * apart
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        recent = [*recent[-199:], (named.item(), apart.item())]
        step += 1
        if timer.is_due():
            scores = accuracies(network, tests)
            print(f"{timer.spent():.0f} s, step {step}: {np.mean(recent, axis=0).round(4)} {scores}", flush=True)
            torch.save(network.state_dict(), weights_file)
    torch.save(network.state_dict(), weights_file)
    figures = accuracies(network, tests)
    figures |= {"steps": step, "cpu_s": round(timer.spent()), "apart_mse": float(np.mean(recent, 0)[1])}
    (options.work / "content_training.json").write_text(json.dumps(figures, indent=2) + "\n")
    print(figures, flush=True)


if __name__ == "__main__":
    main()
