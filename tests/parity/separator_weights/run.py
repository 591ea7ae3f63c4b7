"""Compares separators that `vocalhost` makes of checkpoints with torch.

    cargo xtask parity separator_weights [-- --full] [--only=BS-RoFormer]

Each form is made with random weights, saved as its program saves it with its settings beside it, imported by `vocalhost`, exported, and
run in ONNX Runtime on the same spectrum as torch's network. The largest difference of any number is printed beside the largest number,
and how long the import took. Exits with 1 when a difference is over 1e-4 of the largest number. The networks have few channels;
`--full` takes the published sizes, `--only` one form.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "2")

import librosa
import numpy
import onnxruntime
import torch

from cases import CASES, write
from mel import mel_bands
from waves import spectrum

MOST = 1e-4


def imported(vocalhost, folder, files):
    """Imports files into a data folder of their own; gives the graph of what has become of them, and the seconds that it took."""
    settings = os.environ | {"VOCALHOST_DATA_DIR": str(folder / "data")}
    call = lambda *words: subprocess.run([vocalhost, "model", *map(str, words)], env=settings, cwd=folder, check=True, capture_output=True)
    begun = time.monotonic()
    call("import", "--id", "parity.separator", *files)
    taken = time.monotonic() - begun
    call("export", "parity.separator", folder / "separator.vmp")
    with zipfile.ZipFile(folder / "separator.vmp") as package:
        return package.read("separator.onnx"), taken


def bands_are_those_of_librosa():
    for count, n_fft in [(60, 2048), (6, 64), (48, 4096)]:
        weights = librosa.filters.mel(sr=44100, n_fft=n_fft, n_mels=count)
        weights[0, 0] = weights[-1, -1] = 1
        if [numpy.flatnonzero(row > 0).tolist() for row in weights] != mel_bands(count, n_fft):
            raise SystemExit(f"{count} mel bands of {n_fft} samples are other than librosa's")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vocalhost", type=Path)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", choices=CASES)
    arguments = parser.parse_args()
    bands_are_those_of_librosa()
    worst = 0.0
    for seed, name in enumerate(CASES):
        if arguments.only not in (None, name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            files, model, shape = write(name, arguments.full, seed, Path(folder))
            graph, taken = imported(arguments.vocalhost.resolve(), Path(folder), files)
        session = onnxruntime.InferenceSession(graph)
        heard = spectrum(*shape)
        [found] = session.run(None, {session.get_inputs()[0].name: heard[None].numpy()})
        with torch.no_grad():
            expected = model(heard).numpy().reshape(found.shape)
        largest, peak = numpy.abs(found - expected).max(), numpy.abs(expected).max()
        worst = max(worst, float(largest / peak))
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
        print(f"{name:50} {largest:.1e}  (largest number {peak:.2f}, imported in {taken:.1f} s, at most {memory:.0f} MB so far)", flush=True)
    print(f"largest difference {worst:.1e} of the largest number, at most {MOST:.0e} wanted")
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main())
