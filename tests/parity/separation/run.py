"""Compares separations by `vocalhost` with those by the originals, with the same random weights.

    run.py VOCALHOST [--speed] [--golden FOLDER]

Every family and variant is written as a package, a recording of noise is taken apart by `vocalhost separate` and by the
original, and the largest difference of any sample is printed, full scale being 1. Exits with 1 when one is over 1e-4.
`--golden` writes packages and results for the suite; `--speed` measures time and memory on networks of the real size.
"""

import argparse
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch

import cases
import originals
import packages

MOST = 1e-4


def noise(seed, count):
    """The noise of the suite's `noise`: a linear congruence modulo 2^32."""
    state, values = seed, np.empty(count)
    for at in range(count):
        state = (state * 1_664_525 + 1_013_904_223) % 2**32
        values[at] = state / (2**32 - 1) - 0.5
    return values.astype(np.float32)


def recording(length):
    """Two channels that differ, with an offset."""
    return np.stack([0.8 * noise(1, length) + np.float32(0.05), 0.6 * noise(2, length)]).astype(np.float32)


def write_wav(path, sound, rate):
    data = np.ascontiguousarray(sound.T, dtype="<f4").tobytes()
    header = b"RIFF" + struct.pack("<I", 50 + len(data)) + b"WAVEfmt "
    header += struct.pack("<IHHIIHHH", 18, 3, 2, rate, rate * 8, 8, 32, 0)
    header += b"fact" + struct.pack("<II", 4, sound.shape[1]) + b"data" + struct.pack("<I", len(data))
    path.write_bytes(header + data)


def read_wav(path):
    data = path.read_bytes()
    at = 12
    while data[at : at + 4] != b"data":
        at += 8 + struct.unpack_from("<I", data, at + 4)[0]
    return np.frombuffer(data, "<f4", offset=at + 8).reshape(-1, 2).T


def separated(binary, models, case, mix, folder):
    write_wav(folder / "mix.wav", mix, packages.RATE)
    command = [binary, "separate", folder / "mix.wav", folder / "stems", "--package", f"parity.{case.name}"]
    subprocess.run([*command, "--models-dir", models], check=True, stdout=subprocess.DEVNULL)
    return {path.stem: read_wav(path) for path in (folder / "stems").iterdir()}


def estimated(case, folder):
    """The stems of a reference that a package estimates, as against the residual and what the task does not have."""
    text = (folder / "package.toml").read_text()
    residual = text.split("residual = ")[1].split("\n")[0].strip('"')
    return lambda found: {stem: sound for stem, sound in found.items() if stem not in (residual, "guitar", "piano")}


def compare(binary, case):
    """The largest difference over all lengths and stems, and the largest sample of the original's."""
    worst, peak = 0.0, 0.0
    with tempfile.TemporaryDirectory() as place:
        models = Path(place) / "models"
        case.write(models)
        wanted = estimated(case, models / case.name)
        for length in case.lengths:
            mix = recording(length)
            folder = Path(place) / str(length)
            folder.mkdir()
            found = separated(binary, models, case, mix, folder)
            for stem, sound in wanted(case.reference(mix)).items():
                sound = np.asarray(sound, dtype=np.float64)
                assert found[stem].shape == sound.shape, (case.name, stem, found[stem].shape, sound.shape)
                difference = np.abs(found[stem] - sound)[:, : case.comparable(length)].max()
                worst = max(worst, float(difference if np.isfinite(difference) else np.inf))
                peak = max(peak, float(np.abs(sound[:, : case.comparable(length)]).max()))
    return worst, peak


SMALL = dict(channels=8, t_layers=1, t_heads=4, bottom_channels=64, t_hidden_scale=1.0, dconv_depth=1)


def compare_long(binary):
    """A Demucs of pieces as long as the published ones', few channels apart: sums over millions of samples, and a full-scale square
    wave, whose samples all have one size, are where single precision shows. The graph is imported, as a person would."""
    import networks

    sources, samples, rate = cases.SPLITS, 343_980, 44_100
    network = networks.htdemucs(31, sources, rate=rate, samples=samples, size=SMALL)
    pace = np.arange(200_000) * (110 / rate)
    mix = np.stack([np.where(pace % 1 < 0.5, 1, -1), np.where((pace * 1.5) % 1 < 0.5, 1, -1)]).astype(np.float32)
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        (place / "none").mkdir()
        (place / "model.onnx").write_bytes(networks.split(network, samples).data)
        write_wav(place / "mix.wav", mix, rate)
        folders = ["--models-dir", place / "none", "--data-dir", place / "data"]
        silent = dict(check=True, stdout=subprocess.DEVNULL)
        subprocess.run([binary, "models", "import", place / "model.onnx", "--id", "parity.long", *folders], **silent)
        subprocess.run([binary, "separate", place / "mix.wav", place / "stems", "--package", "parity.long", *folders], **silent)
        found = {stem: read_wav(place / "stems" / f"{stem}.wav") for stem in sources if stem != "other"}
    wanted = originals.demucs(network, mix)
    worst = max(float(np.abs(sound - wanted[stem]).max()) for stem, sound in found.items())
    return worst, max(float(np.abs(wanted[stem]).max()) for stem in found)


def write_golden(case, target):
    """The package, and what the original makes of it: 32-bit floats, stem after stem, channel after channel."""
    folder = target / case.name
    shutil.rmtree(folder, ignore_errors=True)
    case.write(folder)
    wanted = estimated(case, folder / case.name)
    runs = []
    for length in case.golden:
        found = wanted(case.reference(recording(length)))
        runs.append({"length": length, "comparable": case.comparable(length), "stems": list(found)})
        sounds = [np.asarray(sound, dtype="<f4").tobytes() for sound in found.values()]
        (folder / f"{length}.f32").write_bytes(b"".join(sounds))
    note = {"package": f"parity.{case.name}", "original": case.original, "runs": runs}
    (folder / "golden.json").write_text(json.dumps(note, indent=1) + "\n")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("binary", nargs="?")
    arguments.add_argument("--speed", action="store_true")
    arguments.add_argument("--golden", type=Path)
    arguments = arguments.parse_args()
    torch.set_num_threads(1)
    if arguments.speed:
        import speed

        return speed.run(arguments.binary)
    all_cases = cases.cases()
    if arguments.golden:
        for case in all_cases:
            if case.golden:
                write_golden(case, arguments.golden)
        return 0
    failed = 0
    print("| family | variant | compared with | lengths | largest difference | largest sample |")
    print("|---|---|---|---|---|---|")
    for case in all_cases:
        worst, peak = compare(arguments.binary, case)
        failed += worst > MOST
        lengths = ", ".join(str(length) for length in case.lengths)
        row = case.family, case.variant, case.original, lengths, f"{worst:.1e}", f"{peak:.2f}"
        print("| " + " | ".join(row) + " |", flush=True)
    worst, peak = compare_long(arguments.binary)
    failed += worst > MOST
    row = "Demucs v4", "split, imported, loud", "demucs 4.1.0 `apply_model`", "200000", f"{worst:.1e}", f"{peak:.2f}"
    print("| " + " | ".join(row) + " |", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
