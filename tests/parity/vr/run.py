"""Compares separations by VR models with python-audio-separator's, with the same random weights.

    cargo xtask parity vr [-- --full]

Each form is saved as its program saves it, imported by `vocalhost`, and run by `vocalhost separate` on a recording of tones between
silences that fits into one window, so that the pieces of both are the same; the largest difference of any sample is printed beside
the largest sample, full scale being 1. One form is run on a recording of several windows besides, whose seams are not the original's.
Exits with 1 when a difference is over 1e-4. The networks have few channels; `--full` takes those of published ones.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "2")

import numpy
import soundfile
import torch

import original
from cases import CASES
from waves import recording

MOST = 1e-4


def call(vocalhost, folder, *words):
    settings = os.environ | {"VOCALHOST_DATA_DIR": str(folder / "data")}
    subprocess.run([vocalhost, *map(str, words)], env=settings, cwd=folder, check=True, capture_output=True)


def imported(vocalhost, case, network, folder):
    """Imports a network; gives the seconds that it took."""
    torch.save(network.state_dict(), folder / "vr.pth")
    facts = [word for name, value in case.facts.items() for word in ("--set", f"{name}={value}")]
    begun = time.monotonic()
    call(vocalhost, folder, "model", "import", "vr.pth", "--id", "parity.vr", *facts)
    return time.monotonic() - begun


def separated(vocalhost, case, sound, rate, folder):
    soundfile.write(folder / "mix.wav", sound.T, rate, subtype="FLOAT")
    shutil.rmtree(folder / "stems", ignore_errors=True)
    call(vocalhost, folder, "separate", "mix.wav", "stems", "--package", "parity.vr")
    stem = {"backing": "vocals", "no-lead": "lead", "no-reverb": "dry", "noise": "clean"}.get(case.stems, case.stems)
    return soundfile.read(folder / "stems" / f"{stem}.wav", dtype="float32")[0].T


def compared(vocalhost, case, network, frames, folder):
    """The largest difference and the largest sample of a recording of so many frames."""
    band = original.parameters(case.bands).param["band"]
    last = band[len(band)]
    sound = recording(frames * last["hl"], last["sr"])
    found = separated(vocalhost, case, sound, last["sr"], folder)
    more = dict(stem=case.stem, aggression=case.aggression, window=case.window, turned=case.turned)
    expected = original.separated(network, case.bands, sound, folder, **more)
    length = min(found.shape[1], expected.shape[1])
    return numpy.abs(found[:, :length] - expected[:, :length]), numpy.abs(expected).max()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vocalhost", type=Path)
    parser.add_argument("--full", action="store_true")
    arguments = parser.parse_args()
    vocalhost = arguments.vocalhost.resolve()
    worst = 0.0
    for seed, (name, case) in enumerate(CASES.items()):
        network = original.varied((case.full if arguments.full else case.small)(), seed)
        kept = case.window - 2 * network.offset
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            taken = imported(vocalhost, case, network, folder)
            difference, peak = compared(vocalhost, case, network, kept, folder)
            largest = float(difference.max())
            worst = max(worst, largest)
            memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
            text = f"{name:40} {largest:.1e}  (largest sample {peak:.2f}, imported in {taken:.1f} s, at most {memory:.0f} MB so far)"
            if case.golden == "vr_newer":
                seams, _ = compared(vocalhost, case, network, 5 * kept, folder)
                text += f"; five windows: {float(seams.max()):.1e} at most, {float(numpy.sqrt((seams**2).mean())):.1e} in the mean"
        print(text, flush=True)
    print(f"largest difference {worst:.1e}, at most {MOST:.0e} wanted")
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main())
