"""Trains the layers of the projection that say whether somebody is heard, and nothing else: the content stays as it is.

    python -m voices.train_gate WORK [--initial MODELS] --seconds 190

They learn from all that was heard of speech and singing, from music and noise alone, from laughter and held notes, and above all from takes with
long pauses (`takes`): of somebody who spoke before and will speak again, Whisper's attention leaves traces in a pause. The first group hears no
breaths and is surer about music, the second, which has the longer part of the time, hears them. Seconds are processor time of this process.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from . import clock, initial, items, music, projection
from .packages import CONTENT_ID
from .phones import SILENCE
from .takes import COUNTS, labels_of
from .whisper_features import VARIANTS

RATE = 1e-3
PARTS = ((0.42, frozenset({"breath"})), (1.0, frozenset()))
"""When each group ends, as a share of the time, and what it does not hear."""
BATCH, FRAMES = 32, 100
"""Stretches in a step, and their frames of 20 ms."""
SHARES = {"speech": 4.0, "take": 4.0, "held": 4.0, "laugh": 1.5, "vowel": 1.0, "breath": 0.6, "piece": 2.5, "nothing": 0.7}
"""How often a stretch is of each kind."""
MISSED = 3.0
"""How much a frame of somebody's counts, against one of nobody's: to silence a voice is worse than to let music through."""
TESTED = {"take": 20, "held": 20, "laugh": 20, "vowel": 10, "breath": 10, "piece": music.TEST_PIECES}
"""The last so many of a kind are not learned from."""
SEED = 41


@dataclass
class Heard:
    """Features [T, len(STAGES), 512] and by frame 1 where somebody is heard, 0 where nobody is, -1 where that is not sure."""

    features: np.ndarray
    labels: np.ndarray


def read_items(work: Path, prefix: str) -> list[Heard]:
    """What was heard of the items, in each way."""
    result = []
    for path in items.paths(work, prefix):
        with np.load(path) as item:
            labels = labels_of(item["labels"] != SILENCE)
        files = (work / "whisper" / f"{path.stem}.{variant}.npy" for variant in VARIANTS)
        result += [Heard(np.load(file), labels) for file in files if file.exists()]
    return result


def read_sounds(work: Path, kind: str, numbers: range) -> list[Heard]:
    """What `takes` made."""
    files = (work / "whisper" / f"{kind}-{number:03d}.npy" for number in numbers)
    return [Heard(np.load(file), np.load(file.with_suffix(".labels.npy"))) for file in files]


def read_nothing(work: Path) -> list[Heard]:
    """Sounds that are nobody's."""
    heard = [np.load(file) for file in sorted((work / "whisper").glob("nothing-*.npy"))]
    return [Heard(features, np.zeros(len(features), np.int8)) for features in heard]


def batch(data: dict[str, list[Heard]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Features [BATCH, C, FRAMES] and labels [BATCH, FRAMES]; what is shorter is not sure behind its end."""
    shares = np.array([SHARES[kind] for kind in data])
    features, labels = [], []
    for kind in np.random.choice(list(data), BATCH, p=shares / shares.sum()):
        one = data[kind][np.random.randint(len(data[kind]))]
        start = np.random.randint(max(1, len(one.labels) - FRAMES + 1))
        some = slice(start, start + FRAMES)
        missing = FRAMES - len(one.features[some])
        features.append(np.pad(one.features[some], ((0, missing), (0, 0), (0, 0))))
        labels.append(np.pad(one.labels[some], (0, FRAMES - len(one.labels[some])), constant_values=-1))
    heard = torch.from_numpy(np.stack(features).astype(np.float32))
    return heard.flatten(2).transpose(1, 2), torch.from_numpy(np.stack(labels))


def loss_of(layers: projection.VoiceLayers, drawn: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    """Of the sure frames."""
    features, labels = drawn
    weights = (labels >= 0).float() + (MISSED - 1.0) * (labels == 1).float()
    doubts = functional.binary_cross_entropy_with_logits(layers(features), (labels == 1).float(), reduction="none")
    return (doubts * weights).sum() / weights.sum()


def figures(network: projection.VoiceLayers, tests: dict[str, list[Heard]]) -> dict[str, dict[str, float]]:
    """By kind: the shares of the sure frames that are told rightly, by the chance from which the loudness is left as it is."""
    trains = network.training
    network.eval()
    result = {}
    for kind, data in tests.items():
        says, labels = [], np.concatenate([one.labels for one in data])
        for one in data:
            with torch.no_grad():
                logits = network(torch.from_numpy(one.features.astype(np.float32)).flatten(1).T[None])[0]
            says.append((torch.sigmoid(logits) >= projection.DOUBT).numpy()[: len(one.labels)])
        is_voice = np.concatenate(says)
        shares = {"voice": is_voice[labels == 1], "none": ~is_voice[labels == 0]}
        result[kind] = {name: round(float(right.mean()), 4) for name, right in shares.items() if len(right)}
    network.train(trains)
    return result


def main() -> None:
    """Trains, and stores WORK/projection.pt and the figures."""
    parser = clock.parser(__doc__, 190.0)
    parser.add_argument("--initial", type=Path, help="a folder of packages to take the rest of the projection from")
    options = parser.parse_args()
    clock.seed(SEED)
    network = projection.Projection()
    if options.initial:
        initial.load(network, initial.tensors(initial.newest(options.initial, CONTENT_ID) / "content.onnx"))
    else:
        network.load_state_dict(torch.load(options.work / "projection.pt"))
    tests = {kind: read_sounds(options.work, kind, range(COUNTS[kind] - count, COUNTS[kind])) for kind, count in TESTED.items()}
    tests |= {"speech": read_items(options.work, "test-spoken-"), "singing": read_items(options.work, "test-sung-")}
    data = {kind: read_sounds(options.work, kind, range(COUNTS[kind] - count)) for kind, count in TESTED.items()}
    data |= {"speech": read_items(options.work, "train-"), "nothing": read_nothing(options.work)}
    minutes = sum(len(one.labels) for kind in data.values() for one in kind) / 3_000.0
    print(f"{minutes:.0f} minutes", flush=True)
    timer, steps, began, parts = clock.Clock(options), 0, 0.0, []
    for ends, unheard in PARTS:
        layers = projection.VoiceLayers(1)
        some = {kind: heard for kind, heard in data.items() if kind not in unheard}
        optimiser = torch.optim.AdamW(layers.parameters(), RATE, weight_decay=1e-3)
        while (progress := (timer.progress() - began) / (ends - began)) < 1.0:
            optimiser.param_groups[0]["lr"] = RATE * max(0.02, 1.0 - progress)
            loss = loss_of(layers, batch(some))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            steps += 1
            if timer.is_due(30.0):
                print(f"{timer.spent():.0f} s, step {steps}: {loss.item():.4f} {figures(layers, tests)}", flush=True)
        parts.append(layers)
        began = ends
    network.voice = projection.VoiceLayers.joined(parts)
    torch.save(network.state_dict(), options.work / "projection.pt")
    found = figures(network.voice, tests) | {"minutes": round(minutes), "steps": steps, "cpu_s": round(timer.spent())}
    (options.work / "gate_training.json").write_text(json.dumps(found, indent=2) + "\n")
    print(found, flush=True)


if __name__ == "__main__":
    main()
