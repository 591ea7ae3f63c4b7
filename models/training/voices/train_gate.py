"""Trains the layer of the projection that says whether somebody speaks or sings, and nothing else: the content stays as it is.

    python -m voices.train_gate WORK [--initial MODELS] --seconds 60

It learns from all that was heard of speech and singing, from music and noise alone, and above all from takes with long pauses (`takes`):
of somebody who spoke before and will speak again, Whisper's attention leaves traces in a pause. What is before the layer, and so every
vector of content, does not change. Seconds are processor time of this process.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from . import clock, initial, items, projection
from .packages import CONTENT_ID
from .phones import SILENCE
from .whisper_features import VARIANTS

RATE, STEPS_IN_A_ROUND = 3e-3, 50
BATCH = 4_096
MUSIC_WEIGHT = 3.0
"""How much a frame of music or noise alone counts, against one of a pause in speech."""
TAKE_WEIGHT = 5.0
"""The same of a take."""
TEST_TAKES = 20
MARGIN = 2
"""Frames of 20 ms beside a change between voice and none, which do not count: labels are not that exact."""
SEED = 41


def hidden_of(network: projection.Projection, features: np.ndarray) -> torch.Tensor:
    """[T, width]: what the layer is told."""
    with torch.no_grad():
        hidden = network.inward(torch.from_numpy(features.astype(np.float32))[None].flatten(2).transpose(1, 2))
        for block in network.blocks:
            hidden = block(hidden)
    return hidden[0].T


def spoken(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By frame of 20 ms: whether somebody speaks, and whether that is sure."""
    speaks = labels != SILENCE
    sure = np.ones(len(speaks), bool)
    for place in np.flatnonzero(np.diff(speaks.astype(int))):
        sure[max(0, place - MARGIN + 1) : place + MARGIN + 1] = False
    return speaks, sure


def read(work: Path, prefix: str, network: projection.Projection) -> list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Hidden, whether somebody speaks, and weight, of everything that was heard of the items."""
    result = []
    for path in items.paths(work, prefix):
        with np.load(path) as item:
            frames = len(item["labels"]) // 2 * 2
            speaks, sure = spoken(item["labels"][1:frames:2])
        for variant in VARIANTS:
            file = work / "whisper" / f"{path.stem}.{variant}.npy"
            if file.exists():
                hidden = hidden_of(network, np.load(file))
                result.append((hidden, torch.from_numpy(speaks).float(), torch.from_numpy(sure).float()))
    return result


def read_nothing(work: Path, network: projection.Projection, pattern: str) -> list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """The same of sounds that are nobody's."""
    result = []
    for file in sorted((work / "whisper").glob(pattern)):
        hidden = hidden_of(network, np.load(file))
        result.append((hidden, torch.zeros(len(hidden)), torch.full((len(hidden),), MUSIC_WEIGHT)))
    return result


def read_takes(work: Path, network: projection.Projection, of: slice) -> list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """The same of takes."""
    result = []
    for file in sorted((work / "whisper").glob("take-*[0-9].npy"))[of]:
        labels = np.load(file.with_suffix(".labels.npy"))
        hidden = hidden_of(network, np.load(file))
        weight = torch.from_numpy((labels >= 0).astype(np.float32)) * TAKE_WEIGHT
        result.append((hidden, torch.from_numpy((labels == 1).astype(np.float32)), weight))
    return result


def figures(network: projection.Projection, data: list) -> dict[str, float]:
    """Share of the sure frames that are told rightly at the chance from which the loudness is left as it is."""
    found = [torch.cat(column) for column in zip(*data, strict=True)]
    with torch.no_grad():
        says = torch.sigmoid(network.voice(found[0].T[None])[0, 0]) >= projection.DOUBT
    sure = found[2] > 0
    shares = {}
    for name, wanted in (("voice", 1.0), ("none", 0.0)):
        counts = sure & (found[1] == wanted)
        if counts.any():
            shares[name] = round(float((says[counts] == (wanted > 0.5)).float().mean()), 4)
    return shares


def main() -> None:
    """Trains, and stores WORK/projection.pt and the figures."""
    parser = clock.parser(__doc__, 60.0)
    parser.add_argument("--initial", type=Path, help="a folder of packages to take the rest of the projection from")
    options = parser.parse_args()
    clock.seed(SEED)
    network = projection.Projection().eval()
    if options.initial:
        initial.load(network, initial.tensors(initial.newest(options.initial, CONTENT_ID) / "content.onnx"))
    else:
        network.load_state_dict(torch.load(options.work / "projection.pt"))
    tests = {
        "speech": read(options.work, "test-spoken-", network),
        "singing": read(options.work, "test-sung-", network),
        "takes": read_takes(options.work, network, slice(0, TEST_TAKES)),
        "music": read_nothing(options.work, network, "nothing-backing-*[05].npy"),
    }
    print("at first:", {name: figures(network, data) for name, data in tests.items()}, flush=True)
    data = read(options.work, "train-", network) + read_nothing(options.work, network, "nothing-[0-9]*.npy")
    data += read_nothing(options.work, network, "nothing-backing-*[1-46-9].npy")
    data += read_takes(options.work, network, slice(TEST_TAKES, None))
    hidden, speaks, weight = (torch.cat(column) for column in zip(*data, strict=True))
    print(f"{len(hidden)} frames", flush=True)
    optimiser = torch.optim.Adam(network.voice.parameters(), RATE)
    timer = clock.Clock(options)
    while (progress := timer.progress()) < 1.0:
        optimiser.param_groups[0]["lr"] = RATE * max(0.02, 1.0 - progress)
        for _ in range(STEPS_IN_A_ROUND):
            rows = torch.randint(len(hidden), (BATCH,))
            logits = network.voice(hidden[rows].T[None])[0, 0]
            loss = functional.binary_cross_entropy_with_logits(logits, speaks[rows], weight[rows])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        if timer.is_due(10.0):
            print(f"{timer.spent():.0f} s: {loss.item():.4f} {({name: figures(network, some) for name, some in tests.items()})}", flush=True)
    torch.save(network.state_dict(), options.work / "projection.pt")
    found = {name: figures(network, some) for name, some in tests.items()} | {"frames": len(hidden), "cpu_s": round(timer.spent())}
    (options.work / "gate_training.json").write_text(json.dumps(found, indent=2) + "\n")
    print(found, flush=True)


if __name__ == "__main__":
    main()
