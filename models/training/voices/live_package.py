"""Builds the packages that live conversions listen with, and publishes them.

    python -m voices.live_package WORK MODELS [content|f0]

Nothing is written to MODELS, and the exit code is 1, when a graph says other than its network, or a network is too far from the one that it
learned from.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime
import reference
import torch

from . import export, publish, train_live, train_live_pitch

import manifest  # noqa: E402  isort: skip

CONTENT_ID, F0_ID = train_live.LIVE_ID, "vocalhost.f0-live-1"
MOST_APART, MOST_VOICING = 0.03, 3.0
"""With a look-ahead of 80 ms: mean square distance of the content, and percent of the frames whose voicing is decided otherwise."""
MOST_ROUNDED = 3e-4
"""Mean square distance between a network and its graph, whose matrices are whole numbers: of content, and of salience."""


def rounded(network: Callable, graph: Path, heard: list[np.ndarray]) -> float:
    """Mean square distance of what the graph says of what it hears from what the network says, over the places that are used."""
    session = onnxruntime.InferenceSession(graph)
    name = session.get_inputs()[0].name
    found = []
    for one in heard:
        with torch.inference_mode():
            wanted = network(torch.from_numpy(one)).numpy()
        said = session.run(None, {name: one})[0]
        found.append(np.mean((said - wanted)[:, wanted.shape[1] // 2 :] ** 2))
    return float(np.mean(found))


def last_windows(work: Path, length: int) -> list[np.ndarray]:
    """The ends of the pieces that nothing learned from, f32 [1, length]."""
    pieces = train_live.read(work)[: train_live.TEST_PIECES]
    return [piece["samples"][None, -length:].astype(np.float32) / 32_768.0 for piece in pieces]


def content(work: Path, models: Path, folder: Path) -> bool:
    """Builds the content encoder; whether it is good enough."""
    figures = json.loads((work / "live_training.json").read_text())
    network = train_live.student(models)
    network.load_state_dict(torch.load(work / "live.pt"))
    network.eval()
    export.live_graph(network, train_live.FRAMES, folder / "content.onnx")
    heard = [one[None] for one in last_windows(work, 320 * train_live.FRAMES)]
    figures["rounded"] = rounded(export.WaveWhisper(network), folder / "content.onnx", heard)
    print(CONTENT_ID, figures)
    weights = sum(values.numel() for values in network.parameters())
    values = figures | {"used": train_live.FRAMES - train_live.FIRST, "layers": train_live.LAYERS, "weights": f"{weights:,}"}
    values["apart"] = ", ".join(f"{apart} with a look-ahead of {ahead}" for ahead, apart in figures["apart"].items())
    publish.write(folder, "live", values, ("whisper", "flite", "kal"))
    publish.store(folder, figures)
    manifest.seal(folder, "live")
    return figures["rounded"] < MOST_ROUNDED and figures["apart"]["80 ms"] < MOST_APART


def f0(work: Path, models: Path, folder: Path) -> bool:
    """Builds the pitch network; whether it is good enough."""
    figures = json.loads((work / "live_pitch_training.json").read_text())
    network = train_live_pitch.LivePitch()
    network.load_state_dict(torch.load(work / "live_pitch.pt"))
    network = train_live_pitch.Salience(network).eval()
    export.live_salience_graph(network, folder / "f0.onnx")
    ear = train_live_pitch.Ear(reference.Fundamental(reference.Package(models / train_live_pitch.TEACHER)))
    sounds = last_windows(work, train_live_pitch.HOP * train_live_pitch.FRAMES)
    figures["rounded"] = rounded(network, folder / "f0.onnx", [ear(torch.from_numpy(one)).numpy() for one in sounds])
    print(F0_ID, figures)
    weights = sum(values.numel() for values in network.parameters())
    rows = "\n".join(
        f"| {ahead} | {apart['voicing']} % | {apart['beyond 50 cents']} % | {apart['median cents']} |" for ahead, apart in figures["apart"].items()
    )
    publish.write(folder, "live_pitch", figures | {"weights": f"{weights:,}", "rows": rows}, ("fcpe", "flite", "kal"))
    publish.store(folder, figures)
    manifest.seal(folder, "live_pitch")
    return figures["rounded"] < MOST_ROUNDED and figures["apart"]["80 ms"]["voicing"] < MOST_VOICING


def main(work: Path, models: Path, wanted: list[str]) -> int:
    """The exit code."""
    code = 0
    for name, package, build in (("content", CONTENT_ID, content), ("f0", F0_ID, f0)):
        if wanted and name not in wanted:
            continue
        folder = work / "packages" / package
        folder.mkdir(parents=True, exist_ok=True)
        if not build(work, models, folder):
            print(f"{package} is not published")
            code = 1
            continue
        if (models / package).exists():
            shutil.rmtree(models / package)
        shutil.copytree(folder, models / package)
    return code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))
