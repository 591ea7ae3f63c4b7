"""Compares the golden vectors of the pipeline with a run of the reference: `python run.py` prints the differences.

`python run.py --write` makes the networks, the packages and the vectors anew in tests/fixtures/rvc. The ordinary suite holds
the host to the vectors.
"""

import hashlib
import json
import sys
from pathlib import Path

import faiss
import numpy as np
import onnx
import onnxruntime

import networks
import pipeline

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "rvc"
CUTS = {"pad_s": 0.3, "query_s": 0.2, "center_s": 1.0, "max_s": 1.2}
ROWS, CELLS, RATE_HZ, LIMIT = 240, 6, 8_000, 1e-4
# Above what the estimator is sure of in many frames: they are unvoiced.
THRESHOLD = 0.258
CASES = {
    "long": {"voice": "voice", "samples": 50_001, "conversion_strength": 0.75, "model_volume_mix": 0.25, "pitch_shift": 3.5, "seed": 5},
    "short": {"voice": "voice", "samples": 17_777, "conversion_strength": 0.0, "model_volume_mix": 1.0, "pitch_shift": -12, "seed": 0},
    "whole": {"voice": "voice", "samples": 16_320, "conversion_strength": 1.0, "model_volume_mix": 0.0, "pitch_shift": 0, "seed": 9},
    "gaps": {"voice": "voice", "threshold": THRESHOLD, "samples": 33_333, "conversion_strength": 0.75, "model_volume_mix": 0.5, "pitch_shift": 5, "seed": 3},
    "filled": {"voice": "voice", "threshold": THRESHOLD, "profile": "rvc-2.3", "samples": 33_333, "conversion_strength": 0.75, "model_volume_mix": 0.5, "pitch_shift": 5, "seed": 3},
    "nono": {"voice": "nono", "samples": 30_000, "conversion_strength": 0.5, "model_volume_mix": 0.5, "pitch_shift": 0, "seed": 2},
}


def recording(samples):
    n = np.arange(samples, dtype=np.float64)
    sweep = np.sin(2 * np.pi * (140 * n / 16_000 + 30 * np.sin(n / 9_000)))
    wave = 0.6 * sweep + 0.35 * np.sin(2 * np.pi * 1_234.5 * n / 16_000 + 1) + 0.15 * np.sin(2 * np.pi * 7 * n / 16_000)
    return (wave * (0.05 + 0.95 * np.abs(np.sin(n * 0.00023)))).astype(np.float32)


def session(path):
    made = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return lambda feed: made.run(None, feed)[0]


def quantised(rows):
    cells = faiss.IndexIVFFlat(faiss.IndexFlatL2(rows.shape[1]), rows.shape[1], CELLS, faiss.METRIC_L2)
    cells.train(rows)
    cells.add(rows)
    cells.nprobe = 1
    return cells


def index_file(index):
    """The host's form of an index: rows cell by cell, centres, sizes."""
    lists = index.invlists
    sizes = [lists.list_size(number) for number in range(index.nlist)]
    ids = [faiss.rev_swig_ptr(lists.get_ids(number), size).copy() for number, size in enumerate(sizes)]
    rows = index.reconstruct_n(0, index.ntotal)
    ordered = np.concatenate([rows[part] for part in ids if len(part)])
    centres = index.quantizer.reconstruct_n(0, index.nlist)
    return ordered.tobytes() + centres.tobytes() + np.array(sizes, np.uint32).tobytes()


def index_of(content):
    """FAISS's own index of the committed file's rows and centres."""
    width = networks.CONTENT
    rows = np.frombuffer(content, np.float32, ROWS * width).reshape(ROWS, width)
    centres = np.frombuffer(content, np.float32, CELLS * width, ROWS * width * 4).reshape(CELLS, width)
    quantizer = faiss.IndexFlatL2(width)
    quantizer.add(centres)
    index = faiss.IndexIVFFlat(quantizer, width, CELLS, faiss.METRIC_L2)
    index.is_trained = True
    index.add(rows)
    index.nprobe = 1
    index.make_direct_map()
    return index


ESTIMATORS = FOLDER.parent / "rvc-estimators"
LAYOUTS = FOLDER.parent / "rvc-layouts"


def package(folder, files):
    """Writes the manifest of a package: what is said in the text beside this script, and its files."""
    text = (Path(__file__).parent / f"{folder.name}.toml").read_text()
    for file, role in files.items():
        content = (folder / file).read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        text += f'\n[files."{file}"]\nrole = "{role}"\nsha256 = "{digest}"\nbytes = {len(content)}\n'
    (folder / "package.toml").write_text(text)


def make_others():
    """Encoders and estimators in the other forms that they come in."""
    random = np.random.default_rng(44)
    for folder in (LAYOUTS / "layouts", *(ESTIMATORS / name for name in ("fcpe", "crepe", "wave"))):
        folder.mkdir(parents=True, exist_ok=True)
    encoder = onnx.load(FOLDER / "encoder/encoder.onnx")
    kernel = next(kept for kept in encoder.graph.initializer if kept.name == "kernel")
    networks.layouts(LAYOUTS / "layouts/graph.onnx", onnx.numpy_helper.to_array(kernel))
    networks.fcpe(ESTIMATORS / "fcpe/graph.onnx", random)
    networks.crepe(ESTIMATORS / "crepe/graph.onnx", random)
    networks.wave(ESTIMATORS / "wave/graph.onnx")
    for folder in (LAYOUTS / "layouts", *(ESTIMATORS / name for name in ("fcpe", "crepe", "wave"))):
        package(folder, {"graph.onnx": "graph"})


def tracks():
    """The pitch that each estimator finds in a recording."""
    audio = recording(20_000)
    feeds = {"fcpe": "mel", "crepe": "frames", "wave": "waveform"}
    runs = {name: onnxruntime.InferenceSession(ESTIMATORS / name / "graph.onnx") for name in feeds}
    estimate = {name: lambda x, name=name: runs[name].run(None, {feeds[name]: x})[0] for name in ("fcpe", "crepe")}
    threshold = np.array([0.15], np.float32)
    return {
        "fcpe": [float(f0) for f0 in pipeline.fcpe_f0(audio, estimate["fcpe"], 0.3)],
        "crepe": [float(f0) for f0 in pipeline.crepe_f0(audio, estimate["crepe"], 0.45)],
        "wave": [float(f0) for f0 in runs["wave"].run(None, {"waveform": audio[None], "threshold": threshold})[0][0]],
    }


def make():
    random = np.random.default_rng(22)
    for name in ("encoder", "estimator", "voice", "nono"):
        (FOLDER / name).mkdir(parents=True, exist_ok=True)
    networks.encoder(FOLDER / "encoder/encoder.onnx", random)
    networks.estimator(FOLDER / "estimator/estimator.onnx", random)
    networks.decoder(FOLDER / "voice/net.onnx", random, True)
    networks.decoder(FOLDER / "nono/net.onnx", random, False)
    rows = np.tanh(random.standard_normal((ROWS, networks.CONTENT))).astype(np.float32)
    (FOLDER / "voice/index.f32").write_bytes(index_file(quantised(rows)))
    for name in ("encoder", "estimator", "voice", "nono"):
        roles = {"net.onnx": "graph", f"{name}.onnx": "graph", "index.f32": "index"}
        package(FOLDER / name, {file: role for file, role in roles.items() if (FOLDER / name / file).exists()})


def reference(case):
    models = {"rate_hz": RATE_HZ, "prior": networks.PRIOR, "speaker": 1, "protect": 0.33}
    encode = session(FOLDER / "encoder/encoder.onnx")
    models["encode"] = lambda wave: encode({"source": wave[None, None]})[0]
    speak = session(FOLDER / case["voice"] / "net.onnx")
    models["speak"] = lambda feed: speak(feed)[0, 0]
    if case["voice"] == "voice":
        estimate = session(FOLDER / "estimator/estimator.onnx")
        models["estimate"] = lambda mel: estimate({"input": mel.astype(np.float32)})
        models["index"] = index_of((FOLDER / "voice/index.f32").read_bytes())
    return pipeline.convert(recording(case["samples"]), models, case, CUTS).astype(np.float32)


def main():
    write = "--write" in sys.argv
    if write:
        make()
        make_others()
        (FOLDER / "cases.json").write_text(json.dumps(CASES, indent=1) + "\n")
        (ESTIMATORS / "tracks.json").write_text(json.dumps(tracks()) + "\n")
    worst, kept = 0.0, json.loads((ESTIMATORS / "tracks.json").read_text())
    for name, f0 in tracks().items():
        off = float(np.abs(np.array(kept[name]) - f0).max())
        voiced = int(np.count_nonzero(f0))
        worst = max(worst, off / 1e3)
        print(f"f0 {name}: {voiced} of {len(f0)} frames voiced, golden off by {off:.1e} Hz")
    for name, case in CASES.items():
        sound = reference(case)
        path = FOLDER / f"{name}.f32"
        if write:
            path.write_bytes(sound.tobytes())
        kept = np.frombuffer(path.read_bytes(), np.float32)
        off = float(np.abs(kept - sound).max()) if len(kept) == len(sound) else float("inf")
        worst = max(worst, off)
        print(f"{case.get('profile', 'rvc-2.2')} {name}: {len(sound)} samples, peak {np.abs(sound).max():.3f}, golden off by {off:.1e}")
    sys.exit(worst > LIMIT)


main()
