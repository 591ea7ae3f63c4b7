"""Compares voices that `vocalhost` imports from graphs with torch's own run of the same weights.

    run.py VOCALHOST [--form NAME]...

Every form is exported by torch with random weights, imported, exported again as a package, and the package's graph, whose random
nodes have become inputs, is run on the same inputs and the same noise as torch's network. The largest difference of any sample is
printed, full scale being 1; torch computes in single precision on the same weights. Exits with 1 when a graph in single precision
differs by more than 1e-4, one in half precision by more than 2e-2, or a graph does not repeat to the bit.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import tomllib
import warnings
import zipfile
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "2")
warnings.filterwarnings("ignore")

import numpy
import onnxruntime

from forms import FORMS, NAMES, inputs, voice_of, write

MOST = {False: 1e-4, True: 2e-2}
FRAMES = 150


def imported(vocalhost, folder, file):
    """Imports a file into a data folder of its own and exports what has become of it."""
    settings = os.environ | {"VOCALHOST_DATA_DIR": str(folder / "data")}
    call = lambda *words: subprocess.run(
        [vocalhost, "model", *map(str, words)], env=settings, cwd=folder, check=True, capture_output=True, text=True
    ).stdout
    number = json.loads(call("import", "--json", file))["voice"]["id"]
    call("export", number, folder / "voice.vmp")
    return zipfile.ZipFile(folder / "voice.vmp")


def heard(form, session, manifest):
    """The inputs of a package's graph by name, in its types."""
    theirs = NAMES[form.maker]
    given = inputs(form.sizes(), FRAMES)
    named = {theirs.get(name, name): value.numpy() for name, value in given.items()}
    roles = {tensor["name"]: tensor["role"] for tensor in manifest["tensor"]}
    types = {"tensor(float)": numpy.float32, "tensor(float16)": numpy.float16, "tensor(int64)": numpy.int64}
    result = {}
    for port in session.get_inputs():
        if roles[port.name] == "prior_noise":
            # A graph that scales its noise itself is given what is not scaled yet.
            value = given["rnd"].numpy() / (1 if manifest["voice"]["noise_scale"] < 1 else 0.66666)
        elif roles[port.name] == "source_noise":
            value = given["nsf_noise"].numpy()
        else:
            value = named[port.name]
        result[port.name] = value.astype(types[port.type])
    return result


def difference(form, seed, vocalhost):
    voice = voice_of(form, seed)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        write(form, voice, folder / "voice.onnx")
        package = imported(vocalhost, folder, folder / "voice.onnx")
        manifest = tomllib.loads(package.read("package.toml").decode())
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(package.read("voice.onnx"), options)
    given = heard(form, session, manifest)
    found, again = (session.run(["audio"], given)[0] for _ in range(2))
    expected = voice.infer(inputs(form.sizes(), FRAMES)).numpy().flatten()
    largest = float(numpy.abs(found.flatten().astype(numpy.float32) - expected).max())
    return largest, float(numpy.abs(expected).max()), numpy.array_equal(found, again)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vocalhost", type=Path)
    parser.add_argument("--form", action="append", choices=[form.name for form in FORMS])
    arguments = parser.parse_args()
    fails = 0
    for seed, form in enumerate(FORMS):
        if arguments.form and form.name not in arguments.form:
            continue
        largest, peak, same = difference(form, seed, arguments.vocalhost.resolve())
        fails += not same or largest > MOST[form.half]
        repeats = "repeats to the bit" if same else "DOES NOT REPEAT"
        print(f"{form.name:26} {largest:.1e} of at most {MOST[form.half]:.0e}  (peak {peak:.2f}, {repeats})", flush=True)
    return int(fails > 0)


if __name__ == "__main__":
    sys.exit(main())
