"""Time and memory of the originals and of `vocalhost`, in one run, on networks of the real size with random weights."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import cases
import packages

RATE = 44_100
SECONDS = float(os.environ.get("VOCALHOST_PARITY_SECONDS", "30"))


def mdx_net(models):
    """MDX-Net of the usual size of spectra. The real networks' weights are not free; this one is a stack of convolutions
    with as many operations as a few of their layers, so that both sides run the same graph."""
    cases.MDX_SIZES["real"] = (6_144, 1_024, 3_072, 256)
    packages.RATE = cases.RATE = RATE
    case = cases.mdx("speed-mdx", "", sizes="real")
    if models:
        case.write(models)
    return case.name, case.reference, "audio-separator on ONNX Runtime"


def demucs(models):
    """Demucs v4 with the published model's size, split, against PyTorch."""
    import networks

    packages.RATE = cases.RATE = RATE
    cases.DEMUCS_SAMPLES = 343_980
    cases.DEMUCS_POLICY["samples"] = cases.DEMUCS_SAMPLES
    size = dict(t_heads=8, bottom_channels=512, t_hidden_scale=4.0, dconv_depth=2)
    network = networks.htdemucs(3, cases.SPLITS, rate=RATE, samples=cases.DEMUCS_SAMPLES, size=size)
    if models:
        graph = networks.split(network, cases.DEMUCS_SAMPLES)
        cases.demucs_package(models, "speed-demucs", network, {"model.onnx": graph.data})

    def reference(mix):
        import originals

        return originals.demucs(network, mix)

    return "speed-demucs", reference, "demucs on PyTorch"


SUBJECTS = {"mdx-net": mdx_net, "demucs": demucs}


def original(subject):
    """Runs in a process of its own, so that its memory is its own: prints the time of the separation and the peak."""
    import torch

    import run

    torch.set_num_threads(1)
    _, reference, _ = SUBJECTS[subject](None)
    mix = run.recording(int(SECONDS * RATE))
    began = time.monotonic()
    reference(mix)
    taken = time.monotonic() - began
    print(json.dumps({"s": taken, "bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))


WATCH = """
import json, os, subprocess, sys, time
began = time.monotonic()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
child.returncode = os.waitstatus_to_exitcode(status)
print(json.dumps({"s": time.monotonic() - began, "bytes": usage.ru_maxrss * 1024, "status": child.returncode}))
"""


def measured(command):
    """Time and largest resident memory of a command.

    A small process stands in between: what is started inherits the largest memory of who starts it, and this one has
    PyTorch in it.
    """
    answer = subprocess.run([sys.executable, "-S", "-c", WATCH, *map(str, command)], check=True, stdout=subprocess.PIPE)
    found = json.loads(answer.stdout)
    assert found["status"] == 0, command
    return found["s"], found["bytes"]


def run(binary):
    import run as script

    print("| model | compared with | of real time: original | vocalhost | ratio | peak MB: original | vocalhost | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    for subject, make in SUBJECTS.items():
        with tempfile.TemporaryDirectory() as place:
            models = Path(place) / "models"
            # Made in a process of its own as well: this one's memory is inherited by what it starts.
            code = f"import speed, pathlib; speed.SUBJECTS[{subject!r}](pathlib.Path({str(models)!r}))"
            subprocess.run([sys.executable, "-c", code], check=True)
            name = next(models.iterdir()).name
            wave = Path(place) / "mix.wav"
            script.write_wav(wave, script.recording(int(SECONDS * RATE)), RATE)
            code = f"import speed; speed.original({subject!r})"
            answer = subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, text=True)
            theirs = json.loads(answer.stdout.strip().splitlines()[-1])
            command = [binary, "separate", wave, Path(place) / "stems", "--package", models / name]
            seconds, peak = measured(command)
            row = (
                name.removeprefix("speed-"),
                {"mdx-net": "audio-separator on ONNX Runtime", "demucs": "demucs on PyTorch"}[subject],
                f"{theirs['s'] / SECONDS:.3f}",
                f"{seconds / SECONDS:.3f}",
                f"{theirs['s'] / seconds:.2f} times as fast",
                f"{theirs['bytes'] / 1e6:.0f}",
                f"{peak / 1e6:.0f}",
                f"{peak / theirs['bytes']:.2f}",
            )
            print("| " + " | ".join(row) + " |", flush=True)
    return 0


if __name__ == "__main__":
    np.seterr(all="ignore")
    sys.exit(run(sys.argv[1]))
