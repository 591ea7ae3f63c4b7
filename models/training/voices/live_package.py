"""Builds the package of the live encoder, and publishes it.

    python -m voices.live_package WORK MODELS

Nothing is written to MODELS, and the exit code is 1, when the graph says other than the network, or the network is too far from the encoder
that it learned from.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import torch

from . import export, publish, train_live

import manifest  # noqa: E402  isort: skip

LIVE_ID = "vocalhost.content-live-1"
MOST_APART = 0.03
"""Mean square distance with a look-ahead of 80 ms, beyond which nothing is published."""
MOST_ROUNDED = 3e-4
"""The same between the network and its graph, whose matrices are stored as bytes."""


def rounded(network, graph: Path, pieces: list[dict]) -> float:
    """Mean square distance of the graph's content from the network's."""
    session = onnxruntime.InferenceSession(graph)
    samples = 320 * train_live.FRAMES
    found = []
    for piece in pieces:
        wave = piece["samples"][-samples:].astype(np.float32) / 32_768.0
        with torch.inference_mode():
            wanted = network(torch.from_numpy(wave)[None, None])[0].numpy()
        said = session.run(None, {"source": wave[None, None]})[0][0]
        found.append(np.mean((said - wanted)[train_live.FIRST :] ** 2))
    return float(np.mean(found))


def main(work: Path, models: Path) -> int:
    """The exit code."""
    figures = json.loads((work / "live_training.json").read_text())
    network = train_live.student(models)
    network.load_state_dict(torch.load(work / "live.pt"))
    network.eval()
    folder = work / "packages" / LIVE_ID
    folder.mkdir(parents=True, exist_ok=True)
    export.live_graph(network, train_live.FRAMES, folder / "content.onnx")
    figures["rounded"] = rounded(network, folder / "content.onnx", train_live.read(work)[: train_live.TEST_PIECES])
    if figures["rounded"] > MOST_ROUNDED or figures["apart"]["80 ms"] > MOST_APART:
        print("not published:", figures)
        return 1
    weights = sum(values.numel() for values in network.parameters())
    values = figures | {"used": train_live.FRAMES - train_live.FIRST, "layers": train_live.LAYERS, "weights": f"{weights:,}"}
    values["apart"] = ", ".join(f"{apart} with a look-ahead of {ahead}" for ahead, apart in figures["apart"].items())
    publish.write(folder, "live", values, ("whisper", "flite", "kal"))
    publish.store(folder, figures)
    manifest.seal(folder, "live")
    if (models / LIVE_ID).exists():
        shutil.rmtree(models / LIVE_ID)
    shutil.copytree(folder, models / LIVE_ID)
    print(f"published {LIVE_ID}: {figures}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
