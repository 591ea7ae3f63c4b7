"""Time and memory of the originals and of `vocalhost`, in one run, on networks of the real size with random weights.

Each side runs in a process of its own, on one thread. `vocalhost` gets the graph as a person would, through `vocalhost models import`.
Like is compared with like: of an original whose separation alone is timed, with the network loaded and the sound in memory, the time that
`vocalhost separate` says it took for separating, from a file to files; of an original with a command of its own that needs no more than
a file of weights, from its start on, the whole command. Memory is that of whole processes.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# No progress bars.
os.environ.setdefault("TQDM_DISABLE", "1")

import numpy as np

RATE = 44_100
SECONDS = float(os.environ.get("VOCALHOST_PARITY_SECONDS", "20"))
SPLITS = ["drums", "bass", "other", "vocals"]
SEGMENT = 343_980
SIZES = {
    # The published model's.
    "demucs": dict(t_heads=8, bottom_channels=512, t_hidden_scale=4.0, dconv_depth=2),
    "demucs, small": dict(channels=24, t_layers=3, t_heads=4, bottom_channels=256, t_hidden_scale=2.0, dconv_depth=2),
}


class MdxNet:
    """MDX-Net, of which there are originals on both libraries: python-audio-separator runs the graph, or turns it into a
    network of PyTorch where another length of pieces is wanted."""

    facts = {"stems": "vocals", "n_fft": 6_144, "compensate": 1}
    originals = {"audio-separator on ONNX Runtime, separating": "onnx", "audio-separator on PyTorch, separating": "torch"}
    settings = dict(n_fft=6_144, hop=1_024, bins=3_072, frames=256, overlap=0.25, denoise=False)

    def network(self):
        import networks

        return networks.mdx_net(1)

    def write(self, path):
        import networks
        import torch

        path.write_bytes(networks.export(self.network(), (torch.randn(1, 4, 3_072, 256),), ["input"], ["output"]))

    def reference(self, kind, path):
        import originals
        import torch

        if kind == "onnx":
            run = session(path)
        else:
            network = self.network()
            run = lambda spectrum: [network(torch.from_numpy(spectrum)).numpy()]
        return lambda mix: originals.mdx_net(run, mix, **self.settings)


class Demucs:
    """Demucs v4 with its transforms outside of the graph."""

    facts = {}
    originals = {"demucs on PyTorch, separating": "torch", "demucs' own command": "command"}

    def __init__(self, size):
        self.size = size

    def network(self):
        import networks

        return networks.htdemucs(3, SPLITS, rate=RATE, samples=SEGMENT, size=self.size)

    def write(self, path):
        import networks

        path.write_bytes(networks.split(self.network(), SEGMENT).data)

    def command(self, place):
        """The original's command. Its weights are written to a file as the published ones are, but in single precision."""
        folder = place / "weights"
        folder.mkdir(exist_ok=True)
        python(f"import speed, pathlib; speed.Demucs({self.size!r}).keep(pathlib.Path({str(folder / 'random.th')!r}))")
        options = ["--repo", folder, "-n", "random", "-d", "cpu", "--shifts", "0", "--int24", "-o", place / "theirs"]
        return [sys.executable, "-m", "demucs.separate", *options, place / "mix.wav"]

    def keep(self, path):
        import torch
        from demucs import states

        network = self.network()
        positions, names = network._init_args_kwargs
        parts = {"klass": type(network), "args": positions, "kwargs": names, "state": states.get_state(network, None)}
        torch.save(parts, path)

    def reference(self, kind, path):
        import originals

        network = self.network()
        return lambda mix: originals.demucs(network, mix)


SUBJECTS = {"mdx-net": MdxNet()} | {name: Demucs(size) for name, size in SIZES.items()}


def session(path):
    """The graph of a file in ONNX Runtime, on one thread, as the originals load it."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    made = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return lambda spectrum: made.run(None, {made.get_inputs()[0].name: spectrum})


def beside(subject, kind, place):
    """Time and largest memory of an original."""
    if kind == "command":
        seconds, peak, _ = measured(SUBJECTS[subject].command(place))
        return seconds, peak
    path = str(place / "model.onnx")
    theirs = json.loads(python(f"import speed; speed.original({subject!r}, {kind!r}, {path!r})")[-1])
    return theirs["s"], theirs["bytes"]


def original(subject, kind, path):
    """Runs in a process of its own, so that its memory is its own: prints the time of the separation and the peak."""
    import torch

    import run

    torch.set_num_threads(1)
    with torch.no_grad():
        reference = SUBJECTS[subject].reference(kind, path)
        mix = run.recording(int(SECONDS * RATE))
        began = time.monotonic()
        reference(mix)
        taken = time.monotonic() - began
    print(json.dumps({"s": taken, "bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))


WATCH = """
import json, os, subprocess, sys, time
began = time.monotonic()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
told = child.stdout.read().decode()
_, status, usage = os.wait4(child.pid, 0)
child.returncode = os.waitstatus_to_exitcode(status)
print(json.dumps({"s": time.monotonic() - began, "bytes": usage.ru_maxrss * 1024, "status": child.returncode, "told": told}))
"""


def measured(command):
    """Time and largest resident memory of a command, and what it printed.

    A small process stands in between: what is started inherits the largest memory of who starts it, and this one has
    PyTorch in it.
    """
    answer = subprocess.run([sys.executable, "-S", "-c", WATCH, *map(str, command)], check=True, stdout=subprocess.PIPE)
    found = json.loads(answer.stdout)
    assert found["status"] == 0, command
    return found["s"], found["bytes"], found["told"]


def python(code):
    """What a script prints, run in a process of its own: this one's memory would be inherited."""
    answer = subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, text=True)
    return answer.stdout.strip().splitlines()


def separated(binary, subject, place):
    """Imports a graph into an empty installation and takes the recording apart: time of the command, of it separating, and memory."""
    data = ["--data-dir", place / "data", "--models-dir", place / "none"]
    facts = [part for fact in SUBJECTS[subject].facts.items() for part in ("--set", "{}={}".format(*fact))]
    command = [binary, "models", "import", place / "model.onnx", "--id", "parity.speed", *facts, *data]
    subprocess.run([*map(str, command)], check=True, stdout=subprocess.DEVNULL)
    whole = [binary, "separate", place / "mix.wav", place / "stems", "--package", "parity.speed", "--json", *data]
    seconds, peak, told = measured(whole)
    return seconds, json.loads(told)["seconds"]["separating"], peak


def run(binary):
    import run as script

    print("| model | compared with | of real time: original | vocalhost | ratio | peak MB: original | vocalhost | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    for subject, model in SUBJECTS.items():
        with tempfile.TemporaryDirectory() as place:
            place = Path(place)
            (place / "none").mkdir()
            path = place / "model.onnx"
            python(f"import speed, pathlib; speed.SUBJECTS[{subject!r}].write(pathlib.Path({str(path)!r}))")
            script.write_wav(place / "mix.wav", script.recording(int(SECONDS * RATE)), RATE)
            whole, separating, peak = separated(binary, subject, place)
            for name, kind in model.originals.items():
                their_seconds, their_peak = beside(subject, kind, place)
                seconds = whole if kind == "command" else separating
                row = (
                    subject,
                    name,
                    f"{their_seconds / SECONDS:.3f}",
                    f"{seconds / SECONDS:.3f}",
                    f"{their_seconds / seconds:.2f} times as fast",
                    f"{their_peak / 1e6:.0f}",
                    f"{peak / 1e6:.0f}",
                    f"{peak / their_peak:.2f}",
                )
                print("| " + " | ".join(row) + " |", flush=True)
    return 0


if __name__ == "__main__":
    np.seterr(all="ignore")
    sys.exit(run(sys.argv[1]))
