"""Compares content encoders and estimators of pitch that `vocalhost` makes of checkpoints with torch.

    cargo xtask parity listeners [-- --full]

Each form is made with random weights, saved as its program saves it, imported by `vocalhost`, exported, and run in ONNX Runtime on the same
sound as torch's network. The largest difference of any number is printed beside the largest number, and how long the import took. Exits
with 1 when a difference is over 1e-4 of the largest number. The networks have few channels; `--full` takes the published sizes.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "2")

import numpy
import onnxruntime

import encoders
import estimators
from waves import wave

MOST = 1e-4
SAMPLES, FRAMES = 48000, 192


def imported(vocalhost, folder, files):
    """Imports files into a data folder of their own; gives the graph of what has become of them, and the seconds that it took."""
    settings = os.environ | {"VOCALHOST_DATA_DIR": str(folder / "data")}
    call = lambda *words: subprocess.run([vocalhost, "model", *map(str, words)], env=settings, cwd=folder, check=True, capture_output=True)
    begun = time.monotonic()
    call("import", "--id", "parity.listener", *files)
    taken = time.monotonic() - begun
    call("export", "parity.listener", folder / "listener.vmp")
    with zipfile.ZipFile(folder / "listener.vmp") as package:
        graph = next(name for name in package.namelist() if name.endswith(".onnx"))
        return package.read(graph), taken


def difference(graph, heard, expected):
    """The largest difference of any output, and the largest number."""
    session = onnxruntime.InferenceSession(graph)
    [given] = session.get_inputs()
    names = [output.name for output in session.get_outputs()]
    if sorted(names) != sorted(expected):
        raise SystemExit(f"gives {names} instead of {list(expected)}")
    found = dict(zip(names, session.run(names, {given.name: heard})))
    pairs = [(found[name], tensor.numpy()) for name, tensor in expected.items()]
    return max(numpy.abs(a - b).max() for a, b in pairs), max(numpy.abs(b).max() for _, b in pairs)


def cases(full):
    for seed, (name, (kind, save, _)) in enumerate(encoders.CASES.items()):
        def files(folder, kind=kind, save=save, seed=seed):
            model = encoders.encoder(kind, seed, full)
            names = save(model, folder)
            heard = wave(SAMPLES).reshape(1, 1, -1).numpy()
            return [folder / name for name in names], heard, encoders.vectors(model, SAMPLES)
        yield name, files
    for seed, (name, (make, save, file, axes)) in enumerate(estimators.CASES.items()):
        def files(folder, make=make, save=save, file=file, axes=axes, seed=seed):
            model = estimators.varied(make(full), seed)
            save(model, folder / file)
            heard = estimators.heard(axes, FRAMES).numpy()
            return [folder / file], heard, {"salience": estimators.salience(model, axes, FRAMES)}
        yield name, files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vocalhost", type=Path)
    parser.add_argument("--full", action="store_true")
    arguments = parser.parse_args()
    worst = 0.0
    for name, make in cases(arguments.full):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            files, heard, expected = make(folder)
            graph, taken = imported(arguments.vocalhost.resolve(), folder, files)
        largest, peak = difference(graph, heard, expected)
        worst = max(worst, float(largest / peak))
        print(f"{name:50} {largest:.1e}  (largest number {peak:.2f}, imported in {taken:.1f} s)", flush=True)
    print(f"largest difference {worst:.1e} of the largest number, at most {MOST:.0e} wanted")
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main())
