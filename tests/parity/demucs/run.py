"""Compares Demucs that `vocalhost` makes of checkpoints with the original's own network.

    cargo xtask parity demucs [-- --full]

Each form is made with random weights, saved by the original's functions, imported by `vocalhost`, exported, and run in ONNX Runtime on the same
piece as torch's network. The largest difference of any number is printed beside the largest number, and the time and the memory that the
import took. Exits with 1 when a difference is over 1e-4 of the largest number. The networks have few channels; `--full` takes the published
sizes, a bag of four among them.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "2")

import numpy
import onnxruntime

import networks

MOST = 1e-4


def imported(vocalhost, folder, files):
    """Imports files into a data folder of their own; gives the graphs of what has become of them, the seconds, and the megabytes."""
    settings = os.environ | {"VOCALHOST_DATA_DIR": str(folder / "data")}
    command = [vocalhost, "model", "import", "--id", "parity.demucs", *map(str, files)]
    begun = time.monotonic()
    process = subprocess.Popen(command, env=settings, cwd=folder, stdout=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, tree_bytes(process.pid))
        time.sleep(0.05)
    taken = time.monotonic() - begun
    if process.returncode:
        raise SystemExit(f"the import of {files} failed")
    subprocess.run([vocalhost, "model", "export", "parity.demucs", folder / "demucs.vmp"], env=settings, check=True, capture_output=True)
    with zipfile.ZipFile(folder / "demucs.vmp") as package:
        graphs = sorted(name for name in package.namelist() if name.endswith(".onnx"))
        return [package.read(name) for name in graphs], taken, peak / 1e6


def tree_bytes(number):
    """The largest memory that a process or a child of it has had."""
    try:
        status = Path(f"/proc/{number}/status").read_text()
        children = [child for one in Path(f"/proc/{number}/task").iterdir() for child in (one / "children").read_text().split()]
    except OSError:
        return 0
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return max([int(found[1]) * 1024 if found else 0, *map(tree_bytes, children)])


def difference(graph, model, samples):
    """The largest difference of any output from the original's, by its largest number, and that number."""
    mix, spec = networks.heard(samples)
    expected = networks.answers(model, mix, spec)
    session = onnxruntime.InferenceSession(graph)
    names = [output.name for output in session.get_outputs()]
    found = dict(zip(names, session.run(names, {"mix": mix.numpy(), "spec": spec.numpy()}), strict=True))
    pairs = [(found[name], tensor.numpy()) for name, tensor in expected.items()]
    return max(float(numpy.abs(a - b).max() / numpy.abs(b).max()) for a, b in pairs), max(float(numpy.abs(b).max()) for _, b in pairs)


def cases(full):
    """By name: what is saved into a folder, and the networks with the length of their pieces."""
    for seed, (name, (sources, small, published, half)) in enumerate(networks.CASES.items()):
        if full and published is None:
            continue
        def one(folder, sources=sources, sizes=published if full else small, half=half, seed=seed):
            model = networks.save(networks.varied(sources, seed, **sizes), folder / "model.th", half)
            return [folder / "model.th"], [(model, networks.samples_of(model))]
        yield name, one
    sources, small, published, half = networks.CASES["htdemucs"]

    def bag(folder):
        signatures = ["f7e0c4bc", "d12395a8", "92cfc3b6", "04573f0d"]
        models = [
            networks.save(networks.varied(sources, seed, **(published if full else small)), folder / f"{name}-0123abcd.th", half)
            for seed, name in enumerate(signatures)
        ]
        weights = [[float(row == column) for column in range(4)] for row in range(4)]
        networks.save_bag(folder / "htdemucs_ft.yaml", signatures, weights)
        files = [folder / f"{name}-0123abcd.th" for name in reversed(signatures)]
        return [*files, folder / "htdemucs_ft.yaml"], [(model, networks.samples_of(model)) for model in models]

    yield "htdemucs_ft, four models", bag


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vocalhost", type=Path)
    parser.add_argument("--full", action="store_true")
    arguments = parser.parse_args()
    worst = 0.0
    for name, make in cases(arguments.full):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            files, models = make(folder)
            megabytes = sum(file.stat().st_size for file in files) / 1e6
            graphs, taken, peak = imported(arguments.vocalhost.resolve(), folder, files)
        found = [difference(graph, *model) for graph, model in zip(graphs, models, strict=True)]
        largest = max(one for one, _ in found)
        worst = max(worst, largest)
        size = f"{megabytes:.1f} MB, largest number {max(one for _, one in found):.2f}"
        print(f"{name:36} {largest:.1e}  ({size}, imported in {taken:.1f} s with {peak:.0f} MB)", flush=True)
    print(f"largest difference {worst:.1e} of the largest number, at most {MOST:.0e} wanted")
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main())
