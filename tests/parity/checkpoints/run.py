"""Compares voices that `vocalhost` imports from checkpoints with torch's own run of the same weights.

    run.py VOCALHOST [--full] [--variant NAME]...

Every variant is saved by torch with random weights, imported, exported again as a package, and its graph is run on the same
inputs, random numbers among them, as torch's network. The largest difference of any sample is printed, full scale being 1,
and that of the index, whose vectors must be the same to the bit. Exits with 1 when one is over 1e-4. The networks have few
channels; `--full` takes those of real voices.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "2")

import faiss
import numpy
import onnxruntime
import torch

from variants import VARIANTS, checkpoint, inputs, random_voice

MOST = 1e-4
FRAMES, LENGTH, ROWS = 150, 148, 3000


def vectors(dim):
    return numpy.random.default_rng(5).standard_normal((ROWS, dim)).astype(numpy.float32)


def write_index(path, dim):
    index = faiss.index_factory(dim, "IVF16,Flat")
    index.train(vectors(dim))
    index.add(vectors(dim))
    faiss.write_index(index, str(path))


def imported(vocalhost, folder, files):
    """Imports files into a data folder of their own and exports what has become of them."""
    settings = os.environ | {"VOCALHOST_DATA_DIR": str(folder / "data")}
    call = lambda *words: subprocess.run(
        [vocalhost, "model", *map(str, words)], env=settings, cwd=folder, check=True, capture_output=True, text=True
    ).stdout
    number = json.loads(call("import", "--json", *files))["voice"]["id"]
    call("export", number, folder / "voice.vmp")
    return zipfile.ZipFile(folder / "voice.vmp")


def difference(variant, seed, vocalhost):
    sizes = variant.sizes
    voice = random_voice(sizes, seed)
    given = inputs(sizes, FRAMES, LENGTH)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        torch.save(checkpoint(variant, voice), folder / "voice.pth")
        write_index(folder / "voice.index", sizes.content)
        package = imported(vocalhost, folder, [folder / "voice.pth", folder / "voice.index"])
        manifest = tomllib.loads(package.read("package.toml").decode())
        rows = numpy.frombuffer(package.read("index.f32"), "<f4", ROWS * sizes.content)
        session = onnxruntime.InferenceSession(package.read("voice.onnx"))
    names = {tensor.name for tensor in session.get_inputs()}
    if names != {tensor["name"] for tensor in manifest["tensor"] if tensor["io"] == "in"}:
        raise SystemExit(f"{variant.name}: the manifest has other inputs than the graph")
    found = session.run(["audio"], {name: given[name].numpy() for name in names})[0]
    expected = voice.infer(given).numpy()
    order = lambda matrix: matrix[numpy.lexsort(matrix.T)]
    same = numpy.array_equal(order(rows.reshape(ROWS, -1)), order(vectors(sizes.content)))
    return float(numpy.abs(found - expected).max()), float(numpy.abs(expected).max()), same


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vocalhost", type=Path)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--variant", action="append", choices=[variant.name for variant in VARIANTS])
    arguments = parser.parse_args()
    worst = 0.0
    for seed, variant in enumerate(VARIANTS):
        if arguments.variant and variant.name not in arguments.variant:
            continue
        if not arguments.full:
            variant = type(variant)(variant.name, variant.sizes.tiny(), variant.form, variant.facts)
        largest, peak, same = difference(variant, seed, arguments.vocalhost.resolve())
        worst = max(worst, largest if same else 1.0)
        index = "index the same" if same else "INDEX DIFFERS"
        print(f"{variant.name:28} {largest:.1e}  (peak {peak:.2f}, {index})", flush=True)
    print(f"largest difference {worst:.1e}, at most {MOST:.0e} wanted")
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main())
